"""The store: relations opened once, asked many times."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, get_args

import duckdb
import polars as pl

from lineage_kit.engines.frames.backends import DuckdbBackend, PolarsBackend
from lineage_kit.engines.frames.engine import FramesEngine
from lineage_kit.engines.frames.node_codes import HashCollision
from lineage_kit.engines.protocol import Engine, Reader
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations import walk_frames
from lineage_kit.relations.answers import trace_of, traces_of
from lineage_kit.relations.batching import in_parts
from lineage_kit.relations.check import check
from lineage_kit.relations.indexed import Stale, index_in, open_index
from lineage_kit.relations.indexing import build_index
from lineage_kit.relations.node_edges import node_edges
from lineage_kit.relations.opening import Opening, items_beside
from lineage_kit.relations.reach import Reachabilities, Reachability, reach
from lineage_kit.relations.request import (
    Direction,
    Node,
    checked_anchors,
    checked_as_of,
    checked_count,
    checked_depth,
    checked_direction,
    checked_kinds,
    checked_node,
)
from lineage_kit.relations.search import EndsOfEdges, Search, Searched
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.sources import File, taken_in
from lineage_kit.tables import Table
from lineage_kit.wording import counted

T = TypeVar("T")


class RelationStore:
    """Relations that can be traced. Open one with `RelationStore.open`; it may be asked from several threads.

    Attributes:
        name: a short name of the source.
        files: the Parquet files of its relations, each with path, rows, size and modified_ns.
        item_files: those of its items.
        index: the folder of the index it was opened from, or None.
        max_depth_limit, supersede_limit: the limits it was opened with.
        rejected: with strict=False, the rows set aside: the columns of the relations table, edge (Int64) and reason
            (String), sorted by edge. Otherwise empty.

    Example:
        >>> import lineage_kit, polars as pl
        >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
        ...     "source_type": ["decision", "evidence"], "source_id": ["d1", "e2"],
        ...     "target_type": ["evidence", "evidence"], "target_id": ["e1", "e1"],
        ...     "relation_kind": ["depends_on", "supersedes"]}))
        >>> store.trace_lineage("decision", "d1").nodes.select("depth", "hop", "id", "superseded").rows()
        [(1, 0, 'e1', True), (1, 1, 'e2', False)]
    """

    def __init__(
        self,
        engine: Engine,
        search: Search,
        opening: Opening,
        *,
        checked: Callable[[], FramesEngine],
        name: str,
        files: tuple[File, ...],
        item_files: tuple[File, ...],
        frames: tuple[str, ...],
        max_depth_limit: int,
        supersede_limit: int,
        index: Path | None = None,
    ) -> None:
        self._engine = engine
        self._search = search
        self._opening = opening
        self._checked = checked
        self.index = index
        self.name = name
        self.files = files
        self.item_files = item_files
        self._frames = frames
        self.max_depth_limit = max_depth_limit
        self.supersede_limit = supersede_limit

    @classmethod
    def open(
        cls,
        source: Any,
        *,
        items: Any = None,
        columns: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
        source_type: str | None = None,
        target_type: str | None = None,
        max_depth_limit: int = 10,
        supersede_limit: int = 10,
        strict: bool = True,
        stale: Stale = "error",
    ) -> RelationStore:
        """Open relations from Parquet, from an index, from any dataframe, or from a list of tables (their union).

        Args:
            source: a Parquet path, a glob, a folder that holds `relations.parquet`, a dataframe (Polars eager or lazy,
                pandas, PyArrow, a DuckDB relation), or a list of such sources. Parquet is scanned, not loaded.
                Or the folder of an index (see `build_index`), which opens in milliseconds whatever its size; what it
                was built with (items, columns, kinds, types) it knows.
            items: what a person calls the nodes (type, id, label, …), from a source of the same sorts; if left out,
                the `items.parquet` beside a folder's `relations.parquet`.
            columns: renames, {name in the source: canonical name}.
            kinds: maps relation kinds, {kind in the source: canonical kind}.
            source_type: the type of every source, where the table has no such column.
            target_type: the type of every target, where the table has no such column.
            max_depth_limit: the largest max_depth a question may have.
            supersede_limit: replacement hops followed per level.
            strict: False sets bad rows aside in `rejected` instead of refusing the table.
            stale: what to do about an index whose source files have changed since: `error`, `rebuild` it first, or
                `use` it as it is.

        Raises:
            SchemaError: everything wrong with the table, at once.
            IndexUnusable: an index that is stale, damaged, foreign or newer than this package, with what to run.
            InvalidRequest: a limit that is no positive integer, or an option that is the index's own.

        Example:
            >>> import lineage_kit, polars as pl
            >>> lineage_kit.RelationStore.open(
            ...     pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}),
            ...     columns={"from": "source_id", "to": "target_id", "rel": "relation_kind"},
            ...     kinds={"BASED_ON": "depends_on"}, source_type="decision", target_type="evidence")
            RelationStore(the Polars DataFrame: 1 edge)
        """
        max_depth_limit = checked_count("max_depth_limit", max_depth_limit, None)
        supersede_limit = checked_count("supersede_limit", supersede_limit, None)
        constants = {"source_type": source_type, "target_type": target_type}
        if stale not in get_args(Stale):
            raise InvalidRequest(f"stale must be 'error', 'rebuild' or 'use', got {stale!r}")
        if (folder := index_in(source)) is not None:
            given = {"items": items, "columns": columns or None, "kinds": kinds or None, **constants}
            if told := [option for option, value in given.items() if value is not None]:
                raise InvalidRequest(
                    f"{folder} is an index, which knows its {', '.join(told)}. Hint: leave {told[0]}= out, or build "
                    f"the index anew with it"
                )
            return cls._of_index(folder, stale, max_depth_limit, supersede_limit)
        items = items_beside(source) if items is None else items
        opening = Opening(
            taken_in(source),
            None if items is None else taken_in(items),
            columns=columns,
            kinds=kinds,
            constants=constants,
            strict=strict,
        )
        tables = opening.tables()
        connection = tables.opened.connection
        backend = DuckdbBackend(connection) if connection is not None else PolarsBackend()
        engine = FramesEngine(tables.relations, backend, strict=strict, held=tables.opened.held)
        searched = Searched(backend, EndsOfEdges(engine.table), tables.items)
        return cls(
            engine,
            Search(lambda: searched),
            opening,
            checked=lambda: engine,
            name=tables.opened.name,
            files=tables.opened.files,
            item_files=tables.items.files if tables.items is not None else (),
            frames=tables.opened.frames,
            max_depth_limit=max_depth_limit,
            supersede_limit=supersede_limit,
        )

    @classmethod
    def _of_index(cls, folder: Path, stale: Stale, max_depth_limit: int, supersede_limit: int) -> RelationStore:
        indexed = open_index(folder, stale)
        return cls(
            indexed.engine,
            indexed.search,
            indexed.opening,
            checked=indexed.opening.frames_engine,
            name=indexed.name,
            files=indexed.files,
            item_files=indexed.item_files,
            frames=(),
            max_depth_limit=max_depth_limit,
            supersede_limit=supersede_limit,
            index=indexed.engine.folder,
        )

    def build_index(
        self,
        folder: str | os.PathLike[str],
        *,
        memory_limit: str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
        progress: bool = True,
    ) -> RelationStore:
        """Build an index of these relations, and open it: traces in milliseconds, at any size, from any process.

        The folder appears whole when all is done, or not at all; an index that is there already is replaced. Frames in
        memory are kept in it too; of Parquet files it remembers where they are, and whether they have changed.

        Args:
            folder: where to build; a new folder, an empty one, or an index.
            memory_limit: how much memory DuckDB may take, such as `"4GB"`; the rest goes to the temporary folder.
            temp_folder: where what does not fit into memory goes for the while; by default beside the index.
            progress: show a bar if it takes more than two seconds.

        Raises:
            InvalidRequest: a folder that holds something else, or cannot be written.
            LineageKitError: a source changed meanwhile, or memory or disk ran out.

        Example:
            >>> import lineage_kit, polars as pl, tempfile
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     store.build_index(folder).trace_lineage("decision", "d1").nodes["id"].to_list()
            ['e1']
        """
        temp = None if temp_folder is None else Path(temp_folder)
        place = Path(folder).expanduser()
        build_index(self._opening, place, memory_limit=memory_limit, temp_folder=temp, progress=progress)
        return self._of_index(place, "error", self.max_depth_limit, self.supersede_limit)

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that strict=False set aside, with their reason."""
        return self._engine.rejected

    def trace_lineage(
        self, type: str, id: str, max_depth: int = 5, *, as_of: datetime | str | None = None
    ) -> LineageTrace:
        """What an item rests on: premises level by level, each with its replacements.

        Args:
            type: the type of the anchor.
            id: the id of the anchor, compared exactly.
            max_depth: how many levels to walk, from 1 to `max_depth_limit`.
            as_of: see the relations as they were at this instant (a datetime with a zone, or ISO 8601 text).

        Raises:
            InvalidRequest: an empty anchor, a depth out of bounds, or a time without a zone; before anything is read.
            LineageKitError: the source changed since it was opened.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> store.trace_lineage("decision", "d2").anchor_known
            False
        """
        node = checked_node(type, id)
        asked = pl.DataFrame([pl.Series("type", [type]), pl.Series("id", [id])])
        depth, moment, answer = self._traced(asked, max_depth, as_of)
        return trace_of(answer, node, depth, moment, self.supersede_limit, self)

    def trace_lineage_many(
        self, anchors: Any, max_depth: int = 5, *, as_of: datetime | str | None = None
    ) -> LineageTraces:
        """The lineages of many anchors, from one batched walk; each equals the single call's.

        Args:
            anchors: a dataframe with the columns type and id, or a list of (type, id); duplicates are folded.
            max_depth: as in `trace_lineage`.
            as_of: as in `trace_lineage`.

        Raises:
            InvalidRequest: as in `trace_lineage`.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> traces = store.trace_lineage_many([("decision", "d1"), ("evidence", "e1")])
            >>> traces.summary.select("anchor_id", "nodes", "truncated").rows()
            [('d1', 1, False), ('e1', 0, False)]
        """
        asked = checked_anchors(anchors)
        depth, moment, answer = self._traced(asked, max_depth, as_of)
        return traces_of(answer, asked, depth, moment, self.supersede_limit, self)

    def reachability(
        self,
        type: str,
        id: str,
        *,
        relation_kind: str | list[str] | None = None,
        direction: str = "outgoing",
        max_depth: int = 3,
    ) -> Reachability:
        """What can be reached from a node, ring by ring, over edges of any kind.

        Args:
            type: the type of the anchor.
            id: the id of the anchor.
            relation_kind: one kind, a list of kinds, or None for all; supersedes is a kind like the others here.
            direction: `outgoing` (source to target), `incoming` (what rests on it), or `both`.
            max_depth: how many rings, from 1 to `max_depth_limit`.

        Raises:
            InvalidRequest: an empty anchor, a depth out of bounds, or another direction.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> store.reachability("evidence", "e1", direction="incoming").nodes["id"].to_list()
            ['d1']
        """
        node = checked_node(type, id)
        asked = pl.DataFrame([pl.Series("type", [type]), pl.Series("id", [id])])
        kinds, way, depth, answer = self._reached(asked, relation_kind, direction, max_depth)
        nodes = answer.nodes.drop("anchor_type", "anchor_id")
        return Reachability(
            anchor=node,
            anchor_known=bool(answer.summary["anchor_known"][0]),
            relation_kind=kinds,
            direction=way,
            max_depth=depth,
            truncated=bool(answer.summary["truncated"][0]),
            nodes=nodes,
            rings=tuple(nodes.filter(pl.col("depth") == ring + 1) for ring in range(depth)),
            origin=self,
        )

    def reachability_many(
        self,
        anchors: Any,
        *,
        relation_kind: str | list[str] | None = None,
        direction: str = "outgoing",
        max_depth: int = 3,
    ) -> Reachabilities:
        """What can be reached from many anchors, from one batched walk: `nodes` and `summary`.

        Args:
            anchors: a dataframe with the columns type and id, or a list of (type, id); duplicates are folded.
            relation_kind: as in `reachability`.
            direction: as in `reachability`.
            max_depth: as in `reachability`.

        Raises:
            InvalidRequest: as in `reachability`.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> store.reachability_many([("evidence", "e1")], direction="incoming").nodes["id"].to_list()
            ['d1']
        """
        *_, answer = self._reached(checked_anchors(anchors), relation_kind, direction, max_depth)
        return answer

    def find(self, text: str, limit: int = 20) -> pl.DataFrame:
        """Nodes whose id or label contains the text, whatever the case; best match first.

        Columns: type, id, label (String, null without one), match (String: `id`, `id start`, `label`, `label start`,
        `in id`, `in label`), degree (Int64: edge ends at the node). Sorted by match in that order, degree from
        high to low, type, id.

        Raises:
            InvalidRequest: an empty text, or a limit that is no positive integer.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> store.find("D1").rows()
            [('decision', 'd1', None, 'id', 1)]
        """
        if not isinstance(text, str) or not text:
            raise InvalidRequest(f"text must be a non-empty text, got {text!r}")
        return self._search.find(text, checked_count("limit", limit, None))

    def edges(self, type: str, id: str, direction: str = "both") -> pl.DataFrame:
        """Every edge of one node.

        Columns: direction (String; an edge from the node to itself is outgoing), the columns of the relations table,
        the source's own, edge (Int64). Sorted by direction, source, target, kind, class, confidence (nulls last), edge.

        Raises:
            InvalidRequest: an empty node or another direction.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
            >>> store.edges("evidence", "e1").select("direction", "source_id", "relation_kind").rows()
            [('incoming', 'd1', 'depends_on')]
        """
        node, way = checked_node(type, id), checked_direction(direction)
        return self._ask(lambda reader: node_edges(reader, node, way), None)

    def check(self) -> pl.DataFrame:
        """What in these relations deserves a second look; no rows when nothing does.

        Columns: finding (String), count (Int64), message (String), examples (List(String)). Sorted by finding:
        `confidence out of range`, `duplicate edge`, `invalid before created`, `no walked kind` (examples: the kinds
        that are there), `rejected`, `self-supersedes`, `supersede ring`, `unknown class`.

        Example:
            >>> import lineage_kit, polars as pl
            >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
            ...     "source_type": ["note"], "source_id": ["n1"], "target_type": ["note"],
            ...     "target_id": ["n1"], "relation_kind": ["supersedes"]}))
            >>> store.check()["finding"].to_list()
            ['no walked kind', 'self-supersedes']
        """
        engine = self._checked()
        with engine.turn():
            return check(engine)

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of the sources that are frames in memory, not files."""
        return self._frames

    @property
    def edge_count(self) -> int:
        """How many edges the store has, without rejected rows."""
        return self._engine.edges

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """type, id and label (String) of those of these nodes that the items give one, sorted by type and id."""
        return self._search.labels(nodes)

    def near(self, type: str, id: str, limit: int = 5) -> list[Node]:
        """Nodes whose name is close to one that is not there, closest first."""
        return self._search.near(type, id, limit)

    def tables_on(self, connection: duckdb.DuckDBPyConnection) -> tuple[Table, Table | None]:
        """The relations (without rejected rows) and items, on another DuckDB connection: for the SQL views."""
        tables = self._opening.tables(connection)
        return (tables.relations.good() if self.rejected.height else tables.relations), tables.items

    def __repr__(self) -> str:
        aside = f", {self.rejected.height:,} rejected" if self.rejected.height else ""
        name = self.files[0].path.name if len(self.files) == 1 else counted(len(self.files), "file")
        if self.index is not None:
            name = f"the index {self.index.name}"
        return f"RelationStore({name if self.files else self.name}: {counted(self.edge_count, 'edge')}{aside})"

    def _traced(
        self, anchors: pl.DataFrame, max_depth: int, as_of: datetime | str | None
    ) -> tuple[int, datetime | None, walk_frames.Lineages]:
        depth, moment = checked_depth(max_depth, self.max_depth_limit), checked_as_of(as_of)
        limit = self.supersede_limit

        def ask(part: pl.DataFrame) -> walk_frames.Lineages:
            return self._ask(lambda reader: walk_frames.trace(reader, part, depth, limit), moment)

        return depth, moment, in_parts(anchors, ask, chunked=self._engine.chunked)

    def _reached(
        self, anchors: pl.DataFrame, relation_kind: Any, direction: str, max_depth: int
    ) -> tuple[tuple[str, ...] | None, Direction, int, Reachabilities]:
        depth = checked_depth(max_depth, self.max_depth_limit)
        kinds, way = checked_kinds(relation_kind), checked_direction(direction)
        answer = self._ask(lambda reader: reach(reader, anchors, kinds, way, depth), None)
        return kinds, way, depth, answer

    def _ask(self, question: Callable[[Reader], T], as_of: datetime | None) -> T:
        """Ask the engine; should two nodes share a hash, code exactly and ask again."""
        with self._engine.turn():
            try:
                return question(self._engine.reader(as_of))
            except HashCollision:
                self._engine.code_exactly()
                return question(self._engine.reader(as_of))
