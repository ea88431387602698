"""The door through which a user's table becomes a canonical one.

The door renames, maps kinds, fills constants, casts and checks. It is written once, in Narwhals, and runs where the
data is: in Polars, or in DuckDB for Parquet. Everything wrong with a table comes out in one `SchemaError`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import polars as pl

from lineage_kit.door.dtypes import left_out_word
from lineage_kit.door.faults import Fault, any_of, collected, faults, problems_of, set_aside, value_faults
from lineage_kit.door.faults import with_reason as with_reason
from lineage_kit.door.in_memory import warn
from lineage_kit.door.parquet_files import File
from lineage_kit.door.reading import PanicException, reading
from lineage_kit.door.sources import Opened, Source
from lineage_kit.door.table_spec import AS_IT_IS, TableSpec
from lineage_kit.errors import SchemaError
from lineage_kit.schema import ROW
from lineage_kit.schema_forms import Column, Schema


@dataclass(frozen=True)
class Table:
    """A canonical table, still lazy: canonical columns, then the user's own, then the row number `edge`.

    `given` are the canonical columns that a source has, the others being null throughout; `left_out` says what of
    the sources' own could not be carried.
    """

    frame: nw.LazyFrame[Any]
    schema: Schema
    name: str
    files: tuple[File, ...]
    given: frozenset[str]
    left_out: tuple[str, ...] = ()

    @property
    def faults(self) -> list[Fault]:
        """All that may be wrong with a row."""
        return faults(self.schema, self.given)

    def empty(self) -> pl.DataFrame:
        """No rows, every column with its dtype."""
        return collected(self.frame.head(0), self.name)

    def bad(self) -> nw.Expr:
        """True for a row that lacks something it must have, or holds what cannot be shown."""
        return any_of(self.faults)

    def bad_values(self) -> nw.Expr:
        """True for a row that holds what cannot be shown."""
        tests = value_faults(column for column in self.schema if column.name in self.given)
        return any_of(tests) if tests else nw.lit(False)

    def good(self) -> Table:
        """The same table without its bad rows."""
        return replace(self, frame=self.frame.filter(~self.bad()))

    def refuse(self) -> None:
        """Raise the error that names every kind of bad row.

        Raises:
            SchemaError: always when there are bad rows.
        """
        if problems := problems_of(self.frame, self.faults, self.files, self.name):
            raise SchemaError.of(self.name, problems)

    def read(self, wanted: nw.LazyFrame[Any] | None = None) -> pl.DataFrame:
        """All rows, or the wanted ones of them, none of which may hold what cannot be shown.

        Raises:
            SchemaError: one does, or the source cannot be read.
        """
        rows = collected(self.frame if wanted is None else wanted, self.name)
        there = [column for column in self.schema if column.name in self.given and column.name in rows.columns]
        if problems := problems_of(nw.from_native(rows.lazy()), value_faults(there), self.files, self.name):
            raise SchemaError.of(self.name, problems)
        return rows

    def rejected(self) -> pl.DataFrame:
        """The bad rows with a `reason`, by row number."""
        return set_aside(collected(self.frame.filter(self.bad()), self.name).sort(ROW), self.faults)


def canonical(
    opened: Opened,
    schema: Schema,
    spec: TableSpec = AS_IT_IS,
    told: set[str] | None = None,
) -> Table:
    """The union of the opened sources as one canonical table; renames were applied when they were opened.

    A warning says which columns of the sources' own are left out, but for what was `told` before.

    Raises:
        SchemaError: everything that is wrong with the table, at once (values are looked at only when columns are bad).
    """
    problems = _mapping_problems(opened, spec)
    frames = []
    given: set[str] = set()
    for source in opened.sources:
        with reading(source.name):
            frame, wrong = _mapped(source, schema, spec, lone=len(opened.sources) == 1)
            if wrong:
                usable = [c for c in schema if c.name in frame.collect_schema().names()]
                wrong += problems_of(frame, faults(usable, schema.names), source.files, source.name)
            given.update(source.frame.collect_schema().names())
        where = "" if len(opened.sources) == 1 else f"{source.name}: "
        problems += [where + problem for problem in wrong]
        frames.append(frame)
    problems += _extra_problems(opened.sources, frames, schema)
    if problems:
        raise SchemaError.of(opened.name, problems)
    with reading(opened.name):
        union = frames[0] if len(frames) == 1 else nw.concat(frames, how="diagonal")
        extras = [name for name in union.collect_schema().names() if name not in (*schema.names, ROW)]
        frame = union.select(*schema.names, *extras, ROW)
    left_out = _left_out(opened, told)
    return Table(frame, schema, opened.name, opened.files, frozenset(given & set(schema.names)), left_out)


def _left_out(opened: Opened, told: set[str] | None) -> tuple[str, ...]:
    """What could not be carried, in words; each is a warning the first time."""
    texts = tuple(f"{s.name}: {left_out_word(*one)}" for s in opened.sources for one in s.left_out.items())
    if texts:
        known = set[str]() if told is None else told
        warn(text for text in texts if text not in known)
        known.update(texts)
    return texts


def _mapped(
    source: Source,
    schema: Schema,
    spec: TableSpec,
    *,
    lone: bool,
) -> tuple[nw.LazyFrame[Any], list[str]]:
    """One source with canonical columns; columns that cannot be made are left out and told."""
    there, given = source.frame.collect_schema(), spec.constants
    made: dict[str, nw.Expr] = {}
    dropped: list[str] = []
    problems: list[str] = []
    for column in schema:
        if (dtype := source.left_out.get(column.name)) is not None:
            problems.append(f"column {column.name} is {dtype}, expected {WANTED[column.holds]}. {_fix(column)}")
        elif column.name in there:
            if column.name in given and lone:
                problems.append(
                    f"column {column.name} is there and a constant {column.name}={given[column.name]!r} is given too. "
                    "Hint: give one of the two"
                )
            expr, wrong = _cast(source.frame, column, there[column.name])
            problems += wrong
            if wrong:
                dropped.append(column.name)
            else:
                made[column.name] = expr
        elif column.name in given:
            made[column.name] = nw.lit(given[column.name], nw.String())
        elif column.need == "none":
            made[column.name] = nw.lit(None, column.dtype.narwhals)
        else:
            problems.append(_missing(column.name, [n for n in there.names() if n != ROW]))
    if "edge_class" in made:
        made["edge_class"] = nw.coalesce(made["edge_class"], nw.lit("asserted"))
    if spec.kinds and "relation_kind" in made:
        made["relation_kind"] = _kind_map(made["relation_kind"], spec.kinds)
    frame = source.frame.with_columns(**{n: e.alias(n) for n, e in made.items()})
    return (frame.drop(dropped) if dropped else frame), problems


def _cast(frame: nw.LazyFrame[Any], column: Column, dtype: Any) -> tuple[nw.Expr, list[str]]:
    """The column in its canonical dtype, or what is wrong with it."""
    expr = nw.col(column.name)
    if column.holds == "text" and dtype == nw.String:
        return expr, []
    if column.holds == "number" and dtype.is_numeric():
        number = expr.cast(nw.Float64)
        return nw.when(~number.is_nan()).then(number), []
    if column.holds == "integer" and dtype.is_integer():
        return expr.cast(nw.Int64), []
    if column.holds == "flag" and dtype == nw.Boolean:
        return expr, []
    if column.holds == "time" and dtype == nw.Datetime and dtype.time_zone is not None:
        return expr.cast(column.dtype.narwhals), []
    if column.holds == "integer" and dtype.is_float():
        # pandas holds integers with gaps as floats; a number with an integral value is that integer.
        wrong = (expr != expr.round(0)) | ~(expr.is_finite() | expr.is_nan())
        broken = collected(frame.filter(wrong).select(column.name).head(1), column.name)
        if broken.is_empty():
            return nw.when(~expr.is_nan()).then(expr).cast(nw.Int64), []
    held = collected(frame.select(column.name).filter(~expr.is_null()).head(3), column.name)[column.name]
    if held.is_empty():
        return nw.lit(None, column.dtype.narwhals), []
    shown = ", ".join(repr(value)[:60] for value in _values(held))
    wanted, fix = WANTED[column.holds], _fix(column)
    name = column.name
    if column.holds == "time" and (dtype == nw.Datetime or dtype == nw.Date):
        fix = f"Hint: say which zone it is in, e.g. pl.col('{name}').dt.replace_time_zone('UTC')"
        if dtype == nw.Date:
            fix = f"Hint: say which instant is meant, e.g. pl.col('{name}').cast(pl.Datetime('us', 'UTC'))"
        wanted += " (it is naive)"
    return expr, [f"column {name} is {dtype}, expected {wanted}; it holds {shown}. {fix}"]


WANTED = {
    "text": "text (String)",
    "number": "a number (Float64)",
    "integer": "whole numbers (Int64)",
    "flag": "true or false (Boolean)",
    "time": "a time with a zone",
}


def _fix(column: Column) -> str:
    name = column.name
    fix = {
        "text": f"cast it to text first, e.g. pl.col('{name}').cast(pl.String)",
        "number": f"cast it to a number first, e.g. pl.col('{name}').cast(pl.Float64)",
        "integer": f"cast it to whole numbers first, e.g. pl.col('{name}').cast(pl.Int64)",
        "flag": f"cast it to true or false first, e.g. pl.col('{name}').cast(pl.Boolean)",
        "time": f"parse it first, e.g. pl.col('{name}').str.to_datetime(time_zone='UTC')",
    }[column.holds]
    return f"Hint: {fix}"


def _values(held: pl.Series) -> list[Any]:
    """Values to show; as they are stored where Python has none for them, as for DuckDB's `infinity`."""
    try:
        return held.to_list()
    except (PanicException, ValueError, OverflowError):
        return held.to_physical().to_list()


