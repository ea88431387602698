"""A whole corpus at once: its sound logs folded in chunks, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.errors import CorruptSession, LineageKitError, SessionQueryError
from lineage_kit.progress import bar
from lineage_kit.schema import EVENTS
from lineage_kit.sessions.bulk_source import BulkSessionSource
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.fold.faults import Fault
from lineage_kit.sessions.fold.surface import Fold, Logs, fold
from lineage_kit.sessions.header import SessionRecord
from lineage_kit.sessions.listing import Listing, failed
from lineage_kit.wording import counted

CHUNK = 1_000_000
"""Events folded together."""


@dataclass(frozen=True)
class Batch:
    """Some sound logs, folded; `events` has session_id and the columns of the events table."""

    logs: Logs
    folded: Fold


@dataclass
class Unsound:
    """What was left out: violations by session, and sessions that could not be read."""

    faults: dict[str, list[Fault]] = field(default_factory=dict)
    unreadable: dict[str, LineageKitError] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.faults) + len(self.unreadable)


def batches(
    listing: Listing, records: dict[str, SessionRecord], contract: SurfaceContract, unsound: Unsound
) -> Iterator[Batch]:
    """The sound logs of these sessions, folded chunk by chunk, by session_id; the rest goes to `unsound`."""
    with bar(total=len(records), doing="folding", unit="session") as progress:
        for events, known_faults in chunks(listing, records, unsound, to_fold=True):
            names = events["session_id"].rle().struct.unnest()
            starts = np.concatenate([[0], np.cumsum(names["len"].to_numpy())]).astype(np.int64)
            known = {place: known_faults[name] for place, name in enumerate(names["value"]) if name in known_faults}
            logs = Logs(events, starts)
            folded = fold(logs, contract, known)
            if folded.faults:
                unsound.faults |= {names["value"][log]: faults for log, faults in folded.every.items()}
                keep = np.ones(starts.size - 1, np.bool_)
                keep[list(folded.faults)] = False
                lengths = np.diff(starts)
                events = events.filter(pl.Series(np.repeat(keep, lengths)))
                logs = Logs(events, np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64))
                folded = fold(logs, contract)
            yield Batch(logs, folded)
            progress.update(names.height)


def chunks(
    listing: Listing, records: dict[str, SessionRecord], unsound: Unsound, *, own: bool = False, to_fold: bool = False
) -> Iterator[tuple[pl.DataFrame, dict[str, Fault]]]:
    """Events of whole sessions, sorted by session and seq, about CHUNK at a time, with faults known beforehand.

    `own` keeps the source's own columns; otherwise the events have the canonical ones. `to_fold` leaves out what a
    fold does not look at.
    """
    columns = pl.all() if own else pl.col(EVENTS.names)
    stored = sorted(name for name, record in records.items() if record.persisted and not record.live)
    if stored and listing.persisted.in_bulk:
        yield from _read_in_bulk(listing.persisted, stored, columns, to_fold)
        stored = []
    living = [name for name, record in records.items() if record.live]
    # A live source that reads files may give all its logs from one reading.
    at_once = listing.live.load_sessions() if living else {}
    waiting: list[pl.DataFrame] = []
    faults: dict[str, Fault] = {}
    held = 0
    for name in sorted([*stored, *living]):
        try:
            log = at_once.pop(name) if name in at_once else listing.log(name)
        except (SessionQueryError, CorruptSession) as error:
            unsound.unreadable[name] = error
            continue
        waiting.append(log.events.select(pl.lit(name).alias("session_id"), pl.all()).select(columns))
        held += len(log)
        if log.fault is not None:
            faults[name] = log.fault
        if held >= CHUNK:
            yield pl.concat(waiting, how="diagonal"), faults
            waiting, faults, held = [], {}, 0
    if waiting:
        yield pl.concat(waiting, how="diagonal"), faults


def _read_in_bulk(
    source: BulkSessionSource, names: list[str], columns: pl.Expr, to_fold: bool
) -> Iterator[tuple[pl.DataFrame, dict[str, Fault]]]:
    """The events of all these sessions, in reads of whole sessions that hold about CHUNK events each."""
    for part in _parts(source, names):
        within = (nw.col("session_id") >= nw.lit(part[0])) & (nw.col("session_id") <= nw.lit(part[-1]))
        try:
            events = source.read_events(within, to_fold=to_fold).select(columns)
        except Exception as error:
            raise failed(error, "reading the events") from error
        events = events.filter(pl.col("session_id").is_in(part))
        if not _in_order(events):
            events = events.sort("session_id", "seq", nulls_last=True)
        if events.height:
            yield events, {}


def _parts(source: BulkSessionSource, names: list[str]) -> Iterator[list[str]]:
    """Neighbouring sessions that together hold about CHUNK events; all in one where the source cannot count them."""
    try:
        sizes = source.sizes()
    except Exception as error:
        raise failed(error, "counting the events") from error
    if sizes is None:
        yield names
        return
    part: list[str] = []
    held = 0
    for name in names:
        part.append(name)
        held += sizes.get(name, 0)
        if held >= CHUNK:
            yield part
            part, held = [], 0
    if part:
        yield part


def _in_order(events: pl.DataFrame) -> bool:
    """Whether events come by session and seq already, as a written corpus has them."""
    session, seq = events["session_id"], events["seq"]
    if seq.null_count():
        return False
    same = session == session.shift()
    ordered = (same & (seq >= seq.shift())) | (session > session.shift())
    return bool(ordered.fill_null(True).all())


def in_session_order(traces: pl.DataFrame) -> pl.DataFrame:
    """By session and seq; the chunks of one source come in that order, so that sorting is rarely needed."""
    lengths = traces["session_id"].rle()
    if lengths.struct.field("value").is_sorted() and len(lengths) == traces["session_id"].n_unique():
        return traces
    return traces.sort("session_id", "seq")


def warning_text(unsound: Unsound) -> str | None:
    """The words of the warning, when sessions were left out."""
    if not len(unsound):
        return None
    names = sorted([*unsound.faults, *unsound.unreadable])
    shown = ", ".join(map(repr, names[:3])) + (", …" if len(names) > 3 else "")
    left_out = f"{counted(len(names), 'session')} left out"
    return f"{left_out}, since the log is unsound or unreadable ({shown}); see check()"
