"""The steps that every import of relations shares, for whatever format.

1. Find the files and read each.  2. Let the format write what only all files together tell.  3. Make the tables.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline.collecting import uncollected
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import log_files
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.relation_pipeline.context import RelationImport, RelationImporter
from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.rows import ItemRows, RelationRows, tables_of
from lineage_kit.importers.relation_pipeline.times import Times, checked_zone
from lineage_kit.progress import bar

SKIPPED = (".git", "node_modules")
"""Folders that are not read, unless one is named itself."""


def read_relations(
    importer: type[RelationImporter], path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True
) -> ImportedRelations:
    """Import files, folders or globs of one format.

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.
    """
    if text not in get_args(Text):
        raise InvalidRequest(f"text must be 'keep' or 'drop', got {text!r}")
    findings = Findings(RELATION_KINDS)
    times = Times(findings, checked_zone(zone))
    files = log_files(_expanded(path), importer.is_source, skipped=SKIPPED)
    relations, items = RelationRows(importer.relation_columns), ItemRows(importer.item_columns)
    size = sum(file.size for file in files) if progress else 0
    with bar(total=size, doing="reading", unit="B", scaled=True, shown=progress) as read, uncollected():
        work = RelationImport(relations, items, findings, times, text == "keep", read.update, files)
        reading = importer(work)
        for file in files:
            reading.read(file)
        reading.finish()
        edges, described = tables_of(relations, items, findings, only_standing=importer.only_standing)
    counts = {"relations": edges.height, "items": described.height, "files": len(files)}
    return ImportedRelations(edges.lazy(), described.lazy(), findings.frame(), counts)


def _expanded(given: Any) -> Any:
    """Paths, with globs as the files they stand for.

    Raises:
        InvalidRequest: a glob that nothing matches.
    """
    places = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    found: list[Any] = []
    for place in places:
        if isinstance(place, str) and set(place) & set("*?[") and not Path(place).expanduser().exists():
            import glob

            matched = sorted(glob.glob(os.path.expanduser(place), recursive=True, include_hidden=True))
            if not matched:
                raise InvalidRequest(f"{place}: no file or folder is called so")
            found += matched
        else:
            found.append(place)
    return found
