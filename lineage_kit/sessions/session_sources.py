"""Where sessions come from: logs held in the process, the two Parquet tables, or a source of your own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import narwhals as nw
import polars as pl

from lineage_kit.json_values import copied
from lineage_kit.schema import FLAT_EVENTS, ROW, SESSIONS
from lineage_kit.sessions.fold.contract import TOOL_RESULT
from lineage_kit.sessions.header import SessionHeader, headers_frame
from lineage_kit.sessions.log import NESTED, SessionLog, with_nested
from lineage_kit.sources import open_sources, taken_in
from lineage_kit.tables import Table, canonical
from lineage_kit.wording import counted

FOLDED = ("session_id", "seq", "time", "type", "surface_op", "source_event_seqs", "payload")
"""The columns of the events table that a fold looks at."""


@runtime_checkable
class SessionSource(Protocol):
    """What a corpus needs of a source; write a class with these two methods to bring your own.

    A source may also have `has_session(session_id) -> bool`, and raise `CorruptSession` for a log it cannot decode.

    Example:
        >>> isinstance(MemorySessions([]), SessionSource)
        True
    """

    def list_sessions(self) -> Any:
        """The sessions table: a dataframe with the columns of `SESSIONS`, of which only session_id is required."""

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log.

        Raises:
            KeyError: the source does not have it.
        """


class MemorySessions:
    """Live logs, held in the process.

    Raises:
        ValueError: a log whose session is there already.

    Example:
        >>> live = MemorySessions([SessionLog.from_records({"id": "s1"}, [])])
        >>> live.append("s1", {"seq": 0, "type": "user/message", "surfaceOp": "append"})
        >>> live.load_session("s1")
        SessionLog(s1: 1 event)
    """

    def __init__(self, logs: Iterable[SessionLog] = ()) -> None:
        self._logs: dict[str, SessionLog] = {}
        self._appended: dict[str, list[Any]] = {}
        for log in logs:
            self.add(log)

    def add(self, log: SessionLog) -> None:
        """Hold one more log.

        Raises:
            ValueError: its session is there already.
        """
        session_id = log.header.session_id
        if session_id in self._logs:
            raise ValueError(f"session {session_id!r} is held already; append events to it, or make a new source")
        self._logs[session_id] = log

    def append(self, session_id: str, event: Mapping[str, Any]) -> None:
        """Add one event, given as a raw record, at the end of a session's log.

        Raises:
            KeyError: the session is not held.
        """
        if session_id not in self._logs:
            raise KeyError(session_id)
        self._appended.setdefault(session_id, []).append(copied(event))

    def has_session(self, session_id: str) -> bool:
        """Whether the session is held."""
        return session_id in self._logs

    def list_sessions(self) -> pl.DataFrame:
        """The sessions table."""
        return headers_frame([log.header for log in self._logs.values()])

    def headers(self) -> list[SessionHeader]:
        """The headers, with what else they hold."""
        return [log.header for log in self._logs.values()]

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log, as it is now; later appends do not change it.

        Raises:
            KeyError: the session is not held.
        """
        if appended := self._appended.pop(session_id, None):
            self._logs[session_id] = self._logs[session_id].extended(appended)
        return self._logs[session_id]

    def __repr__(self) -> str:
        return f"MemorySessions({counted(len(self._logs), 'session')})"


class ParquetSessions:
    """Persisted sessions: the two tables, from Parquet (paths, globs, lists) or from dataframes.

    `report` is what an import said of the logs that the tables were made of, if they were imported.

    Each call reads anew. A session's events are read alone, not the whole file: write the events table sorted by
    session, as `SessionCorpus.write_parquet` does, and the scan skips the rest.

    Raises:
        SchemaError: a table that does not fit.

    Example:
        >>> import polars as pl
        >>> source = ParquetSessions(
        ...     sessions=pl.DataFrame({"session_id": ["s1"]}),
        ...     events=pl.DataFrame({"session_id": ["s1"], "seq": [0], "type": ["turn/start"]}))
        >>> source.load_session("s1")
        SessionLog(s1: 1 event)
    """

    def __init__(self, *, sessions: Any, events: Any, report: pl.DataFrame | Path | None = None) -> None:
        self._sessions, self._events = taken_in(sessions), taken_in(events)
        self._report = report
        self._session_table()
        self._check_nested()

    def _session_table(self) -> Table:
        return canonical(open_sources(self._sessions, table="sessions"), SESSIONS)

    def _event_table(self) -> Table:
        return canonical(open_sources(self._events, table="events"), FLAT_EVENTS)

    def _check_nested(self) -> None:
        """A nested column of another shape is told at once, by a few rows that hold something in it."""
        table = self._event_table()
        there = [name for name in NESTED if name in table.frame.collect_schema().names()]
        for name in there:
            held: pl.DataFrame = table.frame.filter(~nw.col(name).is_null()).head(3).collect("polars").to_native()
            with_nested(held.drop("edge"), table.name)

    def list_sessions(self) -> pl.DataFrame:
        """The sessions table, read now."""
        table = self._session_table()
        table.refuse()
        rows: pl.DataFrame = table.frame.collect("polars").to_native()
        return rows.sort("edge").drop("edge")

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log, read now.

        Raises:
            KeyError: there is no such session.
        """
        wanted = nw.col("session_id") == nw.lit(session_id)
        header: pl.DataFrame = self._session_table().frame.filter(wanted).collect("polars").to_native()
        if not header.height:
            raise KeyError(session_id)
        return SessionLog.of_rows(
            SessionHeader.from_row(header.sort("edge").drop("edge").row(0, named=True)),
            self.read_events(wanted),
        )

    def read_events(self, wanted: nw.Expr | None = None, *, to_fold: bool = False) -> pl.DataFrame:
        """Rows of the events table in canonical columns, in the order of the table: all, or the wanted ones.

        `to_fold` leaves out what a fold does not look at: texts, and all payloads but those of tool results.
        """
        table = self._event_table()
        frame = table.frame if wanted is None else table.frame.filter(wanted)
        if to_fold:
            there = [name for name in FOLDED if name in frame.collect_schema().names()]
            payload = nw.when(nw.col("type") == TOOL_RESULT).then(nw.col("payload"))
            frame = frame.with_columns(
                payload=payload, text=nw.lit(None, nw.String()), is_error=nw.lit(None, nw.Boolean())
            ).select(*there, "text", "is_error", ROW)
        rows: pl.DataFrame = frame.collect("polars").to_native()
        if not rows["edge"].is_sorted():
            rows = rows.sort("edge")
        return with_nested(rows.drop("edge"), table.name)

    def import_report(self) -> pl.DataFrame | None:
        """What the import said of the logs, read now; None for tables that come from no import."""
        if self._report is None or isinstance(self._report, pl.DataFrame):
            return self._report
        return pl.read_parquet(self._report)

    def sizes(self) -> dict[str, int]:
        """How many events each session has, so that many sessions can be read in parts."""
        counted = self._event_table().frame.group_by("session_id").agg(size=nw.len()).collect("polars").to_native()
        return dict(counted.drop_nulls("session_id").select("session_id", "size").iter_rows())

    def __repr__(self) -> str:
        return f"ParquetSessions({open_sources(self._sessions, table='sessions').name})"


__all__ = ["MemorySessions", "ParquetSessions", "SessionSource"]
