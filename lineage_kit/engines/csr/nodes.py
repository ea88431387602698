"""The nodes of a graph in arrays: their names by number, and their numbers by name.

A node's number is its place among all nodes sorted by (type, id). The ids lie end to end in that order, those of one
type together; they may lie in memory or in a mapped file.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from lineage_kit.engines.columns import arrow, picked
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.protocol import Names

FEW = 64
"""Up to so many nodes are looked up one by one; more in one search for all of them."""


class Nodes:
    """Names and numbers; `type_start` says where the nodes of each type begin, with the end of the last."""

    def __init__(self, types: Sequence[str], type_start: Ints, ids: pa.LargeStringArray) -> None:
        self.count = len(ids)
        self._types = pl.Series(types, dtype=pl.String)
        self._codes = {held: code for code, held in enumerate(types)}
        self._start = type_start.astype(np.int64)
        self._ids = ids
        _, offsets, content = ids.buffers()
        self._offsets = memoryview(offsets).cast("q")[ids.offset :] if offsets is not None else memoryview(b"")
        self._content = memoryview(content) if content is not None else memoryview(b"")

    @classmethod
    def of(cls, nodes: pl.DataFrame) -> Nodes:
        """Of a frame of distinct (type, id), sorted by them."""
        counts = nodes.group_by("type").len().sort("type")
        start = np.concatenate([[0], np.cumsum(counts["len"].to_numpy())])
        return cls(counts["type"].to_list(), start, nodes["id"].to_arrow(compat_level=OLDEST).cast(pa.large_string()))

    def names(self, keys: Ints) -> Names:
        """The type and id of these nodes; null for a number that is none."""
        strange = keys >= self.count
        if strange.any():
            known = self.names(keys[~strange])
            place = np.where(strange, known.id.len(), np.cumsum(~strange) - 1)
            return Names(*(picked(column.extend_constant(None, 1), place) for column in known))
        codes = np.searchsorted(self._start, keys, "right") - 1
        return Names(picked(self._types, codes), pl.Series(self._ids.take(arrow(keys)), dtype=pl.String))

    def find(self, asked: pl.DataFrame) -> Ints:
        """The number of each (type, id), or -1."""
        if asked.height > FEW:
            return self._find_many(asked)
        return np.array(
            [self._find_one(type, id) for type, id in zip(asked["type"], asked["id"], strict=True)], np.int64
        )

    def _find_one(self, type: str, id: str) -> int:
        """A binary search among the bytes of the ids, which as UTF-8 sort as code points do."""
        code = self._codes.get(type)
        if code is None:
            return -1
        wanted = id.encode()
        first, last = int(self._start[code]), int(self._start[code + 1])
        place = first + bisect.bisect_left(range(first, last), wanted, key=self._at)
        return place if place < last and self._at(place) == wanted else -1

    def _at(self, place: int) -> bytes:
        return bytes(self._content[self._offsets[place] : self._offsets[place + 1]])

    def _find_many(self, asked: pl.DataFrame) -> Ints:
        """One binary search for all of them at once, each within its type."""
        types = np.array([self._codes.get(held, -1) for held in asked["type"]], np.int64)
        known = np.flatnonzero(types >= 0)
        ids = asked["id"].cast(pl.String).gather(known.astype(np.uint32)).to_arrow().cast(pa.large_string())
        first, end = self._start[types[known]], self._start[types[known] + 1]
        low, high = first.copy(), end.copy()
        while (searching := low < high).any():
            middle = (low + high) >> 1
            middle[~searching] = 0
            smaller = pc.less(self._ids.take(arrow(middle)), ids).to_numpy(zero_copy_only=False)
            low = np.where(searching & smaller, middle + 1, low)
            high = np.where(searching & ~smaller, middle, high)
        inside = low < end
        found = np.full(asked.height, -1, np.int64)
        place = low[inside]
        same = pc.equal(self._ids.take(arrow(place)), ids.filter(pa.array(inside))).to_numpy(zero_copy_only=False)
        found[known[inside][same]] = place[same]
        return found


OLDEST = pl.CompatLevel.oldest()
