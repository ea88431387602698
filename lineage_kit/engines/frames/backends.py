"""Where the frames of a store live: in Polars, or on a DuckDB connection of our own (see `protocol.Backend`)."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.duckdb_connection import quoted
from lineage_kit.engines.protocol import Frame
from lineage_kit.errors import LineageKitError


class PolarsBackend:
    """Frames in memory, and Polars lazy frames."""

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
        try:
            return native.collect()
        except pl.exceptions.PolarsError as error:
            raise LineageKitError(f"reading the relations failed: {error}") from error

    def turn(self) -> AbstractContextManager[Any]:
        return nullcontext()


class DuckdbBackend:
    """Parquet files, scanned on a connection of our own; it is used by one thread at a time, each in its turn."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self._lock = threading.RLock()
        self._tables = 0

    def hashed(self, frame: Frame, into: str, *columns: str) -> Frame:
        relation: duckdb.DuckDBPyRelation = frame.to_native()
        code = f"hash({', '.join(map(quoted, columns))}) as {quoted(into)}"
        return nw.from_native(relation.select(f"*, {code}"))

    def materialize(self, frame: Frame) -> Frame:
        self._tables += 1
        name = f"materialized_{self._tables}"
        try:
            frame.to_native().create(name)
        except duckdb.Error as error:
            raise _failed(error) from error
        return nw.from_native(self.connection.table(name))

    def upload(self, small: pl.DataFrame) -> Frame:
        return nw.from_native(self.connection.from_arrow(small.to_arrow()))

    def collect(self, frame: Frame) -> pl.DataFrame:
        try:
            collected: pl.DataFrame = frame.collect("polars").to_native()
        except duckdb.Error as error:
            raise _failed(error) from error
        return collected

    def turn(self) -> AbstractContextManager[Any]:
        return self._lock


def _failed(error: duckdb.Error) -> LineageKitError:
    return LineageKitError(f"reading the relations failed: {str(error).splitlines()[0]}")
