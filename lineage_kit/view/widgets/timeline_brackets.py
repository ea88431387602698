"""The replacements of a log as brackets, which lie inside each other or apart."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from lineage_kit.sessions.fold.surface import Fold

BRACKETS = 300
"""Brackets told of one stretch; the outermost come first."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Brackets:
    """The replacements of a log, in log order, each as a bracket over the appended events that it stands for.

    Brackets lie inside each other or apart, never across. An outer one is always higher than those inside it.

    Attributes:
        seq: the replacing events.
        first, last: the first and the last event under each bracket.
        height: 1 for a bracket with none inside it, else one more than the highest inside.
        replaced: how many events each replaced itself.
    """

    seq: Ints
    first: Ints
    last: Ints
    height: Ints
    replaced: Ints

    @property
    def highest(self) -> int:
        """The height of the highest, 0 where nothing was replaced."""
        return int(self.height.max(initial=0))

    def over(self, start: int, end: int) -> tuple[list[dict[str, int]], int]:
        """The brackets over any of the events from start to end (excluded), the highest first, and how many are left.

        Each with the names of the attributes.
        """
        found = np.flatnonzero((self.first < end) & (self.last >= start))
        told = found[np.argsort(-self.height[found], kind="stable")][:BRACKETS]
        names = [field.name for field in fields(self)]
        rows = zip(*(getattr(self, name)[told].tolist() for name in names), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows], int(found.size - told.size)

    def beside(self, place: int, step: int) -> int | None:
        """The next replacing event after a place, or the one before it."""
        at = np.searchsorted(self.seq, place, "right" if step > 0 else "left") - (step <= 0)
        return int(self.seq[at]) if 0 <= at < self.seq.size else None


def no_brackets() -> Brackets:
    """Those of a log in which nothing was replaced."""
    return Brackets(*(np.zeros(0, np.int64) for _ in fields(Brackets)))


def brackets_of(folded: Fold, replaced: Ints) -> Brackets:
    """The brackets; one loop over what was replaced, since an outer one is higher than what is inside it."""
    seq = np.flatnonzero(replaced > 0)
    appended = np.flatnonzero(folded.on_surface & (replaced == 0))
    height = [0] * replaced.size
    starts, removed = folded.removed_from.tolist(), folded.removed.tolist()
    for place in seq.tolist():
        height[place] = 1 + max(height[inside] for inside in removed[starts[place] : starts[place + 1]])
    first, count = folded.covers_from[seq], folded.covers_count[seq]
    return Brackets(seq, appended[first], appended[first + count - 1], np.array(height, np.int64)[seq], replaced[seq])
