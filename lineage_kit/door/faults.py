"""Rows that are none: what a row must have and lacks, and values that no answer could show.

A confidence that is infinite is no number in JSON; a time outside the years 1 to 9999, as DuckDB's `infinity` is, is
none in Python. Such a row is as bad as one without an id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import narwhals as nw
import polars as pl

from lineage_kit.door.parquet_files import File
from lineage_kit.door.reading import reading
from lineage_kit.schema import ROW
from lineage_kit.schema_forms import Column
from lineage_kit.wording import counted

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
OUTSIDE = "outside the years 1 to 9999"


class Fault(NamedTuple):
    """One thing that may be wrong with a row: `<column> is <what>` where `test` is true."""

    column: str
    what: str
    test: nw.Expr


def faults(columns: Iterable[Column], given: Collection[str]) -> list[Fault]:
    """All that may be wrong with a row of these columns; `given` are those that a source has."""
    columns = tuple(columns)
    needed = [column for column in columns if column.need in ("non-empty", "non-null")]
    found = [Fault(column.name, "null", nw.col(column.name).is_null()) for column in needed]
    found += [Fault(c.name, "empty", nw.col(c.name) == "") for c in needed if c.need == "non-empty"]
    return found + value_faults(column for column in columns if column.name in given)


def value_faults(columns: Iterable[Column]) -> list[Fault]:
    """Values that cannot be shown."""
    found = []
    for column in columns:
        value = nw.col(column.name)
        if column.holds == "number":
            # Compared, not asked whether it is finite: a value that is no number is none here, but DuckDB takes it
            # for one where the statistics of a Parquet file leave it out.
            endless = nw.lit(float("inf"))
            found.append(Fault(column.name, "infinite", (value == endless) | (value == -endless)))
        elif column.holds == "time":
            found.append(Fault(column.name, OUTSIDE, (value < nw.lit(FIRST)) | (value > nw.lit(LAST))))
    return found


def any_of(tests: Iterable[Fault]) -> nw.Expr:
    """True for a row with any of these faults."""
    return nw.any_horizontal(*(fault.test for fault in tests), ignore_nulls=True)


def problems_of(frame: nw.LazyFrame[Any], tests: list[Fault], files: tuple[File, ...], where: str) -> list[str]:
    """Each fault that rows have, with how many there are and the first of them."""
    if not tests:
        return []
    sums = [fault.test.cast(nw.Int64).sum().alias(f"{fault.column} {fault.what}") for fault in tests]
    counts = collected(frame.select(*sums), where).row(0, named=True)
    problems = []
    for name, what, test in tests:
        if count := counts[f"{name} {what}"]:
            rows = collected(frame.filter(test).select(ROW).sort(ROW).head(3), where)[ROW].to_list()
            told = ", ".join(_place(row, files) for row in rows) + (", …" if count > len(rows) else "")
            problems.append(
                f"{name} is {what} in {counted(count, 'row')} ({told}). "
                "Hint: mend these rows, or open with strict=False to set them aside in store.rejected"
            )
    return problems


def set_aside(rows: pl.DataFrame, tests: Iterable[Fault]) -> pl.DataFrame:
    """Bad rows with their `reason`; a time that cannot be shown is null there, and the reason says it."""
    reasons, times = [], []
    frame = nw.from_native(rows)
    for number, (name, what, test) in enumerate(tests):
        here = frame.select(test.alias("here")).to_native()["here"].fill_null(False)
        text = pl.lit(f"{name} is {what}")
        if what == OUTSIDE:
            text = pl.format("{} ({})", text, _instant(pl.col(name)))
            times.append(pl.when(~here).then(pl.col(name)).alias(name))
        reasons.append(pl.when(here).then(text).alias(f"reason {number}"))
    told = rows.select(reasons)
    return with_reason(rows.with_columns(times), [pl.lit(one) for one in told])


def with_reason(rows: pl.DataFrame, reasons: Sequence[pl.Expr]) -> pl.DataFrame:
    """Rows with a `reason` in words; a column of the user's by that name becomes `own_reason`."""
    own = rows.rename({"reason": "own_reason"}, strict=False)
    return own.with_columns(reason=pl.concat_str(reasons, separator="; ", ignore_nulls=True))


def _instant(time: pl.Expr) -> pl.Expr:
    """An instant that no calendar of Python has, in words."""
    moment = time.to_physical()
    far = 2**63 - 1
    return (
        pl.when(moment >= far)
        .then(pl.lit("infinity"))
        .when(moment <= -far)
        .then(pl.lit("-infinity"))
        .otherwise(pl.format("{} seconds since 1970", moment // 1_000_000))
    )


def _place(row: int, files: tuple[File, ...]) -> str:
    for file in files if len(files) > 1 else ():
        if file.start <= row < file.start + file.rows:
            return f"row {row - file.start} of {file.path}"
    return f"row {row}"


def collected(frame: nw.LazyFrame[Any], where: str) -> pl.DataFrame:
    """A lazy frame, run.

    Raises:
        SchemaError: it cannot be, with why.
    """
    with reading(where):
        rows: pl.DataFrame = frame.collect("polars").to_native()
    return rows
