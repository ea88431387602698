"""Where sessions come from: logs held in the process, the two Parquet tables, or a source of your own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import narwhals as nw
import polars as pl

from lineage_kit.door.faults import collected
from lineage_kit.door.sources import in_memory_frames, open_sources
from lineage_kit.door.tables import Table, canonical
from lineage_kit.errors import SchemaError
from lineage_kit.json_values import copied
from lineage_kit.schema import EVENTS, FLAT_EVENTS, ROW, SESSIONS
from lineage_kit.sessions.fold.contract import TOOL_RESULT
from lineage_kit.sessions.header import SessionHeader, headers_frame
from lineage_kit.sessions.log import NESTED, SessionLog, with_nested
from lineage_kit.wording import counted

FOLDED = EVENTS.without("text", "is_error").names
"""The columns of the events table that a fold looks at."""


@runtime_checkable
class SessionSource(Protocol):
    """What a corpus needs of a source; write a class with these two methods to bring your own.

    A source may also have `has_session(session_id) -> bool`, and raise `CorruptSession` for a log it cannot decode.
    A corpus looks once, when it is made, whether there is such a method.

    Example:
        >>> isinstance(MemorySessions([]), SessionSource)
        True
    """

    def list_sessions(self) -> Any:
        """The sessions table: a dataframe (of any library), of which only session_id is required.

        Columns: session_id, parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title
        (String), seed_length, delegation_depth (Int64), and the source's own. In any order.

        Example:
            >>> class Diary:
            ...     def list_sessions(self):
            ...         return pl.DataFrame({"session_id": ["today"]})
            ...     def load_session(self, session_id):
            ...         return {"today": SessionLog.from_records({"id": "today"}, [])}[session_id]
            >>> lineage_kit.SessionCorpus(live=Diary()).sessions()["session_id"].to_list()
            ['today']
        """

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log.

        Args:
            session_id: the session to load.

        Raises:
            KeyError: the source does not have it.

        Example:
            >>> MemorySessions([log]).load_session("s1")
            SessionLog(s1: 3 events)
        """


