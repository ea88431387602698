"""The two tables of a corpus, written into a folder."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lineage_kit.errors import SchemaError
from lineage_kit.output.whole_file import whole_file
from lineage_kit.schema import EVENTS
from lineage_kit.sessions.batches import Unsound, chunks
from lineage_kit.sessions.findings import strays
from lineage_kit.sessions.header import sessions_table
from lineage_kit.sessions.listing import Listing


def write_tables(listing: Listing, folder: Path) -> Path:
    """Write `sessions.parquet` and `events.parquet`, each whole or not at all."""
    records = dict(sorted(listing.records().items()))
    problems = [message for _, _, _, message in strays(listing, records)]
    unsound = Unsound()
    parts = [EVENTS.empty()]
    for events, faults in chunks(listing, records, unsound, own=True):
        problems += [f"session {name!r}, {fault.message}" for name, fault in faults.items()]
        problems += _misshapen(events)
        parts.append(events)
    problems += [f"session {name!r}: {error}" for name, error in unsound.unreadable.items()]
    if problems:
        raise SchemaError.of("the corpus cannot be written", problems)
    events = pl.concat(parts, how="diagonal_relaxed").sort("session_id", "seq")
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in (("sessions", sessions_table(list(records.values()))), ("events", events)):
        with whole_file(folder / f"{name}.parquet") as unfinished:
            table.write_parquet(unfinished, row_group_size=100_000)
    return folder


def _misshapen(events: pl.DataFrame) -> list[str]:
    """Rows whose seq is missing, or whose surface_op is none of the two shapes."""
    op = pl.col("surface_op").struct
    start, end = op.field("start"), op.field("end")
    stated = pl.any_horizontal(op.field("op").is_not_null(), start.is_not_null(), end.is_not_null())
    fine = ((op.field("op") == "append") & start.is_null() & end.is_null()) | (
        (op.field("op") == "replace") & start.is_not_null() & end.is_not_null()
    )
    wrong = events.filter((stated & ~fine.fill_null(False)) | pl.col("seq").is_null())
    return [
        f"session {name!r}, seq {seq}: surface_op {shape} is neither append nor replace with start and end"
        if seq is not None
        else f"session {name!r}: an event has no seq"
        for name, seq, shape in wrong.select("session_id", "seq", "surface_op").iter_rows()
    ]
