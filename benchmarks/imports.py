"""Transcripts of other tools: files to tables, beside loops that only parse each line and forget it.

What the import needs is imported only where it runs: the memory of the loops is to be theirs alone.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from benchmarks.results import Section, shown, size
from benchmarks.subprocess_peer import Apart
from benchmarks.transcripts.corpus_files import LOGS, MEGABYTE, Transcript, transcript

if TYPE_CHECKING:
    from lineage_kit import Imported

TITLES = {"claude_code": "Claude Code", "codex": "Codex", "dsh": "deepseek-harness"}
JSON, MSGSPEC = "json.loads of each line", "msgspec.json.decode of each line"
BLOCK = 1 << 20
# A loop on one core that waits more than this for each second it works was kept waiting by others.
BUSY = 1.2


class Reader:
    """Something that reads a whole transcript."""

    _began = _ended = 0.0

    def warm(self, path: Path) -> None:
        """Bring the file into the page cache."""
        with path.open("rb") as file:
            while file.read(BLOCK):
                pass

    def run(self, path: Path) -> None:
        """What is timed."""
        self._began = time.process_time()
        self._run(path)
        self._ended = time.process_time()

    def processor(self) -> float:
        """Seconds that the run took of all cores together."""
        return self._ended - self._began

    def found(self) -> tuple[int, ...]:
        """What the run found, to be compared with what there is."""
        raise NotImplementedError

    def close(self) -> None:
        """Remove what it left behind."""

    def _run(self, path: Path) -> None:
        raise NotImplementedError


class Reads(Reader):
    """An import of one format, as a user calls it: from the file to tables that are ready to be asked."""

    imported: Imported

    def __init__(self, kind: str) -> None:
        import lineage_kit

        self._read = getattr(lineage_kit, f"read_{kind}")

    def _run(self, path: Path) -> None:
        self.imported = self._read(path, progress=False)

    def found(self) -> tuple[int, ...]:
        """Events, and replacements among them."""
        import polars as pl

        replaces = pl.col("surface_op").struct.field("op") == "replace"
        counted = self.imported.events.select(events=pl.len(), replaces=replaces.sum()).collect(engine="streaming")
        return counted["events"].item(), counted["replaces"].item()

    def close(self) -> None:
        self.imported.close()


class Parses(Reader):
    """A loop that parses every line and keeps nothing, each parser with what it reads fastest."""

    def __init__(self, parser: str) -> None:
        if parser == MSGSPEC:
            import msgspec

            self._parse: Callable[[Any], Any] = msgspec.json.decode
            self._open: Callable[[Path], IO[Any]] = partial(open, mode="rb")
        else:
            self._parse = json.loads
            self._open = partial(open, encoding="utf-8", newline="\n")

    def _run(self, path: Path) -> None:
        parse, count = self._parse, 0
        with self._open(path) as file:
            for line in file:
                parse(line)
                count += 1
        self._lines = count

    def found(self) -> tuple[int, ...]:
        """Lines."""
        return (self._lines,)


class Round(NamedTuple):
    """What one run in a fresh process took."""

    seconds: float
    processor: float
    peak: int


def imports(megabytes: float, fresh: int, folder: Path) -> Section:
    """Every format at one size; each round of each reader has a fresh process, and they take turns."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    busy = False
    for kind in LOGS:
        log = transcript(kind, megabytes, folder / "transcripts")
        rounds = _measured(kind.kind, log, fresh)
        medians = {name: statistics.median(one.seconds for one in runs) for name, runs in rounds.items()}
        for name, runs in rounds.items():
            rows.append(
                (
                    f"{TITLES[kind.kind]}, {name}",
                    shown(medians[name]),
                    shown(statistics.median(one.processor for one in runs)),
                    f"{log.bytes / MEGABYTE / medians[name]:,.0f}",
                    f"{log.lines / medians[name]:,.0f}",
                    f"{medians[name] / medians[JSON]:.2f}",
                    size(max(one.peak for one in runs)),
                    "" if name in (JSON, MSGSPEC) else "1.00 or less",
                )
            )
        busy |= statistics.median(one.seconds / one.processor for one in rounds[JSON]) > BUSY
        notes.append(
            f"{TITLES[kind.kind]} {size(log.bytes)} in {log.lines:,} lines (half of them of {log.median:,} bytes or "
            f"less, the longest {log.longest:,}) with {log.events:,} events and {log.replacements:,} replacements"
        )
    section = Section(f"Imports, {megabytes:,g} MB")
    section.note(
        "One made-up transcript of each format (`benchmarks/transcripts/`), in the shapes and proportions of real "
        f"ones, in the page cache: {'; '.join(notes)}."
    )
    section.note(
        "What is compared is not the same work. The loops parse each line whole and forget it. The import parses only "
        "what its tables name, but pairs calls with results, works out the surface, and keeps payloads and texts in "
        "the tables it gives back; Polars and Arrow help it, with a second core where there is one, which the time of "
        "the processor counts and the median does not. A time counts only if the tables have the events and "
        "replacements that the transcript was made with. Peak memory is that of the whole process, Python and all that "
        "is imported included; what a large import puts aside on disk counts while it is mapped."
    )
    if busy:
        section.note("The machine was busy with other work meanwhile: only the times of the processor can be compared.")
    columns = ("in a fresh process", "median", "processor", "MB a second", "lines a second", "to json.loads", "peak")
    section.table("From the file to the tables", (*columns, "target"), rows)
    return section


def _measured(kind: str, log: Transcript, fresh: int) -> dict[str, list[Round]]:
    """Rounds of the import and of both loops, all of which found what there is to find."""
    things: dict[str, tuple[Callable[[], Reader], tuple[int, ...]]] = {
        f"lineage_kit: read_{kind}": (partial(Reads, kind), (log.events, log.replacements)),
        JSON: (partial(Parses, JSON), (log.lines,)),
        MSGSPEC: (partial(Parses, MSGSPEC), (log.lines,)),
    }
    rounds: dict[str, list[Round]] = {name: [] for name in things}
    for _ in range(fresh):
        for name, (reader, expected) in things.items():
            with Apart(reader) as process:
                process.call("warm", log.path)
                call = process.call("run", log.path)
                rounds[name].append(Round(call.seconds, process.call("processor").value, call.peak))
                found = process.call("found").value
                process.call("close")
            if found != expected:
                raise SystemExit(f"{name} found {found} in {log.path}, where {expected} are; nothing was timed")
    return rounds
