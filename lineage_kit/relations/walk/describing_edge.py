"""Which edge describes a node, when several reached it first (rule L8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import Answer, EdgeFacts
from lineage_kit.relations.walk.level_loop import TraversedEdges

BITS = 63
"""What one integer has room for."""
LAST = np.iinfo(np.int64).max


class Describing(NamedTuple):
    """By node number: the place of the edge that describes the node, where it came from, whether it is incoming.

    Nothing reached the anchors: what stands there means nothing.
    """

    edge: Ints
    via: Ints
    incoming: Ints


def describing(traversed: TraversedEdges, answer: Answer, keys: Ints, count: int) -> Describing:
    """The best edge of each node among those that reached it first; edges by their place in `traversed`.

    1. What decides is packed into one integer a candidate, the lower the better: class and confidence, live before
    invalidated, kind, incoming before outgoing, the node it came from.  2. The least of them wins.  3. Among equals,
    which are parallel edges between the same two nodes, the first as they are shown wins.
    """
    edge = np.flatnonzero(traversed.first)
    origin, reached, incoming = traversed.frontier_node[edge], traversed.neighbour[edge], traversed.incoming[edge]
    via = keys if answer.ranks is None else answer.ranks
    order = _packed(answer.facts(edge), ~incoming, via[origin])
    best = np.full(count, LAST)
    np.minimum.at(best, reached, order)
    equal = np.flatnonzero(order == best[reached])
    shown = answer.display_rank(edge[equal])
    first = np.full(count, LAST)
    np.minimum.at(first, reached[equal], shown)
    chosen = equal[shown == first[reached[equal]]]
    result = Describing(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64))
    for column, values in zip(result, (edge, origin, incoming), strict=True):
        column[reached[chosen]] = values[chosen]
    return result


def _packed(facts: EdgeFacts, outgoing: Bools, via: Ints) -> Ints:
    """One integer a candidate; where they do not fit side by side, the place they sort to."""
    columns: tuple[Ints | Bools, ...] = (facts.quality, facts.invalidated, facts.kind, outgoing, via)
    bits = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(bits) > BITS:
        return _sorted_to(columns)
    packed = np.zeros(via.size, np.int64)
    for column, room in zip(columns, bits, strict=True):
        packed <<= room
        packed |= column
    return packed


def _sorted_to(columns: tuple[Ints | Bools, ...]) -> Ints:
    """The place of each row among the distinct rows, sorted."""
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(order.size, np.bool_)
    for column in columns:
        fresh[1:] |= column[order][1:] != column[order][:-1]
    places = np.empty(order.size, np.int64)
    places[order] = np.cumsum(fresh)
    return places
