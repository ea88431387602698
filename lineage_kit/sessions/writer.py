"""The two tables of a corpus, written into a folder."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lineage_kit.errors import SchemaError
from lineage_kit.output.folder_manifest import SESSIONS, write_tables_manifest
from lineage_kit.output.generation import new_generation, refuse_no_folder
from lineage_kit.output.parquet import write_frame
from lineage_kit.schema import EVENTS
from lineage_kit.sessions.batches import Unsound, chunks
from lineage_kit.sessions.findings import strays
from lineage_kit.sessions.generations import in_one_generation
from lineage_kit.sessions.header import sessions_table
from lineage_kit.sessions.listing import Listing

LONG = ("payload", "text", "title")
"""Columns whose values may be long, so that the least and the greatest of them are not told in the file."""


def write_tables(listing: Listing, folder: Path) -> Path:
    """Write `sessions.parquet` and `events.parquet` with their manifest, all of them or nothing."""
    refuse_no_folder(folder, SESSIONS)
    sessions, events = in_one_generation(listing, lambda: _tables(listing))
    with new_generation(folder, SESSIONS) as unfinished:
        write_frame(sessions, unfinished / "sessions.parquet", long=LONG)
        write_frame(events, unfinished / "events.parquet", long=LONG)
        write_tables_manifest(unfinished, SESSIONS)
    return folder


def _tables(listing: Listing) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The two tables, if they can hold all that is there."""
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
    whole = pl.concat(parts, how="diagonal_relaxed").sort("session_id", "seq")
    return sessions_table(list(records.values())), whole


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