class MemorySessions:
    """Live logs, held in the process.

    Args:
        logs: the logs to begin with.

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

        Args:
            log: a log of a session that is not held yet.

        Raises:
            ValueError: its session is there already.

        Example:
            >>> live = MemorySessions()
            >>> live.add(log)
            >>> live
            MemorySessions(1 session)
        """
        session_id = log.header.session_id
        if session_id in self._logs:
            raise ValueError(f"session {session_id!r} is held already; append events to it, or make a new source")
        self._logs[session_id] = log

    def append(self, session_id: str, event: Mapping[str, Any]) -> None:
        """Add one event, given as a raw record, at the end of a session's log.

        Args:
            session_id: the session it belongs to.
            event: the event, with the keys that `SessionLog.from_records` takes; it is copied.

        Raises:
            KeyError: the session is not held.

        Example:
            >>> live = MemorySessions([log])
            >>> live.append("s1", {"seq": 3, "type": "turn/end"})
            >>> live.load_session("s1")
            SessionLog(s1: 4 events)
        """
        if session_id not in self._logs:
            raise KeyError(session_id)
        self._appended.setdefault(session_id, []).append(copied(event))

    def has_session(self, session_id: str) -> bool:
        """Whether the session is held.

        Args:
            session_id: the session asked about.

        Example:
            >>> MemorySessions([log]).has_session("s2")
            False
        """
        return session_id in self._logs

    def list_sessions(self) -> pl.DataFrame:
        """The sessions table.

        Columns: session_id, parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title
        (String), seed_length, delegation_depth (Int64). In the order in which the logs were added.

        Example:
            >>> MemorySessions([log]).list_sessions()["session_id"].to_list()
            ['s1']
        """
        return headers_frame([log.header for log in self._logs.values()])

    def headers(self) -> list[SessionHeader]:
        """The headers, with what else they hold.

        Example:
            >>> [header.session_id for header in MemorySessions([log]).headers()]
            ['s1']
        """
        return [log.header for log in self._logs.values()]

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log, as it is now; later appends do not change it.

        Args:
            session_id: the session to load.

        Raises:
            KeyError: the session is not held.

        Example:
            >>> MemorySessions([log]).load_session("s1")
            SessionLog(s1: 3 events)
        """
        if appended := self._appended.pop(session_id, None):
            self._logs[session_id] = self._logs[session_id].extended(appended)
        return self._logs[session_id]

    def __repr__(self) -> str:
        return f"MemorySessions({counted(len(self._logs), 'session')})"


class ParquetSessions:
    """Persisted sessions: the two tables, from Parquet (paths, globs, lists) or from dataframes.

    Each call reads anew. A session's events are read alone, not the whole file: write the events table sorted by
    session, as `SessionCorpus.write_parquet` does, and the scan skips the rest.

    Args:
        sessions: the sessions table; only session_id is required.
        events: the events table; session_id and seq are required.
        report: what an import said of the logs that the tables were made of, if they were imported.

    Raises:
        SchemaError: a table that does not fit.

    Example:
        >>> source = ParquetSessions(
        ...     sessions=pl.DataFrame({"session_id": ["s1"]}),
        ...     events=pl.DataFrame({"session_id": ["s1"], "seq": [0], "type": ["turn/start"]}))
        >>> source.load_session("s1")
        SessionLog(s1: 1 event)
    """

    def __init__(self, *, sessions: Any, events: Any, report: pl.DataFrame | Path | None = None) -> None:
        self._sessions, self._events = in_memory_frames(sessions), in_memory_frames(events)
        self._report = report
        self._told: set[str] = set()
        self._session_table()
        self._check_nested()

    def _session_table(self) -> Table:
        return canonical(open_sources(self._sessions, table="sessions"), SESSIONS, told=self._told)

    def _event_table(self) -> Table:
        return canonical(open_sources(self._events, table="events"), FLAT_EVENTS, told=self._told)

    def _check_nested(self) -> None:
        """Refuse a nested column of another shape at once, by a few rows that hold something in it."""
        table = self._event_table()
        there = [name for name in NESTED if name in table.frame.collect_schema().names()]
        for name in there:
            held = collected(table.frame.filter(~nw.col(name).is_null()).head(3), table.name)
            with_nested(held.drop(ROW), table.name)

    def list_sessions(self) -> pl.DataFrame:
        """The sessions table, read now.

        Columns: session_id, parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title
        (String), seed_length, delegation_depth (Int64), and its own. In the order of the table.

        Raises:
            SchemaError: rows without a session_id.

        Example:
            >>> source = ParquetSessions(
            ...     sessions=pl.DataFrame({"session_id": ["s1"], "team": ["x"]}), events=corpus.all_events())
            >>> source.list_sessions().select("session_id", "title", "team").rows()
            [('s1', None, 'x')]
        """
        table = self._session_table()
        table.refuse()
        return table.read().sort(ROW).drop(ROW)

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log, read now.

        Args:
            session_id: the session to load.

        Raises:
            KeyError: there is no such session.

        Example:
            >>> ParquetSessions(sessions=corpus.sessions(), events=corpus.all_events()).load_session("s1")
            SessionLog(s1: 3 events)
        """
        wanted = nw.col("session_id") == nw.lit(session_id)
        table = self._session_table()
        header = table.read(table.frame.filter(wanted))
        if not header.height:
            raise KeyError(session_id)
        return SessionLog.of_rows(
            SessionHeader.from_row(header.sort(ROW).drop(ROW).row(0, named=True)),
            self.read_events(wanted),
        )

    def read_events(self, wanted: nw.Expr | None = None, *, to_fold: bool = False) -> pl.DataFrame:
        """Rows of the events table, read now: all, or the wanted ones.

        Columns: session_id (String), seq (Int64), time (Datetime us UTC), type (String), surface_op (Struct),
        source_event_seqs (List(Int64)), payload, text (String), is_error (Boolean), and its own. In the order of the
        table.

        Args:
            wanted: a Narwhals expression that is true for the rows to read, or None for all.
            to_fold: leave out what a fold does not look at: texts, own columns, and all payloads but those of tool
                results.

        Raises:
            SchemaError: a nested column of another shape.

        Example:
            >>> import narwhals as nw
            >>> source = ParquetSessions(sessions=corpus.sessions(), events=corpus.all_events())
            >>> source.read_events(nw.col("seq") > 0)["seq"].to_list()
            [1, 2]
        """
        table = self._event_table()
        frame = table.frame if wanted is None else table.frame.filter(wanted)
        if to_fold:
            there = [name for name in FOLDED if name in frame.collect_schema().names()]
            payload = nw.when(nw.col("type") == TOOL_RESULT).then(nw.col("payload"))
            frame = frame.with_columns(
                payload=payload, text=nw.lit(None, nw.String()), is_error=nw.lit(None, nw.Boolean())
            ).select(*there, "text", "is_error", ROW)
        rows = table.read(frame)
        if not rows[ROW].is_sorted():
            rows = rows.sort(ROW)
        return with_nested(rows.drop(ROW), table.name)

    def import_report(self) -> pl.DataFrame | None:
        """What the import said of the logs, read now; None for tables that come from no import.

        Columns: file (String), kind (String), line (Int64: where it was found first), count (Int64), example,
        meaning (String). Sorted as it was written.

        Example:
            >>> source = ParquetSessions(sessions=corpus.sessions(), events=corpus.all_events())
            >>> source.import_report() is None
            True

        Raises:
            SchemaError: the file it is kept in cannot be read.
        """
        if self._report is None or isinstance(self._report, pl.DataFrame):
            return self._report
        try:
            return pl.read_parquet(self._report, glob=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise SchemaError.of(str(self._report), [f"not a readable Parquet file: {error}"]) from error

    def sizes(self) -> dict[str, int]:
        """How many events each session has, so that many sessions can be read in parts.

        Example:
            >>> ParquetSessions(sessions=corpus.sessions(), events=corpus.all_events()).sizes()
            {'s1': 3}
        """
        table = self._event_table()
        sizes = collected(table.frame.group_by("session_id").agg(size=nw.len()), table.name)
        return dict(sizes.drop_nulls("session_id").select("session_id", "size").iter_rows())

    def __repr__(self) -> str:
        return f"ParquetSessions({open_sources(self._sessions, table='sessions').name})"


__all__ = ["MemorySessions", "ParquetSessions", "SessionSource"]
