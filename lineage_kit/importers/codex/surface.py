"""The surface of one Codex session: what stands, what a compaction or a rollback replaces, which output cites what."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lineage_kit.importers.codex.file_index import (
    CALL,
    ON_SURFACE,
    PERSON,
    RESULT,
    ROLLBACK,
    SAID,
    SERVED,
    TURN,
    Rollout,
)


@dataclass
class Surface:
    """What `replay` found; events go by their seq."""

    on_surface: np.ndarray
    replaced: dict[int, tuple[int, int]] = field(default_factory=dict)
    citations: dict[int, Sequence[int]] = field(default_factory=dict)
    late: list[tuple[int, int]] = field(default_factory=list)
    """Outputs that stand before their call, and these."""
    orphans: list[tuple[int, str | None]] = field(default_factory=list)
    """Outputs whose call is not there, and the id it would have."""
    open: list[tuple[int, str]] = field(default_factory=list)
    """Calls without an output."""
    reused: list[tuple[int, str]] = field(default_factory=list)
    """Calls with the id of another that was still waiting for its output."""
    empty: list[int] = field(default_factory=list)
    """Replacements that found nothing to replace."""
    past_start: list[int] = field(default_factory=list)
    """Rollbacks of more turns than stood on the surface."""


def replay(rollout: Rollout, own: np.ndarray) -> Surface:
    """Replay the records that are a session's own events.

    An id names the latest call that had it: harnesses of other models count their calls anew in every turn. Only
    while a call still waits for its output, another one with its id is not told apart from it.
    """
    every = np.frombuffer(rollout.kinds, np.int8)
    kinds = every[own]
    surface = Surface(np.isin(kinds, ON_SURFACE).astype(np.int8))
    ids = _ids(rollout, every, own)
    order: list[int] = []
    turns = _Turns()
    called: dict[str, int] = {}
    waiting: dict[str, int] = {}
    early: dict[str, list[int]] = {}
    citations = surface.citations
    active = np.flatnonzero((surface.on_surface == 1) | (kinds == TURN))
    for seq, kind in zip(active.tolist(), kinds[active].tolist(), strict=True):
        # The commonest kinds come first: sessions have a million of them.
        if kind == RESULT:
            order.append(seq)
            call = next(ids)
            if call is None:
                surface.orphans.append((seq, None))
            elif call in called:
                citations[seq] = (called[call],)
                waiting.pop(call, None)
            else:
                early.setdefault(call, []).append(seq)
        elif kind in (CALL, SERVED):
            order.append(seq)
            call = next(ids)
            if call is None:
                continue
            if call in waiting:
                surface.reused.append((seq, call))
                continue
            called[call] = seq
            if call in early:
                surface.late += [(result, seq) for result in early.pop(call)]
            elif kind == CALL:
                waiting[call] = seq
        elif kind == SAID:
            order.append(seq)
        elif kind == PERSON:
            order.append(seq)
            turns.message(seq)
        elif kind == TURN:
            turns.start(seq)
        else:
            cut = 0
            if kind == ROLLBACK:
                place = turns.cut(order, rollout.turns[int(own[seq])])
                if place is None:
                    surface.past_start.append(seq)
                cut = place or 0
            removed = order[cut:]
            order[cut:] = [seq]
            turns.apart.add(seq)
            if removed:
                surface.replaced[seq] = (removed[0], removed[-1])
                citations[seq] = removed
            else:
                surface.empty.append(seq)
    surface.orphans += [(seq, call) for call, seqs in early.items() for seq in seqs]
    surface.orphans.sort(key=lambda found: found[0])
    surface.open = [(seq, call) for call, seq in waiting.items()]
    return surface


class _Turns:
    """Where turns begin: at their own records, and at messages of a person where there are none of these yet."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._started = False
        self.apart: set[int] = set()
        """Nodes that stand for something else, and are of no turn."""

    def start(self, seq: int) -> None:
        self._started = True
        self._begins.append(seq)

    def message(self, seq: int) -> None:
        if not self._started:
            self._begins.append(seq)

    def cut(self, order: list[int], turns: int) -> int | None:
        """The place of the first node of the last turns that stand; None if there are not so many."""
        found, last, place = 0, len(self._begins) + 1, None
        for at in range(len(order) - 1, -1, -1):
            if order[at] in self.apart:
                continue
            turn = bisect_right(self._begins, order[at])
            if turn != last:
                if not turn or found == turns:
                    break
                found, last = found + 1, turn
            place = at
        return place if found == turns else None


def _ids(rollout: Rollout, every: np.ndarray, own: np.ndarray) -> Iterator[str | None]:
    """The call ids of a session's own events."""
    if len(own) == len(every):
        return iter(rollout.ids)
    places = np.flatnonzero(np.isin(every, (CALL, SERVED, RESULT)))
    kept = np.isin(places, own)
    return (rollout.ids[at] for at in np.flatnonzero(kept).tolist())
