"""The index engine: the arrays of `engines/arrays` mapped from files, so that opening costs milliseconds.

Nothing that grows with the graph is allocated, at open or for a question: a level touches the stretches of its
frontier, and the values of an edge are gathered for the edges of an answer only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from lineage_kit.engines.arrays import NEVER, ArrayReader, Attributes, Graph
from lineage_kit.engines.index_columns import OwnColumns, texts
from lineage_kit.engines.index_files import Manifest, mapped_arrays, release, resident_of_files, unusable
from lineage_kit.engines.reader import Ints
from lineage_kit.sources import ROW
from lineage_kit.tables import with_reason

RESIDENT = 300_000_000
"""Bytes of mapped files beyond which a question gives its pages back when it has been answered."""
TIME = pl.Datetime("us", "UTC")


class IndexEngine:
    """Relations in the files of an index."""

    chunked = True

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        arrays = mapped_arrays(folder, manifest)
        start, text = arrays["id_start"], arrays["id_text"]
        if not (int(start[0]) == 0 and int(start[-1]) == text.size):
            raise unusable(folder, "its files id_start.npy and id_text.npy do not fit together", manifest=manifest)
        self.folder = folder
        self.manifest = manifest
        self.edges = manifest.edges
        self._arrays = arrays
        self._size = sum(array.nbytes for array in arrays.values())
        self._ids = texts(start, text)
        self._kinds, self._classes, self._types = (
            pl.Series(held, dtype=pl.String) for held in (manifest.kinds, manifest.classes, manifest.types)
        )
        self._type_codes = {held: code for code, held in enumerate(manifest.types)}
        self._type_start = arrays["type_start"].astype(np.int64)
        self._own = OwnColumns(folder / "own.arrow") if "own.arrow" in manifest.files else None
        times = [arrays[name] for name in ("since", "created_at", "valid_at") if name in arrays]
        self._graph = Graph(
            kinds=manifest.kinds,
            out_start=arrays["out_start"],
            out_walked=arrays["out_walked"],
            out_far=arrays["out_far"],
            kind=arrays["kind"],
            since=times[0] if times else None,  # type: ignore[arg-type]
            in_start=arrays["in_start"],
            in_superseding=arrays["in_superseding"],
            in_far=arrays["in_far"],
            in_edge=arrays["in_edge"],
        )
        self._attributes = Attributes(rows=self._rows, names=self._names, find=self._find, empty=self.empty)

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that were set aside when the index was built."""
        path = self.folder / "rejected.parquet"
        if path.name in self.manifest.files:
            return pl.read_parquet(path)
        return with_reason(self.empty(), [pl.lit(None, pl.String)])

    def reader(self, as_of: datetime | None) -> ArrayReader:
        """A reader for one question."""
        return ArrayReader(self._graph, self._attributes, as_of)

    def empty(self) -> pl.DataFrame:
        """A relations frame without rows."""
        return self._rows(np.empty(0, np.int64))

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Nothing to wait for: mapped files may be read by any number of threads.

        Afterwards, pages are given back if many are held: the system maps the neighbours of a page that is touched
        too, so that a few traces would otherwise seem to hold the whole index in memory.
        """
        yield
        if self._size > RESIDENT and resident_of_files() > RESIDENT:
            release(self._arrays.values())

    def code_exactly(self) -> None:
        """Nothing to do: codes are exact."""

    # ---- from numbers to texts

    def _rows(self, places: Ints) -> pl.DataFrame:
        """The canonical rows of the edges at these places in the order by source."""
        arrays = self._arrays
        ends = [arrays[name][places].astype(np.int64) for name in ("out_near", "out_far")]
        nodes, which = np.unique(np.concatenate(ends), return_inverse=True)
        names = self._names(nodes)
        source, target = names[which[: places.size]], names[which[places.size :]]
        columns: dict[str, pl.Series] = {
            "source_type": source["type"],
            "source_id": source["id"],
            "target_type": target["type"],
            "target_id": target["id"],
            "relation_kind": self._kinds.gather(arrays["kind"][places].astype(np.uint32)),
            "edge_class": self._classes.gather(arrays["edge_class"][places].astype(np.uint32)),
            "confidence": self._floats("confidence", places),
            **{name: self._times(name, places) for name in ("created_at", "valid_at", "invalid_at")},
        }
        frame = pl.DataFrame(columns)
        if self._own is not None:
            frame = pl.concat([frame, self._own.take(places)], how="horizontal")
        return frame.with_columns(pl.Series(ROW, arrays["row"][places].astype(np.int64)))

    def _floats(self, name: str, places: Ints) -> pl.Series:
        if name not in self._arrays:
            return pl.Series(name, [None], pl.Float64).new_from_index(0, places.size)
        return pl.Series(name, self._arrays[name][places], pl.Float64).fill_nan(None)

    def _times(self, name: str, places: Ints) -> pl.Series:
        if name not in self._arrays:
            return pl.Series(name, [None], TIME).new_from_index(0, places.size)
        moments = pl.Series(name, self._arrays[name][places], pl.Int64)
        return pl.select(pl.when(moments != NEVER).then(moments).cast(TIME).alias(name)).to_series()

    def _names(self, keys: Ints) -> pl.DataFrame:
        """The type and id of these nodes."""
        codes = np.searchsorted(self._type_start, keys, "right") - 1
        ids = pl.from_arrow(self._ids.take(pa.array(keys, pa.int64())))
        return pl.DataFrame({"type": self._types.gather(codes.astype(np.uint32)), "id": ids}, schema_overrides=NAMES)

    # ---- from texts to numbers

    def _find(self, asked: pl.DataFrame) -> Ints:
        """The number of each (type, id), or -1: one binary search for all of them, each within its type."""
        types = np.array([self._type_codes.get(held, -1) for held in asked["type"]], np.int64)
        known = np.flatnonzero(types >= 0)
        ids = asked["id"].cast(pl.String).gather(known.astype(np.uint32)).to_arrow().cast(pa.large_string())
        first, end = self._type_start[types[known]], self._type_start[types[known] + 1]
        low, high = first.copy(), end.copy()
        while (searching := low < high).any():
            middle = (low + high) >> 1
            middle[~searching] = 0
            smaller = pc.less(self._ids.take(pa.array(middle)), ids).to_numpy(zero_copy_only=False)
            low = np.where(searching & smaller, middle + 1, low)
            high = np.where(searching & ~smaller, middle, high)
        inside = low < end
        found = np.full(asked.height, -1, np.int64)
        place = low[inside]
        same = pc.equal(self._ids.take(pa.array(place)), ids.filter(pa.array(inside))).to_numpy(zero_copy_only=False)
        found[known[inside][same]] = place[same]
        return found


NAMES = {"type": pl.String, "id": pl.String}
