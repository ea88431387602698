"""Edges of a graph that are invalid from another time on than their records say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lineage_kit.engines.csr.graph import NEVER, Array, Graph
from lineage_kit.engines.integer_arrays import Bools, Ints


class Override(NamedTuple):
    """The places of such edges, sorted, and since when they are invalid, in microseconds.

    When that was noticed is not known of them.
    """

    places: Ints
    invalid_at: Ints

    @classmethod
    def none(cls) -> Override:
        """No such edges."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    def ending(self, graph: Graph, places: Ints, at: int) -> Override:
        """With these edges (sorted, distinct) invalid at a time too, but for those that were at an earlier one."""
        known = graph.edges.held["invalid_at"][places] if graph.has("invalid_at") else np.full(places.size, NEVER)
        inside, where = self.find(places)
        known = known.copy()
        known[inside] = self.invalid_at[where[inside]]
        chosen = places[(known == NEVER) | (known >= at)]
        kept = ~np.isin(self.places, chosen)
        merged = np.concatenate([self.places[kept], chosen])
        times = np.concatenate([self.invalid_at[kept], np.full(chosen.size, at)])
        order = merged.argsort(kind="stable")
        return Override(merged[order], times[order])

    def find(self, edges: Ints) -> tuple[Bools, Ints]:
        """Which of these edges are among them, and where."""
        if not self.places.size:
            return np.zeros(edges.size, np.bool_), np.zeros(edges.size, np.int64)
        where = np.minimum(self.places.searchsorted(edges), self.places.size - 1)
        return self.places[where] == edges, where

    def applied(self, edges: Ints, invalid_at: Array | None, expired_at: Array | None) -> tuple[Array | None, ...]:
        """The times of these edges as they are now; None where none of them has one."""
        inside, where = self.find(edges)
        if not inside.any():
            return invalid_at, expired_at
        times = np.full(edges.size, NEVER) if invalid_at is None else invalid_at.copy()
        times[inside] = self.invalid_at[where[inside]]
        if expired_at is not None:
            expired_at = expired_at.copy()
            expired_at[inside] = NEVER
        return times, expired_at
