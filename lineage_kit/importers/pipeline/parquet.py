"""Imported tables as Parquet files, written a part at a time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow.parquet as pq

Compression = Literal["none", "zstd"]
REPEATED = ("session_id", "type", "raw_type", "file", "model", "tool_name", "relation_kind", "edge_class")
"""Columns whose values come again and again; only these are stored through a dictionary."""
LONG = ("payload", "text")
"""Columns whose values may be long: a summary that held the least and the greatest of them would be longer still."""
OLDEST = pl.CompatLevel.oldest()


class Writer:
    """A Parquet file of frames of one schema; a context manager."""

    def __init__(self, path: Path, schema: dict[str, Any], compression: Compression) -> None:
        shape = pl.DataFrame(schema=schema).to_arrow(compat_level=OLDEST).schema
        self._file = pq.ParquetWriter(
            path,
            shape,
            compression=compression,
            use_dictionary=[name for name in REPEATED if name in schema],
            write_statistics=[field for field in _leaves(shape) if field not in LONG],
        )

    def write(self, frame: pl.DataFrame) -> None:
        """Add rows."""
        if frame.height:
            self._file.write_table(frame.to_arrow(compat_level=OLDEST), row_group_size=100_000)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def _leaves(shape: Any) -> list[str]:
    """The columns that hold plain values; what is said of columns is not said of those within others."""
    return [field.name for field in shape if field.type.num_fields == 0]


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a whole table, to be kept."""
    with Writer(path, dict(frame.schema), "zstd") as writer:
        writer.write(frame)


def keep_table(source: Path, path: Path) -> None:
    """Bring a table that was put aside to where it is to be kept, packed if it was not."""
    with pq.ParquetFile(source) as file:
        groups = file.metadata.num_row_groups
        if groups and file.metadata.row_group(0).column(0).compression == "UNCOMPRESSED":
            with Writer(path, dict(pl.read_parquet_schema(source)), "zstd") as writer:
                for group in range(groups):
                    writer.write(pl.DataFrame(file.read_row_group(group)))
            return
    shutil.copyfile(source, path)
