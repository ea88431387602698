"""A database of Smeldr opened as it is, without an import: for `RelationStore.open` (an entry point of the package)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lineage_kit.errors import SchemaError
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.smeldr.importer import Smeldr

DAMAGED = "corrupt_log"


def tables(path: Path) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """The relations and items of a database; None if it is not one of Smeldr.

    Raises:
        SchemaError: a database that cannot be read to its end: a part of it would look like the whole.
        LineageKitError: a database that is locked, or cannot be opened.

    Example:
        >>> import sqlite3, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "other.db"
        >>> with sqlite3.connect(path) as connection:
        ...     _ = connection.execute("create table notes (text text)")
        >>> tables(path) is None
        True
    """
    imported = read_relations(Smeldr, path, progress=False)
    found = dict(imported.report.select("kind", "example").rows())
    if DAMAGED in found:
        raise SchemaError.of(str(path), [f"the database is damaged: {found[DAMAGED]}"])
    if "side_file" in found:
        return None
    return imported.relations.collect(), imported.items.collect()
