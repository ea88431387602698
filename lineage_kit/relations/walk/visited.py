"""The visited set of a walk: which pairs have been seen, and the number of each."""

from __future__ import annotations

import numpy as np

from lineage_kit.engines.integer_arrays import Ints, sorting

SMALL = 1024
"""Runs up to this size are merged at once: a deep, narrow walk would otherwise search in many tiny ones."""
RATIO = 4
END, NO_NUMBER = np.array([[np.iinfo(np.int64).max]]), np.array([[-1]])
"""The last of every run: no pair is as large, so that a search never ends beyond the run."""


class Visited:
    """A growing set of integers, each numbered when it first came in.

    It is held in a few sorted runs, each several times as large as the next, so that entering a batch costs a sort
    of the batch and a search in each run, and all the merging together a few sorts of the whole; a walk of many small
    levels stays linear but for a logarithm (the idea of the log-structured merge tree: O'Neil and others, 1996).
    """

    def __init__(self, first: Ints) -> None:
        self.count = 0
        self._parts: list[Ints] = []
        self._runs: list[tuple[Ints, Ints]] = []
        self._add(first)

    @property
    def pairs(self) -> Ints:
        """All of them, by number."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def numbers(self, pairs: Ints) -> Ints:
        """The number of each of these, in any order and with repetitions; -1 for one that has not come in."""
        order, (distinct, group) = _grouped(pairs)
        numbers = np.empty(pairs.size, np.int64)
        numbers[order] = self._numbers(distinct)[group]
        return numbers

    def enter(self, pairs: Ints) -> tuple[Ints, Ints]:
        """Let these come in: the number of each, and those that are new, sorted (which is how they are numbered)."""
        order, (distinct, group) = _grouped(pairs)
        known = self._numbers(distinct)
        new = known < 0
        fresh = distinct[new]
        known[new] = np.arange(self.count, self.count + fresh.size)
        numbers = np.empty(pairs.size, np.int64)
        numbers[order] = known[group]
        if fresh.size:
            self._add(fresh)
        return numbers, fresh

    def _numbers(self, distinct: Ints) -> Ints:
        numbers = np.full(distinct.size, -1, np.int64)
        for run, numbered in self._runs:
            at = run.searchsorted(distinct)
            np.copyto(numbers, numbered[at], where=run[at] == distinct)
        return numbers

    def _add(self, fresh: Ints) -> None:
        """One more sorted run, merged into those before it that are not much larger."""
        self._parts.append(fresh)
        runs, numbers = [*END, fresh], [*NO_NUMBER, np.arange(self.count, self.count + fresh.size)]
        size = fresh.size
        self.count += size
        while self._runs and self._runs[-1][0].size < max(RATIO * size, SMALL):
            run, numbered = self._runs.pop()
            runs.append(run[:-1])
            numbers.append(numbered[:-1])
            size += run.size - 1
        merged = np.concatenate(runs)
        order = merged.argsort(kind="stable")  # which merges what is sorted already
        self._runs.append((merged[order], np.concatenate(numbers)[order]))


def _grouped(values: Ints) -> tuple[Ints, tuple[Ints, Ints]]:
    """The order that sorts these values; the distinct ones; and, in that order, which of those each one is."""
    order, ordered = sorting(values)
    head = np.ones(values.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=head[1:])
    return order, (ordered[head], head.cumsum() - 1)
