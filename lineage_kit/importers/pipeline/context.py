"""What every format is given (`Import`), and what it gives back (`Importer`): all that a format and the steps share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import Found, records_of
from lineage_kit.importers.pipeline.session_plan import SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRows

Text = Literal["keep", "drop"]
"""Whether texts, titles and payloads are imported."""


@dataclass
class Import:
    """What an importer is given to work with: where rows are staged, where findings are counted, and how to read."""

    staged: StagedRows
    findings: Findings
    keep_text: bool
    live: bool
    advance: Callable[[int], object]
    files: Sequence[LogFile] = ()
    """All files that are read, in their order."""

    def records(
        self, file: LogFile, decode: Callable[[bytes], Any], *, blank_is_fault: bool = False
    ) -> Iterator[Found]:
        """The records of a file, in order, and the pieces of it that are none; rows staged from here on are of it."""
        self.staged.begin(file)
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
        """Extract: stage a row for each record of a file, and index how its records hang together."""

    def plan(self) -> Iterator[SessionPlan]:
        """Transform: the sessions of all files read, sorted by session_id."""
