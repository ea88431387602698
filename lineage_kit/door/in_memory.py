"""A table in memory of any library as a Polars frame, column by column, and which columns could not be taken."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from lineage_kit.door.dtypes import STORED, importable, in_sql, left_out_word, uuid_text
from lineage_kit.door.reading import FOREIGN, cause, unreadable
from lineage_kit.duckdb_connection import quoted
from lineage_kit.errors import LineageKitError, SchemaError

MOST_SECONDS = (2**63 - 1) // 1000


@dataclass(frozen=True)
class Taken:
    """A table taken into memory.

    Attributes:
        frame: the columns that could be taken.
        name: what messages call it.
        left_out: the others, with what they are.
    """

    frame: pl.DataFrame
    name: str
    left_out: dict[str, str] = field(default_factory=dict)


def taken_in(part: Any) -> Taken:
    """Any dataframe as a Polars one.

    Raises:
        SchemaError: the object is no table, or a table that cannot be read at all.
    """
    if isinstance(part, Taken):
        return part
    name = f"the {kind_of(part)}"
    try:
        if isinstance(part, pl.LazyFrame):
            return Taken(part.collect(), name)
        if isinstance(part, pl.DataFrame):
            return Taken(part, name)
        if isinstance(part, duckdb.DuckDBPyRelation):
            return _of_relation(part, name)
        return _of_arrow(*_arrow(part), name)
    except LineageKitError:
        raise
    except (*FOREIGN, Exception) as error:
        raise unreadable(name, error) from error


def in_memory(part: Any) -> pl.DataFrame:
    """Any dataframe as a Polars one; a warning says which columns are left out.

    Raises:
        SchemaError: as `taken_in`.
    """
    taken = taken_in(part)
    warn(f"{taken.name}: {left_out_word(*one)}" for one in taken.left_out.items())
    return taken.frame


def warn(texts: Iterable[str]) -> None:
    """A `UserWarning` for each text, at the line outside this package that asked."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("lineage_kit"):
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, UserWarning, stacklevel=level)


def kind_of(part: Any) -> str:
    """What a table in memory is called in messages, such as `pandas DataFrame`."""
    library = type(part).__module__.partition(".")[0]
    known = {"polars": "Polars", "pandas": "pandas", "pyarrow": "PyArrow", "duckdb": "DuckDB", "_duckdb": "DuckDB"}
    name = "relation" if isinstance(part, duckdb.DuckDBPyRelation) else type(part).__name__
    return f"{known.get(library, library)} {name}"


def usable_names(names: Iterable[str], where: str) -> None:
    """Refuse names of columns that Polars cannot have.

    Raises:
        SchemaError: two columns of one name, an empty one, or one with a NUL character.
    """
    seen: set[str] = set()
    problems = []
    for name in names:
        if name in seen:
            problems.append(f"two columns are called {name!r}. Hint: rename one")
        elif not name:
            problems.append("a column has an empty name. Hint: rename it")
        elif "\0" in name:
            problems.append(f"column {name!r} has a NUL character in its name. Hint: rename it")
        seen.add(name)
    if problems:
        raise SchemaError.of(where, problems)


def _of_relation(relation: duckdb.DuckDBPyRelation, name: str) -> Taken:
    usable_names(relation.columns, name)
    chosen, left_out = [], {}
    for column, dtype in zip(relation.columns, relation.types, strict=True):
        if (expression := in_sql(column, dtype, None)) is None:
            left_out[column] = str(dtype)
        else:
            chosen.append(f"{expression} as {quoted(column)}")
    if left_out:
        relation = relation.select(", ".join(chosen) if chosen else "true as nothing")
    elif chosen != [f"{quoted(column)} as {quoted(column)}" for column in relation.columns]:
        relation = relation.select(", ".join(chosen))
    return _of_arrow(relation.to_arrow_table(), left_out, name)


