"""Which nodes support only an outdated revision (rule L11): a search over the edges of the trace itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lineage_kit.engines.reader import Bools, Ints, ranges
from lineage_kit.relations.walk import Met


def still_supported(anchors: int, count: int, walked: Met, replaced: Met, replaced_live: Bools) -> Bools:
    """Which nodes, by number, some route reaches without an outdated revision's own premises.

    A route may leave an item along its own walk edges unless a live supersedes edge from another item has replaced
    it, and may always step from an item to its replacement. A breadth-first search over the trace's edges, a gather
    over ranges per step; routes may be longer than the trace is deep.
    """
    if not replaced_live.any():
        return np.ones(count, np.bool_)
    steps = (_Steps.of(walked, count), _Steps.of(replaced, count))
    reached = np.zeros(count, np.bool_)
    frontier: Ints = np.arange(anchors)
    reached[frontier] = True
    claimed = np.empty(count, np.int64)
    while frontier.size:
        ends = np.concatenate([steps[0].out_of(frontier[~replaced_live[frontier]]), steps[1].out_of(frontier)])
        ends = ends[~reached[ends]]
        reached[ends] = True
        # Each end once: of those that are the same, the one whose claim was written last.
        places = np.arange(ends.size)
        claimed[ends] = places
        frontier = ends[claimed[ends] == places]
    return reached


class _Steps(NamedTuple):
    """Edges by the node they were met from: where those of each node begin and end, and where they lead."""

    start: Ints
    end: Ints
    far: Ints

    @classmethod
    def of(cls, met: Met, count: int) -> _Steps:
        """A walk meets edges in the order of the numbers of its nodes, so that they are sorted already."""
        end = np.cumsum(np.bincount(met.near, minlength=count))
        return cls(np.concatenate([[0], end[:-1]]), end, met.far)

    def out_of(self, frontier: Ints) -> Ints:
        return self.far[ranges(self.start[frontier], self.end[frontier])[1]]
