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

    def __init__(
        self,
        types: Sequence[str],
        type_start: Ints,
        ids: pa.LargeStringArray,
        labels: pa.LargeStringArray | None = None,
    ) -> None:
        self.count = len(ids)
        self._labels = labels
        self._types = pl.Series(types, dtype=pl.String)
        self._sorted = list(types)
        self._codes = {held: code for code, held in enumerate(types)}
        self._start = type_start.astype(np.int64)
        self._ids = ids
        _, offsets, content = ids.buffers()
        self._offsets = memoryview(offsets).cast("q")[ids.offset :] if offsets is not None else memoryview(b"")
        self._content = memoryview(content) if content is not None else memoryview(b"")

    @classmethod
    def of(cls, nodes: pl.DataFrame, labels: pl.Series | None = None) -> Nodes:
        """Of a frame of distinct (type, id), sorted by them, and what the items call each, if there are items."""
        counts = nodes.group_by("type").len().sort("type")
        start = np.concatenate([[0], np.cumsum(counts["len"].to_numpy())])
        called = None if labels is None or labels.null_count() == labels.len() else _as_arrow(labels)
        return cls(counts["type"].to_list(), start, _as_arrow(nodes["id"]), called)

    @property
    def types(self) -> list[str]:
        """The types there are, sorted."""
        return self._sorted

    def of_type(self, type: str) -> range:
        """The numbers of the nodes of a type."""
        code = self._codes.get(type)
        return range(0) if code is None else range(int(self._start[code]), int(self._start[code + 1]))

    def labels(self, keys: Ints) -> pl.Series:
        """What the items call these nodes; null for one without a label, and for a number that is none."""
        if self._labels is None:
            return pl.Series([None], dtype=pl.String).new_from_index(0, keys.size)
        if (strange := keys >= self.count).any():
            found = self.labels(np.where(strange, 0, keys)) if self.count else self.labels(keys[~strange])
            return found.set(pl.Series(strange), None) if self.count else found.new_from_index(0, keys.size)
        return pl.Series(self._labels.take(arrow(keys)), dtype=pl.String)

    def names(self, keys: Ints) -> Names:
        """The type and id of these nodes."""
        codes = np.searchsorted(self._start, keys, "right") - 1
        return Names(picked(self._types, codes), pl.Series(self._ids.take(arrow(keys)), dtype=pl.String))

    def find(self, asked: pl.DataFrame) -> Ints:
        """The number of each (type, id); of one that is not there, -1 less the number before which it would lie."""
        if asked.height > FEW:
            return self._find_many(asked)
        return np.array(
            [self._find_one(type, id) for type, id in zip(asked["type"], asked["id"], strict=True)], np.int64
        )

    def _find_one(self, type: str, id: str) -> int:
        """A binary search among the bytes of the ids, which as UTF-8 sort as code points do."""
        code = self._codes.get(type)
        if code is None:
            return -1 - int(self._start[bisect.bisect_left(self._sorted, type)])
        wanted = id.encode()
        first, last = int(self._start[code]), int(self._start[code + 1])
        place = first + bisect.bisect_left(range(first, last), wanted, key=self._at)
        return place if place < last and self._at(place) == wanted else -1 - place

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
        found = np.empty(asked.height, np.int64)
        unknown = np.flatnonzero(types < 0)
        before = [bisect.bisect_left(self._sorted, asked["type"][int(at)]) for at in unknown]
        found[unknown] = -1 - self._start[before]
        found[known] = -1 - low
        place = low[inside]
        same = pc.equal(self._ids.take(arrow(place)), ids.filter(pa.array(inside))).to_numpy(zero_copy_only=False)
        found[known[inside][same]] = place[same]
        return found


OLDEST = pl.CompatLevel.oldest()


def _as_arrow(texts: pl.Series) -> pa.LargeStringArray:
    return texts.cast(pl.String).to_arrow(compat_level=OLDEST).cast(pa.large_string())
