"""A finished walk turned into the frames of an answer: flags, describing edges, what was cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.integer_arrays import Bools, Ints, distinct, marked, sorting
from lineage_kit.engines.protocol import Answer, Reader
from lineage_kit.relations.walk.describing_edge import describing
from lineage_kit.relations.walk.level_loop import NONE, TraversedEdges, Walk, lineage_walk
from lineage_kit.relations.walk.outdated_support import still_supported
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
    """Walk, look up what was traversed once, and flag.

    1. Walk on keys.  2. Ask what is known of every edge traversed, the peeks past cut chains included (their
    `invalid_at` decides L11).  3. Flag superseded and outdated nodes.  4. Judge the peeks on the final visited set.
    """
    walk = lineage_walk(reader, reader.keys(anchors), max_depth, supersede_limit)
    walked, replaced = TraversedEdges.join(walk.walked), TraversedEdges.join(walk.replaced)
    traversed = TraversedEdges.join([replaced, walked])
    keys, count = walk.keys, walk.visited.count
    cut_edge, cut_item = (np.concatenate([NONE, *(peek[part] for peek in walk.past_cut)]) for part in (0, 1))
    answer = reader.answer(keys, np.concatenate([traversed.edge, cut_edge]))

    item = np.concatenate([replaced.frontier_node, cut_item])
    superseded, replaced_live = marked(item, count), np.zeros(count, np.bool_)
    if item.size:
        replacing = np.concatenate([np.arange(replaced.edge.size), np.arange(cut_edge.size) + traversed.edge.size])
        replaced_live[item[~answer.facts(replacing).invalidated]] = True
    supported = still_supported(anchors.height, count, walked, replaced, replaced_live)

    unseen_deep, unseen_cut = walk.unseen(walk.past_end), walk.unseen(walk.past_cut)
    edge_anchor = walk.anchors_of(traversed.frontier_node)
    anchor_known = marked(edge_anchor, anchors.height)
    if not anchor_known.all():  # an anchor with any edge in its trace is known; the engine is asked about the others
        anchor_known[~anchor_known] = reader.known(anchors.filter(~pl.Series(anchor_known)))
    return Lineages(
        nodes=_nodes(walk, traversed, answer, keys, superseded, ~supported),
        edges=lambda: _edges(walk, traversed, replaced.edge.size, answer),
        edge_anchor=edge_anchor,
        frontier=_frontier(walk, np.concatenate([unseen_deep, unseen_cut]), answer),
        stats=_stats(walk),
        known=anchor_known,
        superseded=superseded[: anchors.height],
        cut_by_depth=marked(walk.anchors_of(unseen_deep), anchors.height),
        cut_by_limit=marked(walk.anchors_of(unseen_cut), anchors.height),
    )


def in_order(walk: Walk, answer: Answer) -> Ints:
    """The numbers of the nodes found, by anchor, step (depth and hop), type and id: the order people see them in."""
    anchors, count = walk.anchors.size, walk.visited.count
    found = np.arange(anchors, count)
    if answer.ranks is not None:
        step = np.repeat(np.arange(len(walk.steps)), [step.found for step in walk.steps])[anchors:]
        return found[np.lexsort((answer.ranks[anchors:], step, walk.anchors_of(found)))]
    if anchors == 1:
        return found  # numbered step by step, in order of their keys
    room = count.bit_length()
    return np.sort((walk.anchors_of(found) << room) | found) & ((1 << room) - 1)


def _nodes(
    walk: Walk, traversed: TraversedEdges, answer: Answer, keys: Ints, superseded: Bools, outdated: Bools
) -> Numbered:
    order = in_order(walk, answer)
    best = describing(traversed, answer, keys, walk.visited.count)
    edge, via = best.edge[order], best.via[order]
    return Numbered(
        walk.anchors_of(order),
        framed(
            {
                **{name: column[order] for name, column in walk.of_steps().items()},
                **answer.names.at(order),
                **answer.attributes(edge),
                "superseded": superseded[order],
                "outdated_support": outdated[order],
                **answer.names.at(via, "via_"),
            }
        ),
    )


def _edges(walk: Walk, traversed: TraversedEdges, replaced: int, answer: Answer) -> Numbered:
    """Sorted by anchor, role, and as people are shown edges; the first `replaced` of them are replacements."""
    anchor, walked = walk.anchors_of(traversed.frontier_node), np.arange(traversed.edge.size) >= replaced
    rank = answer.display_rank(np.arange(traversed.edge.size))
    room = int(rank.max(initial=0)).bit_length()
    order, _ = sorting((((anchor << 1) | walked) << room) | rank)
    here, there, walked = traversed.frontier_node[order], traversed.neighbour[order], walked[order]
    rows = answer.rows(order, np.where(walked, here, there), np.where(walked, there, here))
    return Numbered(anchor[order], rows.insert_column(0, picked(ROLES, walked)))


def _frontier(walk: Walk, stopped: Ints, answer: Answer) -> Numbered:
    number = distinct(stopped)
    rank = walk.keys if answer.ranks is None else answer.ranks
    number = number[np.lexsort((rank[number], walk.anchors_of(number)))]
    return Numbered(walk.anchors_of(number), framed(answer.names.at(number)))


def _stats(walk: Walk) -> pl.DataFrame:
    *counts, seconds = (np.array(column) for column in zip(*walk.levels, strict=True))
    return framed(dict(zip(LEVELS.names, [*counts, seconds], strict=True)))
