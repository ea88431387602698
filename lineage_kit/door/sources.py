"""What a user hands over, opened: Parquet paths on a DuckDB connection of our own, frames through Arrow.

A `Source` is one table as it was given, still lazy, with its 0-based row number in `edge`. Parquet files are
scanned, never loaded whole. Frames in memory are taken in once; a Polars `LazyFrame` stays lazy. When paths and
frames are mixed, the frames join the paths on the DuckDB connection, so that one engine reads them all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa

from lineage_kit.door.dtypes import CANONICAL, held, in_sql, misread
from lineage_kit.door.in_memory import Taken, in_memory, kind_of, taken_in
from lineage_kit.door.parquet_files import File, Group, files_of, one_value, paths_of, same_schema, scanned
from lineage_kit.door.reading import reading
from lineage_kit.duckdb_connection import own_connection, quoted, stored
from lineage_kit.errors import SchemaError
from lineage_kit.schema import ROW
from lineage_kit.schema_forms import Column

PATHS = (str, bytes, os.PathLike)


@dataclass(frozen=True)
class Source:
    """One table as given: a lazy frame (Polars or DuckDB) with `edge` in front, and where it came from.

    `left_out` has the columns that could not be carried, by their names here, with what they are.
    """

    name: str
    frame: nw.LazyFrame[Any]
    files: tuple[File, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Opened:
    """All sources of one store.

    `connection` is ours, and None when no Parquet is read; `held` says that every source is a frame in memory.
    """

    sources: tuple[Source, ...]
    connection: duckdb.DuckDBPyConnection | None
    held: bool

    @property
    def files(self) -> tuple[File, ...]:
        """Every Parquet file behind these sources, in the order of their rows."""
        return tuple(file for source in self.sources for file in source.files)

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of the sources that are no files."""
        return tuple(source.name for source in self.sources if not source.files)

    @property
    def name(self) -> str:
        """A short name for messages and reports."""
        names = [source.name for source in self.sources]
        return (
            names[0] if len(names) == 1 else f"{len(names)} sources ({', '.join(names[:3])}{', …' * (len(names) > 3)})"
        )


