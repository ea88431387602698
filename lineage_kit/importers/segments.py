"""Planned sessions cut into pieces of bearable size, so that a session of any length is made a part at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from lineage_kit.importers.planned import Link, Planned

ROWS, BYTES = 50_000, 32 << 20
"""Events, and bytes of drafts, that are made at a time."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class Segment:
    """Events `first` to before `end` of a session; what is said by seq keeps the seqs of the session."""

    session_id: str
    plan: Planned
    first: int
    end: int
    replaced: Mapping[int, tuple[int, int]]
    citations: Mapping[int, Sequence[int]]
    types: Mapping[int, str]
    links: Sequence[Link]
    emptied: Sequence[int]
    told_before: Sequence[int]

    def __len__(self) -> int:
        return self.end - self.first

    @property
    def drafts(self) -> np.ndarray:
        """The numbers of its drafts."""
        return np.asarray(self.plan.drafts[self.first : self.end], np.int64)


def batches(planned: Iterable[Planned], sizes: Callable[[np.ndarray], np.ndarray]) -> Iterator[list[Segment]]:
    """Segments, as many together as may be made at a time; `sizes` tells the bytes of drafts by their numbers."""
    waiting: list[Segment] = []
    rows = held = 0
    for one in planned:
        told = np.asarray(sizes(one.drafts), np.int64) if len(one.drafts) else np.zeros(0, np.int64)
        for segment, size in _segments(one, told):
            if waiting and (rows + len(segment) > ROWS or held + size > BYTES):
                yield waiting
                waiting, rows, held = [], 0, 0
            waiting.append(segment)
            rows += len(segment)
            held += size
    if waiting:
        yield waiting


def _segments(one: Planned, sizes: np.ndarray) -> Iterator[tuple[Segment, int]]:
    cuts = _cuts(sizes)
    ends = [*cuts[1:], len(sizes)]
    session_id = one.header["session_id"]
    parts: list[Any] = [_by_segment(mapping, cuts) for mapping in (one.replaced, one.citations, one.types)]
    links: list[list[Link]] = [[] for _ in cuts]
    for link in one.links:
        links[_place(cuts, link.seq or 0)].append(link)
    parts += [links, _among(one.emptied, cuts), _among(one.told_before, cuts)]
    for first, end, *part in zip(cuts, ends, *parts, strict=True):
        yield Segment(session_id, one, first, end, *part), int(sizes[first:end].sum())


def _cuts(sizes: np.ndarray) -> list[int]:
    """Where segments begin: each has at most ROWS events and BYTES bytes, or is a single event."""
    if len(sizes) <= ROWS and int(sizes.sum()) <= BYTES:
        return [0]
    total = np.cumsum(sizes)
    cuts = [0]
    while True:
        first = cuts[-1]
        before = int(total[first - 1]) if first else 0
        end = min(int(np.searchsorted(total, before + BYTES, side="right")), first + ROWS)
        end = max(end, first + 1)
        if end >= len(sizes):
            return cuts
        cuts.append(end)


def _place(cuts: list[int], seq: int) -> int:
    return bisect_right(cuts, seq) - 1


def _by_segment(mapping: Mapping[int, Value], cuts: list[int]) -> list[Mapping[int, Value]]:
    if len(cuts) == 1:
        return [mapping]
    parts: list[dict[int, Value]] = [{} for _ in cuts]
    for seq, value in mapping.items():
        parts[_place(cuts, seq)][seq] = value
    return list(parts)


def _among(seqs: Sequence[int], cuts: list[int]) -> list[list[int]]:
    parts: list[list[int]] = [[] for _ in cuts]
    for seq in seqs:
        parts[_place(cuts, seq)].append(seq)
    return parts
