"""A finished walk turned into the frames of an answer: flags, describing edges, what was cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.protocol import Bools, Ints, Known, Reader, distinct, marked, sorting
from lineage_kit.relations.describing_edge import describing
from lineage_kit.relations.outdated_support import still_supported
from lineage_kit.relations.walk import NONE, Met, Walk, lineage_walk
from lineage_kit.schema import LEVELS

ROLES = pl.Series("role", ["replacement", "walk"])


class Numbered(NamedTuple):
    """A frame over a batch of anchors, sorted by anchor first: the anchor's number of every row, and the rows."""

    anchor: Ints
    frame: pl.DataFrame


@dataclass(frozen=True)
class Lineages:
    """The answers for a batch of anchors. `edges` are made when they are asked for; `edge_anchor` tells how many."""

    nodes: Numbered
    edges: Callable[[], Numbered]
    edge_anchor: Ints
    frontier: Numbered
    stats: pl.DataFrame
    known: Bools
    superseded: Bools
    cut_by_depth: Bools
    cut_by_limit: Bools


def trace(reader: Reader, anchors: pl.DataFrame, max_depth: int, supersede_limit: int) -> Lineages:
    """Walk, look up what was met once, and flag.

    1. Walk on keys.  2. Ask what is known of every edge met, the peeks past cut chains included (their `invalid_at`
    decides L11).  3. Flag superseded and outdated nodes.  4. Judge the peeks on the final visited set.
    """
    walk = lineage_walk(reader, reader.keys(anchors), max_depth, supersede_limit)
    walked, replaced = Met.join(walk.walked), Met.join(walk.replaced)
    met = Met.join([replaced, walked])
    keys, count = walk.keys, walk.visited.count
    cut_edge, cut_near = (np.concatenate([NONE, *(peek[part] for peek in walk.past_cut)]) for part in (0, 1))
    known = reader.answer(keys, np.concatenate([met.edge, cut_edge]))

    item = np.concatenate([replaced.near, cut_near])
    superseded, replaced_live = marked(item, count), np.zeros(count, np.bool_)
    if item.size:
        replacing = np.concatenate([np.arange(replaced.edge.size), np.arange(cut_edge.size) + met.edge.size])
        replaced_live[item[~known.facts(replacing).invalidated]] = True
    supported = still_supported(anchors.height, count, walked, replaced, replaced_live)

    unseen_deep, unseen_cut = walk.unseen(walk.past_end), walk.unseen(walk.past_cut)
    edge_anchor = walk.anchors_of(met.near)
    anchor_known = marked(edge_anchor, anchors.height)
    if not anchor_known.all():  # an anchor with any edge in its trace is known; the engine is asked about the others
        anchor_known[~anchor_known] = reader.known(anchors.filter(~pl.Series(anchor_known)))
    return Lineages(
        nodes=_nodes(walk, met, known, keys, superseded, ~supported),
        edges=lambda: _edges(walk, met, replaced.edge.size, known),
        edge_anchor=edge_anchor,
        frontier=_frontier(walk, np.concatenate([unseen_deep, unseen_cut]), known),
        stats=_stats(walk),
        known=anchor_known,
        superseded=superseded[: anchors.height],
        cut_by_depth=marked(walk.anchors_of(unseen_deep), anchors.height),
        cut_by_limit=marked(walk.anchors_of(unseen_cut), anchors.height),
    )


def in_order(walk: Walk, known: Known) -> Ints:
    """The numbers of the nodes found, by anchor, step (depth and hop), type and id: the order people see them in."""
    anchors, count = walk.anchors.size, walk.visited.count
    found = np.arange(anchors, count)
    if known.ranks is not None:
        step = np.repeat(np.arange(len(walk.steps)), [step.found for step in walk.steps])[anchors:]
        return found[np.lexsort((known.ranks[anchors:], step, walk.anchors_of(found)))]
    if anchors == 1:
        return found  # numbered step by step, in order of their keys
    room = count.bit_length()
    return np.sort((walk.anchors_of(found) << room) | found) & ((1 << room) - 1)


def _nodes(walk: Walk, met: Met, known: Known, keys: Ints, superseded: Bools, outdated: Bools) -> Numbered:
    order = in_order(walk, known)
    best = describing(met, known, keys, walk.visited.count)
    edge, via = best.edge[order], best.via[order]
    return Numbered(
        walk.anchors_of(order),
        framed(
            {
                **{name: column[order] for name, column in walk.of_steps().items()},
                **known.names.at(order),
                **known.said(edge),
                "superseded": superseded[order],
                "outdated_support": outdated[order],
                **known.names.at(via, "via_"),
            }
        ),
    )


def _edges(walk: Walk, met: Met, replaced: int, known: Known) -> Numbered:
    """Sorted by anchor, role, and as people are shown edges; the first `replaced` of those met are replacements."""
    anchor, walked = walk.anchors_of(met.near), np.arange(met.edge.size) >= replaced
    shown = known.shown(np.arange(met.edge.size))
    room = int(shown.max(initial=0)).bit_length()
    order, _ = sorting((((anchor << 1) | walked) << room) | shown)
    near, far, walked = met.near[order], met.far[order], walked[order]
    rows = known.rows(order, np.where(walked, near, far), np.where(walked, far, near))
    return Numbered(anchor[order], rows.insert_column(0, picked(ROLES, walked)))


def _frontier(walk: Walk, stopped: Ints, known: Known) -> Numbered:
    number = distinct(stopped)
    rank = walk.keys if known.ranks is None else known.ranks
    number = number[np.lexsort((rank[number], walk.anchors_of(number)))]
    return Numbered(walk.anchors_of(number), framed(known.names.at(number)))


def _stats(walk: Walk) -> pl.DataFrame:
    *counts, seconds = (np.array(said) for said in zip(*walk.levels, strict=True))
    return framed(dict(zip(LEVELS.names, [*counts, seconds], strict=True)))