def _kind_map(expr: nw.Expr, kinds: Mapping[str, str]) -> nw.Expr:
    mapped = expr
    for old, new in kinds.items():
        mapped = nw.when(expr == nw.lit(old)).then(nw.lit(new)).otherwise(mapped)
    return mapped


def _missing(name: str, there: list[str]) -> str:
    lowered = {other.casefold(): other for other in there}
    near = difflib.get_close_matches(name, lowered, n=1, cutoff=0.6)
    guess = lowered[near[0]] if near else (there[0] if there else "your_column")
    shown = ", ".join(there[:12]) + (", …" if len(there) > 12 else "")
    constant = f" (or {name}='…' if all have one type)" if name.endswith("_type") else ""
    return f"column {name} is missing; there are: {shown or 'none'}. Hint: columns={{{guess!r}: {name!r}}}{constant}"


def _mapping_problems(opened: Opened, spec: TableSpec) -> list[str]:
    there = {name for source in opened.sources for name in source.frame.collect_schema().names()}
    problems = [
        f"columns= maps {old!r} to {new!r}, but there is no column {old!r}. "
        f"Hint: there are {', '.join(sorted(there - {ROW}))}"
        for old, new in spec.columns.items()
        if new not in there
    ]
    problems += [
        f"kinds= maps {old!r} to {new!r}; both must be text"
        for old, new in spec.kinds.items()
        if not (isinstance(old, str) and isinstance(new, str))
    ]
    problems += [
        f"{name}={value!r} must be a non-empty text"
        for name, value in spec.constants.items()
        if not (isinstance(value, str) and value)
    ]
    return problems


def _extra_problems(sources: Sequence[Source], frames: Sequence[nw.LazyFrame[Any]], schema: Schema) -> list[str]:
    """Own columns of one name must have one dtype in every source of a union."""
    first: dict[str, tuple[Any, str]] = {}
    problems = []
    for source, frame in zip(sources, frames, strict=True):
        for name, dtype in frame.collect_schema().items():
            if name in schema:
                continue
            was, where = first.setdefault(name, (dtype, source.name))
            if was != dtype:
                problems.append(
                    f"column {name} is {was} in {where} and {dtype} in {source.name}. Hint: cast or rename one of them"
                )
    return problems
