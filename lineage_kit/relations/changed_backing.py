"""What a store stands on when a change is supposed: that of another store, with the change laid over it."""

from __future__ import annotations

from datetime import timedelta

import duckdb
import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.door.changed import Change, changed
from lineage_kit.door.faults import collected
from lineage_kit.door.table_sources import Tables, TableSources
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.duckdb_connection import stored
from lineage_kit.engines.csr.instant import EPOCH
from lineage_kit.engines.index.engine import IndexEngine
from lineage_kit.engines.layered.engine import LayeredEngine
from lineage_kit.engines.layered.layer import nothing
from lineage_kit.engines.protocol import ALWAYS, Backend, Engine, Frame
from lineage_kit.relations.backing import Backing, WholeTable, engine_for
from lineage_kit.relations.search import EndsOfEdges, Nodes, Search, Searched
from lineage_kit.relations.what_if import edges_there
from lineage_kit.schema import WALKED
from lineage_kit.wording import counted


class ChangedBacking:
    """The backing of a store with a change over it; a change over a change lies on the first.

    Over tables, the changed table gets the engine that suits it, which reads it when it is asked. Over an index, the
    index is asked as before, with the change as a layer over it.
    """

    def __init__(self, base: Backing, change: Change, rejected: pl.DataFrame) -> None:
        self._base, self._change = base, change
        self.spec, self.confirm = base.spec, base.confirm
        self.files, self.item_files, self.frames = base.files, base.item_files, base.frames
        self.index = base.index
        self.supposing = (*base.supposing, in_words(change))
        self.name = f"{base.name}, supposing {in_words(change)}"
        self.rows = base.rows + change.added.height + rejected.height
        aside = base.engine.rejected
        if rejected.height:
            aside = pl.concat([aside, rejected], how="diagonal_relaxed")
        over = base.engine
        if isinstance(over, (IndexEngine, LayeredEngine)):
            engine: Engine = _layered(over, change, base.search, aside)
        else:
            engine = engine_for(self.whole, base.search.items_table(), aside, over.edges + change.added.height)
        self.engine = engine
        self.search = Search(self._searched, self.confirm)

    @property
    def whole(self) -> WholeTable:
        """The relations with the change."""
        relations, backend, held = self._base.whole
        return WholeTable(changed(relations, self._change, backend.upload), backend, held)

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """The tables with the change, on this connection."""
        tables = self._base.tables(connection)

        def upload(small: pl.DataFrame) -> Frame:
            return nw.from_native(stored(small, connection))

        return tables._replace(relations=changed(tables.relations, self._change, upload))

    @property
    def sources(self) -> TableSources:
        """The changed relations in memory, and the items as they were given: an index keeps a copy of them."""
        whole = self.whole
        with whole.backend.turn():
            rows = collected(whole.relations.frame, self.name).sort("edge").drop("edge")
        return TableSources([rows], self._base.sources.items, TableSpec(ended=self.spec.ended))

    def _searched(self) -> Searched:
        backend, nodes, items = self._base.search.opened()
        if isinstance(self.engine, LayeredEngine):
            return Searched(backend, _WithMore(nodes, backend, self._change.added), items)
        return Searched(backend, EndsOfEdges(self.whole.relations), items)


class _WithMore:
    """The nodes of an index, and those that further rows mention."""

    def __init__(self, nodes: Nodes, backend: Backend, added: pl.DataFrame) -> None:
        self._nodes = nodes
        ends = [added.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
        self._more = backend.upload(pl.concat(ends).group_by("type", "id").len("degree"))

    def like(self, close: nw.Expr) -> Frame:
        """The nodes of both, each once."""
        both = [self._nodes.like(close), self._more.filter(close).select("type", "id")]
        return nw.concat(both, how="vertical").unique()

    def degrees(self, asked: Frame) -> Frame:
        """The edge ends of both together."""
        more = self._more.join(asked, on=["type", "id"], how="semi")
        parts = [
            part.select("type", "id", nw.col("degree").cast(nw.Int64)) for part in (self._nodes.degrees(asked), more)
        ]
        return nw.concat(parts, how="vertical").group_by("type", "id").agg(nw.col("degree").sum())


def _layered(
    base: IndexEngine | LayeredEngine, change: Change, search: Search, rejected: pl.DataFrame
) -> LayeredEngine:
    """The engine of an index with the change as a layer, or with the layer it has changed."""
    withdrawn = base.ask(lambda reader: reader.into(reader.keys(change.withdrawn), WALKED).edge, ALWAYS)
    invalidated = base.ask(lambda reader: edges_there(reader, change.invalidated)[1], ALWAYS)
    ended = np.concatenate([withdrawn, invalidated])
    at = (change.at - EPOCH) // timedelta(microseconds=1)
    if isinstance(base, LayeredEngine):
        index, layer = base.base, base.ending(ended, at)
    else:
        index, layer = base, nothing(base.own).ending(base.graph, ended, at)
    layer = layer.adding(change.added) if change.added.height else layer
    return LayeredEngine(index, layer, search.labels, rejected)


def in_words(change: Change) -> str:
    """What is supposed.

    Example:
        >>> from datetime import UTC, datetime
        >>> no = pl.DataFrame({"type": [], "id": []})
        >>> noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
        >>> in_words(Change(noon, pl.DataFrame({"type": ["evidence"], "id": ["e1"]}), no, no))
        'evidence e1 withdrawn at 2026-03-01T12:00:00Z'
    """
    items, edges, added = (part.height for part in change[1:])
    parts = []
    if items:
        named = " ".join(change.withdrawn.row(0)) if items == 1 else counted(items, "item")
        parts.append(f"{named} withdrawn")
    if edges:
        parts.append(f"{counted(edges, 'edge')} invalidated")
    if added:
        parts.append(f"{counted(added, 'edge')} added")
    return f"{', '.join(parts) or 'nothing'} at {change.at.isoformat().replace('+00:00', 'Z')}"
