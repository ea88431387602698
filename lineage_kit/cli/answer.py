"""An answer in the format asked for, on the terminal or into a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import polars as pl
from rich.console import Console

from lineage_kit.cli.options import Format
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view import summary
from lineage_kit.view.export import csv_of, json_of, table_of, write_beside
from lineage_kit.view.sessions import event_tree, session_tree
from lineage_kit.view.summary import Summary
from lineage_kit.view.tree import drawn, tree_of

Result = LineageTrace | Reachability | SessionEventTrace | SessionLineageTrace | pl.DataFrame


def give(result: Result, format: Format, output: Path | None, draw: int, frame: str = "nodes") -> None:
    """Write a result; `frame` names the frame of it that CSV, Parquet and tables show.

    What those leave out (an unknown anchor, a cut) goes to stderr, so that it is not lost.
    """
    whole: pl.DataFrame
    if isinstance(result, pl.DataFrame):
        whole = result
    elif isinstance(result, (SessionEventTrace, SessionLineageTrace)):
        whole = result.frame
    else:
        whole = getattr(result, frame)
    if not isinstance(result, pl.DataFrame) and format in (Format.csv, Format.parquet):
        for warning in summary(result).warnings:
            note(f"! {warning}")
    if format is Format.parquet:
        _parquet(whole, output)
        return
    if format is Format.json:
        text = json_of(result) + "\n"
    elif format is Format.csv:
        text = csv_of(whole)
    else:
        console = Console(highlight=False)
        text = _read_aloud(result, whole, format, draw or None, None if output else console)
    if output is None:
        sys.stdout.write(text)
    else:
        _save(output, text.encode())


def _read_aloud(result: Result, whole: pl.DataFrame, format: Format, draw: int | None, console: Console | None) -> str:
    """Sentences, then a tree or a table; drawn wide, since a line cut at the window's edge would lose its flags."""
    if isinstance(result, pl.DataFrame):
        return drawn(table_of(whole, draw), console) + "\n"
    told = sentences(summary(result), console)
    if isinstance(result, (LineageTrace, Reachability)) and not result.anchor_known:
        return told
    if format is not Format.tree:
        return told + drawn(table_of(whole, draw), console) + "\n"
    if isinstance(result, SessionEventTrace):
        tree = event_tree(result)
    elif isinstance(result, SessionLineageTrace):
        tree = session_tree(result, draw)
    else:
        tree = tree_of(result, draw)
    return told + drawn(tree, console) + "\n"


def sentences(told: Summary, console: Console | None) -> str:
    """What a summary says before its rows."""
    lines = [(told.title, "bold"), *((f"! {text}", "yellow") for text in told.warnings)]
    lines += [(fact, "") for fact in told.facts]
    return "".join(drawn(text, console, style=style) + "\n" for text, style in lines)


def _parquet(frame: pl.DataFrame, output: Path | None) -> None:
    if output is None:
        raise InvalidRequest("--format parquet needs --output FILE")
    content = io.BytesIO()
    frame.write_parquet(content)
    _save(output, content.getvalue())


def _save(output: Path, content: bytes) -> None:
    try:
        write_beside(output, content)
    except OSError as error:
        raise InvalidRequest(f"--output {output}: {error.strerror or error}") from error


def note(text: str, style: str = "yellow") -> None:
    """A line on stderr."""
    Console(stderr=True).print(text, style=style, markup=False, highlight=False, soft_wrap=True)
