"""What a store stands on: tables that were opened, or the index of tables; the choice of the engine is made here."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.door.databases import read_databases
from lineage_kit.door.parquet_files import place_of
from lineage_kit.door.sources import File, in_memory_frames, open_sources
from lineage_kit.door.table_sources import Tables, TableSources, items_beside
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.door.tables import Table, canonical
from lineage_kit.duckdb_connection import own_connection
from lineage_kit.engines.csr.engine import CsrEngine
from lineage_kit.engines.frames.backends import DuckdbBackend, PolarsBackend
from lineage_kit.engines.frames.engine import FramesEngine
from lineage_kit.engines.index.build import build_index
from lineage_kit.engines.index.engine import IndexEngine
from lineage_kit.engines.index.manifest import (
    EDGES_FILE,
    ITEMS_FILE,
    Manifest,
    is_index,
    read_manifest,
    unusable,
)
from lineage_kit.engines.index.staleness import sources_behind, stale_reason
from lineage_kit.engines.protocol import Backend, Engine, TableEngine
from lineage_kit.errors import InvalidRequest, LineageKitError, SchemaError
from lineage_kit.output.folder_manifest import INDEX, MANIFEST, SORTS, Damaged, damaged, explained, manifest_in
from lineage_kit.output.generation import state_of, steady
from lineage_kit.relations.search import EndsOfEdges, ListedNodes, Search, Searched
from lineage_kit.schema import ITEMS

Stale = Literal["error", "rebuild", "use"]
ENGINES: tuple[type[TableEngine], ...] = (CsrEngine, FramesEngine)
"""Engines over tables, by preference: the first that suits a table answers for it. The last one suits all."""


class WholeTable(NamedTuple):
    """The relations without bad rows, and where they are; `held` says that all of them are in memory."""

    relations: Table
    backend: Backend
    held: bool = False


class Backing(Protocol):
    """What a store asks of what it stands on.

    Attributes:
        engine: answers the questions.
        search: finds nodes by text.
        spec: how the relations are read.
        rows: how many rows they have as read, bad ones included.
        supposing: what is supposed of them, in words, one change after the other.
        index: the folder of the index, or None.
        name, files, item_files, frames: what displays call the sources.
    """

    engine: Engine
    search: Search
    spec: TableSpec
    rows: int
    supposing: tuple[str, ...]
    index: Path | None
    name: str
    files: tuple[File, ...]
    item_files: tuple[File, ...]
    frames: tuple[str, ...]

    @property
    def sources(self) -> TableSources:
        """The tables as they were given, to build an index of them."""

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """Relations (without bad rows) and items, opened again on this connection."""

    @property
    def whole(self) -> WholeTable:
        """The relations, to be read as a whole."""

    def confirm(self) -> None:
        """Raise if what the store was opened on is not there any more: an answer must not be of two generations."""


def engine_for(whole: WholeTable, items: Table | None, rejected: pl.DataFrame, edges: int) -> Engine:
    """The engine that suits a table without bad rows, of which there are so many; see `ENGINES`."""
    relations, backend, held = whole
    suited = next(one for one in ENGINES if one.suits(relations, backend, held=held))
    return suited(relations, backend, items, rejected=rejected, edges=edges)


def open_backing(source: Any, items: Any, spec: TableSpec, stale: Stale) -> Backing:
    """Open tables or an index; see `RelationStore.open`."""
    if stale not in get_args(Stale):
        raise InvalidRequest(f"stale must be 'error', 'rebuild' or 'use', got {stale!r}")
    if (folder := index_in(source)) is None:
        read, described = read_databases(source)
        held, held_items = in_memory_frames(read), None if items is None else in_memory_frames(items)

        def opened() -> OpenedTables:
            beside: list[Any] = [*described, *items_beside(source)]
            return OpenedTables(TableSources(held, held_items if held_items or not beside else beside, spec))

        return steady(lambda: explained(_folders(held), opened), lambda: _state_of(held))
    if given := ("items",) * (items is not None) + spec.given:
        raise InvalidRequest(
            f"{folder} is an index, which knows its {', '.join(given)}. Hint: leave {given[0]}= out, or build "
            f"the index anew with it"
        )
    return open_index(folder, stale)


def damaged_files(backing: Backing) -> list[Damaged]:
    """Files of ours that are not as they were written: those of an index, and of the folders that tables lie in."""
    folders = {file.path.absolute().parent for file in (*backing.files, *backing.item_files)}
    if backing.index is not None:
        folders.add(backing.index)
    return [one for folder in sorted(folders) for one in damaged(folder)]


# ---- tables


def _state_of(parts: list[Any]) -> object:
    """What is another value when a folder among these sources holds other tables."""
    return [state_of(folder, "relations.parquet", "items.parquet") for folder in _folders(parts)]


def _folders(parts: list[Any]) -> list[Path]:
    return [Path(os.path.expanduser(part)) for part in parts if isinstance(part, (str, os.PathLike))]


class OpenedTables:
    """Tables under the engine that suits them: see `ENGINES`."""

    index: Path | None = None
    supposing: tuple[str, ...] = ()

    def __init__(self, sources: TableSources) -> None:
        opened, relations, items = sources.open()
        strict = sources.spec.strict
        self.sources = sources
        self.backend: Backend = (
            PolarsBackend(opened.name) if opened.connection is None else DuckdbBackend(opened.connection, opened.files)
        )
        suited = next(one for one in ENGINES if one.suits(relations, self.backend, held=opened.held))
        self.engine: Engine = suited(relations, self.backend, items, strict=strict)
        good = relations.good() if self.engine.rejected.height else relations
        self.whole = WholeTable(good, self.backend, opened.held)
        self.spec = sources.spec
        self.rows = self.engine.edges + self.engine.rejected.height
        searched = Searched(self.backend, EndsOfEdges(good), items)
        self.search = Search(lambda: searched, self.confirm)
        self.name = opened.name
        self.files = opened.files
        self.item_files = items.files if items is not None else ()
        self.frames = opened.frames

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """Opened again."""
        tables = _without_rejected(self.sources.open(connection), self.engine)
        self.confirm()
        return tables

    def confirm(self) -> None:
        """Raise if the files are not those that were opened: an answer must not be of two generations."""
        if not all(file.unchanged() for file in (*self.files, *self.item_files)):
            raise LineageKitError.source_changed(self.name)


def _without_rejected(tables: Tables, engine: Engine) -> Tables:
    return tables._replace(relations=tables.relations.good()) if engine.rejected.height else tables


# ---- an index


def index_in(source: Any) -> Path | None:
    """The folder, if a source is one with an index in it.

    Raises:
        SchemaError: the folder has a relations table too.
    """
    if isinstance(source, (list, tuple)) and len(source) == 1:
        source = source[0]
    if not isinstance(source, (str, bytes, os.PathLike)):
        return None
    folder = place_of(source)
    if not (folder / MANIFEST).is_file():
        return None
    told = manifest_in(folder)
    if told is not None and told["format"] != INDEX:
        if (folder / "relations.parquet").is_file():
            return None
        problem = f"the folder holds {SORTS[told['format']]} and no relations.parquet. Hint: for sessions, take "
        raise SchemaError.of(str(folder), [f"{problem}SessionCorpus.open and its relations()"])
    if (folder / "relations.parquet").is_file():
        if not is_index(folder):
            return None
        problem = f"the folder has both an index ({MANIFEST}) and relations.parquet. Hint: name the file, or remove one"
        raise SchemaError.of(str(folder), [problem])
    return folder


def open_index(folder: Path, stale: Stale) -> OpenedIndex:
    """Open an index; see `RelationStore.open`.

    Raises:
        IndexUnusable: foreign, of another version, damaged, or stale and not to be used so.
    """
    folder = Path(os.path.abspath(folder))

    def opened() -> OpenedIndex | TableSources:
        manifest = read_manifest(folder)
        if stale == "use" or (reason := stale_reason(manifest)) is None:
            return OpenedIndex(folder, manifest)
        sources = sources_behind(folder, manifest)
        if stale == "error" or sources.from_frames or None in manifest.sources.paths:
            raise unusable(folder, reason, "or open it with stale='use'", manifest=manifest)
        return sources

    found = steady(lambda: explained([folder], opened), lambda: state_of(folder))
    if isinstance(found, TableSources):
        build_index(found, folder)
        return open_index(folder, "use")
    return found


class OpenedIndex:
    """An index; the tables behind it are opened for SQL views and checks, which read all of them."""

    frames: tuple[str, ...] = ()
    supposing: tuple[str, ...] = ()

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._manifest = manifest
        self._told: set[str] = set()
        engine = IndexEngine(folder, manifest)
        self.engine: Engine = engine
        self.confirm = engine.confirm
        self.spec = manifest.spec
        self.rows = manifest.edges + manifest.rejected
        self.index: Path | None = folder
        self._folder = folder
        self.search = Search(lambda: _searched(folder, manifest), self.confirm)
        self.name = manifest.name
        from_frames = None in manifest.sources.paths
        own = (_own_file(folder / EDGES_FILE, manifest.edges + manifest.rejected),) if from_frames else ()
        self.files = own or manifest.sources.files
        self.item_files: tuple[File, ...] = ()
        if manifest.items is not None:
            copied = None in manifest.items.paths or from_frames
            self.item_files = (_own_file(folder / ITEMS_FILE, 0),) if copied else manifest.items.files

    @property
    def sources(self) -> TableSources:
        """The tables behind the index, if they still are what it was built from.

        Raises:
            IndexUnusable: they are not.
        """
        if None in self._manifest.sources.paths:
            self.confirm()
        if reason := stale_reason(self._manifest):
            told = f"this needs the tables it was built from, but {reason}"
            raise unusable(self._folder, told, manifest=self._manifest)
        return replace(sources_behind(self._folder, self._manifest), told=self._told)

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """Opened again, if they still are what the index was built from."""
        return _without_rejected(self.sources.open(connection), self.engine)

    @property
    def whole(self) -> WholeTable:
        """The relations the index was built from."""
        connection = own_connection()  # an index is built from files, or keeps a copy of frames as one
        return WholeTable(self.tables(connection).relations, DuckdbBackend(connection, self.files))


def _own_file(path: Path, rows: int) -> File:
    stat = path.stat()
    return File(path, 0, rows, stat.st_size, stat.st_mtime_ns)


def _searched(folder: Path, manifest: Manifest) -> Searched:
    connection = own_connection()
    nodes = ListedNodes(nw.from_native(connection.read_parquet(str(folder / "nodes.parquet"))))
    items = None
    if manifest.items is not None:
        items = canonical(open_sources(folder / ITEMS_FILE, table="items", connection=connection), ITEMS)
    return Searched(DuckdbBackend(connection), nodes, items)
