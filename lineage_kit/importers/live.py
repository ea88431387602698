"""Transcripts that are being written now, as a live source of a corpus."""

from __future__ import annotations

from typing import Any

import polars as pl

from lineage_kit.errors import CorruptSession, InvalidRequest
from lineage_kit.importers.pipeline.files import log_files
from lineage_kit.importers.registry import FORMATS
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs
from lineage_kit.schema import IMPORTED_EVENTS
from lineage_kit.sessions.header import SessionHeader
from lineage_kit.sessions.log import SessionLog


class JsonlSessions:
    """A live source over transcripts that another program is writing: a file, a folder, or a list of them.

    Each call reads what is there now. A last line that is still being written is not there yet.

    Args:
        path: where the transcripts are.
        format: who writes them: `claude-code`, `codex` or `dsh` (the formats of `importers/registry.py`).

    Raises:
        InvalidRequest: another format, or a path that is not there.

    Example:
        >>> import tempfile, pathlib
        >>> log = pathlib.Path(tempfile.mkdtemp()) / "s1.jsonl"
        >>> _ = log.write_text('{"type": "user", "uuid": "u1", "sessionId": "s1", "message": {"content": "hello"}}')
        >>> corpus = lineage_kit.SessionCorpus(live=lineage_kit.JsonlSessions(log, format="claude-code"))
        >>> corpus.surface("s1").select("ref", "text").rows()
        [('s1#0', 'hello')]
    """

    def __init__(self, path: Any, format: str) -> None:
        if format not in FORMATS:
            raise InvalidRequest(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
        self._importer = FORMATS[format]
        self._path = path
        self._format = format
        log_files(path, self._importer.is_log)

    def _read(self) -> Imported:
        return read_logs(self._importer, self._path, progress=False, live=True)

    def list_sessions(self) -> pl.DataFrame:
        """The sessions table, read now.

        Columns: session_id, parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title
        (String), seed_length, delegation_depth (Int64), file (String: where it was read). Sorted by session_id.

        Raises:
            LineageKitError: a transcript that cannot be opened.

        Example:
            >>> live = lineage_kit.JsonlSessions(lineage_kit.data_folder() / "transcripts/claude_code", "claude-code")
            >>> live.list_sessions()["title"].to_list()[::2]
            ['Larger batches for the invoice run', 'Which jobs ran last night?']
        """
        return self._read().sessions.collect()

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log, read now.

        Args:
            session_id: the session.

        Returns:
            Its header and its events, in order.

        Raises:
            KeyError: there is no such session.
            CorruptSession: a dsh log that is damaged before its end.
            LineageKitError: a transcript that cannot be opened.

        Example:
            >>> live = lineage_kit.JsonlSessions(lineage_kit.data_folder() / "transcripts/dsh", "dsh")
            >>> len(live.load_session(live.list_sessions()["session_id"][0]))
            8
        """
        imported = self._read()
        header = imported.sessions.filter(session_id=session_id).collect()
        if not header.height:
            raise KeyError(session_id)
        row = header.row(0, named=True)
        damaged = imported.report.filter(kind="corrupt_log", file=row["file"])
        if damaged.height:
            raise CorruptSession(f"{row['file']}, line {damaged['line'][0]}: {damaged['example'][0]}")
        return _log(row, imported.events.filter(session_id=session_id).collect())

    def load_sessions(self) -> dict[str, SessionLog]:
        """The logs of all sessions that are sound as files, from one reading.

        Returns:
            The logs by session id; a dsh log that is damaged before its end is left out.

        Raises:
            LineageKitError: a transcript that cannot be opened.

        Example:
            >>> live = lineage_kit.JsonlSessions(lineage_kit.data_folder() / "transcripts/claude_code", "claude-code")
            >>> [len(log) for log in live.load_sessions().values()]
            [18, 6, 8]
        """
        imported = self._read()
        damaged = imported.report.filter(kind="corrupt_log")["file"]
        rows = imported.sessions.filter(~pl.col("file").is_in(damaged.implode())).collect()
        events = imported.events.collect().partition_by("session_id", as_dict=True)
        none = IMPORTED_EVENTS.empty()
        return {row["session_id"]: _log(row, events.get((row["session_id"],), none)) for row in rows.to_dicts()}

    def __repr__(self) -> str:
        return f"JsonlSessions({self._path!s}, format={self._format!r})"


def _log(row: dict[str, Any], events: pl.DataFrame) -> SessionLog:
    return SessionLog.of_rows(SessionHeader.from_row(row), events)
