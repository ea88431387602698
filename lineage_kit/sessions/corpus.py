"""The corpus: every session question, answered from a live and a persisted source."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.folding import folds_further
from lineage_kit.schema import CORPUS_EVENTS, EVENT_TRACES, EVENTS, EVENTS_FOUND, LIVE, REPORT, STANDING, STATED
from lineage_kit.sessions.batches import Batch, Unsound, batches, chunks, in_session_order, warning_text
from lineage_kit.sessions.bulk_source import adapted
from lineage_kit.sessions.findings import findings
from lineage_kit.sessions.fold.citations import relations_of
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.fold.surface_frames import REF, event_traces, surface_classes
from lineage_kit.sessions.folder_sessions import sessions_of_folder
from lineage_kit.sessions.generations import CALLS_BETWEEN, in_one_generation, one_generation
from lineage_kit.sessions.header import SessionRecord, headers_frame
from lineage_kit.sessions.lineage import SessionLineageTrace, lineage_of
from lineage_kit.sessions.listing import Listing
from lineage_kit.sessions.log import SessionLog
from lineage_kit.sessions.trace import (
    EventWindow,
    SessionEventTrace,
    at_position,
    check_window,
    find_event,
    sound,
    trace_of,
    window_of,
)
from lineage_kit.sessions.tree import child_relations, session_tree
from lineage_kit.sessions.writer import write_tables


class SessionCorpus:
    """Sessions from a live source, a persisted one, or both; a live session wins over the stored one.

    Nothing is cached between calls, and what is returned shares nothing with the corpus. Which methods beyond the two
    needed ones a source has is looked at once, when the corpus is made; see `SessionSource`.

    Args:
        live: a source whose sessions are being written now (`MemorySessions`, or your own), or None.
        persisted: a source of stored sessions (`ParquetSessions`, or your own), or None.
        contract: which events stand on the surface; see `SurfaceContract`.

    Raises:
        InvalidRequest: an object that is no source.

    Example:
        >>> log = SessionLog.from_records({"id": "s1"}, [{"seq": 0, "type": "user/message", "surfaceOp": "append"}])
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

        Args:
            folder: a folder that `write_parquet` or an import has written.
            contract: which events stand on the surface.

        Raises:
            SchemaError: no such folder, one of the two files missing, or a table that does not fit.

        Example:
            >>> import tempfile
            >>> folder = corpus.write_parquet(tempfile.mkdtemp())
            >>> SessionCorpus.open(folder).sessions().select("session_id", "persisted").rows()
            [('s1', True)]
        """
        return cls(persisted=sessions_of_folder(Path(folder).expanduser()), contract=contract)

    # ---- one session, one event

    @one_generation
    def trace_session(self, session_id: str) -> SessionLineageTrace:
        """Who a session descends from, and who from it.

        Args:
            session_id: the session asked about.

        Raises:
            SessionQueryError: SESSION_NOT_FOUND, INVALID_LINEAGE, SOURCE_CONFLICT, PERSISTENCE_FAILED or
                CORRUPT_SESSION.

        Example:
            >>> corpus.trace_session("s1")
            SessionLineageTrace(s1: 0 ancestors, 0 descendants, root s1)
        """
        return lineage_of(self._listing.records(), session_id)

    @one_generation
    def trace_event(self, session_id: str, seq: int) -> SessionEventTrace:
        """What replaced an event, what it replaced, what it cites, and who cites it.

        Args:
            session_id: the session of the event.
            seq: its position in the log, from 0; a number with an integral value (1.0) is that integer.

        Raises:
            SessionQueryError: SESSION_NOT_FOUND, PERSISTENCE_FAILED, CORRUPT_SESSION, SOURCE_CONFLICT,
                EVENT_NOT_FOUND or INVALID_SURFACE, in the order of rule S3.

        Example:
            >>> corpus.trace_event("s1", 0)
            SessionEventTrace(s1#0: shadowed, replaced by 2, cites 0 events, cited by 2)
        """
        return trace_of(self._listing.log(session_id), seq, self.contract)

    def trace_events(self, session_id: str, seqs: Iterable[int]) -> list[SessionEventTrace]:
        """The traces of several events of one session, from one fold; each equals the single call's.

        Args:
            session_id: the session of the events.
            seqs: their positions in the log, in the order of the answer.

        Raises:
            SessionQueryError: as `trace_event`.

        Example:
            >>> [trace.replaced_by for trace in corpus.trace_events("s1", [2, 0])]
            [None, 2]
        """
        log = in_one_generation(self._listing, lambda: self._listing.log(session_id))
        positions = [find_event(log, session_id, seq) for seq in seqs]
        folded = sound(log, self.contract)
        return [at_position(log, folded, position) for position in positions]

    @one_generation
    def read_session(self, session_id: str) -> SessionLog:
        """The whole log of a session, as it is; it is not folded.

        Args:
            session_id: the session to read.

        Raises:
            SessionQueryError: as `trace_event`, but for the last two.

        Example:
            >>> corpus.read_session("s1")
            SessionLog(s1: 3 events)
        """
        return self._listing.log(session_id)

    @one_generation
    def read_event(self, session_id: str, seq: int, before: int = 0, after: int = 0) -> EventWindow:
        """One raw event with up to 50 raw neighbours each way; the log is not folded.

        Args:
            session_id: the session of the event.
            seq: its position in the log, from 0.
            before: how many events in front of it to give as well, 0 to 50; fewer where the log begins.
            after: how many events behind it, 0 to 50; fewer where the log ends.

        Raises:
            SessionQueryError: INVALID_WINDOW before anything is read; else as `trace_event`, but for INVALID_SURFACE.

        Example:
            >>> window = corpus.read_event("s1", 1, before=1)
            >>> window.target["sourceEventSeqs"], len(window.events), window.start_seq, window.end_seq
            ([0], 2, 0, 1)
        """
        check_window(session_id, seq, before, after)
        log = self._listing.log(session_id)
        return window_of(log, find_event(log, session_id, seq), int(before), int(after))

    # ---- the events of one session

    @one_generation
    def events(self, session_id: str) -> pl.DataFrame:
        """The events of a session with their surface class.

        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type (String), surface (String:
        `current`, `shadowed`, `log-only`), surface_op (Struct), source_event_seqs (List(Int64)), payload, text
        (String), is_error (Boolean), and the source's own. Sorted by seq.

        Args:
            session_id: the session to read.

        Raises:
            SessionQueryError: as `trace_event`, but for EVENT_NOT_FOUND.

        Example:
            >>> corpus.events("s1").select("ref", "surface").rows()
            [('s1#0', 'shadowed'), ('s1#1', 'shadowed'), ('s1#2', 'current')]
        """
        return self._placed(session_id).drop("covers")

    @one_generation
    def surface(self, session_id: str) -> pl.DataFrame:
        """What the model sees now: the surface in model order.

        Columns: position (Int64, from 0), then those of `events`: ref, session_id (String), seq (Int64), time
        (Datetime us UTC), type, surface (String), surface_op (Struct), source_event_seqs (List(Int64)), payload, text
        (String), is_error (Boolean), and the source's own. Sorted by position.

        Args:
            session_id: the session to read.

        Raises:
            SessionQueryError: as `trace_event`, but for EVENT_NOT_FOUND.

        Example:
            >>> corpus.surface("s1").select("position", "seq").rows()
            [(0, 2)]
        """
        standing = self._placed(session_id).filter(surface="current").sort("covers").drop("covers")
        return standing.with_row_index("position").with_columns(pl.col("position").cast(STANDING.polars["position"]))

    def _placed(self, session_id: str) -> pl.DataFrame:
        """The events of a sound log with their surface class, and where their run of appended events begins."""
        log = self._listing.log(session_id)
        folded = sound(log, self.contract)
        named = log.events.with_columns(
            surface_classes(folded), session_id=pl.lit(log.header.session_id), covers=pl.Series(folded.covers_from)
        )
        ref, *others = CORPUS_EVENTS.names
        return named.select(REF, *others, pl.exclude(ref, *others))

    # ---- the whole corpus

    @one_generation
    def sessions(self) -> pl.DataFrame:
        """Every session.

        Columns: session_id, parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title
        (String), seed_length, delegation_depth (Int64), live, persisted (Boolean: which source has it). Sorted by
        created_at (newest first, unknown last), then session_id.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.sessions().select("session_id", "live", "persisted").rows()
            [('s1', True, False)]
        """
        records = list(self._listing.records().values())
        flags = [pl.Series(flag.name, [getattr(r, flag.name) for r in records], pl.Boolean) for flag in LIVE]
        frame = headers_frame([*records]).with_columns(flags)
        return frame.sort("created_at", "session_id", descending=[True, False], nulls_last=True)

    @one_generation
    def session_tree(self) -> pl.DataFrame:
        """Where each session stands among the others.

        Columns: session_id, parent_session, root_session (String; null where the chain of parents does not end),
        depth (Int64: ancestors that are there), descendants (Int64), complete (Boolean). Sorted by session_id.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.session_tree().select("session_id", "root_session", "depth", "complete").rows()
            [('s1', 's1', 0, True)]
        """
        return session_tree(self._listing.records())

    @one_generation
    def all_events(self) -> pl.DataFrame:
        """Every event of every session that can be read, sound or not.

        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type (String), surface_op (Struct),
        source_event_seqs (List(Int64)), payload, text (String), is_error (Boolean), and the sources' own. Sorted by
        session_id, seq.

        Sessions that cannot be read are left out, counted in a warning and named by `check`.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.all_events().select("ref", "text").rows()
            [('s1#0', 'hello'), ('s1#1', None), ('s1#2', None)]
        """
        parts = [EVENTS.empty(), *self._readable(own=True)]
        whole = pl.concat(parts, how="diagonal_relaxed")
        return whole.select(REF, pl.all()).sort("session_id", "seq", nulls_last=True)

    @one_generation
    def find(self, pattern: str) -> pl.DataFrame:
        """Events whose text holds a pattern, whatever the case: which session said or touched this.

        An event without text is searched in its payload. Sessions that cannot be read are left out, counted in a
        warning and named by `check`.

        Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type, text (String). Sorted by
        session_id, seq.

        Args:
            pattern: what to look for, taken literally.

        Raises:
            InvalidRequest: an empty pattern.
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.find("HELL").select("ref", "text").rows()
            [('s1#0', 'hello')]
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
            found.append(candidates.filter(holds).with_columns(REF, text="searched").select(EVENTS_FOUND.names))
        return pl.concat(found).sort("session_id", "seq", nulls_last=True)

    @one_generation
    def event_traces(self, session_id: str | None = None) -> pl.DataFrame:
        """The trace of every event, of one session or of the whole corpus, in one fold.

        Columns: ref, session_id (String), seq (Int64), type (String), time (Datetime us UTC), surface (String),
        replaced_by, final_replacement, chain_length (Int64), replaced_event_seqs, source_event_seqs,
        derived_event_seqs (List(Int64)), covers_from, covers_count (Int64: the run of appended events a surface
        event stands for). Sorted by session_id, seq.

        For the whole corpus, sessions whose log is unsound are left out, counted in a warning and named by `check`.

        Args:
            session_id: one session, or None for all.

        Raises:
            SessionQueryError: for one session as `trace_event`, but for EVENT_NOT_FOUND; for the corpus
                SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.event_traces().select("ref", "replaced_by", "derived_event_seqs").rows()
            [('s1#0', 2, [1, 2]), ('s1#1', 2, [2]), ('s1#2', None, [])]
        """
        if session_id is not None:
            log = self._listing.log(session_id)
            named = log.events.with_columns(session_id=pl.lit(log.header.session_id))
            return event_traces(replace(log.logs, events=named), sound(log, self.contract))
        parts = [event_traces(batch.logs, batch.folded) for batch in self._batches(self._listing.records())]
        return in_session_order(pl.concat([EVENT_TRACES.empty(), *parts]))

    @one_generation
    def relations(self) -> pl.DataFrame:
        """The corpus as a relations table, for `RelationStore.open([decisions, corpus.relations()])`.

        An event `derives_from` each event it cites and `supersedes` each event it replaced, both observed; a session
        is `child_of` its parent. Events are nodes of type `event` with their ref as id, sessions of type `session`.
        Sessions whose log is unsound give no relations of events; they are counted in a warning and named by `check`.

        Columns: source_type, source_id, target_type, target_id, relation_kind, edge_class (String), confidence
        (Float64), created_at (Datetime us UTC). Sorted by source, target, kind.

        Raises:
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> corpus.relations().select("source_id", "relation_kind", "target_id").rows()[:2]
            [('s1#1', 'derives_from', 's1#0'), ('s1#2', 'derives_from', 's1#0')]
        """
        records = self._listing.records()
        parts = [relations_of(batch.logs, batch.folded) for batch in self._batches(records)]
        whole = pl.concat([STATED.empty(), *parts, child_relations(records)])
        return whole.sort("source_type", "source_id", "target_type", "target_id", "relation_kind")

    # ---- what is wrong, and what is kept

    @one_generation
    def check(self) -> pl.DataFrame:
        """What is wrong with the corpus; never raises for bad logs.

        Columns: session_id (String, null for a fault of a whole source), seq (Int64), rule, message (String). Sorted
        by session_id (nulls first), seq, rule, message.

        Example:
            >>> corpus.check().is_empty()
            True
        """
        return findings(self._listing, self.contract)

    @one_generation
    def import_report(self) -> pl.DataFrame:
        """What an import said of the logs that the stored sessions were made of; no rows where none was imported.

        Columns: file (String), kind (String), line (Int64: where it was found first), count (Int64), example,
        meaning (String). Sorted by file, line (nulls first), kind.

        Example:
            >>> corpus.import_report().is_empty()
            True
        """
        report = self._listing.persisted.import_report()
        held = REPORT.empty() if report is None else report
        return held.select(REPORT.names).sort("file", "line", "kind")

    def write_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Write `sessions.parquet` and `events.parquet` into a folder, sorted by session, with a manifest.

        The folder appears, or is exchanged for an older one, as a whole.

        Args:
            folder: where to write: a new folder, an empty one, or one that `write_parquet` has written, with nothing
                else in it.

        Returns:
            The folder.

        Raises:
            InvalidRequest: something else stands there, which is left alone, or it cannot be written.
            SchemaError: sessions that the tables cannot hold, or events that belong to no session, by name.
            SessionQueryError: SOURCE_CONFLICT, PERSISTENCE_FAILED or CORRUPT_SESSION.

        Example:
            >>> import tempfile
            >>> sorted(path.name for path in corpus.write_parquet(tempfile.mkdtemp()).iterdir())
            ['events.parquet', 'manifest.json', 'sessions.parquet']
        """
        return write_tables(self._listing, Path(folder).expanduser())

    def _readable(self, *, own: bool = False) -> Iterator[pl.DataFrame]:
        """The events of every session that can be read, sound or not."""
        unsound = Unsound()
        for events, _ in chunks(self._listing, self._listing.records(), unsound, own=own):
            yield events
        if left_out := warning_text(unsound):
            warnings.warn(left_out, UserWarning, stacklevel=2 + CALLS_BETWEEN)

    def _batches(self, records: dict[str, SessionRecord]) -> Iterator[Batch]:
        """The sound logs of these sessions, folded."""
        unsound = Unsound()
        yield from batches(self._listing, records, self.contract, unsound)
        if left_out := warning_text(unsound):
            warnings.warn(left_out, UserWarning, stacklevel=2 + CALLS_BETWEEN)

    def __repr__(self) -> str:
        return f"SessionCorpus(live={self._listing.live!r}, persisted={self._listing.persisted!r})"


__all__ = ["SessionCorpus"]
