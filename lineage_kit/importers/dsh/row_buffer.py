"""The rows of dsh logs, staged many at a time; a packed row becomes all the events it stands for at once."""

from __future__ import annotations

from types import NoneType
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from lineage_kit.importers.dsh.packed_rows import END, Row
from lineage_kit.importers.dsh.records import CHUNK, EARLIEST, LATEST
from lineage_kit.importers.dsh.references import whole
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.staging import StagedRow, StagedRows
from lineage_kit.schema import IMPORTED_EVENTS

BYTES = 16 << 20
"""When a piece is full."""
EVENT = 100
"""Bytes that an event takes besides its payload."""
NEVER = -(2**63)
"""Stands for a time that is not known while times are added up."""
DETAILS = IMPORTED_EVENTS.only(*StagedRow._fields[StagedRow._fields.index("text") :]).polars
"""Columns of a staged row that most events say nothing of."""
NO_DETAILS = (None,) * len(DETAILS)


class Span:
    """The events of a log among the staged rows."""

    def __init__(self, first: int) -> None:
        self.first = first
        """The number of the first one; the others follow."""
        self.until: int | None = None
        """The latest time of those that were given to the staged rows."""


class RowBuffer:
    """Rows that wait to be staged together, as a table.

    What waits is a list of units in the order of the log: a unit is a single event, or a packed row, which stands for
    several. Columns are made of units, and then each unit is repeated as often as it has events; only the times and
    payloads of a packed row's events differ.
    """

    def __init__(self, staged: StagedRows, keep_text: bool) -> None:
        self._staged = staged
        self._keep_text = keep_text
        self._spans: list[Span] = []
        self._empty()

    def _empty(self) -> None:
        self._units: list[tuple[Any, ...]] = []  # raw_type, line, byte_offset, time, payload: one, or all of a row
        self._types: dict[int, str] = {}  # by unit, where the type is not the raw type
        self._details: list[tuple[Any, ...]] = []
        self._detailed: list[int] = []  # which units they belong to
        self._packed: list[int] = []  # which units are packed rows
        self._counts: list[int] = []  # the events of each packed row
        self._frames: list[int] = []  # the bytes that stand around each of its texts in a payload
        self._texts: list[bytes] = []
        self._gaps: list[int] = []  # before each event of a packed row
        self._extra = self._size = 0
        self._spans = self._spans[-1:]
        self._staged.reserved = 0

    def begin(self, file: LogFile) -> None:
        """The staged rows that follow are of this file."""
        self._staged.reserved = len(self._units) + self._extra
        self._staged.begin(file)

    def open(self) -> Span:
        """The events that follow are of another log."""
        self._staged.reserved = len(self._units) + self._extra  # what waits here is counted
        self._spans.append(Span(len(self._staged)))
        return self._spans[-1]

    def add(self, type: str | None, line: int | None, offset: int | None, time: Any, payload: bytes) -> None:
        """One event of which nothing else is known; an empty payload is none, a time may be any JSON."""
        self._units.append((type, line, offset, time, payload))
        self._size += len(payload) + EVENT
        if self._size > BYTES:
            self.flush()

    def add_detailed(
        self,
        type: str,
        details: tuple[Any, ...],
        raw_type: str | None,
        line: Any,
        offset: Any,
        time: Any,
        payload: bytes,
    ) -> None:
        """One event of which more is known, in the order of DETAILS; the rest as for `add`."""
        if type != raw_type:
            self._types[len(self._units)] = type
        self._detailed.append(len(self._units))
        self._details.append(details)
        self.add(raw_type, line, offset, time, payload)

    def pack(self, row: Row, line: int | None, offset: int | None) -> None:
        """The events of a packed row."""
        tag, _, time, gaps, begun, texts = row
        count = len(gaps) + 1
        self._packed.append(len(self._units))
        self._counts.append(count)
        self._gaps.append(0)
        self._gaps += gaps
        self._extra += count - 1
        payload = b""
        if self._keep_text:
            payload = b"".join((begun, texts.replace(b"\n", END + begun), END))
            self._texts.append(texts)
            self._frames.append(len(begun) + len(END))
        self._units.append((tag, line, offset, time, payload))
        self._size += len(payload) + EVENT * count
        if self._size > BYTES:
            self.flush()

    def flush(self) -> None:
        """Give what waits to the staged rows, as one table."""
        if not self._units:
            return
        number = len(self._units)
        raw_types, lines, offsets, times, payloads = zip(*self._units, strict=True)
        types = list(raw_types)
        for unit in self._packed:
            types[unit] = CHUNK
        for unit, type in self._types.items():
            types[unit] = type
        counts = np.ones(number, np.int64)
        counts[self._packed] = self._counts
        packed = np.zeros(number, np.bool_)
        packed[self._packed] = True
        members = np.flatnonzero(np.repeat(packed, counts))  # which events are those of packed rows
        frame = pl.DataFrame(
            {
                "type": pl.Series(types, dtype=pl.String),
                "raw_type": pl.Series(raw_types, dtype=pl.String),
                "line": pl.Series(lines, dtype=pl.Int64),
                "byte_offset": pl.Series(offsets, dtype=pl.Int64),
                "time": _whole_numbers(times),
            }
        )
        frame = _repeated(frame, np.arange(number, dtype=np.uint32), counts)
        frame = frame.with_columns(time=self._times(frame["time"], members)).hstack(self._detail_columns(counts))
        # Texts stay the strings of Polars: a repeated one takes no bytes but for a pointer, and they are read at once.
        arrays = {name: frame[name].to_arrow(compat_level=pl.CompatLevel.newest()) for name in frame.columns}
        arrays["payload"] = self._data(payloads, counts, members)
        self._staged.reserved = 0
        self._staged.add_table(pa.table([arrays[name] for name in StagedRow._fields], names=list(StagedRow._fields)))
        self._empty()

    def _detail_columns(self, counts: np.ndarray) -> pl.DataFrame:
        """The columns of DETAILS."""
        which = np.full(len(counts), len(self._details), np.uint32)
        which[self._detailed] = np.arange(len(self._details))
        columns = zip(*self._details, NO_DETAILS, strict=True)
        frame = {
            name: pl.Series(column, dtype=dtype) for (name, dtype), column in zip(DETAILS.items(), columns, strict=True)
        }
        return _repeated(pl.DataFrame(frame), which, counts)

    def _times(self, begun: pl.Series, members: np.ndarray) -> pl.Series:
        """The time of a unit, and all gaps up to the member; null for what no calendar holds."""
        counts = np.array(self._counts, np.int64)
        passed = np.cumsum(pl.Series(self._gaps, dtype=pl.Int64).to_numpy())
        times = begun.fill_null(NEVER).to_numpy(writable=True)
        times[members] += passed - np.repeat(passed[np.cumsum(counts) - counts], counts)
        fit = (times >= EARLIEST) & (times <= LATEST)
        if begun.null_count():
            fit &= begun.is_not_null().to_numpy()
        if not fit.all():
            times[~fit] = NEVER
        first = len(self._staged) - self._staged.reserved
        ends = [span.first - first for span in self._spans[1:]] + [len(times)]
        begin = 0
        for span, end in zip(self._spans, ends, strict=True):
            latest = int(times[begin:end].max(initial=NEVER))
            if latest != NEVER:
                span.until = latest if span.until is None else max(span.until, latest)
            begin = end
        made = pl.Series(times)
        return made if fit.all() else pl.select(pl.when(pl.Series(fit)).then(made)).to_series()

    def _data(self, payloads: tuple[bytes, ...], counts: np.ndarray, members: np.ndarray) -> pa.Array:
        """The payloads: their bytes are there one after the other, and only where each ends is to be found out."""
        sizes = np.repeat(np.fromiter(map(len, payloads), np.int64, len(payloads)), counts)
        if self._texts:
            texts = np.frombuffer(b"\n".join((*self._texts, b"")), np.uint8)
            around = np.repeat(np.array(self._frames, np.int64), self._counts)
            sizes[members] = np.diff(np.flatnonzero(texts == ord("\n")), prepend=-1) - 1 + around
        known = sizes > 0
        validity = None if known.all() else pa.array(known).buffers()[1]
        ends = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=ends[1:])
        data = pa.py_buffer(b"".join(payloads))
        return pa.LargeStringArray.from_buffers(len(sizes), pa.py_buffer(ends), data, validity)


def _repeated(frame: pl.DataFrame, rows: np.ndarray, counts: np.ndarray) -> pl.DataFrame:
    return frame.select(pl.all().gather(pl.Series(np.repeat(rows, counts))))


def _whole_numbers(times: tuple[Any, ...]) -> pl.Series:
    """Times as numbers; null for what is none, or too large for a column."""
    if not {int, NoneType}.issuperset(map(type, times)):
        times = tuple(map(whole, times))
    try:
        return pl.Series(times, dtype=pl.Int64)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        return pl.Series(list(map(whole, times)), dtype=pl.Int64)
