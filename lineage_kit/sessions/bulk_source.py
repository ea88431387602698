"""Every source with every method: what a corpus asks for beyond listing and loading, and what stands in where it lacks.

A source needs two methods (`SessionSource`). Those that can do more (know without loading whether a session is there,
give all logs from one reading, read a whole events table) are asked for more. Which of them a source has is looked at
once, when it is adapted; from there on every source answers the same calls.
"""

from __future__ import annotations

import inspect
from typing import Any, Protocol

import narwhals as nw
import polars as pl

from lineage_kit.door.sources import open_sources
from lineage_kit.door.tables import canonical
from lineage_kit.errors import InvalidRequest
from lineage_kit.output.folder_manifest import Damaged
from lineage_kit.schema import EVENTS, ROW, SESSIONS
from lineage_kit.sessions.header import SessionHeader
from lineage_kit.sessions.log import SessionLog
from lineage_kit.sessions.session_sources import MemorySessions, SessionSource

NEEDED = ("list_sessions", "load_session")


class BulkSessionSource(SessionSource, Protocol):
    """What a corpus asks of its sources: the two methods of `SessionSource`, and those for many sessions at once."""

    @property
    def in_bulk(self) -> bool:
        """Whether the events are one table, for `read_events`; where not, sessions are loaded one by one."""

    def has_session(self, session_id: str) -> bool:
        """False for a session that is not there; True where it is, or only loading it can tell."""

    def headers(self) -> list[SessionHeader]:
        """The header of every session, as listed."""

    def load_sessions(self) -> dict[str, SessionLog]:
        """The logs that one reading gives, by id; those that are missing are loaded one by one."""

    def read_events(self, wanted: nw.Expr | None = None, *, to_fold: bool = False) -> pl.DataFrame:
        """Rows of the events table in canonical columns, all or the wanted ones; none where it is not `in_bulk`.

        `to_fold` allows the source to leave out what a fold does not look at.
        """

    def sizes(self) -> dict[str, int] | None:
        """How many events each session of the table has; None where that is not known without reading them."""

    def import_report(self) -> pl.DataFrame | None:
        """What an import said of the logs; None where nothing was imported."""

    def generation(self) -> object:
        """What is another value when the stored files are others; None where there are none that change as one."""

    def damaged(self) -> list[Damaged]:
        """Files that are not as they were written, as far as a manifest tells."""


class AdaptedSource:
    """Any source as a `BulkSessionSource`; None is a source without sessions.

    Args:
        source: an object with the two methods of `SessionSource`, or None.
        name: what it is called in the error, `live` or `persisted`.

    Raises:
        InvalidRequest: an object without the two methods.

    Example:
        >>> AdaptedSource(None, "live").headers()
        []
    """

    def __init__(self, source: Any, name: str) -> None:
        self.given = source
        self.source: Any = MemorySessions() if source is None else source
        if not all(self._offers(method) for method in NEEDED):
            raise InvalidRequest(
                f"{name} must be a session source with list_sessions and load_session, got {type(source).__name__}"
            )
        self.in_bulk = self._offers("read_events")
        self._knows_sessions = self._offers("has_session")
        self._has_headers = self._offers("headers")
        self._loads_together = self._offers("load_sessions")
        self._counts = self._offers("sizes")
        self._reports = self._offers("import_report")
        self._changes = self._offers("generation") and self._offers("damaged")
        self._leaves_out = self.in_bulk and _takes(getattr(self.source, "read_events", None), "to_fold")

    def _offers(self, method: str) -> bool:
        return callable(getattr(self.source, method, None))

    def list_sessions(self) -> Any:
        """The sessions table, as the source gives it."""
        return self.source.list_sessions()

    def load_session(self, session_id: str) -> SessionLog:
        """One session's log.

        Raises:
            KeyError: the source does not have it.
        """
        log: SessionLog = self.source.load_session(session_id)
        return log

    def has_session(self, session_id: str) -> bool:
        """False for a session that the source knows not to have; True where it has it, or only loading it can tell."""
        return not self._knows_sessions or bool(self.source.has_session(session_id))

    def headers(self) -> list[SessionHeader]:
        """The header of every session, its own or made of the sessions table, which may be any dataframe.

        Raises:
            SchemaError: a sessions table that does not fit.
        """
        if self._has_headers:
            headers: list[SessionHeader] = self.source.headers()
            return headers
        table = canonical(open_sources(self.list_sessions(), table="sessions"), SESSIONS)
        table.refuse()
        rows = table.read().sort(ROW).drop(ROW)
        return [SessionHeader.from_row(row) for row in rows.iter_rows(named=True)]

    def load_sessions(self) -> dict[str, SessionLog]:
        """The logs that the source gives from one reading, by id; none where it only loads one by one."""
        logs: dict[str, SessionLog] = self.source.load_sessions() if self._loads_together else {}
        return logs

    def read_events(self, wanted: nw.Expr | None = None, *, to_fold: bool = False) -> pl.DataFrame:
        """Rows of the source's events table, all or the wanted ones; no rows where it has no such table."""
        if not self.in_bulk:
            return EVENTS.empty()
        more = {"to_fold": True} if to_fold and self._leaves_out else {}
        events: pl.DataFrame = self.source.read_events(wanted, **more)
        return events

    def sizes(self) -> dict[str, int] | None:
        """How many events each session has; None where the source cannot count them."""
        sizes: dict[str, int] | None = self.source.sizes() if self._counts else None
        return sizes

    def import_report(self) -> pl.DataFrame | None:
        """What an import said of the logs; None where nothing was imported."""
        report: pl.DataFrame | None = self.source.import_report() if self._reports else None
        return report

    def generation(self) -> object:
        """What is another value when the stored files are others; None where the source does not say."""
        return self.source.generation() if self._changes else None

    def damaged(self) -> list[Damaged]:
        """Files that are not as they were written; none where the source does not say."""
        found: list[Damaged] = self.source.damaged() if self._changes else []
        return found

    def __repr__(self) -> str:
        return repr(self.given)


def adapted(source: Any, name: str) -> BulkSessionSource:
    """A source, or None, with every method; one that was adapted before stays as it is.

    Raises:
        InvalidRequest: an object without the two methods of `SessionSource`.

    Example:
        >>> adapted(MemorySessions(), "live").import_report() is None
        True
    """
    return source if isinstance(source, AdaptedSource) else AdaptedSource(source, name)


def _takes(method: Any, argument: str) -> bool:
    """Whether a method takes an argument of this name."""
    try:
        return argument in inspect.signature(method).parameters
    except (TypeError, ValueError):  # a method of a compiled class may not tell
        return False
