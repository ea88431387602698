"""Parquet files of our own, written a part at a time, each page with a checksum for readers that look at it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow.parquet as pq

Compression = Literal["none", "zstd"]
ROWS = 100_000
"""Rows in a group: what a scan can skip."""
OLDEST = pl.CompatLevel.oldest()


class Writer:
    """A Parquet file of frames of one schema; a context manager.

    Args:
        path: the file, which is made.
        schema: the columns, as Polars has them.
        compression: how it is packed.
        repeated: columns whose values come again and again; only these are stored through a dictionary. None for all.
        long: columns whose values may be long, so that the least and the greatest of them are not told.
    """

    def __init__(
        self,
        path: Path,
        schema: Mapping[str, Any],
        compression: Compression = "zstd",
        *,
        repeated: Iterable[str] | None = None,
        long: Iterable[str] = (),
    ) -> None:
        shape = pl.DataFrame(schema=dict(schema)).to_arrow(compat_level=OLDEST).schema
        self._file = pq.ParquetWriter(
            path,
            shape,
            compression=compression,
            use_dictionary=True if repeated is None else [name for name in repeated if name in schema],
            write_statistics=[field for field in _leaves(shape) if field not in set(long)],
            write_page_checksum=True,
        )

    def write(self, frame: pl.DataFrame) -> None:
        """Add rows."""
        if frame.height:
            self._file.write_table(frame.to_arrow(compat_level=OLDEST), row_group_size=ROWS)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def _leaves(shape: Any) -> list[str]:
    """The columns that hold plain values; what is said of columns is not said of those within others."""
    return [field.name for field in shape if field.type.num_fields == 0]


def write_frame(frame: pl.DataFrame, path: Path, *, long: Iterable[str] = ()) -> None:
    """Write a whole frame."""
    with Writer(path, frame.schema, long=long) as writer:
        writer.write(frame)
