"""An answer in the format asked for, on the terminal or into a file."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import duckdb
import polars as pl
from rich.console import Console

from lineage_kit.atomic_write import write_whole
from lineage_kit.cli.options import Format
from lineage_kit.duckdb_connection import quoted
from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view import summary
from lineage_kit.view.export import csv_of, json_of, table_of
from lineage_kit.view.report import format_of
from lineage_kit.view.sessions import event_tree, session_tree
from lineage_kit.view.summary import Summary
from lineage_kit.view.terminal import drawn, tree_of

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


def possible(format: Format, output: Path | None, draw: int, report: Path | None = None) -> None:
    """Refuse, before anything is read, what could not be written in the end."""
    if format is Format.parquet and output is None:
        raise InvalidRequest("--format parquet needs --output FILE")
    if draw < 0:
        raise InvalidRequest(f"--draw takes 0 (all) or a positive number, not {draw}")
    if report is not None:
        format_of(report)


WRITTEN_TYPE = re.compile(r"\b(interval|blob|bit|variant|union|bignum|geometry)\b", re.I)
"""Types of SQL values that not every format can hold; they are written as SQL writes them."""


def answered(connection: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    """The answer of one query as a frame."""
    try:
        relation = connection.sql(query)
        frame = _frame(relation, [bool(WRITTEN_TYPE.search(str(kind))) for kind in relation.types])
        try:
            frame.select(
                name for name, dtype in frame.schema.items() if dtype.is_temporal() or dtype.is_nested()
            ).rows()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # Polars panics on times that Python cannot hold, such as infinity; all become texts
            frame = _frame(relation, [True] * len(relation.columns))
    except duckdb.Error as error:
        raise LineageKitError(" ".join(str(error).split())) from error
    return frame


def _frame(relation: duckdb.DuckDBPyRelation, as_text: list[bool]) -> pl.DataFrame:
    """The rows, with some columns as texts; columns by place, since two of them may have one name."""
    if any(as_text):
        chosen = [
            f"#{place}{'::varchar' if text else ''} as {quoted(name)}"
            for place, (name, text) in enumerate(zip(relation.columns, as_text, strict=True), 1)
        ]
        relation = relation.select(", ".join(chosen))
    frame: pl.DataFrame = relation.pl()
    return frame


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
    assert output is not None
    content = io.BytesIO()
    frame.write_parquet(content)
    _save(output, content.getvalue())


def _save(output: Path, content: bytes) -> None:
    try:
        write_whole(output, content)
    except OSError as error:
        raise InvalidRequest(f"--output {output}: {error.strerror or error}") from error


def note(text: str, style: str = "yellow") -> None:
    """A line on stderr."""
    Console(stderr=True).print(text, style=style, markup=False, highlight=False, soft_wrap=True)
