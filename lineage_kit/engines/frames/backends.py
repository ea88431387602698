"""The few things Narwhals cannot say: hashing a node, keeping a frame at hand, bringing a small frame over.

A backend is the place where a frame lives. Polars and DuckDB today; another needs these four methods.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.duckdb_connection import quoted
from lineage_kit.errors import LineageKitError

Frame = nw.LazyFrame[Any]


class Backend(Protocol):
    """Where the relations live."""

    def hashed(self, frame: Frame, into: str, type_column: str, id_column: str) -> Frame:
        """The frame with one more column: an unsigned 64-bit hash of a node's (type, id)."""

    def kept(self, frame: Frame) -> Frame:
        """The frame computed once and held, so that reading it again is cheap."""

    def lifted(self, small: pl.DataFrame) -> Frame:
        """A small frame, brought to where the relations are."""

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Run a lazy frame."""

    def turn(self) -> AbstractContextManager[Any]:
        """Held while frames are built and run, where the library would refuse two threads at once."""


class PolarsBackend:
    """Frames in memory, and Polars lazy frames."""

    def hashed(self, frame: Frame, into: str, type_column: str, id_column: str) -> Frame:
        native: pl.LazyFrame = frame.to_native()
        return nw.from_native(native.with_columns(pl.struct(type=type_column, id=id_column).hash(0).alias(into)))

    def kept(self, frame: Frame) -> Frame:
        return nw.from_native(self.collect(frame).lazy())

    def lifted(self, small: pl.DataFrame) -> Frame:
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

    def hashed(self, frame: Frame, into: str, type_column: str, id_column: str) -> Frame:
        relation: duckdb.DuckDBPyRelation = frame.to_native()
        code = f"hash({quoted(type_column)}, {quoted(id_column)}) as {quoted(into)}"
        return nw.from_native(relation.select(f"*, {code}"))

    def kept(self, frame: Frame) -> Frame:
        self._tables += 1
        name = f"kept_{self._tables}"
        frame.to_native().create(name)
        return nw.from_native(self.connection.table(name))

    def lifted(self, small: pl.DataFrame) -> Frame:
        return nw.from_native(self.connection.from_arrow(small.to_arrow()))

    def collect(self, frame: Frame) -> pl.DataFrame:
        try:
            collected: pl.DataFrame = frame.collect("polars").to_native()
        except duckdb.Error as error:
            raise LineageKitError(f"reading the relations failed: {str(error).splitlines()[0]}") from error
        return collected

    def turn(self) -> AbstractContextManager[Any]:
        return self._lock
