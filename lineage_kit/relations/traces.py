"""What `trace_lineage_many` answers: the lineages of many anchors, from one batched walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lineage_kit.engines.columns import picked, places_in
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.pictured import Displayed
from lineage_kit.relations.request import Node, checked_node
from lineage_kit.relations.trace import LineageTrace, Origin, same_rows
from lineage_kit.relations.walk.frames import Lineages, Numbered
from lineage_kit.wording import counted

ANCHOR = ("anchor_type", "anchor_id")


@dataclass(frozen=True, eq=False, repr=False)
class LineageTraces(Mapping[Node, LineageTrace], Displayed):
    """The lineages of many anchors: frames over all of them, and a mapping from (type, id) to one `LineageTrace`.

    Attributes:
        nodes: anchor_type, anchor_id (String), then those of `LineageTrace.nodes`; sorted by anchor first.
        edges: anchor_type, anchor_id (String), then those of `LineageTrace.edges`; sorted by anchor first. Made when
            they are first asked for.
        frontier: anchor_type, anchor_id (String), then those of `LineageTrace.frontier`; sorted by anchor first.
        make_edges: makes them.
        summary: one row an anchor, sorted by anchor: anchor_type, anchor_id (String), anchor_known,
            anchor_superseded (Boolean), max_depth (Int64), as_of (Datetime us UTC), truncated (Boolean), truncated_by
            (List(String)), and the counts nodes, edges, frontier, invalidated, superseded, outdated_support (Int64).
        stats: one row a level of the common walk, in the columns of `LineageTrace.stats`.
        max_depth, supersede_limit, as_of: what was asked, for all anchors alike.

    Raises:
        KeyError: `traces[type, id]` for an anchor that was not asked about.

    Example:
        >>> traces = store.trace_lineage_many([("decision", "d1"), ("decision", "d2")])
        >>> traces
        LineageTraces(2 anchors, 2 nodes, 0 truncated, 1 unknown)
        >>> traces["decision", "d1"]
        LineageTrace(decision d1: 1 premise over 1 level, 1 replacement, complete)
    """

    nodes: pl.DataFrame
    make_edges: Callable[[], pl.DataFrame]
    frontier: pl.DataFrame
    summary: pl.DataFrame
    stats: pl.DataFrame
    max_depth: int
    supersede_limit: int
    as_of: datetime | None
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

    def __getitem__(self, anchor: tuple[str, str]) -> LineageTrace:
        node = checked_node(*anchor) if isinstance(anchor, tuple) and len(anchor) == 2 else None
        row = self._rows(self.summary, node) if node is not None else None
        if node is None or row is None or not row.height:
            raise KeyError(f"{anchor!r} is not among the {counted(len(self), 'anchor')} of these traces")
        told = row.row(0, named=True)
        return LineageTrace(
            anchor=node,
            anchor_known=told["anchor_known"],
            anchor_superseded=told["anchor_superseded"],
            max_depth=self.max_depth,
            as_of=self.as_of,
            truncated=told["truncated"],
            truncated_by=tuple(told["truncated_by"]),
            nodes=self._rows(self.nodes, node).drop(ANCHOR),
            edges=self._rows(self.edges, node).drop(ANCHOR),
            frontier=self._rows(self.frontier, node).drop(ANCHOR),
            supersede_limit=self.supersede_limit,
            stats=self.stats,
            origin=self.origin,
        )

    @staticmethod
    def _rows(frame: pl.DataFrame, node: Node) -> pl.DataFrame:
        return frame.filter(pl.col("anchor_type") == node.type, pl.col("anchor_id") == node.id)

    def __iter__(self) -> Iterator[Node]:
        return iter([Node(*pair) for pair in self.summary.select(ANCHOR).iter_rows()])

    def __len__(self) -> int:
        return self.summary.height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineageTraces):
            return NotImplemented
        return (
            self.summary.equals(other.summary)
            and self.nodes.equals(other.nodes)
            and self.frontier.equals(other.frontier)
            and same_rows(self.edges, other.edges)
        )

    def __repr__(self) -> str:
        truncated, known = int(self.summary["truncated"].sum()), int(self.summary["anchor_known"].sum())
        return (
            f"LineageTraces({counted(len(self), 'anchor')}, {counted(self.nodes.height, 'node')}, "
            f"{truncated:,} truncated, {len(self) - known:,} unknown)"
        )

    def __getstate__(self) -> dict[str, Any]:
        edges = self.edges
        return {**self.__dict__, "origin": None, "make_edges": None, "edges": edges}


def traces_of(
    answer: Lineages,
    anchors: pl.DataFrame,
    max_depth: int,
    as_of: datetime | None,
    supersede_limit: int,
    origin: Origin,
) -> LineageTraces:
    """The traces of all anchors of a walk."""
    names = anchors.rename({"type": "anchor_type", "id": "anchor_id"})
    return LineageTraces(
        nodes=_named(answer.nodes, names),
        make_edges=lambda: _named(answer.edges(), names),
        frontier=_named(answer.frontier, names),
        summary=_summary(answer, names, max_depth, as_of),
        stats=answer.stats,
        max_depth=max_depth,
        supersede_limit=supersede_limit,
        as_of=as_of,
        origin=origin,
    )


def _named(rows: Numbered, names: pl.DataFrame) -> pl.DataFrame:
    """Anchor numbers replaced by anchor_type and anchor_id."""
    here = places_in(rows.anchor)
    return pl.DataFrame([*(picked(name, here) for name in names), *rows.frame])


def _summary(answer: Lineages, names: pl.DataFrame, max_depth: int, as_of: datetime | None) -> pl.DataFrame:
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

    flags = ("invalidated", "superseded", "outdated_support")
    return names.with_columns(
        anchor_known=pl.Series(answer.known),
        anchor_superseded=pl.Series(answer.superseded),
        max_depth=pl.lit(max_depth, pl.Int64),
        as_of=pl.lit(as_of, pl.Datetime("us", "UTC")),
        truncated=depth | limit,
        truncated_by=reasons,
        nodes=counts(anchor),
        edges=counts(answer.edge_anchor),
        frontier=counts(answer.frontier.anchor),
        **{flag: counted(flag) for flag in flags},
    )
