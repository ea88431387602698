"""A finished walk turned into the frames of an answer: flags, describing edges, what was cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import EDGE_ORDER, framed, picked
from lineage_kit.engines.integer_arrays import Bools, Ints, distinct, marked, sorting
from lineage_kit.engines.protocol import Answer, Reader
from lineage_kit.relations.walk.describing_edge import Describing, describing
from lineage_kit.relations.walk.level_loop import NONE, TraversedEdges, Walk, trace_walk
from lineage_kit.relations.walk.routes import Steps, supported
from lineage_kit.schema import LEVELS

ROLES = pl.Series("role", ["replacement", "walk"])
EDGE_BITS = 40
"""What the number of an edge has room for, beside the number of an anchor."""


class Numbered(NamedTuple):
    """A frame over a batch of anchors, sorted by anchor first: the anchor's number of every row, and the rows."""

    anchor: Ints
    frame: pl.DataFrame


@dataclass(frozen=True)
class Walked:
    """The answers for a batch of anchors.

    `edges` and `superseding` are made when they are asked for; `edge_anchor` tells how many edges there are.
    `describing` has the row number of the edge that describes each of `nodes`, `parents` the place among them of the
    node it was reached from, -1 for an anchor.
    """

    nodes: Numbered
    describing: pl.Series
    parents: Ints
    edges: Callable[[], Numbered]
    superseding: Callable[[], Numbered]
    edge_anchor: Ints
    frontier: Numbered
    stats: pl.DataFrame
    known: Bools
    superseded: Bools
    cut_by_depth: Bools
    cut_by_limit: Bools
    anchor_labels: pl.Series


def trace(reader: Reader, anchors: pl.DataFrame, max_depth: int, supersede_limit: int, *, impact: bool) -> Walked:
    """Walk, look up what was traversed once, and flag.

    1. Walk on keys.  2. Ask what is known of every edge traversed, and of those that decide a flag without being in
    the answer: supersedes edges from beyond it, and what the peek saw between visited nodes (L11').  3. Flag
    superseded and outdated nodes.  4. Judge the peeks on the final visited set.
    """
    walk = trace_walk(reader, reader.keys(anchors), max_depth, supersede_limit, impact=impact)
    walked, replaced = TraversedEdges.join(walk.walked), TraversedEdges.join(walk.replaced)
    traversed = TraversedEdges.join([replaced, walked])
    keys, count = walk.keys, walk.visited.count
    peeked = walk.seen(walk.past_end)
    flagging = _flagging(walk, replaced, impact=impact)
    edges = np.concatenate([traversed.edge, peeked.edge, flagging.edge])
    answer = reader.answer(np.concatenate([keys, flagging.from_beyond]), edges)

    known_of = np.arange(traversed.edge.size + peeked.edge.size + flagging.edge.size)
    live = ~answer.invalidated(known_of)
    item = np.concatenate([flagging.item, NONE if impact else replaced.frontier_node])
    item_live = np.concatenate(
        [live[known_of.size - flagging.edge.size :], live[: 0 if impact else replaced.edge.size]]
    )
    superseded, replaced_live = marked(item, count), np.zeros(count, np.bool_)
    replaced_live[item[item_live]] = True
    steps = _steps(TraversedEdges.join([traversed, peeked]), replaced.edge.size, live, impact=impact)
    reached, current = supported(anchors.height, count, steps, replaced_live)

    unseen_deep, unseen_cut = walk.unseen(walk.past_end), walk.unseen(walk.past_cut)
    edge_anchor = walk.anchors_of(traversed.frontier_node)
    anchor_known = marked(edge_anchor, anchors.height)
    if not anchor_known.all():  # an anchor with any edge in its trace is known; the engine is asked about the others
        anchor_known[~anchor_known] = reader.known(anchors.filter(~pl.Series(anchor_known)))
    order = in_order(walk, answer)
    best = describing(traversed, answer, keys, count)
    places = np.full(count, -1)
    places[order] = np.arange(order.size)
    flags = {"superseded": superseded, "outdated_support": ~reached, "current": current}
    beyond = flagging.beyond + traversed.edge.size + peeked.edge.size
    return Walked(
        nodes=_nodes(walk, answer, order, best, flags),
        describing=pl.Series("edge", answer.row_numbers(best.edge[order]), dtype=pl.Int64),
        parents=places[best.via[order]],
        edges=lambda: _edges(walk, traversed, replaced.edge.size, answer),
        superseding=lambda: _superseding(walk, answer, beyond, flagging.item[flagging.beyond]),
        edge_anchor=edge_anchor,
        frontier=_frontier(walk, np.concatenate([unseen_deep, unseen_cut]), answer),
        stats=_stats(walk),
        known=anchor_known,
        superseded=superseded[: anchors.height],
        cut_by_depth=marked(walk.anchors_of(unseen_deep), anchors.height),
        cut_by_limit=marked(walk.anchors_of(unseen_cut), anchors.height),
        anchor_labels=answer.labels(np.arange(anchors.height)).alias("label"),
    )


