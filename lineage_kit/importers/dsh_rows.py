"""The rows of dsh logs as drafts, many at a time; a packed row becomes all the events it stands for at once."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from lineage_kit.importers.drafts import TYPES, Drafts, column_of
from lineage_kit.importers.dsh_records import CHUNK, EARLIEST, LATEST
from lineage_kit.importers.files import LogFile

ROWS, BYTES = 100_000, 16 << 20
"""When a piece is full."""
MEMBER = 100
"""Bytes that an event of a packed row takes besides its text."""
OLDEST = pl.CompatLevel.oldest()
SCHEMA = TYPES | {"time": pa.int64()}
encode_lines = msgspec.json.Encoder().encode_lines


class Rows:
    """Drafts that wait to be made into a table: single events as tuples, and packed rows as lists of their members."""

    def __init__(self, drafts: Drafts, keep_text: bool) -> None:
        self._drafts = drafts
        self._keep_text = keep_text
        self._empty()

    def _empty(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._packs: list[tuple[Any, ...]] = []
        self._members: list[str] = []
        self._gaps: list[int] = []
        self._count = self._size = 0
        self._drafts.ahead = 0

    def begin(self, file: LogFile) -> None:
        """The drafts that follow are of this file."""
        self._drafts.ahead = self._count
        self._drafts.begin(file)

    @property
    def number(self) -> int:
        """The number of the draft that comes next; what waits here is counted."""
        self._drafts.ahead = self._count
        return len(self._drafts)

    def add(self, row: tuple[Any, ...], size: int) -> None:
        """One event, in the order of `Draft`, of about `size` bytes."""
        self._rows.append(row)
        self._count += 1
        self._size += size
        if self._size > BYTES or self._count > ROWS:
            self.flush()

    def pack(self, at: tuple[Any, ...], members: list[str], gaps: list[int], size: int) -> None:
        """The events of a packed row.

        Args:
            at: line, byte_offset, the row's own type, the time of the first event or None, and the JSON of each
                event's data up to its text.
            members: the text of each event.
            gaps: the milliseconds between them, one fewer.
            size: of the row in bytes.
        """
        self._packs.append((self._count, len(members), *at))
        self._members += members
        self._gaps.append(0)
        self._gaps += gaps
        self._count += len(members)
        self._size += size + MEMBER * len(members)
        if self._size > BYTES or self._count > ROWS:
            self.flush()

    def flush(self) -> None:
        """Give what waits to the drafts, as one table."""
        if not self._count:
            return
        if self._packs:
            table = self._with_members()
        else:
            table = self._single()
        self._drafts.ahead = 0
        self._drafts.add_table(table)
        self._empty()

    def _single(self) -> pa.Table:
        count = len(self._rows)
        arrays = [
            pa.nulls(count, dtype) if column.count(None) == count else column_of(column, dtype)
            for column, dtype in zip(zip(*self._rows, strict=True), SCHEMA.values(), strict=True)
        ]
        return pa.table(arrays, names=list(SCHEMA))

    def _with_members(self) -> pa.Table:
        """Single events and members of packed rows, put in the order in which they were read.

        A row for each packed row stands behind those of the single events, and all its members are copies of it but
        for their times and payloads.
        """
        starts, sizes, lines, offsets, tags, begins, begun = zip(*self._packs, strict=True)
        singles = len(self._rows)
        rest = (None,) * (len(SCHEMA) - 4)
        self._rows += [(CHUNK, *row, *rest) for row in zip(lines, offsets, tags, strict=True)]
        table = self._single()
        size = np.array(sizes, np.int64)
        pack = np.repeat(np.arange(size.size), size)
        firsts = np.cumsum(size) - size
        places = np.repeat(np.array(starts, np.int64) - firsts, size) + np.arange(pack.size)
        is_member = np.zeros(self._count, np.bool_)
        is_member[places] = True
        row, own = np.empty((2, self._count), np.int64)
        row[~is_member] = own[~is_member] = np.arange(singles)
        row[places] = singles + pack
        own[places] = singles + np.arange(pack.size)
        own_said = pl.DataFrame(
            {
                "time": pl.concat([pl.Series(table["time"][:singles]), self._times(begins, pack, firsts)]),
                "payload": pl.concat([pl.Series(table["payload"][:singles]), self._payloads(begun, pl.Series(pack))]),
            }
        )
        said = [name for name in SCHEMA if name not in own_said.columns and table[name].null_count < table.num_rows]
        copied = pl.DataFrame(table.select(said)).select(pl.all().gather(pl.Series(row)))
        made = copied.hstack(own_said.select(pl.all().gather(pl.Series(own)))).to_arrow(compat_level=OLDEST)
        columns = [
            made[name].cast(dtype) if name in made.column_names else pa.nulls(self._count, dtype)
            for name, dtype in SCHEMA.items()
        ]
        return pa.table(columns, names=list(SCHEMA))

    def _times(self, begins: tuple[int | None, ...], pack: np.ndarray, firsts: np.ndarray) -> pl.Series:
        """The time of the row, and all gaps up to the member; null for what no calendar holds."""
        passed = np.cumsum(np.array(self._gaps, np.int64))
        known = np.array([begin is not None for begin in begins])
        base = np.array([begin or 0 for begin in begins], np.int64) - passed[firsts]
        times = passed + base[pack]
        fit = known[pack] & (times >= EARLIEST) & (times <= LATEST)
        made = pl.Series(times)
        return made if fit.all() else pl.select(pl.when(pl.Series(fit)).then(made)).to_series()

    def _payloads(self, begun: tuple[str, ...], by_pack: pl.Series) -> pl.Series:
        """The data of each member as an unpacked event would have them."""
        if not self._keep_text:
            return pl.Series([None], dtype=pl.String).new_from_index(0, len(by_pack))
        lines = encode_lines(self._members)[:-1].decode()  # JSON texts hold no newline
        parts = pl.Series([lines]).str.split("\n").explode()
        begin = pl.Series(begun, dtype=pl.String).gather(by_pack)
        return pl.select(pl.concat_str(begin, parts, pl.lit("}}"))).to_series()
