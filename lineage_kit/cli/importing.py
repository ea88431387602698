"""Importing other tools' logs into a folder, and saying what could not be taken as it stood."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.registry import FORMATS, listed
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs
from lineage_kit.output.folder_manifest import IMPORT
from lineage_kit.output.generation import refuse_no_folder
from lineage_kit.view.results.imported import NOTHING, by_kind
from lineage_kit.view.tables import table_of
from lineage_kit.view.terminal import drawn
from lineage_kit.wording import counted

NOUNS = {"session": "session", "event": "event", "relation": "stated link", "file": "file"}


if TYPE_CHECKING:
    Origin = StrEnum
else:
    Origin = StrEnum("Origin", {name.replace("-", "_"): name for name in FORMATS})
"""Whose logs they are: the formats that are registered, as choices of the command line."""


def import_logs(
    origin: Annotated[Origin, typer.Argument(metavar="FORMAT", help=f"Whose logs: {listed()}.")],
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Transcripts, plain, gzip or zstd, or folders of them.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write: a new folder, or an import.")],
    drop_text: Annotated[
        bool, typer.Option("--drop-text", help="Leave out what was said: no text, no payload, no title.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only sessions with an event at or after this, e.g. 2026-11-01."),
    ] = None,
) -> None:
    """Import the logs of another tool into a folder that --corpus and --data open.

    It writes sessions, events, relations, items and report, each as Parquet, all of them or nothing. Run it again when
    the logs have grown: the folder is then what a fresh import gives.

    Example: lineage-kit import claude-code data/transcripts/claude_code --out my_logs
    """
    begin = None if since is None else date_of(since)
    refuse_no_folder(out, IMPORT)
    text: Text = "drop" if drop_text else "keep"
    imported = read_logs(FORMATS[origin.value], paths, text=text, since=begin, compression="zstd")
    _tell_report(imported)
    if not imported.counts["sessions"]:
        files = imported.counts["files"]
        what = f"no session in {counted(files, 'file')}" if files else "no file there looks like a log"
        left_out = "" if since is None else f" with an event since {since}"
        raise LineageKitError(f"nothing could be imported: {what}{left_out}; {out} is as it was")
    imported.write_parquet(out)
    told = {name: counted(imported.counts[f"{name}s"], noun) for name, noun in NOUNS.items()}
    print(f"{told['session']}, {told['event']} and {told['relation']} of {told['file']} are in {out}")
    imported.close()


def date_of(text: str) -> datetime:
    """A date, which is its midnight in UTC, or a time with a zone.

    Example:
        >>> date_of("2026-11-01").isoformat()
        '2026-11-01T00:00:00+00:00'
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidRequest(f"--since {text!r} is not an ISO 8601 date. Hint: write it like 2026-11-01") from None
    if moment.tzinfo is None and len(text) > len("2026-11-01"):
        raise InvalidRequest(f"--since {text!r} has no time zone. Hint: write it like 2026-11-01T12:00:00Z")
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _tell_report(imported: Imported) -> None:
    """The report, one line a kind: how often, in how many files, where first, and what the import made of it."""
    kinds = by_kind(imported.report)
    if not kinds.height:
        print(NOTHING)
        return
    console = Console(highlight=False)
    print(drawn("What the logs held that needs a word:", console, style="bold"))
    print(drawn(table_of(kinds, None), console))
