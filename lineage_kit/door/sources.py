"""What a user hands over, opened: Parquet paths on a DuckDB connection of our own, frames through Arrow.

A `Source` is one table as it was given, still lazy, with its 0-based row number in `edge`. Parquet files are
scanned, never loaded whole. Frames in memory are taken in once; a Polars `LazyFrame` stays lazy. When paths and
frames are mixed, the frames join the paths on the DuckDB connection, so that one engine reads them all.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from lineage_kit.duckdb_connection import NUMBERS, own_connection, quoted, stored
from lineage_kit.errors import SchemaError
from lineage_kit.schema import ROW
from lineage_kit.wording import counted


@dataclass(frozen=True)
class File:
    """One Parquet file behind a source, as it was when it was opened; `start` is the `edge` of its first row."""

    path: Path
    start: int
    rows: int
    size: int
    modified_ns: int
    inode: int = 0
    """Which file of the file system it was; 0 where another copy of it will do."""

    def unchanged(self) -> bool:
        """Whether the file on disk is still the one, with the size and time, that was opened."""
        try:
            now = self.path.stat()
        except OSError:
            return False
        return (now.st_size, now.st_mtime_ns) == (self.size, self.modified_ns) and self.inode in (0, now.st_ino)


@dataclass(frozen=True)
class Source:
    """One table as given: a lazy frame (Polars or DuckDB) with `edge` in front, and where it came from."""

    name: str
    frame: nw.LazyFrame[Any]
    files: tuple[File, ...] = ()


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
    located = [_files_of(part, table) if isinstance(part, (str, os.PathLike)) else part for part in parts]
    if connection is None and any(isinstance(part, list) for part in located):
        connection = own_connection()
    opened: list[Source] = []
    offset = 0
    for part in located:
        if isinstance(part, list):
            assert connection is not None
            files = [replace(file, start=file.start + offset) for file in part]
            opened += [_parquet(connection, group, columns or {}) for group in _same_schema(files)]
            offset += sum(file.rows for file in files)
        else:
            name, lazy, rows = _taken_in(part, count=len(located) > 1)
            lazy = _plain(lazy.rename(renames(lazy.collect_schema().names(), columns or {}, name)))
            lazy = lazy.with_row_index(ROW, offset).with_columns(pl.col(ROW).cast(pl.Int64))
            opened.append(Source(name, _placed(lazy, connection)))
            offset += rows
    held = connection is None and not any(isinstance(part, pl.LazyFrame) for part in parts)
    return Opened(tuple(opened), connection, held)


def renames(names: Sequence[str], columns: Mapping[str, str], where: str) -> dict[str, str]:
    """The renames that apply to a table of these columns.

    Raises:
        SchemaError: names that our frames need for themselves, or that SQL cannot tell apart.
    """
    applied = {old: new for old, new in columns.items() if old in names}
    after = [applied.get(name, name) for name in names]
    problems = [
        f"column {name!r} has a name that trace frames use themselves. "
        f"Hint: rename it, e.g. columns={{{name!r}: 'my_{name}'}}"
        for name in after
        if name.casefold() in RESERVED
    ]
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
    | {"source endpoint code", "target endpoint code"}  # used while a trace is put together
)


def paths_of(path: str | os.PathLike[str], table: str) -> list[Path]:
    """The Parquet files that a path, a glob or a folder with `<table>.parquet` stands for.

    Raises:
        SchemaError: there are none.
    """
    text = os.path.expanduser(os.fspath(path))
    place = Path(text)
    if place.is_dir():
        inside = place / f"{table}.parquet"
        if not inside.is_file():
            raise SchemaError.of(text, [f"the folder has no {table}.parquet{_inside(place, table)}"])
        return [inside]
    if place.exists():
        return [place]
    if not glob.has_magic(text):
        raise SchemaError.of(text, ["there is no such file or folder"])
    paths = sorted(Path(found) for found in glob.glob(text, recursive=True) if Path(found).is_file())
    if not paths:
        raise SchemaError.of(text, ["the pattern matches no file"])
    return paths


def _inside(place: Path, table: str) -> str:
    """What to do about a folder without the table."""
    if (place / "manifest.json").is_file():
        return (
            " but a manifest.json, as an index has. Hint: an index of relations is opened alone; to join it with other "
            "sources, give the files it was built from"
        )
    also = " and no index (manifest.json)" if table == "relations" else ""
    others = sorted(place.glob("*.parquet"))
    if not others:
        return f"{also}. Hint: give a Parquet file, a glob, or a folder written by this package"
    return (
        f"{also}. Hint: it holds {counted(len(others), 'other Parquet file')}; to read them all, give "
        f"{str(place / '*.parquet')!r}"
    )


def _files_of(path: str | os.PathLike[str], table: str) -> list[File]:
    files: list[File] = []
    for at in paths_of(path, table):
        files.append(_file(at, files[-1].start + files[-1].rows if files else 0))
    return files


def _file(path: Path, start: int) -> File:
    try:
        stat = path.stat()
        rows = pq.read_metadata(path).num_rows
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        size = path.stat().st_size if path.exists() else 0
        hint = "the file is empty (0 bytes)" if size == 0 else f"{size:,} bytes, but: {reason}"
        raise SchemaError.of(str(path), [f"not a readable Parquet file; {hint}"]) from error
    return File(path, start, rows, stat.st_size, stat.st_mtime_ns, stat.st_ino)


def _same_schema(files: Iterable[File]) -> list[list[File]]:
    # One scan unifies the types of its files silently (a naive time would pass as UTC), so files of
    # different schemas become sources of their own and are checked one by one.
    groups: dict[str, list[File]] = {}
    for file in files:
        schema = pq.read_schema(file.path)
        groups.setdefault(schema.remove_metadata().to_string(), []).append(file)
    return list(groups.values())


def _parquet(connection: duckdb.DuckDBPyConnection, group: list[File], columns: Mapping[str, str]) -> Source:
    name = str(group[0].path) if len(group) == 1 else f"{len(group)} files from {group[0].path}"
    applied = renames(pq.read_schema(group[0].path).names, columns, name)
    number = next(NUMBERS)  # relations that meet in one query must not share the name of a parameter
    # A plain row number lets the scan skip what a join on it rules out; arithmetic on it does not.
    starts = [file.start for file in group]
    row = f"($starts{number})[file_index::bigint + 1] + file_row_number" if any(starts) else "file_row_number"
    relation = connection.sql(
        f"select {row} as edge, * from read_parquet($paths{number}, hive_partitioning = false)",
        params={f"paths{number}": [glob.escape(str(file.path)) for file in group]}
        | ({f"starts{number}": starts} if any(starts) else {}),
    )
    casts = {"NULL": "::varchar", '"NULL"': "::varchar", "TIMESTAMPTZ_NS": "::timestamptz"}
    chosen = [
        f"{quoted(column)}{casts.get(str(kind), '')} as {quoted(applied.get(column, column))}"
        for column, kind in zip(relation.columns, relation.types, strict=True)
    ]
    return Source(name, nw.from_native(relation.select(", ".join(chosen))), tuple(group))


def _taken_in(part: Any, *, count: bool) -> tuple[str, pl.LazyFrame, int]:
    """Name, lazy frame and number of rows (needed only when more sources follow) of an object in memory."""
    if isinstance(part, pl.LazyFrame):
        rows = int(part.select(pl.len()).collect().item()) if count else 0
        return "the Polars LazyFrame", part, rows
    frame = part if isinstance(part, pl.DataFrame) else in_memory(part)
    return f"the {_kind(part)}", frame.lazy(), frame.height


def in_memory(part: Any) -> pl.DataFrame:
    """Any dataframe as a Polars one, through Arrow.

    Raises:
        SchemaError: the object is no dataframe, or a column mixes kinds of values.
    """
    if isinstance(part, pl.DataFrame):
        return part
    if isinstance(part, pl.LazyFrame):
        return part.collect()
    try:
        if isinstance(part, duckdb.DuckDBPyRelation):
            table = part.to_arrow_table()
        elif isinstance(part, pa.Table):
            table = part
        elif type(part).__module__.partition(".")[0] == "pandas":
            table = pa.Table.from_pandas(part, preserve_index=False)
        elif hasattr(part, "__arrow_c_stream__"):
            table = pa.table(part)
        else:
            native: Any = nw.from_native(part)
            if isinstance(native, nw.LazyFrame):
                native = native.collect("pyarrow")
            table = native.to_arrow()
        taken = pl.from_arrow(table)
        assert isinstance(taken, pl.DataFrame)
        return taken
    except pa.ArrowException as error:
        told = " ".join(str(text) for text in error.args)
        hint = "make every value of a column of one kind, e.g. df[column].astype('string')"
        raise SchemaError.of(f"the {_kind(part)}", [f"{told}. Hint: {hint}"]) from error
    except TypeError as error:
        raise SchemaError.of(
            f"a source of type {type(part).__name__}",
            ["not a table. Hint: give a Parquet path, a dataframe (Polars, pandas, PyArrow, a DuckDB relation), "
             "or a list of these"],
        ) from error  # fmt: skip


def _kind(part: Any) -> str:
    library = type(part).__module__.partition(".")[0]
    known = {
        "polars": "Polars",
        "pandas": "pandas",
        "pyarrow": "PyArrow",
        "duckdb": "DuckDB",
        "_duckdb": "DuckDB",
    }
    name = "relation" if isinstance(part, duckdb.DuckDBPyRelation) else type(part).__name__
    return f"{known.get(library, library)} {name}"


def _plain(lazy: pl.LazyFrame) -> pl.LazyFrame:
    """Columns that hold only nulls and have no type are text; categories are the text they stand for."""
    schema = lazy.collect_schema()
    text = [n for n, kind in schema.items() if kind == pl.Null or isinstance(kind, (pl.Categorical, pl.Enum))]
    return lazy.with_columns(pl.col(text).cast(pl.String)) if text else lazy


def _placed(lazy: pl.LazyFrame, connection: duckdb.DuckDBPyConnection | None) -> nw.LazyFrame[Any]:
    if connection is None:
        return nw.from_native(lazy)
    return nw.from_native(stored(lazy.collect(), connection))


def in_memory_frames(source: Any) -> list[Any]:
    """The source with every frame in memory, so that it can be opened again; paths and lazy frames stay as they are."""
    parts = list(source) if isinstance(source, (list, tuple)) else [source]
    kept = (str, os.PathLike, pl.LazyFrame)
    return [part if isinstance(part, kept) else in_memory(part) for part in parts]
