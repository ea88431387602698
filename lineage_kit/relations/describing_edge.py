"""Which edge describes a node, when several reached it first (rule L8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lineage_kit.engines.protocol import Bools, EdgeFacts, Ints, Known
from lineage_kit.relations.walk import Met

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


def describing(met: Met, known: Known, keys: Ints, count: int) -> Describing:
    """The best edge of each node among those that reached it first; edges by their place in `met`.

    1. What decides is packed into one integer a candidate, the lower the better: class and confidence, live before
    invalidated, kind, incoming before outgoing, the node it came from.  2. The least of them wins.  3. Among equals,
    which are parallel edges between the same two nodes, the first as they are shown wins.
    """
    edge = np.flatnonzero(met.first)
    near, far, incoming = met.near[edge], met.far[edge], met.incoming[edge]
    via = keys if known.ranks is None else known.ranks
    order = _packed(known.facts(edge), ~incoming, via[near])
    best = np.full(count, LAST)
    np.minimum.at(best, far, order)
    equal = np.flatnonzero(order == best[far])
    shown = known.shown(edge[equal])
    first = np.full(count, LAST)
    np.minimum.at(first, far[equal], shown)
    chosen = equal[shown == first[far[equal]]]
    result = Describing(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64))
    for column, values in zip(result, (edge, near, incoming), strict=True):
        column[far[chosen]] = values[chosen]
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
