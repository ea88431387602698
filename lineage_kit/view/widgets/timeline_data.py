"""One session's log as a timeline: when each event stood on the surface, what was replaced by what, stretch by stretch.

Plain data for whoever draws it; nothing here knows widgets or HTML. The log is read and folded once; what a drawing
needs of a log of any length is asked for a stretch at a time. Every text is spelt out (`text.visible`) before it
leaves here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.errors import SessionQueryError
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sessions.fold.surface import Fold
from lineage_kit.sessions.fold.surface_frames import REF
from lineage_kit.sessions.log import SessionLog
from lineage_kit.sessions.trace import SessionEventTrace, at_position, sound
from lineage_kit.view.text import moment, visible
from lineage_kit.view.widgets.timeline_brackets import Brackets, Ints, brackets_of, no_brackets
from lineage_kit.view.widgets.timeline_text import cut_short, indented, parts_around, spelt_out

CHUNK = 100
"""Events of a stretch, as a drawing asks for them."""
CUT = 160
"""Characters of a text in a row."""
LISTED = 1_000
"""Events listed of one relation of an event."""
NAMED = 40
"""Of those, how many are told with their text."""
NO_LOG = {"title": "", "count": 0, "sound": False, "chunk": CHUNK, "replacements": 0, "highest": 0, "first": None}
"""What `header` tells where there is no log."""
STATES = ("current", "shadowed", "log-only", "later")


@dataclass(frozen=True, eq=False, repr=False)
class SessionTimelineData:
    """One log, read and folded once.

    Attributes:
        log: the log as it was read.
        fault: which rule the log breaks, in words, or None; with one, nothing is known of the surface.
        since: the seq from which each event stood on the surface, -1 if it never did.
        until: the seq of the event that replaced it, or the number of events; it stood before that one.
        covers: where the run of appended events begins that it stands for; orders a surface.
        brackets: the replacements.
        counts: events that each one replaced, cites, and is cited by.

    Example:
        >>> timeline = read_timeline(corpus, "s1")
        >>> timeline.surface(1), timeline.surface(2)
        ([0, 1], [2])
    """

    log: SessionLog
    fault: str | None
    folded: Fold | None
    since: Ints
    until: Ints
    covers: Ints
    brackets: Brackets
    counts: tuple[Ints, Ints, Ints]

    def __len__(self) -> int:
        return len(self.log)

    @property
    def session_id(self) -> str:
        """The session that was read."""
        return self.log.header.session_id

    def header(self) -> dict[str, Any]:
        """The log in a few numbers.

        title, count (events), sound (whether it keeps the rules), chunk (events of a stretch), replacements, highest
        (how deep they lie inside each other), first (the first stretch).
        """
        return {
            "title": visible(self.log.header.title or "", 200),
            "count": len(self),
            "sound": self.fault is None,
            "chunk": CHUNK,
            "replacements": int(self.brackets.seq.size),
            "highest": self.brackets.highest,
            "first": self.stretch(0),
        }

    # ---- the surface at an event

    def standing(self, at: int) -> npt.NDArray[np.bool_]:
        """Which events stand on the surface after event `at`."""
        mask: npt.NDArray[np.bool_] = (self.since >= 0) & (self.since <= at) & (self.until > at)
        return mask

    def surface(self, at: int) -> list[int]:
        """The surface after event `at`, in model order."""
        found = np.flatnonzero(self.standing(at))
        order: list[int] = found[np.argsort(self.covers[found], kind="stable")].tolist()
        return order

    def states(self, at: int) -> Ints:
        """Each event's state after event `at`, as a place in `STATES`."""
        place = np.arange(len(self))
        passed = np.where(self.since < 0, 2, np.where(self.until <= at, 1, 0))
        return np.where(place > at, 3, passed)

    def overview(self, at: int, buckets: int = 120) -> dict[str, Any]:
        """The whole log after event `at` in a few numbers.

        counts: how many events are in each of `STATES`; None for a log that breaks a rule. buckets: for stretches of
        equal length, in percent, the shares of the four states.
        """
        if self.fault is not None or not len(self):
            return {"at": at, "counts": None, "buckets": []}
        states = self.states(at)
        buckets = min(buckets, len(self))
        bucket = np.arange(len(self)) * buckets // len(self)
        table = np.zeros((buckets, len(STATES)), np.int64)
        np.add.at(table, (bucket, states), 1)
        shares = table * 100 // table.sum(axis=1, keepdims=True)
        return {"at": at, "counts": np.bincount(states, minlength=4).tolist(), "buckets": shares.tolist()}

    def frame(self, at: int) -> pl.DataFrame:
        """The events with where they stood after event `at`; see `SessionExplorer.frame`."""
        known = self.fault is None
        position = np.full(len(self), -1, np.int64)
        if known:
            order = self.surface(at)
            position[order] = np.arange(len(order))
        states = pl.Series(STATES).gather(self.states(at)) if known else pl.Series([None] * len(self), dtype=pl.String)
        replaced = (self.since >= 0) & (self.until < len(self))
        front = ["session_id", "seq", "time", "type"]
        return self.log.events.with_columns(session_id=pl.lit(self.session_id)).select(
            REF,
            *front,
            states.alias("state"),
            _or_null(position, position >= 0).alias("position"),
            _or_null(self.until, replaced).alias("replaced_by"),
            pl.exclude("ref", "state", "position", "replaced_by", *front),
        )

    # ---- a stretch of the log

    def stretch(self, number: int) -> dict[str, Any]:
        """The events of one stretch, and the brackets over any of them.

        number, rows (see `_rows`), brackets (seq, first, last, height, replaced), left_out (brackets not told).
        """
        start, end = number * CHUNK, min((number + 1) * CHUNK, len(self))
        brackets, left_out = self.brackets.over(start, start + CHUNK)
        rows = self._rows(np.arange(start, end))
        return {"number": number, "rows": rows, "brackets": brackets, "left_out": left_out}

    def _rows(self, places: Ints, cut: int = CUT) -> list[dict[str, Any]]:
        """Events as rows of a drawing.

        place (position in the log), seq (as it was logged), type, text (cut), raw (true: there is no text, this is
        the payload), error, since (null: never on the surface), until, replaces, cites, cited.
        """
        events = self.log.events[places].select(
            "seq", "type", "is_error", raw=pl.col("text").is_null(), text=pl.coalesce("text", "payload").fill_null("")
        )
        cells = events.with_columns(pl.col("text").str.slice(0, cut), length=pl.col("text").str.len_chars())
        columns = [column[places].tolist() for column in (self.since, self.until, *self.counts)]
        return [
            {
                "place": place,
                "seq": row["seq"],
                "type": "no type" if row["type"] is None else visible(row["type"], 60),
                "text": cut_short(row["text"], cut, row["length"]),
                "raw": row["raw"],
                "error": bool(row["is_error"]),
                "since": None if since < 0 else since,
                "until": until,
                "replaces": replaces,
                "cites": cites,
                "cited": cited,
            }
            for row, place, since, until, replaces, cites, cited in zip(
                cells.iter_rows(named=True), places.tolist(), *columns, strict=True
            )
        ]

    # ---- one event

    def trace(self, place: int) -> SessionEventTrace | None:
        """The trace of an event, equal to the corpus's; None in a log that breaks a rule."""
        return None if self.folded is None else at_position(self.log, self.folded, place)

    def details(self, place: int) -> dict[str, Any]:
        """All that a pane tells of an event but its payload.

        place, seq, ref, type, time, error, since, until, op (in words), text (whole, or null), payload (its length),
        and chain, replaced, cites, cited: each with total and events, of which the first have type and text.
        """
        event = self.log.events.row(place, named=True)
        trace = self.trace(place)
        cites = event["source_event_seqs"] or []
        related = {
            "chain": trace.replacement_chain if trace else (),
            "replaced": trace.replaced_event_seqs if trace else (),
            "cites": cites,
            "cited": trace.derived_event_seqs if trace else (),
        }
        op = event["surface_op"] or {"op": None}
        ends = f" from #{op['start']} to #{op['end']}" if op["op"] == "replace" else ""
        return {
            "place": place,
            "seq": event["seq"],
            "ref": visible(f"{self.session_id}#{event['seq']}", 200),
            "type": "no type" if event["type"] is None else visible(event["type"], 200),
            "time": None if event["time"] is None else moment(event["time"]),
            "error": bool(event["is_error"]),
            "since": None if self.since[place] < 0 else int(self.since[place]),
            "until": int(self.until[place]),
            "op": "none" if op["op"] is None else visible(op["op"]) + ends,
            "text": None if event["text"] is None else spelt_out(event["text"]),
            "payload": None if event["payload"] is None else len(event["payload"]),
            "relations": {name: self._listed(seqs) for name, seqs in related.items()},
        }

    def _listed(self, seqs: Iterable[int]) -> dict[str, Any]:
        whole = list(seqs)
        there = [seq for seq in whole[:LISTED] if seq is not None and 0 <= seq < len(self)]
        named = self._rows(np.array(there[:NAMED], np.int64), 80) if there else []
        return {
            "total": len(whole),
            "events": there,
            "named": [{name: row[name] for name in ("place", "type", "text")} for row in named],
        }

    def payload(self, place: int) -> str:
        """The payload as indented JSON; of a log that breaks a rule, the whole record as it was given."""
        if self.fault is not None:
            return spelt_out(indented(json.dumps(self.log.record(place), default=str)))
        held: str | None = self.log.events["payload"][place]
        return "" if held is None else spelt_out(indented(held))

    # ---- search

    def find(self, pattern: str, limit: int = 200) -> dict[str, Any]:
        """The events whose text holds a pattern, as `SessionCorpus.find`: hits (place, type, parts) and total.

        parts: what stands before the first match, the match, and what stands behind it.
        """
        wanted = pattern.casefold()
        texts = self.log.events.select(pl.coalesce("text", "payload").fill_null("")).to_series()
        found = [place for place, text in enumerate(texts) if wanted in text.casefold()]
        rows = zip(found[:limit], self.log.events["type"].gather(found[:limit]), strict=True)
        hits = [
            {"place": place, "type": visible(type or "no type", 60), "parts": parts_around(texts[place], pattern)}
            for place, type in rows
        ]
        return {"hits": hits, "total": len(found)}


