"""The steps that every import shares: find the files, read each, plan the sessions, make the tables."""

from __future__ import annotations

import atexit
import gc
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline.files import LogFile, log_files
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import Found, records_of
from lineage_kit.importers.pipeline.parquet import Compression, Writer
from lineage_kit.importers.pipeline.session_plan import Planned
from lineage_kit.importers.pipeline.staging import Drafts
from lineage_kit.importers.pipeline.tables import Made, assembled
from lineage_kit.importers.pipeline.timestamps import moment
from lineage_kit.importers.result import Imported
from lineage_kit.schema import IMPORTED_EVENTS, IMPORTED_SESSIONS, STATED

Text = Literal["keep", "drop"]
SCHEMAS = {"sessions": IMPORTED_SESSIONS.polars, "events": IMPORTED_EVENTS.polars, "relations": STATED.polars}


@dataclass
class Import:
    """What an importer is given to work with: where drafts go, where findings are counted, and how to read."""

    drafts: Drafts
    findings: Findings
    keep_text: bool
    live: bool
    advance: Callable[[int], object]
    files: Sequence[LogFile] = ()
    """All files that are read, in their order."""

    def records(
        self, file: LogFile, decode: Callable[[bytes], Any], *, blank_is_fault: bool = False
    ) -> Iterator[Found]:
        """The records of a file, in order, and the pieces of it that are none; its drafts are numbered from here."""
        self.drafts.begin(file)
        return records_of(
            file, decode, self.findings, live=self.live, blank_is_fault=blank_is_fault, advance=self.advance
        )


class Importer(Protocol):
    """One format. A new one is made for every import, and may keep what it learns about each file."""

    milliseconds: bool
    """Whether times are numbers of milliseconds rather than ISO texts."""

    def __init__(self, work: Import) -> None: ...

    @staticmethod
    def is_log(path: Path) -> bool:
        """Whether a file found in a folder is to be given to `read`, as a log or to be reported as a side file."""

    def read(self, file: LogFile) -> None:
        """Read one file: drafts of its records, and notes on how they hang together."""

    def plan(self) -> Iterator[Planned]:
        """The sessions of all files read, sorted by session_id."""


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
        drafts = stack.enter_context(closing(Drafts(spool, milliseconds=importer.milliseconds)))
        shown = progress and not live
        size = sum(file.size for file in files) if shown else 0
        read = stack.enter_context(_bar("reading", "B", size, shown))
        reading = importer(Import(drafts, findings, text == "keep", live, read.update, files))
        with _uncollected():
            for file in files:
                reading.read(file)
            drafts.flush()
        read.close()
        written = stack.enter_context(_bar("making tables of", " events", len(drafts), shown))
        made = _told(assembled(_since(reading.plan(), since), drafts, findings), written)
        tables, folder = _put_aside(made, compression) if drafts.spilled else (_in_memory(made), None)
        counts = {name: frame.select(pl.len()).collect().item() for name, frame in tables.items()}
    return Imported(**tables, report=findings.frame(), counts={**counts, "files": len(files)}, folder=folder)


def _bar(doing: str, unit: str, total: int, shown: bool) -> Any:
    from tqdm import tqdm  # only here: importing the package stays light

    return tqdm(total=total, desc=doing, unit=unit, unit_scale=True, delay=2, leave=False, disable=not shown)


def _told(made: Iterator[Made], bar: Any) -> Iterator[Made]:
    for tables in made:
        yield tables
        bar.update(tables.events.height)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of circles, which would look again and again at millions of rows that have none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _since(planned: Iterator[Planned], since: datetime | None) -> Iterator[Planned]:
    """Only sessions that have an event at or after a time; those without any time stay."""
    for one in planned:
        until = None if since is None else moment(one.until)
        if since is None or until is None or until >= since:
            yield one


def _in_memory(made: Iterator[Made]) -> dict[str, pl.LazyFrame]:
    parts: dict[str, list[pl.DataFrame]] = {name: [pl.DataFrame(schema=schema)] for name, schema in SCHEMAS.items()}
    for tables in made:
        for name, frame in tables._asdict().items():
            parts[name].append(frame)
    return {name: pl.concat(frames).lazy() for name, frames in parts.items()}


def _put_aside(made: Iterator[Made], compression: Compression) -> tuple[dict[str, pl.LazyFrame], Path]:
    """The tables as Parquet in a folder that goes when Python ends, written while the next part is made."""
    folder = Path(tempfile.mkdtemp(prefix="lineage-kit-import-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with ExitStack() as stack:
        thread = stack.enter_context(ThreadPoolExecutor(1))
        writers = {
            name: stack.enter_context(Writer(folder / f"{name}.parquet", schema, compression))
            for name, schema in SCHEMAS.items()
        }

        def write(tables: Made) -> None:
            for name, frame in tables._asdict().items():
                writers[name].write(frame)

        waiting: Future[None] | None = None
        for tables in made:
            if waiting is not None:
                waiting.result()
            waiting = thread.submit(write, tables)
        if waiting is not None:
            waiting.result()
    return {name: pl.scan_parquet(folder / f"{name}.parquet") for name in SCHEMAS}, folder
