"""Imported tables as Parquet files, written a part at a time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from lineage_kit.output.parquet import Compression, Writer

REPEATED = ("session_id", "type", "raw_type", "file", "model", "tool_name", "relation_kind", "edge_class")
"""Columns whose values come again and again; only these are stored through a dictionary."""
LONG = ("payload", "text")
"""Columns whose values may be long: a summary that held the least and the greatest of them would be longer still."""


def table_writer(path: Path, schema: dict[str, Any], compression: Compression) -> Writer:
    """A file of an imported table."""
    return Writer(path, schema, compression, repeated=REPEATED, long=LONG)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a whole table, to be kept."""
    with table_writer(path, dict(frame.schema), "zstd") as writer:
        writer.write(frame)


def keep_table(source: Path, path: Path) -> None:
    """Bring a table that was put aside to where it is to be kept, packed if it was not."""
    with pq.ParquetFile(source) as file:
        groups = file.metadata.num_row_groups
        if groups and file.metadata.row_group(0).column(0).compression == "UNCOMPRESSED":
            with table_writer(path, dict(pl.read_parquet_schema(source)), "zstd") as writer:
                for group in range(groups):
                    writer.write(pl.DataFrame(file.read_row_group(group)))
            return
    shutil.copyfile(source, path)
