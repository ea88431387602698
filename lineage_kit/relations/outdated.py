"""Which nodes support only an outdated revision (rule L11): a search over the edges of the trace itself."""

from __future__ import annotations

import numpy as np

from lineage_kit.engines.reader import Bools, Ints, distinct
from lineage_kit.relations.walk import NONE, Met, among, gather


def still_supported(start: Ints, walked: Met, replaced: Met, replaced_live: Ints) -> Ints:
    """The pairs that some route reaches without an outdated revision's own premises, sorted.

    A route may leave an item along its own walk edges unless a live supersedes edge from another item has replaced
    it (`replaced_live`, sorted pairs), and may always step from an item to its replacement. A breadth-first search
    over the trace's edges, a gather over ranges per step; routes may be longer than the trace is deep.
    """
    current: Bools = ~among(walked.near, replaced_live)
    origin = np.concatenate([walked.near[current], replaced.near])
    order = np.argsort(origin, kind="stable")
    origin = origin[order]
    leads_to = np.concatenate([walked.far[current], replaced.far])[order]
    reached = np.sort(start)
    frontier = reached
    parts = [reached]
    nodes = distinct(np.concatenate([origin, leads_to, reached]))
    done = among(nodes, reached)
    while frontier.size:
        first, last = np.searchsorted(origin, frontier, "left"), np.searchsorted(origin, frontier, "right")
        ends = distinct(leads_to[gather(first, last)[1]]) if frontier.size else NONE
        at = np.searchsorted(nodes, ends)
        fresh = ~done[at]
        done[at] = True
        frontier = ends[fresh]
        parts.append(frontier)
    return np.sort(np.concatenate(parts))
