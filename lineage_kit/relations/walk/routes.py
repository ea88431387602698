"""Which nodes hold up an anchor today (rules L11, L12, I4): searches over the edges of the trace itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lineage_kit.engines.integer_arrays import Bools, Ints, marked, ranges, sorting


class Steps(NamedTuple):
    """Edges as a route may go them, from the anchor outwards: walked ones, and between items and replacements.

    start, end: node numbers; live: not invalidated; leaves: for a walk edge the node whose premise it is, for a
    supersedes edge -1, since the step from an item to its replacement is always open.
    """

    start: Ints
    end: Ints
    live: Bools
    leaves: Ints

    @staticmethod
    def join(parts: list[Steps]) -> Steps:
        """One of several."""
        return Steps(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def supported(anchors: int, count: int, steps: Steps, replaced_live: Bools) -> tuple[Bools, Bools]:
    """Which nodes, by number, some route connects with its anchor; and which some route over live edges alone.

    No route uses a walk edge out of an item that a live supersedes edge from another item has replaced. Routes may be
    longer than the trace is deep.
    """
    everything = np.ones(count, np.bool_)
    if not replaced_live.any():
        return everything, everything if steps.live.all() else _reached(anchors, count, steps, steps.live)
    open_ = (steps.leaves < 0) | ~replaced_live[steps.leaves]
    reached = _reached(anchors, count, steps, open_)
    return reached, reached if steps.live.all() else _reached(anchors, count, steps, open_ & steps.live)


def _reached(anchors: int, count: int, steps: Steps, usable: Bools) -> Bools:
    return reached_from(np.arange(anchors), count, steps.start[usable], steps.end[usable])


def reached_from(frontier: Ints, count: int, start: Ints, end: Ints) -> Bools:
    """Of so many nodes those that edges lead to from these: breadth first, a gather over ranges per step."""
    leads_to = end[sorting(start)[0]]
    sizes = np.bincount(start, minlength=count)
    last = sizes.cumsum()
    first = last - sizes
    reached = marked(frontier, count)
    claimed = np.empty(count, np.int64)
    while frontier.size:
        ends = leads_to[ranges(first[frontier], last[frontier])[1]]
        ends = ends[~reached[ends]]
        reached[ends] = True
        # Each end once: of those that are the same, the one whose claim was written last.
        places = np.arange(ends.size)
        claimed[ends] = places
        frontier = ends[claimed[ends] == places]
    return reached
