"""Databases of other tools that are opened as they are: each tool's reader is an entry point of this package.

A reader takes a path and gives the relations and the items in it, or None if the database is not its tool's. Readers
know formats, which are above this room; so they are found by the group they are registered in, not imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import polars as pl

from lineage_kit.door.in_memory import Taken
from lineage_kit.errors import SchemaError

GROUP = "lineage_kit.databases"
SQLITE = b"SQLite format 3\0"
Reader = Callable[[Path], tuple[pl.DataFrame, pl.DataFrame] | None]


def is_database(part: Any) -> bool:
    """Whether a source is the path of an SQLite database, by its first bytes.

    Example:
        >>> is_database(pl.DataFrame()), is_database("edges.parquet")
        (False, False)
    """
    if not isinstance(part, (str, bytes, os.PathLike)):
        return False
    try:
        place = Path(os.path.expanduser(os.fsdecode(part)))
        if not place.is_file():
            return False
        with place.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except (OSError, ValueError):
        return False


def read_databases(source: Any) -> tuple[Any, list[pl.DataFrame]]:
    """A source with every database in it as a table in memory, and the items of these databases.

    Raises:
        SchemaError: a database that no reader knows.
    """
    parts = list(source) if isinstance(source, (list, tuple)) else [source]
    if not any(map(is_database, parts)):
        return source, []
    items: list[pl.DataFrame] = []
    made: list[Any] = []
    for part in parts:
        if not is_database(part):
            made.append(part)
            continue
        place = Path(os.path.expanduser(os.fsdecode(part)))
        relations, described = _read(place)
        made.append(Taken(relations, str(place)))
        items.append(described)
    return made, items


def _read(place: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    readers = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    for entry in readers:
        reader: Reader = entry.load()
        if (tables := reader(place)) is not None:
            return tables
    known = ", ".join(entry.name for entry in readers) or "none"
    raise SchemaError.of(
        str(place), [f"an SQLite database, but of no tool whose relations can be read. Known are: {known}"]
    )
