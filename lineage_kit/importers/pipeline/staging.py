"""The extract step's result: staged rows, what each record says on its own, until it is known whose event it is.

They are kept column by column and numbered from 0 in the order in which they were read. Small imports keep them in
memory; larger ones spill them to Arrow files, which are mapped, never loaded, when the events are made of them.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.json_lines import Found
from lineage_kit.importers.pipeline.session_plan import Numbers
from lineage_kit.schema import IMPORTED_EVENTS

ROWS, BYTES = 20_000, 16 << 20
"""When a piece is full."""
KEEP = 192 << 20
"""Bytes of staged rows that may stay in memory."""
WAITING = 2
"""Pieces that may wait to be written."""
MAPPED = 4
"""Pieces that are kept mapped."""


class StagedRow(NamedTuple):
    """One record as a row of the events table, as far as it says so itself. Only `type` and `line` are required."""

    type: str | None
    line: int
    byte_offset: int | None = None
    raw_type: str | None = None
    time: Any = None
    """As the format writes it: ISO 8601 text, or milliseconds."""
    payload: bytes | str | None = None
    """JSON in UTF-8."""
    text: str | None = None
    is_error: bool | None = None
    record_id: str | None = None
    model: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


ARROW = {"text": pa.large_string(), "time": pa.large_string(), "integer": pa.int64(), "flag": pa.bool_()}
"""What Arrow calls the columns of events; times stay as the format writes them until the events are made."""
TYPES: dict[str, Any] = {column.name: ARROW[column.holds] for column in IMPORTED_EVENTS.only(*StagedRow._fields)}
"""The columns of staged rows, with times as text."""
TYPES_IN_MILLISECONDS = TYPES | {"time": pa.int64()}
"""The same where times are numbers."""


class StagedRows:
    """The staged rows of an import.

    Args:
        folder: where full pieces are spilled to, once they hold more than `keep` bytes together; None keeps all.
        milliseconds: times are numbers of milliseconds rather than texts.
        keep: bytes of staged rows that may stay in memory.
    """

    def __init__(self, folder: Path | None, *, milliseconds: bool = False, keep: int = KEEP) -> None:
        self._folder = folder
        self._keep = keep
        self._schema = TYPES_IN_MILLISECONDS if milliseconds else TYPES
        self._rows: list[tuple[Any, ...]] = []
        self._held = 0
        self._pieces: list[pa.Table | Future[Path]] = []
        self._writer: ThreadPoolExecutor | None = None
        self._starts = [0]
        self._mapped: OrderedDict[int, pa.Table] = OrderedDict()
        self._in_memory = 0
        self._each: list[int] = []  # bytes of a staged row of each piece, on average
        self.files: list[tuple[int, LogFile]] = []
        """Where the staged rows of each file begin."""
        self.reserved = 0
        """Staged rows that an importer has numbered already, and will give as a table."""

    def __len__(self) -> int:
        return self._starts[-1] + len(self._rows) + self.reserved

    def begin(self, file: LogFile) -> None:
        """The staged rows that follow are of this file."""
        self.files.append((len(self), file))

    def add(self, row: tuple[Any, ...], size: int) -> int:
        """Take a staged row (a `StagedRow`, or a tuple in its order) of about `size` bytes, and number it."""
        rows = self._rows
        rows.append(row)
        self._held += size
        if len(rows) >= ROWS or self._held >= BYTES:
            number = self._starts[-1] + len(rows) - 1
            self._close_piece()
            return number
        return self._starts[-1] + len(rows) - 1

    def _close_piece(self) -> None:
        if not self._rows:
            return
        columns = list(zip(*self._rows, strict=True))
        columns += [(None,) * len(self._rows)] * (len(TYPES) - len(columns))
        arrays = [column_of(column, dtype) for column, dtype in zip(columns, self._schema.values(), strict=True)]
        self._take(pa.table(arrays, names=list(self._schema)))
        self._rows, self._held = [], 0

    def add_table(self, table: pa.Table) -> int:
        """Take many rows at once, made column by column in the types of TYPES, and give the number of the first."""
        self._close_piece()
        first = len(self)
        self._take(table)
        return first

    def _take(self, table: pa.Table) -> None:
        self._starts.append(self._starts[-1] + table.num_rows)
        self._each.append(table.nbytes // max(table.num_rows, 1) + 1)
        self._in_memory += table.nbytes
        self._pieces.append(table)
        if self._folder is not None and (self._writer is not None or self._in_memory > self._keep):
            self._spill()

    def flush(self) -> None:
        """Close the piece that is being filled."""
        self._close_piece()

    def _spill(self) -> None:
        """Write the pieces that are in memory, beside the reading that goes on."""
        folder = self._folder
        assert folder is not None
        if self._writer is None:
            self._writer = ThreadPoolExecutor(1)
        for place in range(len(self._pieces) - 1, -1, -1):
            piece = self._pieces[place]
            if isinstance(piece, Future):
                break
            self._pieces[place] = self._writer.submit(_write, piece, folder / f"rows-{place}.arrow")
        on_way = [piece for piece in self._pieces if isinstance(piece, Future) and not piece.done()]
        if len(on_way) > WAITING:
            wait(on_way[:-WAITING])

    @property
    def spilled(self) -> bool:
        """Whether staged rows were spilled to disk."""
        return self._writer is not None

    def close(self) -> None:
        """End what is still being written."""
        if self._writer is not None:
            self._writer.shutdown()
            self._mapped.clear()

    def _piece(self, place: int) -> pa.Table:
        piece = self._pieces[place]
        if not isinstance(piece, Future):
            return piece
        if place not in self._mapped:
            with pa.memory_map(str(piece.result())) as source:
                self._mapped[place] = pa.ipc.open_file(source).read_all()
            if len(self._mapped) > MAPPED:
                self._mapped.popitem(last=False)
        self._mapped.move_to_end(place)
        return self._mapped[place]

    def weigh(self, numbers: Numbers) -> Iterator[tuple[int, int]]:
        """Of staged rows in the order given: how many one after the other take about how many bytes each."""
        self.flush()
        if isinstance(numbers, range):
            for place, each in enumerate(self._each):
                within = range(max(numbers.start, self._starts[place]), min(numbers.stop, self._starts[place + 1]))
                if within:
                    yield len(within), each
        elif len(numbers):
            places = np.searchsorted(np.array(self._starts), numbers, side="right") - 1
            runs = [*np.flatnonzero(np.diff(places, prepend=-1)).tolist(), len(places)]
            for begin, end in pairwise(runs):
                yield end - begin, self._each[int(places[begin])]

    def take(self, numbers: np.ndarray, columns: Sequence[str] = tuple(TYPES)) -> pl.DataFrame:
        """The staged rows with these numbers (at least one), in this order, and `file`, where each was read.

        Columns: those of `StagedRow` that are asked for, all if none are named, then file (String).
        """
        self.flush()
        starts = np.array(self._starts)
        numbers = np.asarray(numbers, np.int64)
        places = np.searchsorted(starts, numbers, side="right") - 1
        runs = np.flatnonzero(np.diff(places, prepend=-1))
        parts: list[pl.DataFrame] = []
        for begin, end in zip(runs, [*runs[1:], len(numbers)], strict=True):
            place = int(places[begin])
            wanted = numbers[begin:end] - starts[place]
            first = int(wanted[0])
            if (np.diff(wanted) == 1).all():
                part = pl.from_arrow(self._piece(place).select(columns).slice(first, len(wanted)))
            else:
                low, high = int(wanted.min()), int(wanted.max())
                part = pl.from_arrow(self._piece(place).select(columns).slice(low, high - low + 1))
                part = part[wanted - low]
            assert isinstance(part, pl.DataFrame)
            parts.append(part)
        return pl.concat(parts).with_columns(file=self._names(numbers))

    def _names(self, numbers: np.ndarray) -> pl.Series:
        begins = np.array([start for start, _ in self.files])
        of = np.searchsorted(begins, numbers, side="right") - 1
        names = pl.Series([file.name for _, file in self.files], dtype=pl.String)
        return names.gather(pl.Series(of))


POLARS = {pa.int64(): pl.Int64, pa.bool_(): pl.Boolean}
OLDEST = pl.CompatLevel.oldest()


def column_of(values: Sequence[Any], dtype: Any) -> pa.Array:
    """Values as an Arrow column; texts may be given as UTF-8 bytes, and numbers no column can hold become null.

    Through Polars, since Arrow takes lists in more slowly, and imports pandas for them where that is installed.
    """
    if values.count(None) == len(values):
        return pa.nulls(len(values), dtype)
    if dtype == pa.large_string():
        return _texts(values)
    try:
        column = pl.Series(values, dtype=POLARS[dtype])
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        if dtype != pa.int64():
            raise
        column = pl.Series([value if _fits(value) else None for value in values], dtype=pl.Int64)
    return column.to_arrow(compat_level=OLDEST)


def _texts(values: Sequence[Any]) -> pa.Array:
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) > 1:
        values = [value.encode() if isinstance(value, str) else value for value in values]
    if bytes in kinds and None not in values:  # payloads: one copy of their bytes is all it takes
        offsets = np.zeros(len(values) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, values), np.int64, len(values)), out=offsets[1:])
        return pa.LargeStringArray.from_buffers(len(values), pa.py_buffer(offsets), pa.py_buffer(b"".join(values)))
    column = pl.Series(values, dtype=pl.Binary if bytes in kinds else pl.String)
    return column.cast(pl.String).to_arrow(compat_level=OLDEST)


def _write(piece: pa.Table, path: Path) -> Path:
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, piece.schema) as writer:
        writer.write_table(piece)
    return path


def _fits(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def unparsed(found: Found) -> StagedRow:
    """The event that stands for a piece of a file that is no record."""
    piece = found.value
    payload = json.dumps({"bytes": piece.size, "reason": piece.reason})
    return StagedRow("unparsed", found.line, found.offset, payload=payload)