def open_sources(
    source: Any,
    *,
    table: str = "relations",
    columns: Mapping[str, str] | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> Opened:
    """Open a path, glob, folder, frame, or a list of them; `table` names the file looked for in a folder.

    `columns` renames ({name in the source: name here}) wherever a source has such a column.

    Raises:
        SchemaError: a path that is missing, unreadable or of no rows at all by kind, or an object that is no table.
    """
    parts = list(source) if isinstance(source, (list, tuple)) else [source]
    if not parts:
        raise SchemaError.of(f"the {table} source", ["the list of sources is empty; give at least one"])
    located = [files_of(part, table) if isinstance(part, PATHS) else part for part in parts]
    if connection is None and any(isinstance(part, list) for part in located):
        connection = own_connection()
    ours = CANONICAL[table]
    opened: list[Source] = []
    offset = 0
    for part in located:
        if isinstance(part, list):
            assert connection is not None
            files = [replace(file, start=file.start + offset) for file in part]
            opened += [_parquet(connection, group, columns or {}, ours) for group in same_schema(files)]
            offset += sum(file.rows for file in files)
        else:
            name = part.name if isinstance(part, Taken) else f"the {kind_of(part)}"
            with reading(name):
                one, rows = _framed(part, columns or {}, ours, offset, connection, count=len(located) > 1)
            opened.append(one)
            offset += rows
    lazy = any(isinstance(part, pl.LazyFrame) for part in parts)
    return Opened(tuple(opened), connection, held=connection is None and not lazy)


def renames(names: Sequence[str], columns: Mapping[str, str], where: str) -> dict[str, str]:
    """The renames that apply to a table of these columns.

    Raises:
        SchemaError: names that our frames need for themselves, or that an engine cannot take or tell apart.
    """
    applied = {old: new for old, new in columns.items() if old in names}
    after = [applied.get(name, name) for name in names]
    problems = [
        f"column {name!r} has a name that trace frames use themselves. "
        f"Hint: rename it, e.g. columns={{{name!r}: 'my_{name}'}}"
        for name in after
        if name.casefold() in RESERVED
    ]
    # Polars takes these for all columns, and for those that match a pattern.
    problems += [
        f"column {name!r} has a name that stands for other columns. "
        f"Hint: rename it, e.g. columns={{{name!r}: 'my_column'}}"
        for name in after
        if name == "*" or (name.startswith("^") and name.endswith("$"))
    ]
    problems += [f"column {name!r} has a NUL character in its name. Hint: rename it" for name in names if "\0" in name]
    seen: dict[str, str] = {}
    for name in after:
        if not name:
            problems.append("a column has an empty name. Hint: rename it")
        if name in seen.values():
            problems.append(f"two columns would be called {name!r}. Hint: change the columns= mapping, or drop one")
        elif (other := seen.setdefault(name.casefold(), name)) != name:
            problems.append(f"columns {other!r} and {name!r} differ in case only. Hint: rename one of them")
    if problems:
        raise SchemaError.of(where, problems)
    return applied


RESERVED = frozenset(
    {ROW, "role", "trace", "anchor_type", "anchor_id", "direction", "file_index", "file_row_number"}
    | {"source endpoint code", "target endpoint code", "bad value"}  # used while a trace or an index is put together
)


def _parquet(
    connection: duckdb.DuckDBPyConnection, group: Group, columns: Mapping[str, str], ours: Mapping[str, Column]
) -> Source:
    applied = renames(group.schema.names, columns, group.name)
    relation = scanned(connection, group)
    chosen, left_out = [], {}
    for column, dtype in zip(relation.columns, relation.types, strict=True):
        name = applied.get(column, column)
        expression = in_sql(column, dtype, ours.get(name))
        told = group.schema.field(column).type if column in group.schema.names else pa.null()
        if misread(told) and not (name in ours and pa.types.is_decimal256(told)):
            expression, dtype = None, told
        if name in ours and ours[name].holds == "number" and one_value(group, column):
            # DuckDB takes the statistics at their word, and NaN, which they leave out, for that value. It has none
            # of what comes out of a list.
            expression = f"list_extract([{quoted(column)}::double], 1)"
        if expression is None:
            left_out[name] = str(dtype)
        else:
            chosen.append(f"{expression} as {quoted(name)}")
    with reading(group.name):
        return Source(group.name, nw.from_native(relation.select(", ".join(chosen))), tuple(group.files), left_out)


def _framed(
    part: Any,
    columns: Mapping[str, str],
    ours: Mapping[str, Column],
    offset: int,
    connection: duckdb.DuckDBPyConnection | None,
    *,
    count: bool,
) -> tuple[Source, int]:
    """A table in memory, and its number of rows (needed only when more sources follow)."""
    if isinstance(part, pl.LazyFrame):
        rows = int(part.select(pl.len()).collect().item()) if count else 0
        name, lazy, gone = f"the {kind_of(part)}", part, dict[str, str]()
    else:
        taken = taken_in(part)
        rows = taken.frame.height
        name, lazy, gone = taken.name, taken.frame.lazy(), taken.left_out
    schema = lazy.collect_schema()
    names = [*schema.names(), *gone]
    applied = renames(names, columns, name)
    lazy = lazy.rename({old: new for old, new in applied.items() if old in schema})
    left_out = {applied.get(column, column): dtype for column, dtype in gone.items()}
    made: list[pl.Expr] = []
    for column, dtype in lazy.collect_schema().items():
        expression = held(column, dtype, ours.get(column))
        if expression is None:
            left_out[column] = str(dtype)
        elif not expression.meta.is_column():
            made.append(expression.alias(column))
    gone_here = [column for column in left_out if column in lazy.collect_schema()]
    lazy = lazy.drop(gone_here) if gone_here else lazy
    lazy = lazy.with_columns(made) if made else lazy
    lazy = lazy.with_row_index(ROW, offset).with_columns(pl.col(ROW).cast(pl.Int64))
    if connection is None:
        return Source(name, nw.from_native(lazy), (), left_out), rows
    relation = stored(lazy.collect(), connection)
    columns_here = zip(relation.columns, relation.types, strict=True)
    chosen = ", ".join(f"{in_sql(n, dtype, ours.get(n)) or quoted(n)} as {quoted(n)}" for n, dtype in columns_here)
    return Source(name, nw.from_native(relation.select(chosen)), (), left_out), rows


def in_memory_frames(source: Any) -> list[Any]:
    """The source with every frame in memory, so that it can be opened again; paths and lazy frames stay as they are."""
    parts = list(source) if isinstance(source, (list, tuple)) else [source]
    made: list[Any] = []
    for part in parts:
        if isinstance(part, (*PATHS, pl.LazyFrame)):
            made.append(os.fsdecode(part) if isinstance(part, bytes) else part)
        else:
            taken = taken_in(part)
            made.append(taken if taken.left_out else taken.frame)
    return made


__all__ = [
    "File",
    "Opened",
    "Source",
    "in_memory",
    "in_memory_frames",
    "open_sources",
    "paths_of",
    "renames",
]
