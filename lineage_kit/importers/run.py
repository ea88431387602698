"""The steps that every import shares, for whatever format.

1. Extract: find the files and read each; rows are staged, and it is indexed how records hang together.
2. Transform: plan the sessions of all files.
3. Load: build the tables of the plans and the staged rows, in memory or as Parquet.

This module knows no format: it is called with the class of one, by the `read_*` function beside that class.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline.collecting import uncollected
from lineage_kit.importers.pipeline.context import Import, Importer, Text
from lineage_kit.importers.pipeline.files import log_files
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.parquet import table_writer
from lineage_kit.importers.pipeline.session_plan import SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRows
from lineage_kit.importers.pipeline.tables import Tables, build_tables
from lineage_kit.importers.pipeline.timestamps import moment
from lineage_kit.importers.result import Imported
from lineage_kit.output.parquet import Compression
from lineage_kit.progress import bar
from lineage_kit.schema import IMPORTED_EVENTS, IMPORTED_SESSIONS, STATED

SCHEMAS = {"sessions": IMPORTED_SESSIONS, "events": IMPORTED_EVENTS, "relations": STATED}


def read_logs(
    importer: type[Importer],
    path: Any,
    *,
    text: Text = "keep",
    progress: bool = True,
    live: bool = False,
    since: datetime | None = None,
    compression: Compression = "none",
) -> Imported:
    """Import files or folders of one format.

    `compression` is that of the tables of a large import: quick to write, or small to keep.

    Raises:
        InvalidRequest: a path that is not there, or an option that is none.
    """
    if text not in get_args(Text):
        raise InvalidRequest(f"text must be 'keep' or 'drop', got {text!r}")
    files = log_files(path, importer.is_log)
    findings = Findings()
    with ExitStack() as stack:
        spool = None if live else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lineage-kit-")))
        staged = stack.enter_context(closing(StagedRows(spool, milliseconds=importer.milliseconds)))
        shown = progress and not live
        size = sum(file.size for file in files) if shown else 0
        read = stack.enter_context(bar(total=size, doing="reading", unit="B", scaled=True, shown=shown))
        reading = importer(Import(staged, findings, text == "keep", live, read.update, files))
        with uncollected():
            for file in files:
                reading.read(file)
            staged.flush()
        read.close()
        written = stack.enter_context(
            bar(total=len(staged), doing="making tables of", unit=" events", scaled=True, shown=shown)
        )
        parts = _advancing(build_tables(_since(reading.plan(), since), staged, findings), written)
        tables, folder = _on_disk(parts, compression) if staged.spilled else (_in_memory(parts), None)
        counts = {name: frame.select(pl.len()).collect().item() for name, frame in tables.items()}
    return Imported(**tables, report=findings.frame(), counts={**counts, "files": len(files)}, folder=folder)


def _advancing(parts: Iterator[Tables], written: Any) -> Iterator[Tables]:
    for tables in parts:
        yield tables
        written.update(tables.events.height)


def _since(plans: Iterator[SessionPlan], since: datetime | None) -> Iterator[SessionPlan]:
    """Only sessions that have an event at or after a time; those without any time stay."""
    for one in plans:
        until = None if since is None else moment(one.until)
        if since is None or until is None or until >= since:
            yield one


def _in_memory(parts: Iterator[Tables]) -> dict[str, pl.LazyFrame]:
    held = {name: [schema.empty()] for name, schema in SCHEMAS.items()}
    for tables in parts:
        for name, frame in tables._asdict().items():
            held[name].append(frame)
    return {name: pl.concat(frames).lazy() for name, frames in held.items()}


def _on_disk(parts: Iterator[Tables], compression: Compression) -> tuple[dict[str, pl.LazyFrame], Path]:
    """The tables as Parquet in a folder that goes when Python ends, written while the next part is made."""
    folder = Path(tempfile.mkdtemp(prefix="lineage-kit-import-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with ExitStack() as stack:
        thread = stack.enter_context(ThreadPoolExecutor(1))
        writers = {
            name: stack.enter_context(table_writer(folder / f"{name}.parquet", schema.polars, compression))
            for name, schema in SCHEMAS.items()
        }

        def write(tables: Tables) -> None:
            for name, frame in tables._asdict().items():
                writers[name].write(frame)

        waiting: Future[None] | None = None
        for tables in parts:
            if waiting is not None:
                waiting.result()
            waiting = thread.submit(write, tables)
        if waiting is not None:
            waiting.result()
    return {name: pl.scan_parquet(folder / f"{name}.parquet") for name in SCHEMAS}, folder
