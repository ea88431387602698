"""Live first (rules S1 to S3): which sessions there are, and which log answers for one of them."""

from __future__ import annotations

from typing import Any

from lineage_kit.errors import CorruptSession, SessionQueryError
from lineage_kit.sessions.bulk_source import BulkSessionSource
from lineage_kit.sessions.header import SessionHeader, SessionRecord
from lineage_kit.sessions.log import SessionLog


class Listing:
    """The two sources of a corpus, asked in the documented order. Nothing is kept between calls."""

    def __init__(self, live: BulkSessionSource, persisted: BulkSessionSource) -> None:
        self.live = live
        self.persisted = persisted

    def records(self) -> dict[str, SessionRecord]:
        """Every session, persisted ones read first; a live one wins over the stored one with the same id.

        Raises:
            SessionQueryError: PERSISTENCE_FAILED or CORRUPT_SESSION while listing; SOURCE_CONFLICT.
        """
        records, conflicts = self.merged()
        if conflicts:
            raise next(iter(conflicts.values()))
        return records

    def merged(self) -> tuple[dict[str, SessionRecord], dict[str, SessionQueryError]]:
        """Every session, and the conflict of each whose headers disagree."""
        conflicts: dict[str, SessionQueryError] = {}
        stored = self._distinct(self._persisted_headers(), "the persisted source", conflicts)
        live = self._distinct(self.live.headers(), "the live source", conflicts)
        records = {}
        for session_id, header in stored.items():
            ours = live.get(session_id)
            if ours is not None and (differ := ours.differences(header)):
                conflicts.setdefault(session_id, conflict(session_id, "its live and its stored header", differ))
            records[session_id] = SessionRecord.of(ours or header, live=ours is not None, persisted=True)
        for session_id, header in live.items():
            if session_id not in records:
                records[session_id] = SessionRecord.of(header, live=True, persisted=False)
        return records, conflicts

    def log(self, session_id: Any) -> SessionLog:
        """The log that answers for a session.

        Raises:
            SessionQueryError: in this order: listing failed, SESSION_NOT_FOUND, loading failed or corrupt,
                SOURCE_CONFLICT.
        """
        log = self._live_log(session_id)
        if log is not None:
            return log
        listed = [header for header in self._persisted_headers() if header.session_id == session_id]
        if not listed:
            raise SessionQueryError.of("SESSION_NOT_FOUND", f"there is no session {session_id!r}")
        try:
            loaded = self.persisted.load_session(session_id)
            header = loaded.header
        except Exception as error:
            raise failed(error, f"loading session {session_id!r}") from error
        since = self._live_log(session_id)
        if since is not None:
            return since
        for one in listed:
            if differ := one.differences(header):
                raise conflict(session_id, "its listed and its loaded header", differ)
        return loaded

    def _live_log(self, session_id: Any) -> SessionLog | None:
        if not isinstance(session_id, str) or not self.live.has_session(session_id):
            return None
        try:
            return self.live.load_session(session_id)
        except KeyError:
            return None

    def _persisted_headers(self) -> list[SessionHeader]:
        try:
            return self.persisted.headers()
        except Exception as error:
            raise failed(error, "listing the persisted sessions") from error

    def _distinct(
        self, headers: list[SessionHeader], where: str, conflicts: dict[str, SessionQueryError]
    ) -> dict[str, SessionHeader]:
        found: dict[str, SessionHeader] = {}
        for header in headers:
            first = found.setdefault(header.session_id, header)
            if first is not header and (differ := first.differences(header)):
                disagreement = conflict(header.session_id, f"two headers in {where}", differ)
                conflicts.setdefault(header.session_id, disagreement)
        return found


def conflict(session_id: str, what: str, differ: list[str]) -> SessionQueryError:
    """Two headers of one session that say different things."""
    return SessionQueryError.of("SOURCE_CONFLICT", f"session {session_id!r}: {what} differ in {', '.join(differ)}")


def failed(error: Exception, doing: str) -> SessionQueryError:
    """What an exception of the persisted source means."""
    if isinstance(error, CorruptSession):
        return SessionQueryError.of("CORRUPT_SESSION", f"{doing}: {error}")
    kind = type(error).__name__
    return SessionQueryError.of("PERSISTENCE_FAILED", f"{doing} failed: {kind}: {str(error) or kind}")
