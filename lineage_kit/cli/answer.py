"""An answer in the format asked for, on the terminal or into a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from rich.console import Console

from lineage_kit.cli.options import Format
from lineage_kit.cli.process import note, write_data
from lineage_kit.duckdb_connection import quoted
from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.output.places import refuse_no_file
from lineage_kit.output.whole_file import write_whole
from lineage_kit.view import generic
from lineage_kit.view.export import csv_of, parquet_bytes
from lineage_kit.view.report import format_of
from lineage_kit.view.summary import Summary
from lineage_kit.view.tables import table_of
from lineage_kit.view.terminal import drawn


def write_result(result: Any, format: Format, output: Path | None, draw: int, frame: str | None = None) -> None:
    """Write a result; `frame` names the frame of it that CSV, Parquet and tables show, else its main one.

    What those leave out (an unknown anchor, a cut) goes to stderr, so that it is not lost.
    """
    if format in (Format.csv, Format.parquet):
        for notice in generic.summary(result).notices:
            note(f"! {notice.text}")
    if format is Format.parquet:
        assert output is not None
        _save(output, parquet_bytes(generic.csv_frame(result, frame)))
        return
    if format is Format.json:
        text = generic.to_json(result) + "\n"
    elif format is Format.csv:
        text = csv_of(generic.csv_frame(result, frame))
    else:
        console = Console(highlight=False)
        text = _read_aloud(result, frame, format, draw or None, None if output else console)
    if output is None and format in (Format.json, Format.csv):
        write_data(text)
    elif output is None:
        print(text, end="")
    else:
        _save(output, text.encode())


def check_output_options(format: Format, output: Path | None, draw: int, report: Path | None = None) -> None:
    """Refuse, before anything is read, what could not be written in the end."""
    if format is Format.parquet and output is None:
        raise InvalidRequest("--format parquet needs --output FILE")
    if draw < 0:
        raise InvalidRequest(f"--draw takes 0 (all) or a positive number, not {draw}")
    if output is not None:
        refuse_no_file(output, f"--output {output}")
    if report is not None:
        format_of(report)
        refuse_no_file(report, f"--report {report}")


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


def _read_aloud(result: Any, frame: str | None, format: Format, draw: int | None, console: Console | None) -> str:
    """Sentences, then a tree or a table; drawn wide, since a line cut at the window's edge would lose its flags."""
    told = generic.summary(result)
    text = sentences(told, console)
    if told.sentences_only:
        return text
    rows = generic.tree(result, draw) if format is Format.tree else table_of(generic.csv_frame(result, frame), draw)
    return text + drawn(rows, console) + "\n"


def sentences(told: Summary, console: Console | None) -> str:
    """What a summary says before its rows."""
    lines = [(told.title, "bold")] if told.title else []
    lines += [*((f"! {notice.text}", "yellow") for notice in told.notices), *((fact, "") for fact in told.facts)]
    return "".join(drawn(text, console, style=style) + "\n" for text, style in lines)


def _save(output: Path, content: bytes) -> None:
    write_whole(output, content, f"--output {output}")
