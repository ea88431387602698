"""The tables behind an index: whether they have changed since it was built, and how they are opened again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from lineage_kit.door.sources import paths_of
from lineage_kit.door.table_sources import TableSources
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.engines.index.manifest import EDGES_FILE, ITEMS_FILE, Manifest
from lineage_kit.errors import SchemaError


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


def sources_behind(folder: Path, manifest: Manifest) -> TableSources:
    """The tables an index was built from: the source files, or the copy it keeps of frames."""
    items: list[Any] | None = None if manifest.items is None else [str(folder / ITEMS_FILE)]
    if None in manifest.sources.paths:
        return TableSources([str(folder / EDGES_FILE)], items, TableSpec(strict=manifest.spec.strict))
    if manifest.items is not None and None not in manifest.items.paths:
        items = list(manifest.items.paths)
    return TableSources(list(manifest.sources.paths), items, manifest.spec)
