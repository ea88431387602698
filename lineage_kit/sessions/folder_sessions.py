"""The tables of a folder that a corpus or an import was written to."""

from __future__ import annotations

from pathlib import Path

from lineage_kit.errors import SchemaError
from lineage_kit.output.folder_manifest import Damaged, damaged, explained
from lineage_kit.output.generation import state_of, steady
from lineage_kit.sessions.session_sources import ParquetSessions

TABLES = ("sessions.parquet", "events.parquet")
REPORT_FILE = "report.parquet"


class FolderSessions(ParquetSessions):
    """Persisted sessions in a folder, which may be written anew at any time; see `one_generation`.

    Args:
        folder: where the tables are.

    Raises:
        SchemaError: no such folder, one of the two tables missing, or a table that does not fit.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        missing = [name for name in TABLES if not (folder / name).is_file()]
        if missing:
            hint = "Hint: give a folder written by write_parquet or import"
            raise SchemaError.of(str(folder), [f"there is no {' and no '.join(missing)}. {hint}"])
        report = folder / REPORT_FILE
        sessions, events = (folder / name for name in TABLES)
        super().__init__(sessions=sessions, events=events, report=report if report.is_file() else None)

    def generation(self) -> object:
        """What is another value when the files are others."""
        return state_of(self._folder, *TABLES, REPORT_FILE)

    def damaged(self) -> list[Damaged]:
        """The files that are not as they were written; none where no manifest tells."""
        return list(damaged(self._folder))


def sessions_of_folder(folder: Path) -> FolderSessions:
    """The tables of a folder that `SessionCorpus.write_parquet` or an import has written.

    Raises:
        SchemaError: no such folder, one of the two tables missing, a table that does not fit, or a damaged file.
    """

    def opened() -> FolderSessions:
        return explained([folder], lambda: FolderSessions(folder))

    return steady(opened, lambda: state_of(folder, *TABLES, REPORT_FILE))
