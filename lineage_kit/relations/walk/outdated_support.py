"""Which nodes support only an outdated revision (rule L11): a search over the edges of the trace itself."""

from __future__ import annotations

import numpy as np

from lineage_kit.engines.integer_arrays import Bools, Ints, marked, ranges, sorting
from lineage_kit.relations.walk.level_loop import TraversedEdges


def still_supported(
    anchors: int, count: int, walked: TraversedEdges, replaced: TraversedEdges, replaced_live: Bools
) -> Bools:
    """Which nodes, by number, some route reaches without an outdated revision's own premises.

    A route may leave an item along its own walk edges unless a live supersedes edge from another item has replaced
    it, and may always step from an item to its replacement. A breadth-first search over the trace's edges, a gather
    over ranges per step; routes may be longer than the trace is deep.
    """
    if not replaced_live.any():
        return np.ones(count, np.bool_)
    current = ~replaced_live[walked.frontier_node]
    origin = np.concatenate([walked.frontier_node[current], replaced.frontier_node])
    leads_to = np.concatenate([walked.neighbour[current], replaced.neighbour])[sorting(origin)[0]]
    sizes = np.bincount(origin, minlength=count)
    end = sizes.cumsum()
    start = end - sizes
    reached = marked(np.arange(anchors), count)
    frontier: Ints = np.arange(anchors)
    claimed = np.empty(count, np.int64)
    while frontier.size:
        ends = leads_to[ranges(start[frontier], end[frontier])[1]]
        ends = ends[~reached[ends]]
        reached[ends] = True
        # Each end once: of those that are the same, the one whose claim was written last.
        places = np.arange(ends.size)
        claimed[ends] = places
        frontier = ends[claimed[ends] == places]
    return reached