def _arrow(part: Any) -> tuple[pa.Table, dict[str, str]]:
    """Any other dataframe as an Arrow table, and columns that have no Arrow type."""
    if isinstance(part, pa.Table):
        return part, {}
    if isinstance(part, pa.RecordBatch):
        return pa.Table.from_batches([part]), {}
    if any(one.__name__ == "DataFrame" and one.__module__.startswith("pandas") for one in type(part).__mro__):
        return _of_pandas(part)
    single = isinstance(part, (type, pl.Series, pa.ChunkedArray)) or type(part).__name__ == "Series"
    if not single:
        try:
            if hasattr(part, "__arrow_c_stream__"):
                return pa.table(part), {}
            native: Any = nw.from_native(part)
            if isinstance(native, nw.LazyFrame):
                native = native.collect("pyarrow")
            return native.to_arrow(), {}
        except (TypeError, AttributeError):
            pass
    raise SchemaError.of(
        f"a source of type {type(part).__name__}",
        ["not a table. Hint: give a Parquet path, a dataframe (Polars, pandas, PyArrow, a DuckDB relation), "
         "or a list of these"],
    )  # fmt: skip


def _of_pandas(frame: Any) -> tuple[pa.Table, dict[str, str]]:
    names = [str(name) for name in frame.columns]
    usable_names(names, f"the {kind_of(frame)}")
    try:
        return pa.Table.from_pandas(frame, preserve_index=False), {}
    except (*FOREIGN, ValueError, TypeError):
        pass  # one column at a time, to know which
    taken, left_out = {}, {}
    for place, name in enumerate(names):
        try:
            taken[name] = pa.array(frame.iloc[:, place], from_pandas=True)
        except (*FOREIGN, ValueError, TypeError) as error:
            left_out[name] = f"{frame.dtypes.iloc[place]} ({cause(error)})"
    return pa.table(taken), left_out


def _of_arrow(table: pa.Table, left_out: dict[str, str], name: str) -> Taken:
    usable_names(table.column_names, name)
    left_out = dict(left_out)
    columns: dict[str, pl.Series] = {}
    whole = {}
    for column, values in zip(table.column_names, table.columns, strict=True):
        try:
            made = _importable(values)
            if made is None:
                left_out[column] = str(values.type)
            elif made is values:
                whole[column] = made
            else:
                columns[column] = _series(column, made, values.type)
        except (*FOREIGN, ValueError, TypeError) as error:
            left_out[column] = f"{values.type} ({cause(error)})"
    frame = pl.from_arrow(pa.table(whole)) if whole else pl.DataFrame(height=table.num_rows)
    assert isinstance(frame, pl.DataFrame)
    frame = frame.with_columns(**columns) if columns else frame
    kept = [column for column in table.column_names if column not in left_out]
    return Taken(frame[kept] if frame.columns != kept else frame, name, left_out)


def _series(name: str, values: Any, told: pa.DataType) -> pl.Series:
    series = pl.from_arrow(values)
    assert isinstance(series, pl.Series)
    if getattr(told, "extension_name", "") == "arrow.uuid":
        return pl.select(uuid_text(pl.lit(series))).to_series().alias(name)
    return series.alias(name)


def _importable(values: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The values in a type that Polars takes."""
    dtype = values.type
    if pa.types.is_run_end_encoded(dtype):
        values = pa.chunked_array([pc.run_end_decode(chunk) for chunk in values.chunks], dtype.value_type)
        dtype = values.type
    if isinstance(dtype, pa.BaseExtensionType):
        if dtype.extension_name not in STORED:
            return None
        into = pa.bool_() if dtype.extension_name == "arrow.bool8" else dtype.storage_type
        values = pa.chunked_array([chunk.storage for chunk in values.chunks], dtype.storage_type).cast(into)
        dtype = values.type
    target = importable(dtype)
    if target is None:
        return None
    if pa.types.is_timestamp(dtype) and dtype.unit == "s":
        # Polars has no seconds, and would multiply beyond what 64 bits hold.
        seconds = values.cast(pa.int64())
        near = pc.max_element_wise(pc.min_element_wise(seconds, MOST_SECONDS), -MOST_SECONDS, skip_nulls=True)
        near = pc.if_else(pc.is_null(seconds), pa.scalar(None, pa.int64()), near)
        return pc.multiply(near, 1000).cast(pa.timestamp("ms", target.tz))
    if pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype):
        return values
    if target == dtype:
        return values
    made = values.cast(target)
    if "list_view" in str(dtype):  # a cast leaves the offsets of nulls in disorder
        made = made.take(pa.array(range(len(made)), pa.int64()))
    return made
