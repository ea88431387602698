"""Opening an index as a store: the engine, the search, and how to reach the tables it was built from."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import duckdb
import narwhals as nw

from lineage_kit.duckdb_connection import own_connection
from lineage_kit.engines.frames.backends import DuckdbBackend
from lineage_kit.engines.frames.engine import FramesEngine
from lineage_kit.engines.index.engine import IndexEngine
from lineage_kit.engines.index.manifest import (
    MANIFEST,
    Manifest,
    is_index,
    mapped_arrays,
    read_manifest,
    unusable,
    verify_files,
)
from lineage_kit.errors import SchemaError
from lineage_kit.relations.indexing import EDGES, ITEM_FILE, build_index
from lineage_kit.relations.opening import Opening, Tables
from lineage_kit.relations.search import ListedNodes, Search, Searched
from lineage_kit.schema import ITEMS
from lineage_kit.sources import File, open_sources, paths_of
from lineage_kit.tables import canonical

Stale = Literal["error", "rebuild", "use"]


class Indexed(NamedTuple):
    """An index, opened."""

    engine: IndexEngine
    search: Search
    opening: IndexOpening
    name: str
    files: tuple[File, ...]
    item_files: tuple[File, ...]


@dataclass(frozen=True)
class IndexOpening(Opening):
    """How the source tables behind an index are opened: for SQL views and checks, which read all of them."""

    folder: Path = Path()
    manifest: Manifest | None = None

    def tables(self, connection: duckdb.DuckDBPyConnection | None = None) -> Tables:
        """The tables, if they still are what the index was built from.

        Raises:
            IndexUnusable: they are not.
        """
        assert self.manifest is not None
        if reason := stale_reason(self.manifest):
            raise unusable(
                self.folder, f"this needs the tables it was built from, but {reason}", manifest=self.manifest
            )
        return super().tables(connection)

    def frames_engine(self) -> FramesEngine:
        """An engine on the source tables."""
        tables = self.tables()
        assert tables.opened.connection is not None
        return FramesEngine(tables.relations, DuckdbBackend(tables.opened.connection), strict=self.strict)


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


def open_index(folder: Path, stale: Stale) -> Indexed:
    """Open an index; see `RelationStore.open`.

    Raises:
        IndexUnusable: foreign, newer, damaged, or stale and not to be used so.
    """
    folder = Path(os.path.abspath(folder))
    manifest = read_manifest(folder)
    if stale != "use" and (reason := stale_reason(manifest)):
        again = _again(folder, manifest)
        if stale == "error" or again.from_frames or None in manifest.sources.paths:
            raise unusable(folder, reason, "or open it with stale='use'", manifest=manifest)
        build_index(again, folder)
        manifest = read_manifest(folder)
    engine = IndexEngine(folder, manifest)
    opening = IndexOpening(**vars(_again(folder, manifest)), folder=folder, manifest=manifest)
    files = manifest.sources.files
    if None in manifest.sources.paths:
        files = (_own_file(folder / EDGES, manifest.edges + manifest.rejected),)
    item_files: tuple[File, ...] = ()
    if manifest.items is not None:
        copied = None in manifest.items.paths or None in manifest.sources.paths
        item_files = (_own_file(folder / ITEM_FILE, 0),) if copied else manifest.items.files
    return Indexed(engine, Search(lambda: _searched(folder, manifest)), opening, manifest.name, files, item_files)


def _again(folder: Path, manifest: Manifest) -> Opening:
    """How to open the tables behind an index: the source files, or the copy it keeps of frames."""
    items: list[Any] | None = None if manifest.items is None else [str(folder / ITEM_FILE)]
    options = manifest.options
    if None in manifest.sources.paths:
        none: dict[str, str | None] = {}
        return Opening([str(folder / EDGES)], items, None, None, none, options["strict"])
    if manifest.items is not None and None not in manifest.items.paths:
        items = list(manifest.items.paths)
    paths = list(manifest.sources.paths)
    return Opening(paths, items, options["columns"], options["kinds"], options["constants"], options["strict"])


def _own_file(path: Path, rows: int) -> File:
    stat = path.stat()
    return File(path, 0, rows, stat.st_size, stat.st_mtime_ns)


def _searched(folder: Path, manifest: Manifest) -> Searched:
    connection = own_connection()
    nodes = ListedNodes(nw.from_native(connection.read_parquet(str(folder / "nodes.parquet"))))
    items = None
    if manifest.items is not None:
        items = canonical(open_sources(folder / ITEM_FILE, table="items", connection=connection), ITEMS)
    return Searched(DuckdbBackend(connection), nodes, items)


def stale_reason(manifest: Manifest) -> str | None:
    """What has changed in the files an index was built from, in words; None if nothing has."""
    for given, table in ((manifest.sources, "relations"), (manifest.items, "items")):
        if given is None:
            continue
        now: list[Path] = []
        for path in given.paths:
            with suppress(SchemaError):
                now += [] if path is None else paths_of(path, table)
        was = [file.path for file in given.files]
        if gone := [path for path in was if path not in now]:
            return f"its source {gone[0]} is gone"
        if new := [path for path in now if path not in was]:
            return f"there is a new source {new[0]}"
        if changed := [file.path for file in given.files if not file.unchanged()]:
            return f"its source {changed[0]} has changed since it was built"
    return None


def check_index(folder: Path, *, every_byte: bool) -> Manifest:
    """The manifest of an index whose files are checked: sizes and headers, or every byte.

    Raises:
        IndexUnusable: something is wrong with it.
    """
    if every_byte:
        return verify_files(folder)
    manifest = read_manifest(folder)
    mapped_arrays(folder, manifest)
    return manifest
