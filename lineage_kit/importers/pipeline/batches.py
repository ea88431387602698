"""Session plans cut into pieces of bearable size, so that a session of any length is made a part at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from lineage_kit.importers.pipeline.session_plan import Link, Numbers, SessionPlan

ROWS, BYTES = 50_000, 32 << 20
"""Events, and bytes of staged rows, that are made at a time."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class Segment:
    """Events `first` to before `end` of a session; what is said by seq keeps the seqs of the session."""

    session_id: str
    plan: SessionPlan
    first: int
    end: int
    replaced: Mapping[int, tuple[int, int]]
    citations: Mapping[int, Sequence[int]]
    types: Mapping[int, str]
    links: Sequence[Link]
    blank_payload: Sequence[int]
    repeated_usage: Sequence[int]

    def __len__(self) -> int:
        return self.end - self.first

    @property
    def rows(self) -> np.ndarray:
        """The numbers of its staged rows."""
        return np.asarray(self.plan.rows[self.first : self.end], np.int64)


def batches(
    plans: Iterable[SessionPlan], weigh: Callable[[Numbers], Iterable[tuple[int, int]]]
) -> Iterator[list[Segment]]:
    """Segments, as many together as may be made at a time.

    `weigh` tells of staged rows how many take how many bytes.
    """
    waiting: list[Segment] = []
    events = held = 0
    for one in plans:
        for segment, size in _segments(one, _cut(weigh(one.rows))):
            if waiting and (events + len(segment) > ROWS or held + size > BYTES):
                yield waiting
                waiting, events, held = [], 0, 0
            waiting.append(segment)
            events += len(segment)
            held += size
    if waiting:
        yield waiting


def _segments(one: SessionPlan, parts: list[tuple[int, int]]) -> Iterator[tuple[Segment, int]]:
    cuts = np.cumsum([0, *(count for count, _ in parts)]).tolist()
    ends, cuts = cuts[1:], cuts[:-1]
    session_id = one.header["session_id"]
    said: list[Any] = [_by_segment(mapping, cuts) for mapping in (one.replaced, one.citations, one.types)]
    links: list[list[Link]] = [[] for _ in cuts]
    for link in one.links:
        links[_place(cuts, link.seq or 0)].append(link)
    said += [links, _among(one.blank_payload, cuts), _among(one.repeated_usage, cuts)]
    for first, end, (_, size), *of_part in zip(cuts, ends, parts, *said, strict=True):
        yield Segment(session_id, one, first, end, *of_part), size


def _cut(weights: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Parts of at most ROWS events and BYTES bytes, or of a single event: how many events, and their bytes.

    Example:
        >>> _cut([(60_000, 10), (3, BYTES)])
        [(50000, 500000), (10000, 100000), (1, 33554432), (1, 33554432), (1, 33554432)]
    """
    parts: list[tuple[int, int]] = []
    rows = size = 0
    for count, each in weights:
        while count:
            taken = min(count, ROWS - rows, (BYTES - size) // each)
            if taken <= 0 and rows:
                parts.append((rows, size))
                rows = size = 0
                continue
            taken = max(taken, 1)
            rows, size, count = rows + taken, size + taken * each, count - taken
    return [*parts, (rows, size)]


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
