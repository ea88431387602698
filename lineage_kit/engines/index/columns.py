"""The columns of an index on disk: numbers, texts end to end, and the user's own columns in Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from lineage_kit.engines.columns import arrow
from lineage_kit.engines.csr.graph import Array
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.schema import ROW

ROWS = 1 << 20
"""Rows in a batch of the user's own columns."""


def new(path: Path, dtype: npt.DTypeLike, size: int) -> Array:
    """A new array on disk, mapped (an empty one cannot be)."""
    if not size:
        empty: Array = np.empty(0, dtype)
        np.save(path, empty)
        return empty
    return np.lib.format.open_memmap(path, "w+", np.dtype(dtype), (size,)).view(np.ndarray)


# ---- texts


def write_texts(
    folder: Path, name: str, columns: Iterable[pa.Array], count: int, length: int, *, labelled: bool = False
) -> None:
    """`count` texts of `length` bytes in all: `<name>_text` holds them end to end, `<name>_start` where each begins.

    Of texts that may be null, `<name>_there` says which are there, a bit each.
    """
    there = new(folder / f"{name}_there.npy", "|u1", -(-count // 64) * 8) if labelled else None
    flags: list[npt.NDArray[np.bool_]] = []
    start = new(folder / f"{name}_start.npy", "<u8", count + 1)
    text = new(folder / f"{name}_text.npy", "|u1", length)
    at = done = 0
    for column in columns:
        held = column.cast(pa.large_string())
        _, offsets, content = held.buffers()
        where = np.frombuffer(offsets, np.int64)[held.offset : held.offset + len(held) + 1]
        size = int(where[-1] - where[0])
        if size:
            text[done : done + size] = np.frombuffer(content, np.uint8)[where[0] : where[-1]]
        start[at : at + len(held)] = where[:-1] - where[0] + done
        at, done = at + len(held), done + size
        if labelled:
            flags.append(held.is_valid().to_numpy(zero_copy_only=False))
    start[at:] = done
    if there is not None and flags:
        bits = np.packbits(np.concatenate(flags), bitorder="little")
        there[: bits.size] = bits


def texts(start: Array, text: Array, there: Array | None = None) -> pa.LargeStringArray:
    """Texts that lie end to end, as an Arrow column over the same memory."""
    known = None if there is None else pa.py_buffer(there)
    return pa.LargeStringArray.from_buffers(start.size - 1, pa.py_buffer(start), pa.py_buffer(text), known)


# ---- the user's own columns


def write_own(
    path: Path, relation: duckdb.DuckDBPyRelation, place: Array, edges: int, connection: duckdb.DuckDBPyConnection
) -> None:
    """Columns of a scanned source, each of its rows at its `place` among the edges; DuckDB sorts them."""
    connection.execute("create or replace table places (place bigint)")
    connection.execute("set preserve_insertion_order = true")
    for first in range(0, place.size, ROWS):
        part = pa.table({"place": place[first : first + ROWS]})
        connection.from_arrow(part).insert_into("places")
    connection.execute("set preserve_insertion_order = false")
    relation.create_view("own", replace=True)
    names = [name for name in relation.columns if name != ROW]
    ordered = connection.sql(
        f"select own.* exclude ({ROW}) from own join places on places.rowid = own.{ROW} order by places.place"
    )
    reader = ordered.to_arrow_reader(ROWS)
    assert reader.schema.names == names
    with pa.ipc.new_file(path, reader.schema) as writer:
        held: list[pa.RecordBatch] = []
        for batch in reader:
            held.append(batch)
            while sum(map(len, held)) >= ROWS:
                table = pa.Table.from_batches(held)
                writer.write_table(table.slice(0, ROWS).combine_chunks(), max_chunksize=ROWS)
                held = table.slice(ROWS).to_batches()
        if held or not edges:
            table = pa.Table.from_batches(held, schema=reader.schema)
            writer.write_table(table.combine_chunks(), max_chunksize=ROWS)


def write_own_frame(path: Path, frame: pl.DataFrame, rows: Array) -> None:
    """Columns of a frame in memory that is sorted by row, in the order of `rows`."""
    order = np.searchsorted(frame[ROW].to_numpy(), rows)
    frame.drop(ROW)[order].write_ipc(path, compat_level=pl.CompatLevel.oldest(), record_batch_size=ROWS)


class OwnColumns:
    """The user's own columns, mapped; an answer takes its rows and no others."""

    def __init__(self, path: Path) -> None:
        self._file = pa.ipc.open_file(pa.memory_map(str(path)))
        self._firsts: Sequence[int] | None = None
        self.empty = self._frame(pa.Table.from_batches([], self._file.schema))

    def take(self, places: Ints) -> pl.DataFrame:
        """The rows at these places."""
        order = np.argsort(places)
        ordered = places[order]
        parts = []
        bounds = np.searchsorted(ordered, np.arange(1, self._file.num_record_batches) * ROWS)
        for number, inside in enumerate(np.split(ordered, bounds)):
            if inside.size:
                batch = self._file.get_batch(number)
                parts.append(batch.take(arrow(inside - number * ROWS)))
        back = np.empty(order.size, np.int64)
        back[order] = np.arange(order.size)
        return self._frame(pa.Table.from_batches(parts, self._file.schema))[back]

    @staticmethod
    def _frame(table: pa.Table) -> pl.DataFrame:
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        return frame
