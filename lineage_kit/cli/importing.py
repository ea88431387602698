"""Importing what other tools wrote into a folder, and saying what could not be taken as it stood."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.registry import FORMATS, RELATION_FORMATS, listed
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs
from lineage_kit.output.folder_manifest import IMPORT, RELATIONS_IMPORT
from lineage_kit.output.generation import refuse_no_folder
from lineage_kit.view.results.imported import NOTHING, by_kind
from lineage_kit.view.tables import table_of
from lineage_kit.view.terminal import drawn
from lineage_kit.wording import counted

NOUNS = {"session": "session", "event": "event", "relation": "stated link", "file": "file"}


if TYPE_CHECKING:
    Origin = StrEnum
else:
    Origin = StrEnum("Origin", {name.replace("-", "_"): name for name in (*FORMATS, *RELATION_FORMATS)})
"""What is to be imported: the formats that are registered, as choices of the command line."""


def import_logs(
    origin: Annotated[
        Origin,
        typer.Argument(
            metavar="FORMAT", help=f"Whose transcripts: {listed(FORMATS)}; or relations: {listed(RELATION_FORMATS)}."
        ),
    ],
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, plain, gzip or zstd, or folders of them.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write: a new folder, or an import.")],
    drop_text: Annotated[
        bool, typer.Option("--drop-text", help="Leave out what was said: no text, no payload; ids and names stay.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only sessions with an event at or after this, e.g. 2026-11-01."),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option("--zone", metavar="ZONE", help="Of relations: the zone of times without one, e.g. Europe/Berlin."),
    ] = None,
) -> None:
    """Import what other tools wrote into a folder that --corpus and --data open.

    Of transcripts it writes sessions, events, relations, items and report, of the others relations, items and report,
    each as Parquet, all of them or nothing. Run it again when the sources have grown: the folder is then what a fresh
    import gives.

    Example: lineage-kit import claude-code data/transcripts/claude_code --out my_logs

    Example: lineage-kit import adr data/relations/adr --out my_adrs
    """
    text: Text = "drop" if drop_text else "keep"
    if origin.value in RELATION_FORMATS:
        if since is not None:
            raise InvalidRequest(f"--since chooses sessions, and {origin.value} has none. Hint: leave it out")
        _import_relations(origin.value, paths, out, zone, text)
        return
    if zone is not None:
        raise InvalidRequest(f"--zone is for relations; times of {origin.value} have their zones. Hint: leave it out")
    begin = None if since is None else date_of(since)
    refuse_no_folder(out, IMPORT)
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


def _import_relations(name: str, paths: list[str], out: Path, zone: str | None, text: Text) -> None:
    """Import relations, tell the report, and write the folder."""
    refuse_no_folder(out, RELATIONS_IMPORT)
    imported = read_relations(RELATION_FORMATS[name], paths, zone=zone, text=text)
    _tell_report(imported)
    found = {noun: counted(imported.counts[f"{noun}s"], noun) for noun in ("relation", "item", "file")}
    if not (imported.counts["relations"] or imported.counts["items"]):
        what = (
            f"nothing of {name} in {found['file']}" if imported.counts["files"] else f"no file there looks like {name}"
        )
        raise LineageKitError(f"nothing could be imported: {what}; {out} is as it was")
    imported.write_parquet(out)
    print(f"{found['relation']}, {found['item']} of {found['file']} are in {out}")


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


def _tell_report(imported: Imported | ImportedRelations) -> None:
    """The report, one line a kind: how often, in how many files, where first, and what the import made of it."""
    kinds = by_kind(imported.report)
    if not kinds.height:
        print(NOTHING)
        return
    console = Console(highlight=False)
    print(drawn("What was found that needs a word:", console, style="bold"))
    print(drawn(table_of(kinds, None), console))
