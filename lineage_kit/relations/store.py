"""The store: relations opened once, asked many times."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from lineage_kit.door.table_spec import TableSpec
from lineage_kit.engines.index.build import build_index
from lineage_kit.relations.audit.audit import Audit
from lineage_kit.relations.backing import Stale, open_backing, open_index
from lineage_kit.relations.changed_backing import ChangedBacking
from lineage_kit.relations.opened import OpenedRelations
from lineage_kit.relations.questions import audit, only, reached, traced
from lineage_kit.relations.reach import Reachabilities, Reachability, reachability_of
from lineage_kit.relations.request import Limits, Node, checked_anchors, checked_node
from lineage_kit.relations.trace import ImpactTrace, LineageTrace, T, trace_of
from lineage_kit.relations.traces import ImpactTraces, LineageTraces, Many, traces_of
from lineage_kit.relations.what_if import checked_change, with_ended_targets


class RelationStore(OpenedRelations):
    """Relations that can be traced. Open one with `RelationStore.open`; it may be asked from several threads.

    Attributes:
        name: a short name of the source.
        files: the Parquet files of its relations, each with path, rows, size and modified_ns.
        item_files: those of its items.
        frames: the names of the sources that are frames in memory, not files.
        index: the folder of the index it was opened from, or None.
        supposing: what `what_if` supposes in it, in words, one change after the other.
        max_depth_limit, supersede_limit: the limits it was opened with.

    Example:
        >>> store = lineage_kit.RelationStore.open(edges)
        >>> store.trace_lineage("decision", "d1").nodes.select("depth", "hop", "id", "superseded").rows()
        [(1, 0, 'e1', True), (1, 1, 'e2', False)]
    """

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
        ended: str = "invalidate",
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
            ended: what an item that has ended (`ended_at` of the items) means for the walk edges into it: `invalidate`
                them from then on, unless they were invalid before, or `ignore` it.

        Raises:
            SchemaError: everything wrong with the table, at once.
            IndexUnusable: an index that is stale, damaged, foreign or of another version, with what to run.
            InvalidRequest: a limit that is no positive integer, another word for `ended`, or an option that is the
                index's own.

        Example:
            >>> lineage_kit.RelationStore.open(
            ...     pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}),
            ...     columns={"from": "source_id", "to": "target_id", "rel": "relation_kind"},
            ...     kinds={"BASED_ON": "depends_on"}, source_type="decision", target_type="evidence")
            RelationStore(the Polars DataFrame: 1 edge)
        """
        limits = Limits.checked(max_depth_limit, supersede_limit)
        spec = TableSpec.of(columns, kinds, source_type, target_type, strict=strict, ended=ended)
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

    def trace_lineage(
        self,
        type: str,
        id: str,
        max_depth: int = 5,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> LineageTrace:
        """What an item rests on: premises level by level, each with its replacements.

        Args:
            type: the type of the anchor.
            id: the id of the anchor, compared exactly.
            max_depth: how many levels to walk, from 1 to `max_depth_limit`.
            as_of: see the relations as they held at this instant (a datetime with a zone, or ISO 8601 text).
            known_at: see of them what was known at this instant: recorded by then (created_at), and invalidated only
                where that had been noticed (expired_at, or at once where it is not told).

        Returns:
            The lineage; empty, with `anchor_known` False, for an anchor that no relation mentions.

        Raises:
            InvalidRequest: an empty anchor, a depth out of bounds, or a time without a zone; before anything is read.
            LineageKitError: the source changed since it was opened.

        Example:
            >>> store.trace_lineage("decision", "d1")
            LineageTrace(decision d1: 1 premise over 1 level, 1 replacement, complete)
        """
        return _one(self, LineageTrace, checked_node(type, id), max_depth, as_of, known_at)

    def trace_lineage_many(
        self,
        anchors: Any,
        max_depth: int = 5,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> LineageTraces:
        """The lineages of many anchors, from one batched walk; each equals the single call's.

        Args:
            anchors: a dataframe with the columns type and id, or a list of (type, id); duplicates are folded.
            max_depth: as in `trace_lineage`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.

        Raises:
            InvalidRequest: as in `trace_lineage`.

        Example:
            >>> traces = store.trace_lineage_many([("decision", "d1"), ("evidence", "e1")])
            >>> traces.summary.select("anchor_id", "nodes", "truncated").rows()
            [('d1', 2, False), ('e1', 1, False)]
        """
        return _many(self, LineageTraces, anchors, max_depth, as_of, known_at)

    def impact(
        self,
        type: str,
        id: str,
        max_depth: int = 5,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> ImpactTrace:
        """What rests on an item: dependents level by level, each with what it has come to replace.

        The lineage turned round: an item is found here at the depth at which the anchor is in its lineage.

        Args:
            type: the type of the anchor.
            id: the id of the anchor, compared exactly.
            max_depth: as in `trace_lineage`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.

        Returns:
            The impact; empty, with `anchor_known` False, for an anchor that no relation mentions.

        Raises:
            InvalidRequest: as in `trace_lineage`.
            LineageKitError: the source changed since it was opened.

        Example:
            >>> store.impact("evidence", "e2").nodes.select("depth", "hop", "id", "current").rows()
            [(0, 1, 'e1', True), (1, 0, 'd1', True)]
        """
        return _one(self, ImpactTrace, checked_node(type, id), max_depth, as_of, known_at)

    def impact_many(
        self,
        anchors: Any,
        max_depth: int = 5,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> ImpactTraces:
        """The impacts of many anchors, from one batched walk; each equals the single call's.

        Args:
            anchors: a dataframe with the columns type and id, or a list of (type, id); duplicates are folded.
            max_depth: as in `trace_lineage`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.

        Raises:
            InvalidRequest: as in `trace_lineage`.

        Example:
            >>> store.impact_many([("evidence", "e1"), ("evidence", "e2")]).summary.select("anchor_id", "nodes").rows()
            [('e1', 1), ('e2', 2)]
        """
        return _many(self, ImpactTraces, anchors, max_depth, as_of, known_at)

    def reachability(
        self,
        type: str,
        id: str,
        *,
        relation_kind: str | list[str] | None = None,
        direction: str = "outgoing",
        max_depth: int = 3,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> Reachability:
        """What can be reached from a node, ring by ring, over edges of any kind.

        Args:
            type: the type of the anchor.
            id: the id of the anchor.
            relation_kind: one kind, a list of kinds, or None for all; supersedes is a kind like the others here. One
                that no relation has is told in `unknown_kinds`.
            direction: `outgoing` (source to target), `incoming` (what rests on it), or `both`.
            max_depth: how many rings, from 1 to `max_depth_limit`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.

        Raises:
            InvalidRequest: an empty anchor, a depth out of bounds, another direction, or a time without a zone.

        Example:
            >>> store.reachability("evidence", "e1", direction="incoming").nodes["id"].to_list()
            ['d1', 'e2']
        """
        node = checked_node(type, id)
        asked = reached(self._engine, self._limits, only(node), relation_kind, direction, max_depth, as_of, known_at)
        unknown = (asked.unknown_kinds, asked.kinds_there)
        return reachability_of(
            asked.answer, node, asked.kinds, asked.direction, asked.max_depth, asked.at, unknown, self
        )

    def reachability_many(
        self,
        anchors: Any,
        *,
        relation_kind: str | list[str] | None = None,
        direction: str = "outgoing",
        max_depth: int = 3,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> Reachabilities:
        """What can be reached from many anchors, from one batched walk: `nodes` and `summary`.

        Args:
            anchors: a dataframe with the columns type and id, or a list of (type, id); duplicates are folded.
            relation_kind: as in `reachability`.
            direction: as in `reachability`.
            max_depth: as in `reachability`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.

        Raises:
            InvalidRequest: as in `reachability`.

        Example:
            >>> store.reachability_many([("evidence", "e1")], direction="incoming").nodes["id"].to_list()
            ['d1', 'e2']
        """
        asked = checked_anchors(anchors)
        return reached(self._engine, self._limits, asked, relation_kind, direction, max_depth, as_of, known_at).answer

    def audit(
        self,
        anchors: Any,
        max_depth: int = 5,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        progress: bool = True,
    ) -> Audit:
        """Which of many items still stand: a verdict each, and every flagged node of their lineages with the way to it.

        It works through the anchors in parts: memory follows verdicts and findings, not the nodes visited.

        Args:
            anchors: the name of a type, for every item of it that rests on anything at whatever time; or a dataframe
                with the columns type and id, or a list of (type, id); duplicates are folded.
            max_depth: as in `trace_lineage`.
            as_of: as in `trace_lineage`.
            known_at: as in `trace_lineage`.
            progress: show a bar if it takes more than two seconds.

        Returns:
            The audit: `summary`, `findings`, what is `new_since` another, a `report`.

        Raises:
            InvalidRequest: as in `trace_lineage_many`; a type of which no item rests on anything.

        Example:
            >>> store.audit([("decision", "d1"), ("decision", "d9")]).summary.select("id", "verdict").rows()
            [('d1', 'stale'), ('d9', 'unknown')]
        """
        return audit(self._engine, self._limits, anchors, max_depth, as_of, known_at, self, progress=progress)

    def what_if(
        self,
        at: datetime | str,
        *,
        withdraw: Any = None,
        invalidate: Any = None,
        supersede: Any = None,
        add: Any = None,
    ) -> RelationStore:
        """A store in which something is supposed to be otherwise: ask it as any other, and compare by `diff`.

        Nothing of the source is written or copied. What is supposed of the source does not touch what is added.

        Args:
            at: when the change is supposed to happen (a datetime with a zone, or ISO 8601 text).
            withdraw: items, as a dataframe with the columns type and id, or a list of (type, id): every walk edge
                into one becomes invalid at `at`, unless it was at an earlier time. What such an item rests on itself
                is unchanged; what rests on it is not.
            invalidate: edges, as a dataframe (or a list of tuples) of source_type, source_id, target_type, target_id,
                relation_kind: every edge that is equal in all five becomes invalid likewise.
            supersede: replacements, as a list of (old_type, old_id, new_type, new_id), or a dataframe: one more
                supersedes edge each, from the new item to the old one, asserted and created at `at`.
            add: further relations, a table read as the store's own was (columns, kinds, strict).

        Returns:
            The store. Rows of the source keep their numbers; those of `add`, then of `supersede`, count on from them.

        Raises:
            InvalidRequest: nothing supposed, no time, an item that supersedes itself, or anything that is not there
                to be withdrawn, invalidated or superseded: all of it at once.
            SchemaError: everything wrong with what is added.

        Example:
            >>> supposed = store.what_if("2026-03-01T00:00:00Z", withdraw=[("evidence", "e1")])
            >>> trace = store.trace_lineage("decision", "d1")
            >>> trace.diff(supposed.trace_lineage("decision", "d1")).nodes.select("id", "columns").rows()
            [('e1', ['invalidated', 'current']), ('e2', ['current'])]
        """
        backing = self._backing
        change, rejected = checked_change(
            self._engine, backing.spec, backing.rows, at, withdraw, invalidate, supersede, add
        )
        if backing.spec.ended == "invalidate":
            change = change._replace(added=with_ended_targets(change.added, backing.search))
        return RelationStore(ChangedBacking(backing, change, rejected), self._limits)


def _one(store: RelationStore, sort: type[T], node: Node, max_depth: Any, as_of: Any, known_at: Any) -> T:
    impact = issubclass(sort, ImpactTrace)
    depth, at, answer = traced(store._engine, store._limits, only(node), max_depth, as_of, known_at, impact=impact)
    return trace_of(sort, answer, node, depth, at, store.supersede_limit, store)


def _many(store: RelationStore, sort: type[Many], anchors: Any, max_depth: Any, as_of: Any, known_at: Any) -> Many:
    asked, impact = checked_anchors(anchors), issubclass(sort, ImpactTraces)
    depth, at, answer = traced(store._engine, store._limits, asked, max_depth, as_of, known_at, impact=impact)
    return traces_of(sort, answer, asked, depth, at, store.supersede_limit, store)
