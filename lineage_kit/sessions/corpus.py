"""The corpus: every session question, answered from a live and a persisted source."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.errors import InvalidRequest, SchemaError, SessionQueryError
from lineage_kit.folding import folds_further
from lineage_kit.json_values import integral
from lineage_kit.schema import EVENT_TRACES, EVENTS, EVENTS_FOUND, REPORT, STATED
from lineage_kit.sessions.batches import Batch, Unsound, batches, chunks, warn_left_out
from lineage_kit.sessions.bulk_source import adapted
from lineage_kit.sessions.findings import findings
from lineage_kit.sessions.fold.citations import relations_of
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.fold.surface_frames import REF, event_traces, surface_classes
from lineage_kit.sessions.header import SessionHeader, headers_frame
from lineage_kit.sessions.lineage import SessionLineageTrace, lineage_of
from lineage_kit.sessions.listing import Listing
from lineage_kit.sessions.log import SessionLog
from lineage_kit.sessions.session_sources import ParquetSessions
from lineage_kit.sessions.trace import SessionEventTrace, at_position, find_event, sound, trace_of
from lineage_kit.sessions.tree import session_tree
from lineage_kit.sessions.writer import write_tables
from lineage_kit.wording import shown

WINDOW = 50
"""The most raw neighbours of an event, each way."""


class EventWindow(NamedTuple):
    """One event as it was logged, among its neighbours.

    session: the header answered; target: the raw event; events: the raw events of the window, in log order;
    start_seq, end_seq: the first and last position of the window.
    """

    session: SessionHeader
    target: Any
    events: list[Any]
    start_seq: int
    end_seq: int


class SessionCorpus:
    """Sessions from a live source, a persisted one, or both; a live session wins over the stored one.

    Nothing is cached between calls, and what is returned shares nothing with the corpus.

    Args:
        live: a source whose sessions are being written now (`MemorySessions`, or your own), or None.
        persisted: a source of stored sessions (`ParquetSessions`, or your own), or None.
        contract: which events stand on the surface; see `SurfaceContract`.

    Example:
        >>> log = SessionLog.from_records({"id": "s1"}, [{"seq": 0, "type": "user/message", "surfaceOp": "append"}])
        >>> import lineage_kit
        >>> corpus = SessionCorpus(live=lineage_kit.MemorySessions([log]))
        >>> corpus.events("s1").select("ref", "surface").rows()
        [('s1#0', 'current')]
    """

    def __init__(
        self,
        live: Any = None,
        persisted: Any = None,
        contract: SurfaceContract = SurfaceContract(),  # noqa: B008
    ) -> None:
        self._listing = Listing(adapted(live, "live"), adapted(persisted, "persisted"))
        self.contract = contract

    @classmethod
    def open(cls, folder: str | os.PathLike[str], contract: SurfaceContract = SurfaceContract()) -> SessionCorpus:  # noqa: B008
        """The corpus of a folder that holds `sessions.parquet` and `events.parquet`.

        Raises:
            SchemaError: no such folder, one of the two files missing, or a table that does not fit.
        """
        place = Path(folder).expanduser()
        missing = [name for name in ("sessions.parquet", "events.parquet") if not (place / name).is_file()]
        if missing:
            raise SchemaError.of(
                str(place),
                [f"there is no {' and no '.join(missing)}. Hint: give a folder written by write_parquet or import"],
            )
        report = place / "report.parquet"
        stored = ParquetSessions(
            sessions=place / "sessions.parquet",
            events=place / "events.parquet",
            report=report if report.is_file() else None,
        )
        return cls(persisted=stored, contract=contract)

    def trace_session(self, session_id: str) -> SessionLineageTrace:
        """Who a session descends from, and who from it.

        Raises:
            SessionQueryError: SESSION_NOT_FOUND, INVALID_LINEAGE, SOURCE_CONFLICT, PERSISTENCE_FAILED or
                CORRUPT_SESSION.
        """
        return lineage_of(self._listing.records(), session_id)

    def trace_event(self, session_id: str, seq: int) -> SessionEventTrace:
        """What replaced an event, what it replaced, what it cites, and who cites it.

        Raises:
            SessionQueryError: SESSION_NOT_FOUND, PERSISTENCE_FAILED, CORRUPT_SESSION, SOURCE_CONFLICT,
                EVENT_NOT_FOUND or INVALID_SURFACE, in the order of rule S3.
        """
        return trace_of(self._listing.log(session_id), seq, self.contract)

    def trace_events(self, session_id: str, seqs: Iterable[int]) -> list[SessionEventTrace]:
        """The traces of several events of one session, from one fold; each equals the single call's.

        Raises:
            SessionQueryError: as `trace_event`.
        """
        log = self._listing.log(session_id)
        positions = [find_event(log, session_id, seq) for seq in seqs]
        folded = sound(log, self.contract)
        return [at_position(log, folded, position) for position in positions]

    def session_tree(self) -> pl.DataFrame:
        """Where each session stands among the others.

        Columns: session_id, parent_session, root_session (String; null where the chain of parents does not end),
        depth (Int64: ancestors that are there), descendants (Int64), complete (Boolean). Sorted by session_id.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        return session_tree(self._listing.records())

    def all_events(self) -> pl.DataFrame:
        """Every event of every session that can be read, sound or not.

        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type (String), surface_op (Struct),
        source_event_seqs (List(Int64)), payload, text (String), is_error (Boolean), and the sources' own. Sorted by
        session_id, seq.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        parts = [EVENTS.empty(), *self._readable(own=True)]
        whole = pl.concat(parts, how="diagonal_relaxed")
        return whole.select(REF, pl.all()).sort("session_id", "seq", nulls_last=True)

    def read_session(self, session_id: str) -> SessionLog:
        """The whole log of a session, as it is; it is not folded.

        Raises:
            SessionQueryError: as `trace_event`, but for the last two.
        """
        return self._listing.log(session_id)

    def read_event(self, session_id: str, seq: int, before: int = 0, after: int = 0) -> EventWindow:
        """One raw event with up to 50 raw neighbours each way; the log is not folded.

        Raises:
            SessionQueryError: INVALID_WINDOW before anything is read; else as `trace_event`, but for INVALID_SURFACE.
        """
        for name, value in (("before", before), ("after", after)):
            number = None if isinstance(value, (bool, float, str)) else integral(value)
            if number is None or not 0 <= number <= WINDOW:
                raise SessionQueryError.of(
                    "INVALID_WINDOW",
                    f"session {session_id!r}, event {shown(seq)}: {name} is {shown(value)}, "
                    f"expected an integer from 0 to {WINDOW}",
                )
        log = self._listing.log(session_id)
        position = find_event(log, session_id, seq)
        start, end = max(0, position - int(before)), min(len(log) - 1, position + int(after))
        window = [log.record(place) for place in range(start, end + 1)]
        return EventWindow(log.header, log.record(position), window, start, end)

    def sessions(self) -> pl.DataFrame:
        """Every session. Columns: those of the sessions table, live, persisted (Boolean).

        Sorted by created_at (newest first, unknown last), then session_id.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        records = list(self._listing.records().values())
        flags = {"live": [r.live for r in records], "persisted": [r.persisted for r in records]}
        frame = headers_frame([*records]).with_columns(
            pl.Series(name, values, dtype=pl.Boolean) for name, values in flags.items()
        )
        return frame.sort("created_at", "session_id", descending=[True, False], nulls_last=True)

    def events(self, session_id: str) -> pl.DataFrame:
        """The events of a session with their surface class.

        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type, surface (String: `current`,
        `shadowed`, `log-only`), surface_op (Struct), source_event_seqs (List(Int64)), payload, text (String),
        is_error (Boolean), and the source's own. Sorted by seq.

        Raises:
            SessionQueryError: as `trace_event`, but for EVENT_NOT_FOUND.
        """
        return self._placed(session_id).drop("covers")

    def surface(self, session_id: str) -> pl.DataFrame:
        """What the model sees now: the surface in model order.

        Columns: position (Int64, from 0), then those of `events`. Sorted by position.

        Raises:
            SessionQueryError: as `trace_event`, but for EVENT_NOT_FOUND.
        """
        standing = self._placed(session_id).filter(surface="current").sort("covers").drop("covers")
        return standing.with_row_index("position").with_columns(pl.col("position").cast(pl.Int64))

    def _placed(self, session_id: str) -> pl.DataFrame:
        """The events of a sound log with their surface class, and where their run of appended events begins."""
        log = self._listing.log(session_id)
        folded = sound(log, self.contract)
        named = log.events.with_columns(
            surface_classes(folded), session_id=pl.lit(log.header.session_id), covers=pl.Series(folded.covers_from)
        )
        front = ["session_id", "seq", "time", "type", "surface"]
        return named.select(REF, *front, pl.exclude("ref", *front))

    def find(self, pattern: str) -> pl.DataFrame:
        """Events whose text holds a pattern, whatever the case: which session said or touched this.

        The pattern is literal. An event without text is searched in its payload.
        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type, text (String). Sorted by
        session_id, seq.

        Raises:
            InvalidRequest: an empty pattern.
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        if not isinstance(pattern, str) or not pattern:
            raise InvalidRequest(f"pattern must be a non-empty text, got {pattern!r}")
        wanted = pattern.casefold()
        may_hold = pl.col("searched").str.to_lowercase().str.contains(wanted, literal=True)
        may_hold |= pl.col("searched").str.contains(folds_further())
        holds = pl.col("searched").map_elements(lambda text: wanted in text.casefold(), return_dtype=pl.Boolean)
        found = [EVENTS_FOUND.empty()]
        for events in self._readable():
            candidates = events.with_columns(searched=pl.coalesce("text", "payload")).filter(may_hold)
            matching = candidates.filter(holds)
            found.append(matching.select(REF, "session_id", "seq", "time", "type", text="searched"))
        return pl.concat(found).sort("session_id", "seq", nulls_last=True)

    def event_traces(self, session_id: str | None = None) -> pl.DataFrame:
        """The trace of every event, of one session or of the whole corpus, in one fold.

        Columns: ref, session_id (String), seq (Int64), type (String), time (Datetime us UTC), surface (String),
        replaced_by, final_replacement, chain_length (Int64), replaced_event_seqs, source_event_seqs,
        derived_event_seqs (List(Int64)), covers_from, covers_count (Int64: the run of appended events a surface
        event stands for). Sorted by session_id, seq.

        For the whole corpus, sessions whose log is unsound are left out, counted in a warning and named by `check`.

        Raises:
            SessionQueryError: for one session as `trace_event`, but for EVENT_NOT_FOUND; for the corpus
                SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        if session_id is not None:
            log = self._listing.log(session_id)
            named = log.events.with_columns(session_id=pl.lit(log.header.session_id))
            return event_traces(replace(log.logs, events=named), sound(log, self.contract))
        parts = [event_traces(batch.logs, batch.folded) for batch in self._batches(None)]
        return _ordered(pl.concat([EVENT_TRACES.empty(), *parts]))

    def relations(self) -> pl.DataFrame:
        """The corpus as a relations table, for `RelationStore.open([decisions, corpus.relations()])`.

        An event `derives_from` each event it cites and `supersedes` each event it replaced, both observed; a session
        is `child_of` its parent. Events are nodes of type `event` with their ref as id, sessions of type `session`.
        Columns: those of the relations table. Sorted by source, target, kind.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        records = self._listing.records()
        parts = [relations_of(batch.logs, batch.folded) for batch in self._batches(records)]
        kin = [(record.session_id, record.parent_session, record.created_at) for record in records.values()]
        children = (
            STATED.only("source_id", "target_id", "created_at")
            .frame(kin)
            .drop_nulls("target_id")
            .select(
                source_type=pl.lit("session"),
                source_id="source_id",
                target_type=pl.lit("session"),
                target_id="target_id",
                relation_kind=pl.lit("child_of"),
                edge_class=pl.lit("observed"),
                confidence=pl.lit(None, pl.Float64),
                created_at="created_at",
            )
        )
        whole = pl.concat([STATED.empty(), *parts, children])
        return whole.sort("source_type", "source_id", "target_type", "target_id", "relation_kind")

    def check(self) -> pl.DataFrame:
        """What is wrong with the corpus; never raises for bad logs.

        Columns: session_id (String, null for a fault of a whole source), seq (Int64), rule, message (String). Sorted
        by session_id (nulls first), seq, rule, message.
        """
        return findings(self._listing, self.contract)

    def import_report(self) -> pl.DataFrame:
        """What an import said of the logs that the stored sessions were made of; no rows where none was imported.

        Columns: file (String), kind (String), line (Int64: where it was found first), count (Int64), example,
        meaning (String). Sorted by file, line (nulls first), kind.
        """
        report = self._listing.persisted.import_report()
        held = REPORT.empty() if report is None else report
        return held.select(REPORT.names).sort("file", "line", "kind")

    def write_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Write `sessions.parquet` and `events.parquet` into a folder, sorted by session; returns the folder.

        Raises:
            SchemaError: sessions that the tables cannot hold, or events that belong to no session, by name.
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.
        """
        return write_tables(self._listing, Path(folder).expanduser())

    def _readable(self, *, own: bool = False) -> Iterator[pl.DataFrame]:
        """The events of every session that can be read, sound or not."""
        unsound = Unsound()
        for events, _ in chunks(self._listing, self._listing.records(), unsound, own=own):
            yield events
        if told := warn_left_out(unsound):
            warnings.warn(told, UserWarning, stacklevel=3)

    def _batches(self, records: Any) -> Iterator[Batch]:
        unsound = Unsound()
        yield from batches(self._listing, records or self._listing.records(), self.contract, unsound)
        if told := warn_left_out(unsound):
            warnings.warn(told, UserWarning, stacklevel=3)

    def __repr__(self) -> str:
        return f"SessionCorpus(live={self._listing.live!r}, persisted={self._listing.persisted!r})"


def _ordered(traces: pl.DataFrame) -> pl.DataFrame:
    """By session and seq; the chunks of one source come in that order, so that sorting is rarely needed."""
    lengths = traces["session_id"].rle()
    if lengths.struct.field("value").is_sorted() and len(lengths) == traces["session_id"].n_unique():
        return traces
    return traces.sort("session_id", "seq")


__all__ = ["EventWindow", "SessionCorpus"]
