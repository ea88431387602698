"""The frames engine: one semi-join a level, on the user's own frames.

The edges are coded once, at open: row number, a 64-bit code for either end, a small code for the kind, and the time
since which the edge exists. A level is read from that narrow frame; the rows of the answer are read once, at the
end, from the source itself. The code is Narwhals, so the same lines run in Polars and in DuckDB.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table, with_reason
from lineage_kit.engines.frames.node_codes import CodedEdges, ExactCoder, HashCoder, HashCollision
from lineage_kit.engines.frames.reader import FramesReader
from lineage_kit.engines.protocol import Backend, Reader, T


class FramesEngine:
    """Relations in frames: Polars, or Parquet under DuckDB."""

    chunked = False

    def __init__(self, table: Table, backend: Backend, *, strict: bool = True) -> None:
        self._backend = backend
        self._lock = threading.Lock()
        self._exact = False
        self._table = table
        self._coded = CodedEdges.of(table, backend, HashCoder(backend))
        self.rejected = with_reason(table.empty(), [pl.lit(None, pl.String)])
        self.edges, bad = self._counts()
        if bad:
            if strict:
                table.refuse()
            self.rejected = table.rejected()
            self._table = table.good()
            self._coded = CodedEdges.of(self._table, backend, HashCoder(backend))

    @staticmethod
    def suits(table: Table, backend: Backend, *, held: bool) -> bool:
        """Any table."""
        return True

    def ask(self, question: Callable[[Reader], T], as_of: datetime | None) -> T:
        """Ask; should two nodes of the question share a hash, code all nodes exactly and ask again."""
        with self._backend.turn():
            try:
                return question(self._reader(as_of))
            except HashCollision:
                self._code_exactly()
                return question(self._reader(as_of))

    def _reader(self, as_of: datetime | None) -> FramesReader:
        with self._lock:
            return FramesReader(self._table, self._backend, self._coded, as_of)

    def _code_exactly(self) -> None:
        """Code the nodes by dictionary from now on."""
        with self._lock:
            if not self._exact:
                self._coded = CodedEdges.of(self._table, self._backend, ExactCoder(self._backend, self._table.frame))
                self._exact = True

    def _counts(self) -> tuple[int, int]:
        """How many edges there are, and how many rows that are none."""
        counts = self._coded.keyed.select(edges=nw.len(), bad=nw.col("bad").cast(nw.Int64).sum())
        edges, bad = self._backend.collect(counts).row(0)
        return int(edges - (bad or 0)), int(bad or 0)
