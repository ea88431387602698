"""Transcripts as files: made once for each size, with what an import must find in them beside."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from benchmarks.transcripts.claude_code import ClaudeCodeLog, Record
from benchmarks.transcripts.codex import CodexLog
from benchmarks.transcripts.dsh import DshLog

MEGABYTE = 1_000_000
COUNTS = "counts.json"


class Log(Protocol):
    """A log that goes on as long as it is asked to."""

    kind: str
    path: str
    events: int
    replacements: int

    def turn(self) -> list[Record]: ...


LOGS: tuple[type[Log], ...] = (ClaudeCodeLog, CodexLog, DshLog)


@dataclass(frozen=True)
class Transcript:
    """A file, and what it holds."""

    path: Path
    bytes: int
    lines: int
    median: int
    longest: int
    events: int
    replacements: int


def transcript(kind: type[Log], megabytes: float, folder: Path) -> Transcript:
    """The transcript of this kind and size, made anew only if the code that makes it has changed."""
    place = folder / f"{kind.kind}-{megabytes:g}MB"
    try:
        counts = json.loads((place / COUNTS).read_text())
    except (OSError, ValueError):
        counts = {}
    if counts.pop("made_by", "") == _maker():
        return Transcript(**counts | {"path": place / counts["path"]})
    shutil.rmtree(place, ignore_errors=True)
    log = kind()
    file = place / log.path
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".part")
    sizes: list[int] = []
    with unfinished.open("wb") as out:
        for line in lines(log, megabytes):
            sizes.append(len(line))
            out.write(line)
    unfinished.replace(file)
    sizes.sort()
    counted = (sum(sizes), len(sizes), sizes[len(sizes) // 2], sizes[-1], log.events, log.replacements)
    made = Transcript(file, *counted)
    kept = asdict(made) | {"path": log.path, "made_by": _maker()}
    (place / COUNTS).write_text(json.dumps(kept))
    return made


def lines(log: Log, megabytes: float) -> Iterator[bytes]:
    """Whole turns of a log until it is this large."""
    encode = msgspec.json.Encoder().encode
    written, wanted = 0, megabytes * MEGABYTE
    while written < wanted:
        for record in log.turn():
            line = encode(record) + b"\n"
            written += len(line)
            yield line


def _maker() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
