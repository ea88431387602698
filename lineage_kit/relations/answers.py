"""From a finished walk to the results that people get: one trace, or the traces of a batch."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl

from lineage_kit.engines.columns import picked, places_in
from lineage_kit.engines.protocol import Ints
from lineage_kit.relations.request import Node
from lineage_kit.relations.trace import LineageTrace, Origin
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.relations.walk_frames import Lineages, Numbered


def trace_of(
    answer: Lineages, node: Node, max_depth: int, as_of: datetime | None, supersede_limit: int, origin: Origin
) -> LineageTrace:
    """The trace of the only anchor of a walk."""
    by_depth, by_limit = bool(answer.cut_by_depth[0]), bool(answer.cut_by_limit[0])
    return LineageTrace(
        anchor=node,
        anchor_known=bool(answer.known[0]),
        anchor_superseded=bool(answer.superseded[0]),
        max_depth=max_depth,
        as_of=as_of,
        truncated=by_depth or by_limit,
        truncated_by=("max_depth",) * by_depth + ("supersede_limit",) * by_limit,
        nodes=answer.nodes.frame,
        edges=answer.edges().frame,
        frontier=answer.frontier.frame,
        supersede_limit=supersede_limit,
        stats=answer.stats,
        origin=origin,
    )


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