class Flagging(NamedTuple):
    """Supersedes edges that flag nodes of an answer: the edge, and the node it replaces.

    `beyond`: the places of those that are not among its edges; `from_beyond`: the key of the replacement of each.
    """

    edge: Ints
    item: Ints
    beyond: Ints
    from_beyond: Ints


def _flagging(walk: Walk, replaced: TraversedEdges, *, impact: bool) -> Flagging:
    """The supersedes edges that flag nodes; of a lineage, those that were not traversed, past a cut chain."""
    read = walk.superseding if impact else walk.past_cut
    edge, item, pair = (np.concatenate([NONE, *(part[column] for part in read)]) for column in range(3))
    other = pair != walk.pairs[item]  # superseding itself says nothing
    edge, item, pair = edge[other], item[other], pair[other]
    beyond = np.arange(edge.size)
    if impact:
        inside = (walk.anchors_of(replaced.frontier_node) << EDGE_BITS) | replaced.edge
        beyond = np.flatnonzero(~np.isin((walk.anchors_of(item) << EDGE_BITS) | edge, inside))
    return Flagging(edge, item, beyond, walk.key_of(pair[beyond]))


def _steps(edges: TraversedEdges, replaced: int, live: Bools, *, impact: bool) -> Steps:
    """Edges as steps of routes; the first `replaced` of them are replacements."""
    leaves = (edges.neighbour if impact else edges.frontier_node).copy()
    leaves[:replaced] = -1
    return Steps(edges.frontier_node, edges.neighbour, live[: edges.edge.size], leaves)


def in_order(walk: Walk, answer: Answer) -> Ints:
    """The numbers of the nodes found, by anchor, step (depth and hop), type and id: the order people see them in."""
    anchors, count = walk.anchors.size, walk.visited.count
    found = np.arange(anchors, count)
    if answer.ranks is not None:
        step = np.repeat(np.arange(len(walk.steps)), [step.found for step in walk.steps])[anchors:]
        return found[np.lexsort((answer.ranks[anchors:count], step, walk.anchors_of(found)))]
    if anchors == 1:
        return found  # numbered step by step, in order of their keys
    room = count.bit_length()
    return np.sort((walk.anchors_of(found) << room) | found) & ((1 << room) - 1)


def _nodes(walk: Walk, answer: Answer, order: Ints, best: Describing, flags: dict[str, Bools]) -> Numbered:
    return Numbered(
        walk.anchors_of(order),
        framed(
            {
                **{name: column[order] for name, column in walk.of_steps().items()},
                **answer.names.at(order),
                **answer.attributes(best.edge[order]),
                **{name: flag[order] for name, flag in flags.items()},
                **answer.names.at(best.via[order], "via_"),
                "label": answer.labels(order),
            }
        ),
    )


def _edges(walk: Walk, traversed: TraversedEdges, replaced: int, answer: Answer) -> Numbered:
    """Sorted by anchor, role, and as people are shown edges; the first `replaced` of them are replacements."""
    anchor, walked = walk.anchors_of(traversed.frontier_node), np.arange(traversed.edge.size) >= replaced
    rank = answer.display_rank(np.arange(traversed.edge.size))
    room = int(rank.max(initial=0)).bit_length()
    order, _ = sorting((((anchor << 1) | walked) << room) | rank)
    here, there, incoming = traversed.frontier_node[order], traversed.neighbour[order], traversed.incoming[order]
    rows = answer.rows(order, np.where(incoming, there, here), np.where(incoming, here, there))
    return Numbered(anchor[order], rows.insert_column(0, picked(ROLES, walked[order])))


def _superseding(walk: Walk, answer: Answer, edges: Ints, items: Ints) -> Numbered:
    """The rows of supersedes edges from beyond the answer, by anchor and as people are shown edges."""
    anchor = walk.anchors_of(items)
    rows = answer.rows(edges, walk.visited.count + np.arange(edges.size), items)
    order = rows.select(pl.arg_sort_by(pl.Series("anchor", anchor), *EDGE_ORDER, nulls_last=True)).to_series()
    return Numbered(anchor[order.to_numpy()], rows[order])


def _frontier(walk: Walk, stopped: Ints, answer: Answer) -> Numbered:
    number = distinct(stopped)
    rank = walk.keys if answer.ranks is None else answer.ranks
    number = number[np.lexsort((rank[number], walk.anchors_of(number)))]
    return Numbered(walk.anchors_of(number), framed({**answer.names.at(number), "label": answer.labels(number)}))


def _stats(walk: Walk) -> pl.DataFrame:
    *counts, seconds = (np.array(column) for column in zip(*walk.levels, strict=True))
    return framed(dict(zip(LEVELS.names, [*counts, seconds], strict=True)))
