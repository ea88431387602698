"""A finished walk turned into the frames of an answer: flags, describing edges, what was cut."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from lineage_kit.engines.reader import Bools, Ints, Reader, distinct
from lineage_kit.relations.describe import Names, Rows, anchors_of, described
from lineage_kit.relations.outdated import still_supported
from lineage_kit.relations.walk import Met, Walk, among, lineage_walk
from lineage_kit.sources import ROW

ANCHOR = "anchor number"
"""The column that tells the lineages of a batch apart until their anchors are named; no source may have it."""
STATS = {
    "depth": pl.Int64,
    "frontier": pl.Int64,
    "edges_read": pl.Int64,
    "new_nodes": pl.Int64,
    "reads": pl.Int64,
    "seconds": pl.Float64,
}
EDGE_ORDER = (
    "role",
    "source_type",
    "source_id",
    "target_type",
    "target_id",
    "relation_kind",
    "edge_class",
    "confidence",
    ROW,
)


@dataclass(frozen=True)
class Lineages:
    """The answers for a batch of anchors; every frame has the anchor's number in `ANCHOR`, and is sorted by it."""

    nodes: pl.DataFrame
    edges: pl.DataFrame
    frontier: pl.DataFrame
    stats: pl.DataFrame
    known: Bools
    superseded: Bools
    cut_by_depth: Bools
    cut_by_limit: Bools


def trace(
    reader: Reader, anchors: pl.DataFrame, max_depth: int, supersede_limit: int, as_of: datetime | None
) -> Lineages:
    """Walk, read the rows once, and flag.

    1. Walk on keys.  2. Read the rows of every edge met, the peeks past cut chains included (their `invalid_at`
    decides L11).  3. Flag superseded and outdated nodes.  4. Judge the peeks on the final visited set.
    """
    walk = lineage_walk(reader, reader.keys(anchors), max_depth, supersede_limit)
    walked, replaced, past_cut = Met.join(walk.walked), Met.join(walk.replaced), Met.join(walk.past_cut)
    rows = Rows(reader, [walked, replaced, past_cut], as_of)
    names = Names(reader, walk.visited)

    replacing = Met.join([replaced, past_cut])
    live = ~rows.invalidated(replacing.edge).to_numpy()
    superseded = distinct(replacing.near)
    supported = still_supported(walk.start, walked, replaced, distinct(replacing.near[live]))

    unseen_deep = walk.past_end.near[~walk.seen(walk.past_end.far)]
    unseen_cut = past_cut.near[~walk.seen(past_cut.far)]
    number = np.arange(walk.start.size)
    return Lineages(
        nodes=_nodes(walk, rows, names, superseded, supported),
        edges=_edges(walked, replaced, rows),
        frontier=_frontier(distinct(np.concatenate([unseen_deep, unseen_cut])), names),
        stats=pl.DataFrame(walk.levels, schema=STATS, orient="row").sort("depth"),
        known=_known(reader, walk, anchors, walked, replaced),
        superseded=among(walk.start, superseded),
        cut_by_depth=np.isin(number, anchors_of(unseen_deep)),
        cut_by_limit=np.isin(number, anchors_of(unseen_cut)),
    )


def _nodes(walk: Walk, rows: Rows, names: Names, superseded: Ints, supported: Ints) -> pl.DataFrame:
    found = walk.found
    order = np.argsort(found.pair)
    pair = found.pair[order]
    step = pl.DataFrame(
        {
            ANCHOR: anchors_of(pair),
            "depth": found.depth[order].astype(np.int64),
            "hop": found.hop[order].astype(np.int64),
            "superseded": among(pair, superseded),
            "outdated_support": ~among(pair, supported),
        }
    )
    edge = described(Met.join(walk.reaching), rows, names)
    whole = pl.concat([step, names.of(pair), edge.drop("pair", "direction")], how="horizontal")
    return whole.select(
        ANCHOR,
        "depth",
        "hop",
        "type",
        "id",
        "relation_kind",
        "edge_class",
        "confidence",
        "invalidated",
        "superseded",
        "outdated_support",
        "via_type",
        "via_id",
    ).sort(ANCHOR, "depth", "hop", "type", "id")


def _edges(walked: Met, replaced: Met, rows: Rows) -> pl.DataFrame:
    both = Met.join([walked, replaced])
    role = pl.Series(["walk", "replacement"]).gather(
        np.repeat(np.array([0, 1]), [walked.edge.size, replaced.edge.size])
    )
    whole = rows.of(both.edge)
    own = [name for name in whole.columns if name != ROW]
    whole = whole.with_columns(pl.Series("role", role), pl.Series(ANCHOR, anchors_of(both.near)))
    return whole.select(ANCHOR, "role", *own, ROW).sort(ANCHOR, *EDGE_ORDER, nulls_last=True)


def _frontier(pairs: Ints, names: Names) -> pl.DataFrame:
    numbered = names.of(pairs).with_columns(pl.Series(ANCHOR, anchors_of(pairs)))
    return numbered.select(ANCHOR, "type", "id").sort(ANCHOR, "type", "id")


def _known(reader: Reader, walk: Walk, anchors: pl.DataFrame, walked: Met, replaced: Met) -> Bools:
    """An anchor with any edge in its trace is known; for the others the engine is asked once."""
    number = np.arange(walk.start.size)
    known: Bools = np.isin(number, anchors_of(np.concatenate([walked.near, replaced.near])))
    if not known.all():
        known[~known] = reader.known(anchors.filter(~pl.Series(known)))
    return known
