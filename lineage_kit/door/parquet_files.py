"""Parquet files behind a source: which a path stands for, and how they are scanned."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from lineage_kit.door.reading import FOREIGN, cause, reading
from lineage_kit.duckdb_connection import NUMBERS
from lineage_kit.errors import SchemaError
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


def place_of(path: str | bytes | os.PathLike[Any]) -> Path:
    """A path as a person gives it, with their home in the place of `~`.

    Raises:
        SchemaError: no file can be called so.

    Example:
        >>> place_of("a.parquet").name
        'a.parquet'
    """
    text = os.fsdecode(os.fspath(path))
    shown = text if len(text) <= 80 else f"{text[:60]}… ({len(text):,} letters)"
    if not text:
        raise SchemaError.of("the path ''", ["it is empty. Hint: give the path of a Parquet file, or '.' for here"])
    try:
        Path(expanded := os.path.expanduser(text)).stat()
    except FileNotFoundError:
        pass
    except (ValueError, OSError) as error:  # too long, a NUL character, or a place that may not be looked into
        if not (glob.has_magic(text) and isinstance(error, NotADirectoryError)):
            raise SchemaError.of(repr(shown), [f"there is no such file or folder ({_told(error)})"]) from error
    return Path(expanded)


def _told(error: Exception) -> str:
    return (error.strerror or cause(error)) if isinstance(error, OSError) else cause(error)


def paths_of(path: str | bytes | os.PathLike[Any], table: str) -> list[Path]:
    """The Parquet files that a path, a glob or a folder with `<table>.parquet` stands for.

    Raises:
        SchemaError: there are none.
    """
    place = place_of(path)
    text = str(place)
    try:
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
    except OSError as error:
        raise SchemaError.of(text[:80], [f"it cannot be looked into: {_told(error)}"]) from error
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


def files_of(path: str | bytes | os.PathLike[Any], table: str) -> list[File]:
    """The files, each with what is known of it without reading its rows.

    Raises:
        SchemaError: one that is no Parquet file.
    """
    files: list[File] = []
    for at in paths_of(path, table):
        files.append(_file(at, files[-1].start + files[-1].rows if files else 0))
    return files


def _file(path: Path, start: int) -> File:
    try:
        stat = path.stat()
        if not path.is_file():
            raise SchemaError.of(str(path), ["not a Parquet file: it is no regular file at all"])
        metadata = pq.read_metadata(path)
    except FOREIGN as error:
        size = path.stat().st_size if path.exists() else 0
        hint = "the file is empty (0 bytes)" if size == 0 else f"{size:,} bytes, but: {cause(error)}"
        raise SchemaError.of(str(path), [f"not a readable Parquet file; {hint}"]) from error
    if not metadata.num_columns:
        raise SchemaError.of(str(path), ["the file has no columns"])
    return File(path, start, metadata.num_rows, stat.st_size, stat.st_mtime_ns, stat.st_ino)


class Group(NamedTuple):
    """Files of one schema: they are scanned together."""

    files: list[File]
    schema: pa.Schema

    @property
    def name(self) -> str:
        """What messages call them."""
        first = str(self.files[0].path)
        return first if len(self.files) == 1 else f"{len(self.files)} files from {first}"


def one_value(group: Group, column: str) -> bool:
    """Whether the statistics of some part of these files say that a column of floats holds one value only.

    Raises:
        SchemaError: the metadata of a file is damaged.
    """
    if column not in group.schema.names or not pa.types.is_floating(group.schema.field(column).type):
        return False
    for file in group.files:
        with reading(str(file.path)):  # damaged metadata may break anywhere, when it is looked at
            metadata = pq.read_metadata(file.path)
            for part in map(metadata.row_group, range(metadata.num_row_groups)):
                leaves = map(part.column, range(part.num_columns))
                told = next((leaf.statistics for leaf in leaves if leaf.path_in_schema == column), None)
                if told is not None and told.has_min_max and told.min == told.max:
                    return True
    return False


def same_schema(files: Iterable[File]) -> list[Group]:
    """Files by their schema.

    One scan unifies the types of its files silently (a naive time would pass as UTC), so files of different schemas
    become sources of their own and are checked one by one.
    """
    groups: dict[str, Group] = {}
    for file in files:
        with reading(str(file.path)):
            schema = pq.read_schema(file.path)
        groups.setdefault(schema.remove_metadata().to_string(), Group([], schema)).files.append(file)
    return list(groups.values())


def scanned(connection: duckdb.DuckDBPyConnection, group: Group) -> duckdb.DuckDBPyRelation:
    """The rows of these files, with their row number `edge` in front.

    Raises:
        SchemaError: DuckDB cannot read them.
    """
    number = next(NUMBERS)  # relations that meet in one query must not share the name of a parameter
    # A plain row number lets the scan skip what a join on it rules out; arithmetic on it does not.
    starts = [file.start for file in group.files]
    row = f"($starts{number})[file_index::bigint + 1] + file_row_number" if any(starts) else "file_row_number"
    with reading(group.name):
        return connection.sql(
            f"select {row} as edge, * from read_parquet($paths{number}, hive_partitioning = false)",
            params={f"paths{number}": [glob.escape(str(file.path)) for file in group.files]}
            | ({f"starts{number}": starts} if any(starts) else {}),
        )


def damaged(connection: duckdb.DuckDBPyConnection, files: Iterable[File]) -> tuple[Path, Exception] | None:
    """The first of these files that cannot be read to its end, and why; asked when a scan of all has failed."""
    for file in files:
        try:
            connection.execute(
                "select count(columns(*)) from read_parquet($path)", {"path": glob.escape(str(file.path))}
            )
            connection.fetchall()
        except duckdb.Error as error:
            return file.path, error
    return None
