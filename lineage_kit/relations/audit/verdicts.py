"""What the lineages of a part of the anchors come to: a verdict an anchor, and its flagged nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import picked, places_in
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.relations.path import ways_to
from lineage_kit.relations.walk.frames import Walked
from lineage_kit.schema import AUDIT_FINDINGS, AUDIT_SUMMARY, FLAGS

VERDICTS = ("stands", "cut", "stale", "withdrawn")
"""From best to worst; `unknown`, of which nothing is known, stands beside them."""
UNKNOWN = "unknown"


class Judged(NamedTuple):
    """The rows of an audit for some anchors, and how many nodes and edges were looked at for them."""

    summary: pl.DataFrame
    findings: pl.DataFrame
    looked_at: int


def judged(anchors: pl.DataFrame, answer: Walked) -> Judged:
    """The verdicts on these anchors: the first that holds of unknown, withdrawn, stale, cut, stands."""
    anchor, nodes = answer.nodes
    flags = {name: nodes[name].to_numpy() for name in FLAGS}
    walked = (nodes["hop"] == 0).to_numpy()
    lost = flags["invalidated"] & walked & ~flags["outdated_support"] & ~nodes["current"].to_numpy()

    def each(chosen: Bools) -> Ints:
        return np.bincount(anchor[chosen], minlength=anchors.height)

    counts = {name: each(flag) for name, flag in flags.items()}
    truncated = answer.cut_by_depth | answer.cut_by_limit
    stale = answer.superseded | (counts["superseded"] > 0) | (counts["invalidated"] > 0)
    verdict = np.select(
        [~answer.known, each(lost) > 0, stale, truncated], [UNKNOWN, "withdrawn", "stale", "cut"], "stands"
    )
    summary = anchors.select("type", "id").with_columns(
        verdict=pl.Series(verdict, dtype=pl.String),
        premises=pl.Series(each(walked)),
        replacements=pl.Series(each(~walked)),
        **{name: pl.Series(count) for name, count in counts.items()},
        anchor_superseded=pl.Series(answer.superseded),
        truncated=pl.Series(truncated),
        label=answer.anchor_labels,
    )
    flagged = np.any(list(flags.values()), axis=0)
    summary = summary.hstack(_nearest(anchors.height, anchor, nodes, flagged, flags))
    return Judged(
        summary.select(AUDIT_SUMMARY.names), _findings(anchors, answer, flagged), anchor.size + answer.edge_anchor.size
    )


def _nearest(count: int, anchor: Ints, nodes: pl.DataFrame, flagged: Bools, flags: dict[str, Bools]) -> pl.DataFrame:
    """The first flagged node of each anchor, and the first flag that it has."""
    rows = np.flatnonzero(flagged)
    having, first = np.unique(anchor[rows], return_index=True)
    place = np.full(count, -1)
    place[having] = rows[first]
    there = place >= 0
    at = places_in(np.where(there, place, 0))
    told: dict[str, pl.Series] = {}
    if nodes.height:
        word = np.select([flag[place] for flag in flags.values()], list(flags), "")
        told["nearest_flag"] = pl.Series(word, dtype=pl.String)
        told |= {f"nearest_{name}": picked(nodes[name], at) for name in ("type", "id", "depth", "hop")}
    else:
        told = {f"nearest_{name}": pl.Series([None] * count) for name in ("flag", "type", "id", "depth", "hop")}
    known = pl.Series(there)
    frame = pl.DataFrame([column.alias(name) for name, column in told.items()])
    frame = frame.with_columns(pl.when(known).then(pl.all()))
    return frame.cast({name: dtype for name, dtype in AUDIT_SUMMARY.polars.items() if name in told})


def _findings(anchors: pl.DataFrame, answer: Walked, flagged: Bools) -> pl.DataFrame:
    anchor, nodes = answer.nodes
    names = anchors.select(pl.concat_str("type", "id", separator=" ")).to_series().to_list()
    ways = ways_to(nodes, answer.parents, flagged, names, anchor)
    at = places_in(anchor[flagged])
    owner = [picked(anchors[name], at).alias(f"anchor_{name}") for name in ("type", "id")]
    return nodes.filter(pl.Series(flagged)).with_columns(*owner, path=ways).select(AUDIT_FINDINGS.names)