def read_timeline(corpus: SessionCorpus, session_id: str) -> SessionTimelineData:
    """The timeline of a session. A log that breaks a rule has one too: its events, and the rule in `fault`.

    Raises:
        SessionQueryError: SESSION_NOT_FOUND, PERSISTENCE_FAILED, CORRUPT_SESSION or SOURCE_CONFLICT.
    """
    log = corpus.read_session(session_id)
    count = len(log)
    try:
        folded = sound(log, corpus.contract)
    except SessionQueryError as error:
        none = np.full(count, -1, np.int64)
        cites = log.events["source_event_seqs"].list.len().fill_null(0).cast(pl.Int64).to_numpy()
        empty = np.zeros(count, np.int64)
        return SessionTimelineData(log, str(error), None, none, none, none, no_brackets(), (empty, cites, empty))
    replaced = np.diff(folded.removed_from)
    cites, cited = (np.bincount(ends, minlength=count) for ends in (folded.citing, folded.cited))
    return SessionTimelineData(
        log=log,
        fault=None,
        folded=folded,
        since=np.where(folded.on_surface, np.arange(count), -1),
        until=np.where(folded.replaced_by >= 0, folded.replaced_by, count),
        covers=folded.covers_from,
        brackets=brackets_of(folded, replaced),
        counts=(replaced, cites, cited),
    )


def _or_null(values: Ints, there: npt.NDArray[np.bool_]) -> pl.Series:
    return pl.select(pl.when(pl.Series(there)).then(pl.Series(values, dtype=pl.Int64))).to_series()
