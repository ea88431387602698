"""Where the frames of a store live: in Polars, or on a DuckDB connection of our own (see `protocol.Backend`)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.door.parquet_files import File, damaged
from lineage_kit.door.reading import FOREIGN, reading, unreadable
from lineage_kit.duckdb_connection import quoted
from lineage_kit.engines.protocol import Frame


class PolarsBackend:
    """Frames in memory, and Polars lazy frames; `name` is what errors call them."""

    def __init__(self, name: str = "the relations") -> None:
        self._name = name

    def hashed(self, frame: Frame, into: str, *columns: str) -> Frame:
        native: pl.LazyFrame = frame.to_native()
        # Under the same names whichever columns they are, so that a node hashes alike at either end of an edge.
        parts = [pl.col(column).alias(f"part_{place}") for place, column in enumerate(columns)]
        return nw.from_native(native.with_columns(pl.struct(parts).hash(0).alias(into)))

    def materialize(self, frame: Frame) -> Frame:
        return nw.from_native(self.collect(frame).lazy())

    def upload(self, small: pl.DataFrame) -> Frame:
        return nw.from_native(small.lazy())

    def collect(self, frame: Frame) -> pl.DataFrame:
        native: pl.LazyFrame = frame.to_native()
        with reading(self._name):
            return native.collect()

    def turn(self) -> AbstractContextManager[Any]:
        return nullcontext()


class DuckdbBackend:
    """Parquet files, scanned on a connection of our own; it is used by one thread at a time, each in its turn."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, files: Sequence[File] = ()) -> None:
        self.connection = connection
        self._files = files
        self._lock = threading.RLock()
        self._tables = 0

    def hashed(self, frame: Frame, into: str, *columns: str) -> Frame:
        relation: duckdb.DuckDBPyRelation = frame.to_native()
        code = f"hash({', '.join(map(quoted, columns))}) as {quoted(into)}"
        return nw.from_native(relation.select(f"*, {code}"))

    def materialize(self, frame: Frame) -> Frame:
        self._tables += 1
        name = f"materialized_{self._tables}"
        with self._reading():
            frame.to_native().create(name)
        return nw.from_native(self.connection.table(name))

    def upload(self, small: pl.DataFrame) -> Frame:
        return nw.from_native(self.connection.from_arrow(small.to_arrow()))

    def collect(self, frame: Frame) -> pl.DataFrame:
        with self._reading():
            collected: pl.DataFrame = frame.collect("polars").to_native()
        return collected

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """While files are read: what goes wrong names the file in which it does."""
        try:
            yield
        except FOREIGN as error:
            path, why = damaged(self.connection, self._files) or (None, error)
            where = str(path or (self._files[0].path if len(self._files) == 1 else "the relations"))
            raise unreadable(where, why) from error

    def turn(self) -> AbstractContextManager[Any]:
        return self._lock
