"""What a store stands on: tables that were opened, or the index of tables; the choice of the engine is made here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

import duckdb
import narwhals as nw

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
    MANIFEST,
    Manifest,
    is_index,
    read_manifest,
    unusable,
)
from lineage_kit.engines.index.staleness import sources_behind, stale_reason
from lineage_kit.engines.protocol import Backend, Engine, TableEngine
from lineage_kit.errors import InvalidRequest, SchemaError
from lineage_kit.relations.search import EndsOfEdges, ListedNodes, Search, Searched
from lineage_kit.schema import ITEMS

Stale = Literal["error", "rebuild", "use"]
ENGINES: tuple[type[TableEngine], ...] = (CsrEngine, FramesEngine)
"""Engines over tables, by preference: the first that suits a table answers for it. The last one suits all."""


class WholeTable(NamedTuple):
    """The relations without bad rows, and where they are: for what reads all of them."""

    relations: Table
    backend: Backend


class Backing(Protocol):
    """What a store asks of what it stands on.

    Attributes:
        engine: answers the questions.
        search: finds nodes by text.
        index: the folder of the index, or None.
        name, files, item_files, frames: what displays call the sources.
    """

    engine: Engine
    search: Search
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


def open_backing(source: Any, items: Any, spec: TableSpec, stale: Stale) -> Backing:
    """Open tables or an index; see `RelationStore.open`."""
    if stale not in get_args(Stale):
        raise InvalidRequest(f"stale must be 'error', 'rebuild' or 'use', got {stale!r}")
    if (folder := index_in(source)) is None:
        items = items_beside(source) if items is None else items
        held_items = None if items is None else in_memory_frames(items)
        return OpenedTables(TableSources(in_memory_frames(source), held_items, spec))
    if given := ("items",) * (items is not None) + spec.given:
        raise InvalidRequest(
            f"{folder} is an index, which knows its {', '.join(given)}. Hint: leave {given[0]}= out, or build "
            f"the index anew with it"
        )
    return open_index(folder, stale)


# ---- tables


class OpenedTables:
    """Tables under the engine that suits them: see `ENGINES`."""

    index: Path | None = None

    def __init__(self, sources: TableSources) -> None:
        opened, relations, items = sources.open()
        strict = sources.spec.strict
        self.sources = sources
        self.backend: Backend = PolarsBackend() if opened.connection is None else DuckdbBackend(opened.connection)
        suited = next(one for one in ENGINES if one.suits(relations, self.backend, held=opened.held))
        self.engine: Engine = suited(relations, self.backend, strict=strict)
        good = relations.good() if self.engine.rejected.height else relations
        self.whole = WholeTable(good, self.backend)
        searched = Searched(self.backend, EndsOfEdges(good), items)
        self.search = Search(lambda: searched)
        self.name = opened.name
        self.files = opened.files
        self.item_files = items.files if items is not None else ()
        self.frames = opened.frames

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """Opened again."""
        return _without_rejected(self.sources.open(connection), self.engine)


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
    if not isinstance(source, (str, os.PathLike)):
        return None
    folder = Path(os.path.expanduser(os.fspath(source)))
    if not (folder / MANIFEST).is_file():
        return None
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
    manifest = read_manifest(folder)
    if stale != "use" and (reason := stale_reason(manifest)):
        sources = sources_behind(folder, manifest)
        if stale == "error" or sources.from_frames or None in manifest.sources.paths:
            raise unusable(folder, reason, "or open it with stale='use'", manifest=manifest)
        build_index(sources, folder)
        manifest = read_manifest(folder)
    return OpenedIndex(folder, manifest)


class OpenedIndex:
    """An index; the tables behind it are opened for SQL views and checks, which read all of them."""

    frames: tuple[str, ...] = ()

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._manifest = manifest
        self.engine: Engine = IndexEngine(folder, manifest)
        self.index: Path | None = folder
        self._folder = folder
        self.search = Search(lambda: _searched(folder, manifest))
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
        if reason := stale_reason(self._manifest):
            told = f"this needs the tables it was built from, but {reason}"
            raise unusable(self._folder, told, manifest=self._manifest)
        return sources_behind(self._folder, self._manifest)

    def tables(self, connection: duckdb.DuckDBPyConnection) -> Tables:
        """Opened again, if they still are what the index was built from."""
        return _without_rejected(self.sources.open(connection), self.engine)

    @property
    def whole(self) -> WholeTable:
        """The relations the index was built from."""
        connection = own_connection()  # an index is built from files, or keeps a copy of frames as one
        return WholeTable(self.tables(connection).relations, DuckdbBackend(connection))


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
