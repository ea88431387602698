"""The tables of a store, as they were given: so that they can be opened again, and on another connection."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import polars as pl

from lineage_kit.door.changed import with_ended_items
from lineage_kit.door.faults import collected
from lineage_kit.door.in_memory import Taken
from lineage_kit.door.parquet_files import place_of
from lineage_kit.door.sources import Opened, open_sources
from lineage_kit.door.table_spec import AS_IT_IS, TableSpec
from lineage_kit.door.tables import Table, canonical
from lineage_kit.duckdb_connection import own_connection
from lineage_kit.schema import ITEMS, RELATIONS, ROW

FRAMES = (pl.DataFrame, pl.LazyFrame, Taken)


def items_beside(source: Any) -> list[Path]:
    """The `items.parquet` of every folder whose `relations.parquet` is opened, as an import writes both."""
    parts = source if isinstance(source, (list, tuple)) else [source]
    folders = [place_of(part) for part in parts if isinstance(part, (str, bytes, os.PathLike))]
    held = [folder for folder in folders if (folder / "relations.parquet").is_file()]
    return [items for folder in held if (items := folder / "items.parquet").is_file()]


class Tables(NamedTuple):
    """The tables of one store, in one place."""

    opened: Opened
    relations: Table
    items: Table | None


@dataclass(frozen=True)
class TableSources:
    """Where the tables of a store come from (paths, and frames in memory), and how the relations are read."""

    relations: list[Any]
    items: list[Any] | None = None
    spec: TableSpec = AS_IT_IS
    told: set[str] = field(default_factory=set, compare=False)
    """Which columns were said to be left out: once is enough, however often the tables are opened."""

    @property
    def from_frames(self) -> bool:
        """Whether any of the relations is a frame in memory, which no path leads back to."""
        return any(isinstance(part, FRAMES) for part in self.relations)

    @property
    def scanned(self) -> bool:
        """Whether any of the relations is read from files, by DuckDB."""
        return any(not isinstance(part, FRAMES) for part in self.relations)

    def open(self, connection: duckdb.DuckDBPyConnection | None = None) -> Tables:
        """Relations and items as canonical tables; on this connection, or wherever they are best read.

        Raises:
            SchemaError: everything wrong with either table.
        """
        if connection is None and self.scanned:
            connection = own_connection()
        opened = open_sources(self.relations, columns=self.spec.columns, connection=connection)
        relations, items = canonical(opened, RELATIONS, self.spec, self.told), self._items(connection)
        if self.spec.ended == "invalidate":
            relations = with_ended_items(relations, items)
        return Tables(opened, relations, items)

    def _items(self, connection: duckdb.DuckDBPyConnection | None) -> Table | None:
        if self.items is None:
            return None
        opened = open_sources(self.items, table="items", connection=connection)
        table = canonical(opened, ITEMS, told=self.told)
        table.refuse()
        if connection is None and opened.connection is not None:
            # Items in a file beside relations in memory: the labels join the relations where these are.
            loaded = collected(table.frame, table.name).drop(ROW)
            table = replace(canonical(open_sources(loaded, table="items"), ITEMS, told=self.told), files=opened.files)
        return table
