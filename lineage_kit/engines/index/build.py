"""Building an index from the tables of a store: one hidden folder, filled step by step and moved into place whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.door.reading import FOREIGN, cause
from lineage_kit.door.table_sources import FRAMES, Tables, TableSources
from lineage_kit.door.tables import Table
from lineage_kit.duckdb_connection import own_connection
from lineage_kit.engines.index.builder import Build
from lineage_kit.engines.index.manifest import EDGES_FILE, ITEMS_FILE, Given, Manifest
from lineage_kit.engines.index.memory import Memory
from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.output.folder_manifest import INDEX, stored_files
from lineage_kit.output.generation import new_generation
from lineage_kit.output.parquet import write_frame
from lineage_kit.progress import bar
from lineage_kit.schema import ROW


def build_index(
    sources: TableSources,
    folder: Path,
    *,
    memory_limit: str | None = None,
    temp_folder: Path | None = None,
    progress: bool = True,
) -> None:
    """Build the index of these tables; see `RelationStore.build_index`."""
    memory = Memory.of(memory_limit)
    folder = Path(os.path.abspath(folder.expanduser()))
    items = None if sources.items is None else _lasting(sources.items, folder)
    sources = replace(sources, relations=_lasting(sources.relations, folder), items=items)
    with new_generation(folder, INDEX) as place, _scratch(place, temp_folder) as scratch:
        connection = _connection(scratch, memory)
        try:
            manifest = _built(sources, connection, place, scratch, memory, progress)
        except duckdb.OutOfMemoryException as error:
            raise _too_little(memory, error) from error
        except FOREIGN as error:
            raise LineageKitError(f"building the index failed: {cause(error)}") from error
        finally:
            connection.close()
        manifest.write(place)


def _built(
    sources: TableSources,
    connection: duckdb.DuckDBPyConnection,
    place: Path,
    scratch: Path,
    memory: Memory,
    progress: bool,
) -> Manifest:
    tables = _tables(sources, connection)
    strict = sources.spec.strict
    build = Build(tables.relations, connection, place, scratch, memory, strict=strict, items=tables.items)
    began = time.monotonic()
    steps = bar(build.steps, doing="building", unit="step", shown=progress)
    for name, step in steps:
        steps.set_description(name, refresh=time.monotonic() - began > 2)
        step()
    if sources.from_frames:
        _write(tables.relations, place / EDGES_FILE, connection)
    if tables.items is not None:
        _write(tables.items, place / ITEMS_FILE, connection)
    read = (*tables.opened.files, *(tables.items.files if tables.items is not None else ()))
    if not all(file.unchanged() for file in read):
        raise LineageKitError.source_changed(tables.opened.name)
    shutil.rmtree(scratch)
    return Manifest(
        package=version("lineage-kit"),
        name=tables.opened.name,
        spec=sources.spec,
        sources=Given(_paths(sources.relations), tables.opened.files),
        items=None if tables.items is None else Given(_paths(sources.items or []), tables.items.files),
        **vars(build.counted),
        files=stored_files(place),
    )


def _tables(sources: TableSources, connection: duckdb.DuckDBPyConnection) -> Tables:
    """The tables on the connection of the build; frames alone stay in Polars, computed once."""
    if sources.scanned:
        return sources.open(connection)
    tables = sources.open()
    whole = tables.relations.frame.collect("polars").to_native().sort(ROW)
    return tables._replace(relations=replace(tables.relations, frame=nw.from_native(whole.lazy())))


def _write(table: Table, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """A canonical table as a file of the index, in the order of its rows."""
    native: Any = table.frame.to_native()
    if isinstance(native, pl.LazyFrame):
        write_frame(native.collect().sort(ROW).drop(ROW), path)
        return
    native.create_view("written", replace=True)
    connection.execute(
        f"copy (select * exclude ({ROW}) from written order by {ROW}) to $path (format parquet)", {"path": str(path)}
    )


def _lasting(parts: list[Any], folder: Path) -> list[Any]:
    """Sources with their paths made absolute; what lies in the folder that is built anew is taken into memory."""
    made: list[Any] = []
    for part in parts:
        if isinstance(part, FRAMES):
            made.append(part)
            continue
        path = os.path.abspath(os.path.expanduser(part))
        made.append(pl.read_parquet(path, glob=False) if Path(path).parent == folder else path)
    return made


def _paths(parts: list[Any]) -> tuple[str | None, ...]:
    return tuple(None if isinstance(part, FRAMES) else str(part) for part in parts)


@contextmanager
def _scratch(place: Path, temp_folder: Path | None) -> Iterator[Path]:
    """A folder for what does not fit into memory, gone afterwards."""
    try:
        if temp_folder is not None:
            temp_folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix="lineage-kit-", dir=place if temp_folder is None else temp_folder))
    except OSError as error:
        raise InvalidRequest(f"temp_folder {temp_folder} cannot be written: {error.strerror or error}") from error
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _connection(scratch: Path, memory: Memory) -> duckdb.DuckDBPyConnection:
    connection = own_connection()
    connection.execute("set temp_directory = $folder", {"folder": str(scratch)})
    if memory.duckdb is not None:
        connection.execute("set memory_limit = $limit", {"limit": f"{memory.duckdb}B"})
        connection.execute("set threads = $threads", {"threads": memory.threads})
    return connection


def _too_little(memory: Memory, error: duckdb.Error) -> LineageKitError:
    """The error of a build for which DuckDB had too little memory."""
    if memory.said is None:
        return LineageKitError(f"building the index failed: {str(error).splitlines()[0]}")
    return InvalidRequest(
        f"memory_limit {memory.said} is too small for these relations, even with the temporary folder. "
        f"Hint: give {memory.more} or more"
    )
