"""One session's log: a header and its events, converted and checked once, and then immutable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from lineage_kit.door.sources import in_memory, open_sources
from lineage_kit.door.tables import canonical
from lineage_kit.errors import SchemaError
from lineage_kit.json_values import LARGEST, copied, integral
from lineage_kit.schema import EVENTS, FLAT_EVENTS, ROW
from lineage_kit.schema_forms import Column
from lineage_kit.sessions.fold.faults import Fault
from lineage_kit.sessions.fold.surface import Logs
from lineage_kit.sessions.header import SessionHeader
from lineage_kit.sessions.records import LOGGED, Row, record_of, row_of
from lineage_kit.wording import counted

NESTED = EVENTS.only("surface_op", "source_event_seqs").polars


class SessionLog:
    """A session: its header and its events in log order.

    Made by `from_records` or `from_frames`; immutable.

    Attributes:
        header: the `SessionHeader`.
        events: the events as rows of the events table, without session_id, in log order (Polars).
        fault: the first violation found when raw records were converted, or None.

    Example:
        >>> log = SessionLog.from_records({"id": "s1"}, [
        ...     {"seq": 0, "type": "user/message", "data": {"content": "hello"}, "surfaceOp": "append"}])
        >>> log
        SessionLog(s1: 1 event)
        >>> log.records()[0]["surfaceOp"]
        'append'
    """

    def __init__(
        self, header: SessionHeader, events: pl.DataFrame, records: list[Any] | None, fault: Fault | None
    ) -> None:
        self._header = header
        self._events = events
        self._records = records
        self.fault = fault

    @classmethod
    def from_records(cls, header: Mapping[str, Any], events: Iterable[Any]) -> SessionLog:
        """A log from raw records, with the keys an agent harness writes (rule S8).

        Building it does not raise for an event that is wrong; a trace of the log does.

        Args:
            header: id, createdAt (epoch ms), parentSession, version, cwd, origin, title, seedLength, delegationDepth;
                other keys are kept in `header.extra`.
            events: seq, time (epoch ms), type, data, surfaceOp (`"append"` or `{"op": "replace", "start", "end"}`),
                sourceEventSeqs; perhaps text and isError.

        Raises:
            SchemaError: a header without a text id, or with a value of the wrong kind.

        Example:
            >>> SessionLog.from_records({"id": "s1", "title": "a test"}, [{"seq": 0, "type": "turn/start"}])
            SessionLog(s1: 1 event)
        """
        records = copied(list(events))
        rows = [row_of(record, position) for position, record in enumerate(records)]
        frame = _frame_of(rows)
        fault = next((row.faults[0] for row in rows if row.faults), None)
        return cls(SessionHeader.from_raw(header), frame, records, fault)

    @classmethod
    def from_frames(cls, header: Any, events: Any) -> SessionLog:
        """A log from frames: a row of the sessions table, and rows of the events.

        Args:
            header: a frame of one row, or a mapping.
            events: rows of the events table in any order; a session_id column is not needed, and must not name
                another session.

        Raises:
            SchemaError: a table that does not fit.

        Example:
            >>> SessionLog.from_frames({"session_id": "s1"}, pl.DataFrame({"seq": [0], "type": ["turn/start"]}))
            SessionLog(s1: 1 event)
        """
        row = dict(header) if isinstance(header, Mapping) else _only_row(in_memory(header))
        head = SessionHeader.from_row(row)
        taken = in_memory(events)
        if "session_id" not in taken.columns:
            taken = taken.with_columns(session_id=pl.lit(head.session_id))
        frame = events_table(taken)
        if other := frame.filter(pl.col("session_id").ne_missing(head.session_id)).height:
            raise SchemaError.of(f"the events of session {head.session_id!r}", [f"{other} rows are of another session"])
        return cls.of_rows(head, frame)

    @classmethod
    def of_rows(cls, header: SessionHeader, rows: pl.DataFrame) -> SessionLog:
        """A log of canonical rows of one session; nothing is checked.

        Args:
            header: the header.
            rows: the events, with session_id, in any order.

        Example:
            >>> SessionLog.of_rows(SessionHeader("s1"), corpus.all_events().drop("ref"))
            SessionLog(s1: 3 events)
        """
        seq = rows["seq"]
        if seq.null_count() or not seq.is_sorted():
            rows = rows.sort("seq", nulls_last=True, maintain_order=True)
        return cls(header, rows.drop("session_id"), None, None)

    @property
    def events(self) -> pl.DataFrame:
        """The events as rows, in log order; a frame of your own.

        Columns: seq (Int64), time (Datetime us UTC), type (String), surface_op (Struct), source_event_seqs
        (List(Int64)), payload, text (String), is_error (Boolean), and the source's own.

        Example:
            >>> log.events.select("seq", "type", "text").row(0)
            (0, 'user/message', 'hello')
        """
        return self._events.clone()

    @property
    def header(self) -> SessionHeader:
        """A detached copy of the header.

        Example:
            >>> log.header.session_id
            's1'
        """
        return self._header.detached()

    @property
    def logs(self) -> Logs:
        """This log as input of the fold.

        Example:
            >>> log.logs.starts.tolist()
            [0, 3]
        """
        return Logs(self.events, np.array([0, self.events.height]))

    @property
    def faults(self) -> dict[int, Fault]:
        """The first violation found when the records were converted, as the fold takes it.

        Example:
            >>> SessionLog.from_records({"id": "s1"}, [{"seq": 1}]).faults[0].message
            'seq 1: seq equals its position in the log; found 1, expected 0'
        """
        return {0: self.fault} if self.fault is not None else {}

    def records(self) -> list[Any]:
        """The events as raw records: those given, or the same made of the rows; a copy.

        Example:
            >>> log.records()[1]["sourceEventSeqs"]
            [0]
        """
        if self._records is not None:
            records: list[Any] = copied(self._records)
            return records
        return [record_of(row) for row in self.events.iter_rows(named=True)]

    def record(self, position: int) -> Any:
        """One event as a raw record; a copy.

        Args:
            position: where it stands in the log, from 0.

        Raises:
            IndexError: the log is shorter.

        Example:
            >>> log.record(2)["surfaceOp"]
            {'op': 'replace', 'start': 0, 'end': 1}
        """
        if self._records is not None:
            return copied(self._records[position])
        return record_of(self.events.row(position, named=True))

    def position_of(self, seq: int) -> int | None:
        """Where the event with this seq stands; the first, if several claim it; None if none does.

        Args:
            seq: the seq, as the event states it.

        Example:
            >>> log.position_of(2), log.position_of(3)
            (2, None)
        """
        if self._records is None or self.fault is None:
            stated = self.events["seq"]
            found = (stated == seq).arg_true() if abs(seq) <= LARGEST else stated.head(0)
            return int(found[0]) if len(found) else None
        for position, record in enumerate(self._records):
            stated_seq = record.get("seq") if isinstance(record, Mapping) else None
            if isinstance(stated_seq, (int, float)) and integral(stated_seq) == seq:
                return position
        return None

    def extended(self, events: Iterable[Any]) -> SessionLog:
        """A log with more events; this one stays as it is.

        Args:
            events: raw records, as `from_records` takes them.

        Example:
            >>> longer = log.extended([{"seq": 3, "type": "turn/end"}])
            >>> len(log), len(longer)
            (3, 4)
        """
        records = copied(list(events))
        rows = [row_of(record, self._events.height + place) for place, record in enumerate(records)]
        frame = pl.concat([self._events, _frame_of(rows)], how="diagonal")
        fault = self.fault or next((row.faults[0] for row in rows if row.faults), None)
        whole = None if self._records is None else [*self._records, *records]
        return SessionLog(self._header, frame, whole, fault)

    def __len__(self) -> int:
        return self.events.height

    def __repr__(self) -> str:
        count = self.events.height
        return f"SessionLog({self._header.session_id}: {counted(count, 'event')})"


def _frame_of(rows: list[Row]) -> pl.DataFrame:
    """Rows as a frame; a column `extra` holds what else the records said, if any said more."""
    more = [Column("extra", "text")] if any("extra" in row.values for row in rows) else []
    return LOGGED.then(*more).frame([row.values for row in rows])


def events_table(source: Any) -> pl.DataFrame:
    """Any events table in memory as canonical rows, without row numbers; nested columns checked.

    Raises:
        SchemaError: everything wrong with the table.
    """
    table = canonical(open_sources(source, table="events"), FLAT_EVENTS)
    return with_nested(table.read().drop(ROW), table.name)


def with_nested(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """The frame with `surface_op` and `source_event_seqs` in their canonical dtypes, absent ones as null.

    Raises:
        SchemaError: a nested column of another shape.
    """
    problems = []
    for name, dtype in NESTED.items():
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype).alias(name))
        elif frame.schema[name] != dtype:
            held = frame[name]
            if held.null_count() == len(held):
                frame = frame.with_columns(pl.lit(None, dtype).alias(name))
            elif _castable((whole := _whole(held)).dtype, dtype):
                frame = frame.with_columns(whole.cast(dtype))
            else:
                problems.append(f"column {name} is {held.dtype}, expected {dtype}")
    if problems:
        raise SchemaError.of(where, problems)
    return frame.select(*EVENTS.names, pl.exclude(EVENTS.names))


def _whole(held: pl.Series) -> pl.Series:
    """A struct whose float fields hold integers only, as pandas makes of integers with gaps, with integer fields."""
    if not isinstance(held.dtype, pl.Struct):
        return held
    fields = held.struct.unnest()
    for name, dtype in fields.schema.items():
        number = fields[name]
        if dtype.is_float() and (number.fill_nan(None).drop_nulls() % 1 == 0).all():
            fields = fields.with_columns(number.fill_nan(None).cast(pl.Int64))
    made = fields.to_struct(held.name)
    return pl.select(pl.when(held.is_not_null()).then(made)).to_series().alias(held.name)


def _castable(dtype: Any, wanted: Any) -> bool:
    if isinstance(dtype, pl.Struct) and isinstance(wanted, pl.Struct):
        fields = {field.name: field.dtype for field in dtype.fields}
        numbers = all(fields[end].is_integer() or fields[end] == pl.Null for end in ("start", "end") if end in fields)
        return list(fields) == ["op", "start", "end"] and fields["op"] in (pl.String, pl.Null) and numbers
    inner = getattr(dtype, "inner", None)
    return isinstance(dtype, (pl.List, pl.Array)) and inner is not None and (inner.is_integer() or inner == pl.Null)


def _only_row(frame: pl.DataFrame) -> dict[str, Any]:
    if frame.height != 1:
        raise SchemaError.of("the session header", [f"{frame.height} rows, expected exactly one"])
    return frame.row(0, named=True)
