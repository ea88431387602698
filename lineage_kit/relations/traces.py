"""What `trace_lineage_many` and `impact_many` answer: the traces of many anchors, from one batched walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import polars as pl

from lineage_kit.engines.columns import picked, places_in
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.protocol import Moment
from lineage_kit.pictured import Displayed
from lineage_kit.relations.request import Node, checked_node
from lineage_kit.relations.trace import ImpactTrace, LineageTrace, Origin, Trace, same_nodes, same_rows
from lineage_kit.relations.walk.frames import Numbered, Walked
from lineage_kit.schema import FLAGS
from lineage_kit.wording import counted

ANCHOR = ("anchor_type", "anchor_id")
T = TypeVar("T", bound=Trace)
Many = TypeVar("Many", bound="Traces[Any]")


@dataclass(frozen=True, eq=False, repr=False)
class Traces(Mapping[Node, T], Displayed):
    """The traces of many anchors: what those of lineages and of impacts have in common."""

    sort: ClassVar[type[Trace]]
    """What each of them is."""

    nodes: pl.DataFrame
    make_edges: Callable[[], pl.DataFrame]
    make_superseding: Callable[[], pl.DataFrame]
    frontier: pl.DataFrame
    summary: pl.DataFrame
    stats: pl.DataFrame
    describing: pl.Series
    max_depth: int
    supersede_limit: int
    as_of: datetime | None
    known_at: datetime | None
    origin: Origin | None = None

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def edges(self) -> pl.DataFrame:
        """The edges of all traces; made when they are first asked for, and kept.

        Columns: anchor_type, anchor_id (String), then those of `LineageTrace.edges`. Sorted by anchor_type, anchor_id,
        then as there.

        Example:
            >>> store.trace_lineage_many([("decision", "d1")]).edges.select("anchor_id", "role", "source_id").rows()
            [('d1', 'replacement', 'e2'), ('d1', 'walk', 'd1')]
        """
        return self.make_edges()

    @cached_property
    def _superseding(self) -> pl.DataFrame:
        return self.make_superseding()

    def __getitem__(self, anchor: tuple[str, str]) -> T:
        node = checked_node(*anchor) if isinstance(anchor, tuple) and len(anchor) == 2 else None
        row = self._rows(self.summary, node) if node is not None else None
        if node is None or row is None or not row.height:
            raise KeyError(f"{anchor!r} is not among the {counted(len(self), 'anchor')} of these traces")
        told = row.row(0, named=True)
        mine = pl.Series(self._mine(self.nodes, node))
        trace: Any = self.sort(
            anchor=node,
            anchor_known=told["anchor_known"],
            anchor_superseded=told["anchor_superseded"],
            max_depth=self.max_depth,
            as_of=self.as_of,
            known_at=self.known_at,
            truncated=told["truncated"],
            truncated_by=tuple(told["truncated_by"]),
            nodes=self.nodes.filter(mine).drop(ANCHOR),
            edges=self._rows(self.edges, node).drop(ANCHOR),
            frontier=self._rows(self.frontier, node).drop(ANCHOR),
            supersede_limit=self.supersede_limit,
            stats=self.stats,
            describing=self.describing.filter(mine),
            superseding=self._rows(self._superseding, node).drop(ANCHOR),
            anchor_label=told["label"],
            origin=self.origin,
        )
        found: T = trace
        return found

    @staticmethod
    def _mine(frame: pl.DataFrame, node: Node) -> pl.Series:
        return frame.select((pl.col("anchor_type") == node.type) & (pl.col("anchor_id") == node.id)).to_series()

    @classmethod
    def _rows(cls, frame: pl.DataFrame, node: Node) -> pl.DataFrame:
        return frame.filter(cls._mine(frame, node))

    def __iter__(self) -> Iterator[Node]:
        return iter([Node(*pair) for pair in self.summary.select(ANCHOR).iter_rows()])

    def __len__(self) -> int:
        return self.summary.height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Traces) or type(self) is not type(other):
            return NotImplemented
        return (
            same_nodes(self.summary, other.summary)
            and same_nodes(self.nodes, other.nodes)
            and same_nodes(self.frontier, other.frontier)
            and same_rows(self.edges, other.edges)
        )

    def __repr__(self) -> str:
        truncated, known = int(self.summary["truncated"].sum()), int(self.summary["anchor_known"].sum())
        return (
            f"{type(self).__name__}({counted(len(self), 'anchor')}, {counted(self.nodes.height, 'node')}, "
            f"{truncated:,} truncated, {len(self) - known:,} unknown)"
        )

    def __getstate__(self) -> dict[str, Any]:
        made = {"edges": self.edges, "_superseding": self._superseding}
        return {**self.__dict__, "origin": None, "make_edges": None, "make_superseding": None, **made}


class LineageTraces(Traces[LineageTrace]):
    """The lineages of many anchors: frames over all of them, and a mapping from (type, id) to one `LineageTrace`.

    Attributes:
        nodes: anchor_type, anchor_id (String), then those of `LineageTrace.nodes`; sorted by anchor first.
        edges: anchor_type, anchor_id (String), then those of `LineageTrace.edges`; sorted by anchor first. Made when
            they are first asked for.
        frontier: anchor_type, anchor_id (String), then those of `LineageTrace.frontier`; sorted by anchor first.
        summary: one row an anchor, sorted by anchor: anchor_type, anchor_id (String), anchor_known,
            anchor_superseded (Boolean), max_depth (Int64), as_of, known_at (Datetime us UTC), truncated (Boolean),
            truncated_by (List(String)), the counts nodes, edges, frontier, invalidated, superseded, outdated_support
            (Int64), and label (String, null without one).
        stats: one row a level of the common walk, in the columns of `LineageTrace.stats`.
        describing: for each row of `nodes`, the row number (Int64) of the edge that describes it.
        make_edges, make_superseding: make the edges, and what `LineageTrace.superseding` holds.
        max_depth, supersede_limit, as_of, known_at: what was asked, for all anchors alike.

    Raises:
        KeyError: `traces[type, id]` for an anchor that was not asked about.

    Example:
        >>> traces = store.trace_lineage_many([("decision", "d1"), ("decision", "d2")])
        >>> traces
        LineageTraces(2 anchors, 2 nodes, 0 truncated, 1 unknown)
        >>> traces["decision", "d1"]
        LineageTrace(decision d1: 1 premise over 1 level, 1 replacement, complete)
    """

    sort = LineageTrace


class ImpactTraces(Traces[ImpactTrace]):
    """The impacts of many anchors: frames over all of them, and a mapping from (type, id) to one `ImpactTrace`.

    Attributes:
        nodes: anchor_type, anchor_id (String), then those of `LineageTrace.nodes`; sorted by anchor first.
        edges: anchor_type, anchor_id (String), then those of `LineageTrace.edges`; sorted by anchor first. Made when
            they are first asked for.
        frontier: anchor_type, anchor_id (String), then those of `LineageTrace.frontier`; sorted by anchor first.
        summary: one row an anchor, sorted by anchor: anchor_type, anchor_id (String), anchor_known,
            anchor_superseded (Boolean), max_depth (Int64), as_of, known_at (Datetime us UTC), truncated (Boolean),
            truncated_by (List(String)), the counts nodes, edges, frontier, invalidated, superseded, outdated_support
            (Int64), and label (String, null without one).
        stats: one row a level of the common walk, in the columns of `LineageTrace.stats`.
        describing: for each row of `nodes`, the row number (Int64) of the edge that describes it.
        make_edges, make_superseding: make the edges, and what `ImpactTrace.superseding` holds.
        max_depth, supersede_limit, as_of, known_at: what was asked, for all anchors alike.

    Raises:
        KeyError: `impacts[type, id]` for an anchor that was not asked about.

    Example:
        >>> store.impact_many([("evidence", "e1"), ("evidence", "e2")])
        ImpactTraces(2 anchors, 3 nodes, 0 truncated, 0 unknown)
    """

    sort = ImpactTrace


def traces_of(
    many: type[Many],
    answer: Walked,
    anchors: pl.DataFrame,
    max_depth: int,
    at: Moment,
    supersede_limit: int,
    origin: Origin,
) -> Many:
    """The traces of all anchors of a walk."""
    names = anchors.rename({"type": "anchor_type", "id": "anchor_id"})
    return many(
        nodes=_named(answer.nodes, names),
        make_edges=lambda: _named(answer.edges(), names),
        make_superseding=lambda: _named(answer.superseding(), names),
        frontier=_named(answer.frontier, names),
        summary=_summary(answer, names, max_depth, at),
        stats=answer.stats,
        describing=answer.describing,
        max_depth=max_depth,
        supersede_limit=supersede_limit,
        as_of=at.as_of,
        known_at=at.known_at,
        origin=origin,
    )


def _named(rows: Numbered, names: pl.DataFrame) -> pl.DataFrame:
    """Anchor numbers replaced by anchor_type and anchor_id."""
    here = places_in(rows.anchor)
    return pl.DataFrame([*(picked(name, here) for name in names), *rows.frame])


def _summary(answer: Walked, names: pl.DataFrame, max_depth: int, at: Moment) -> pl.DataFrame:
    """One row an anchor; see `LineageTraces.summary`."""
    depth, limit = pl.lit(pl.Series(answer.cut_by_depth)), pl.lit(pl.Series(answer.cut_by_limit))
    reasons = pl.concat_list(
        pl.when(depth).then(pl.lit("max_depth")), pl.when(limit).then(pl.lit("supersede_limit"))
    ).list.drop_nulls()

    def counts(anchor: Ints) -> pl.Series:
        return pl.Series(np.bincount(anchor, minlength=names.height), dtype=pl.Int64)

    anchor, nodes = answer.nodes
    ends = np.searchsorted(anchor, np.arange(names.height + 1))

    def counted(flag: str) -> pl.Series:
        seen = np.concatenate([[0], np.cumsum(nodes[flag].to_numpy())])[ends]
        return pl.Series(seen[1:] - seen[:-1], dtype=pl.Int64)

    return names.with_columns(
        anchor_known=pl.Series(answer.known),
        anchor_superseded=pl.Series(answer.superseded),
        max_depth=pl.lit(max_depth, pl.Int64),
        as_of=pl.lit(at.as_of, pl.Datetime("us", "UTC")),
        known_at=pl.lit(at.known_at, pl.Datetime("us", "UTC")),
        truncated=depth | limit,
        truncated_by=reasons,
        nodes=counts(anchor),
        edges=counts(answer.edge_anchor),
        frontier=counts(answer.frontier.anchor),
        **{flag: counted(flag) for flag in FLAGS},
        label=answer.anchor_labels,
    )
