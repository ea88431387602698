"""`corpus.check()`: every violation of a corpus as a row; nothing raises."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from lineage_kit.errors import SessionQueryError
from lineage_kit.json_values import column_integer
from lineage_kit.schema import VIOLATIONS
from lineage_kit.sessions.batches import Unsound, batches
from lineage_kit.sessions.bulk_source import adapted
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.header import SessionRecord
from lineage_kit.sessions.listing import Listing

NOTHING = adapted(None, "live")
"""A source without sessions."""
Row = tuple[str | None, int | None, str, str]


def findings(listing: Listing, contract: SurfaceContract) -> pl.DataFrame:
    """One row a violation; see `SessionCorpus.check`."""
    rows: list[Row] = []
    records = _records(listing, rows)
    unsound = Unsound()
    try:
        for _ in batches(listing, records, contract, unsound):
            pass
    except SessionQueryError as error:
        rows.append((None, None, "the events can be read", str(error)))
    for name, by_rule in unsound.faults.items():
        rows += [(name, column_integer(fault.seq), fault.rule, fault.message) for fault in by_rule]
    rows += [(name, None, "the session can be read", str(error)) for name, error in unsound.unreadable.items()]
    rows += strays(listing, records)
    rows += [(None, None, "damaged file", f"{path}: {what}") for path, what in listing.persisted.damaged()]
    frame = VIOLATIONS.frame(rows).unique()
    return frame.sort("session_id", "seq", "rule", "message")


def _records(listing: Listing, rows: list[Row]) -> dict[str, SessionRecord]:
    """The sessions that can be listed; conflicts and failing sources become rows."""
    records: dict[str, SessionRecord] = {}
    conflicts: dict[str, SessionQueryError] = {}
    try:
        records, conflicts = listing.merged()
    except Exception as error:
        rows.append((None, None, "the sources can be listed", str(error)))
        for part in (Listing(NOTHING, listing.persisted), Listing(listing.live, NOTHING)):
            try:
                found, more = part.merged()
            except Exception as failure:
                rows.append((None, None, "the sources can be listed", str(failure)))
            else:
                records, conflicts = records | found, conflicts | more
    rows += [(name, None, "the headers of a session agree", str(error)) for name, error in conflicts.items()]
    return records


def strays(listing: Listing, records: dict[str, SessionRecord]) -> list[Row]:
    """Rows of a stored events table that belong to no session, or have no seq."""
    source = listing.persisted
    if not source.in_bulk:
        return []
    wanted = nw.col("session_id").is_null() | nw.col("seq").is_null()
    try:
        # Names are compared here and not by the scan, for which a list of thousands is slow.
        if (sizes := source.sizes()) is None:
            return []
        unknown = [name for name in sizes if name not in records]
        rows = source.read_events(wanted | nw.col("session_id").is_in(unknown) if unknown else wanted)
    except Exception as error:
        return [(None, None, "the events can be read", f"{type(error).__name__}: {error}")]
    found: list[Row] = []
    for row in rows.select("session_id", "seq").unique().iter_rows():
        name, seq = row
        if name is None:
            found.append((None, seq, "an event belongs to a session", "an events row has no session_id"))
        elif name not in records:
            message = f"an events row is of session {name!r}, which the sessions table does not have"
            found.append((name, seq, "an event belongs to a session", message))
        else:
            found.append((name, None, "an event has a seq", f"an events row of session {name!r} has no seq"))
    return found
