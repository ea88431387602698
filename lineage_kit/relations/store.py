"""The store: relations opened once, asked many times."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from lineage_kit.door.table_spec import TableSpec
from lineage_kit.door.tables import Table
from lineage_kit.engines.index.build import build_index
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.backing import Backing, Stale, open_backing, open_index
from lineage_kit.relations.check import check
from lineage_kit.relations.node_edges import node_edges
from lineage_kit.relations.questions import lineages, only, reached
from lineage_kit.relations.reach import Reachabilities, Reachability, reachability_of
from lineage_kit.relations.request import Limits, Node, checked_anchors, checked_count, checked_direction, checked_node
from lineage_kit.relations.trace import LineageTrace, trace_of
from lineage_kit.relations.traces import LineageTraces, traces_of
from lineage_kit.wording import counted


class RelationStore:
    """Relations that can be traced. Open one with `RelationStore.open`; it may be asked from several threads.

    Attributes:
        name: a short name of the source.
        files: the Parquet files of its relations, each with path, rows, size and modified_ns.
        item_files: those of its items.
        frames: the names of the sources that are frames in memory, not files.
        index: the folder of the index it was opened from, or None.
        max_depth_limit, supersede_limit: the limits it was opened with.

    Example:
        >>> store = lineage_kit.RelationStore.open(edges)
        >>> store.trace_lineage("decision", "d1").nodes.select("depth", "hop", "id", "superseded").rows()
        [(1, 0, 'e1', True), (1, 1, 'e2', False)]
    """

    def __init__(self, backing: Backing, limits: Limits) -> None:
        self._backing = backing
        self._engine, self._limits = backing.engine, limits
        self.name = backing.name
        self.files = backing.files
        self.item_files = backing.item_files
        self.frames = backing.frames
        self.index = backing.index
        self.max_depth_limit, self.supersede_limit = limits

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
            IndexUnusable: an index that is stale, damaged, foreign or of another version, with what to run.
            InvalidRequest: a limit that is no positive integer, or an option that is the index's own.

        Example:
            >>> lineage_kit.RelationStore.open(
            ...     pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}),
            ...     columns={"from": "source_id", "to": "target_id", "rel": "relation_kind"},
            ...     kinds={"BASED_ON": "depends_on"}, source_type="decision", target_type="evidence")
            RelationStore(the Polars DataFrame: 1 edge)
        """
        limits = Limits.checked(max_depth_limit, supersede_limit)
        spec = TableSpec.of(columns, kinds, source_type, target_type, strict=strict)
        return cls(open_backing(source, items, spec, stale), limits)

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
            memory_limit: how much memory the build may take, such as `"4GB"`; the rest goes to the temporary folder.
            temp_folder: where what does not fit into memory goes for the while; by default beside the index.
            progress: show a bar if it takes more than two seconds.

        Returns:
            A store over the index.

        Raises:
            InvalidRequest: a folder that holds something else, or cannot be written.
            LineageKitError: a source changed meanwhile, or memory or disk ran out.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     store.build_index(folder).trace_lineage("decision", "d1").nodes["id"].to_list()
            ['e1', 'e2']
        """
        temp = None if temp_folder is None else Path(temp_folder)
        place = Path(folder).expanduser()
        build_index(self._backing.sources, place, memory_limit=memory_limit, temp_folder=temp, progress=progress)
        return RelationStore(open_index(place, "error"), self._limits)

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that `strict=False` set aside, with their reason; otherwise none.

        Columns: the columns of the relations table, the source's own, edge (Int64), reason (String). Sorted by edge.

        Example:
            >>> bad = pl.concat([edges, edges.head(1).with_columns(source_id=None)])
            >>> lineage_kit.RelationStore.open(bad, strict=False).rejected.select("edge", "reason").rows()
            [(2, 'source_id is null')]
        """
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

        Returns:
            The lineage; empty, with `anchor_known` False, for an anchor that no relation mentions.

        Raises:
            InvalidRequest: an empty anchor, a depth out of bounds, or a time without a zone; before anything is read.
            LineageKitError: the source changed since it was opened.

        Example:
            >>> store.trace_lineage("decision", "d1")
            LineageTrace(decision d1: 1 premise over 1 level, 1 replacement, complete)
        """
        node = checked_node(type, id)
        depth, moment, answer = lineages(self._engine, self._limits, only(node), max_depth, as_of)
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
            >>> traces = store.trace_lineage_many([("decision", "d1"), ("evidence", "e1")])
            >>> traces.summary.select("anchor_id", "nodes", "truncated").rows()
            [('d1', 2, False), ('e1', 1, False)]
        """
        asked = checked_anchors(anchors)
        depth, moment, answer = lineages(self._engine, self._limits, asked, max_depth, as_of)
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
            >>> store.reachability("evidence", "e1", direction="incoming").nodes["id"].to_list()
            ['d1', 'e2']
        """
        node = checked_node(type, id)
        asked = reached(self._engine, self._limits, only(node), relation_kind, direction, max_depth)
        return reachability_of(asked.answer, node, asked.kinds, asked.direction, asked.max_depth, self)

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
            >>> store.reachability_many([("evidence", "e1")], direction="incoming").nodes["id"].to_list()
            ['d1', 'e2']
        """
        asked = checked_anchors(anchors)
        return reached(self._engine, self._limits, asked, relation_kind, direction, max_depth).answer

    def find(self, text: str, limit: int = 20) -> pl.DataFrame:
        """Nodes whose id or label contains the text, whatever the case; best match first.

        Args:
            text: a part of an id or label, taken literally.
            limit: how many nodes at most.

        Returns:
            Columns: type, id, label (String, null without one), match (String: `id`, `id start`, `label`,
            `label start`, `in id`, `in label`), degree (Int64: edge ends at the node). Sorted by match in that order,
            degree from high to low, type, id.

        Raises:
            InvalidRequest: an empty text, or a limit that is no positive integer.

        Example:
            >>> store.find("D1").rows()
            [('decision', 'd1', None, 'id', 1)]
        """
        if not isinstance(text, str) or not text:
            raise InvalidRequest(f"text must be a non-empty text, got {text!r}")
        return self._backing.search.find(text, checked_count("limit", limit, None))

    def edges(self, type: str, id: str, direction: str = "both") -> pl.DataFrame:
        """Every edge of one node.

        Args:
            type: the type of the node.
            id: its id.
            direction: `outgoing`, `incoming`, or `both`.

        Returns:
            Columns: direction (String; an edge from the node to itself is outgoing), the columns of the relations
            table, the source's own, edge (Int64). Sorted by direction, source, target, kind, class, confidence (nulls
            last), edge.

        Raises:
            InvalidRequest: an empty node or another direction.

        Example:
            >>> store.edges("evidence", "e1").select("direction", "source_id", "relation_kind").rows()
            [('incoming', 'd1', 'depends_on'), ('incoming', 'e2', 'supersedes')]
        """
        node, way = checked_node(type, id), checked_direction(direction)
        return self._engine.ask(lambda reader: node_edges(reader, node, way), None)

    def check(self) -> pl.DataFrame:
        """What in these relations deserves a second look; no rows when nothing does.

        Returns:
            Columns: finding (String), count (Int64), message (String), examples (List(String)). Sorted by finding:
            `confidence out of range`, `damaged file` (of an index, an import or any folder that this package wrote;
            examples: each file), `duplicate edge`, `expired without invalid`, `invalid before created`, `left out
            column`, `no walked kind` (examples: the kinds that are there), `rejected`, `self-supersedes`, `supersede
            ring`, `unknown class`.

        Raises:
            IndexUnusable: the tables behind an index have changed; a check reads them.

        Example:
            >>> store.check().rows()
            []
        """
        return check(self._backing)

    @property
    def edge_count(self) -> int:
        """How many edges the store has, without rejected rows.

        Example:
            >>> store.edge_count
            2
        """
        return self._engine.edges

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """What the items call these nodes.

        Args:
            nodes: a frame with the columns type and id.

        Returns:
            Columns: type, id, label (String), of those that have one. Sorted by type, id.

        Example:
            >>> items = pl.DataFrame({"type": ["evidence"], "id": ["e1"], "label": ["Load test 31"]})
            >>> labelled = lineage_kit.RelationStore.open(edges, items=items)
            >>> labelled.labels(labelled.trace_lineage("decision", "d1").nodes).rows()
            [('evidence', 'e1', 'Load test 31')]
        """
        return self._backing.search.labels(nodes)

    def near(self, type: str, id: str, limit: int = 5) -> list[Node]:
        """Nodes whose name is close to one that is not there.

        Args:
            type: the type that was meant.
            id: the id that was meant.
            limit: how many nodes at most.

        Returns:
            The nodes, closest first.

        Example:
            >>> store.near("evidence", "e9", limit=1)
            [Node(type='evidence', id='e1')]
        """
        return self._backing.search.near(type, id, limit)

    def tables_on(self, connection: duckdb.DuckDBPyConnection) -> tuple[Table, Table | None]:
        """The tables of this store on another DuckDB connection: for the SQL views.

        Args:
            connection: where to open them.

        Returns:
            The relations, without rejected rows, and the items, if there are any.

        Raises:
            IndexUnusable: the tables behind an index have changed.

        Example:
            >>> relations, items = store.tables_on(lineage_kit.connect())
            >>> relations.name, items
            ('the Polars DataFrame', None)
        """
        tables = self._backing.tables(connection)
        return tables.relations, tables.items

    def __repr__(self) -> str:
        aside = f", {self.rejected.height:,} rejected" if self.rejected.height else ""
        name = self.files[0].path.name if len(self.files) == 1 else counted(len(self.files), "file")
        if self.index is not None:
            name = f"the index {self.index.name}"
        return f"RelationStore({name if self.files else self.name}: {counted(self.edge_count, 'edge')}{aside})"
