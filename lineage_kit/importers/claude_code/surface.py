"""What the model saw of a Claude Code session: what compactions and edited prompts took off its surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lineage_kit.importers.claude_code.file_index import APPEND, BOUNDARY, PROMPT, SUMMARY, WHAT
from lineage_kit.importers.pipeline.session_plan import APPEND as ON

Ints = npt.NDArray[np.int64]


class Finding(NamedTuple):
    """Something to report, of an event of the session."""

    kind: str
    seq: int
    times: int = 1


@dataclass
class Surface:
    """The replacements of a session."""

    on_surface: npt.NDArray[np.int8]
    replaced: dict[int, tuple[int, int]] = field(default_factory=dict)
    removed: dict[int, list[int]] = field(default_factory=dict)
    """By replacing seq: what it took from the surface, in its order."""
    bare: list[int] = field(default_factory=list)
    """Boundaries that replace because their summary is missing."""
    findings: list[Finding] = field(default_factory=list)


def surface_of(
    flags: npt.NDArray[np.uint8],
    parents: Ints,
    keys: Ints,
    preserved: Mapping[int, Any],
    seq_of: Callable[[str], int],
    live: bool,
) -> Surface:
    """Replay a session.

    Args:
        flags: of each event.
        parents: the seq of the parent of each event, or -1.
        keys: a number for the parent that each event names, also one outside the session; 0 for none.
        preserved: by seq of a boundary, what it says of records that stay.
        seq_of: the seq of the event with a uuid, or -1.
        live: more may be written yet.
    """
    what = flags & WHAT
    surface = Surface(((what >= APPEND) & (what <= SUMMARY)).astype(np.int8) * ON)
    rewinds = _rewinds(np.flatnonzero(what == PROMPT), keys)
    special = np.flatnonzero(what >= SUMMARY).tolist()
    if not rewinds and not special:
        return surface
    bare = _without_summary(special, what, live)
    boundary = -1
    order: list[int] = []
    branches = _Branches(parents)
    acting = sorted({*special, *rewinds})
    present = np.flatnonzero(what)
    # Events between two that act are put on the surface together.
    runs = np.split(present, np.searchsorted(present, acting))
    order += runs[0].tolist()
    for seq, run in zip(acting, runs[1:], strict=True):
        if seq in rewinds:
            places = _branch(order, rewinds[seq], branches.within(rewinds[seq], seq))
            surface.findings.append(Finding("rewind", seq))
            _replace(surface, order, seq, places)
        elif what[seq] == SUMMARY or seq in bare:
            if seq in bare:
                boundary = seq
                surface.bare.append(seq)
                surface.findings.append(Finding("summary_missing", seq))
            stay = _preserved(preserved.get(boundary), seq_of) if boundary >= 0 else None
            places, lost = _before(order, boundary if boundary >= 0 else seq, stay)
            if lost:
                surface.findings.append(Finding("preserved_inside", seq, lost))
            _replace(surface, order, seq, places)
            boundary = -1
        else:
            boundary = seq
        order += run[1:].tolist()
    return surface


def _replace(surface: Surface, order: list[int], seq: int, places: range) -> None:
    """Put an event in the place of a run of the surface; where nothing is left of that, at its end."""
    if not places:
        order.append(seq)
        surface.on_surface[seq] = ON
        surface.findings.append(Finding("empty_replacement", seq))
        return
    removed = order[places.start : places.stop]
    order[places.start : places.stop] = [seq]
    surface.on_surface[seq] = 0
    surface.replaced[seq] = removed[0], removed[-1]
    surface.removed[seq] = removed


def _without_summary(special: list[int], what: npt.NDArray[Any], live: bool) -> set[int]:
    """The boundaries that no summary follows before the next one."""
    bare = set()
    for place, seq in enumerate(special):
        if what[seq] == BOUNDARY:
            following = special[place + 1] if place + 1 < len(special) else None
            if following is None and live and not what[seq + 1 :].any():
                continue  # its summary may be about to be written
            if following is None or what[following] == BOUNDARY:
                bare.add(seq)
    return bare


def _before(order: list[int], boundary: int, stay: Callable[[int], bool] | None) -> tuple[range, int]:
    """The run of the surface that a compaction covers, and how many records inside it should have stayed."""
    stop = len(order)
    while stop and order[stop - 1] >= boundary:
        stop -= 1
    if stay is None:
        return range(stop), 0
    while stop and stay(order[stop - 1]):
        stop -= 1
    return range(stop), sum(map(stay, order[:stop]))


def _preserved(said: Any, seq_of: Callable[[str], int]) -> Callable[[int], bool] | None:
    """Which events a boundary says stay: from one uuid to another, or some uuids."""
    if not isinstance(said, dict):
        return None
    segment, messages = said.get("preservedSegment"), said.get("preservedMessages")
    kept: set[int] = set()
    first, last = 0, -1
    if isinstance(segment, dict):
        ends = [_seq(segment.get(name), seq_of) for name in ("headUuid", "tailUuid")]
        if min(ends) >= 0:
            first, last = min(ends), max(ends)
        else:
            kept.update(ends)
    uuids = messages.get("uuids") if isinstance(messages, dict) else None
    if isinstance(uuids, list):
        kept.update(_seq(uuid, seq_of) for uuid in uuids)
    kept.discard(-1)
    if not kept and last < first:
        return None
    return lambda seq: first <= seq <= last or seq in kept


def _seq(uuid: Any, seq_of: Callable[[str], int]) -> int:
    return seq_of(uuid) if isinstance(uuid, str) and uuid else -1


def _rewinds(prompts: Ints, keys: Ints) -> dict[int, int]:
    """By prompt: the earlier prompt with the same parent, whose branch it abandons."""
    named = prompts[keys[prompts] != 0]
    order = named[np.argsort(keys[named], kind="stable")]
    repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    return dict(zip(order[1:][repeats].tolist(), order[:-1][repeats].tolist(), strict=True))


def _branch(order: list[int], start: int, inside: Callable[[int], bool]) -> range:
    """The run of the surface from the first to the last event of a branch that stands; looked for from the end."""
    first = last = -1
    for place in range(len(order) - 1, -1, -1):
        seq = order[place]
        if inside(seq):
            first = place
            last = max(last, place)
            if seq == start:
                break
    return range(first, last + 1) if last >= 0 else range(0)


class _Branches:
    """Tells whether an event is another or descends from it."""

    def __init__(self, parents: Ints) -> None:
        self._parents = parents
        self._ordered = bool((parents < np.arange(parents.size)).all())
        self._left = 4 * parents.size
        self._tour: _Tour | None = None

    def within(self, start: int, end: int) -> Callable[[int], bool]:
        """Whether an event before `end` is `start` or descends from it."""
        self._left -= end - start
        if self._ordered and self._left >= 0:  # most edits are of the last prompts: few events to look at
            found = {start}
            for seq, parent in enumerate(self._parents[start + 1 : end].tolist(), start + 1):
                if parent in found:
                    found.add(seq)
            return found.__contains__
        if self._tour is None:
            self._tour = _Tour(self._parents)
        return partial(self._tour.inside, start)


class _Tour:
    """When each event is entered and left on a walk of the tree, which tells at once what descends from what."""

    def __init__(self, parents: Ints) -> None:
        size = parents.size
        order = np.argsort(parents, kind="stable")
        starts = np.searchsorted(parents[order], np.arange(-1, size + 1)).tolist()
        children = order.tolist()
        entered, left = [-1] * size, [-1] * size
        clock = 0
        # Events on a ring of parents hang on no root: they are entered from the first of them.
        for root in (*children[starts[0] : starts[1]], *range(size)):
            if entered[root] >= 0:
                continue
            work = [root]
            while work:
                at = work.pop()
                if at < 0:
                    left[~at] = clock
                    continue
                if entered[at] >= 0:
                    continue
                entered[at] = clock
                clock += 1
                work.append(~at)
                work += children[starts[at + 1] : starts[at + 2]]
        self._entered, self._left = entered, left

    def inside(self, start: int, seq: int) -> bool:
        """Whether an event is `start` or descends from it."""
        return self._entered[start] <= self._entered[seq] < self._left[start]
