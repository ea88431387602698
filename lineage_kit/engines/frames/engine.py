"""The frames engine: one semi-join a level, on the user's own frames.

The edges are coded once, when the first question is asked: row number, a 64-bit code for either end, a small code for
the kind, and the times since which the edge exists. A level is read from that narrow frame; the rows of the answer are
read once, at the end, from the source itself. The code is Narwhals, so the same lines run in Polars and in DuckDB.

Opening counts the rows, good and bad, and no more: what a store is opened for may be its SQL views, a check, or an
index, which need no codes. Of Parquet files with statistics the counting reads no rows at all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table, with_reason
from lineage_kit.engines.frames.node_codes import CodedEdges, Coder, ExactCoder, HashCoder, HashCollision
from lineage_kit.engines.frames.reader import FramesReader
from lineage_kit.engines.protocol import ALWAYS, Backend, Frame, Moment, Reader, T
from lineage_kit.errors import LineageKitError
from lineage_kit.progress import waiting
from lineage_kit.schema import WALKED


class FramesEngine:
    """Relations in frames: Polars, or Parquet under DuckDB."""

    chunked = False

    def __init__(
        self,
        table: Table,
        backend: Backend,
        items: Table | None = None,
        *,
        strict: bool = True,
        rejected: pl.DataFrame | None = None,
        edges: int | None = None,
    ) -> None:
        self._backend = backend
        self._items = items
        self._lock = threading.Lock()
        self._coded: CodedEdges | None = None
        self._exact = False
        self._table = table
        if rejected is not None and edges is not None:
            self.rejected, self.edges = rejected, edges
            return
        self.rejected = with_reason(table.empty(), [pl.lit(None, pl.String)])
        self.edges, bad = self._counts()
        if bad:
            if strict:
                table.refuse()
            self.rejected = table.rejected()
            self._table = table.good()

    @staticmethod
    def suits(table: Table, backend: Backend, *, held: bool) -> bool:
        """Any table."""
        return True

    def ask(self, question: Callable[[Reader], T], at: Moment) -> T:
        """Ask; should two nodes of the question share a hash, code all nodes exactly and ask again."""
        with self._backend.turn():
            try:
                return question(self._reader(at))
            except HashCollision:
                self._code_exactly()
                return question(self._reader(at))

    def kinds(self) -> tuple[str, ...]:
        """Every relation kind, sorted."""
        with self._backend.turn():
            return tuple(self._reader(ALWAYS).kinds)

    def resting_of(self, type: str) -> pl.DataFrame:
        """The nodes of a type that have a walked edge out of them: one scan."""
        with self._backend.turn():
            found = self._resting().filter(nw.col("source_type") == nw.lit(type))
            nodes = self._backend.collect(found.select("source_type", "source_id").unique())
        return nodes.select(type="source_type", id="source_id").sort("type", "id")

    def resting_types(self) -> tuple[str, ...]:
        """The types of nodes that have one: one scan."""
        with self._backend.turn():
            types = self._backend.collect(self._resting().select("source_type").unique())
        return tuple(types["source_type"].sort())

    def _resting(self) -> Frame:
        self._expect_unchanged()
        return self._table.frame.filter(nw.col("relation_kind").is_in(WALKED))

    def _reader(self, at: Moment) -> FramesReader:
        with self._lock:  # the first to ask codes the edges; who asks meanwhile waits for it
            if self._coded is None:
                self._coded = self._code(HashCoder(self._backend))
            return FramesReader(self._table, self._backend, self._coded, self._items, at)

    def _code_exactly(self) -> None:
        """Code the nodes by dictionary from now on."""
        with self._lock:
            if not self._exact:
                self._coded = self._code(ExactCoder(self._backend, self._table.frame))
                self._exact = True

    def _code(self, coder: Coder) -> CodedEdges:
        """The edges under these codes, if their files still are what was opened."""
        self._expect_unchanged()
        with waiting("reading the relations"):
            coded = CodedEdges.of(self._table, self._backend, coder)
        self._expect_unchanged()
        return coded

    def _expect_unchanged(self) -> None:
        if not all(file.unchanged() for file in self._table.files):
            raise LineageKitError.source_changed(self._table.name)

    def _counts(self) -> tuple[int, int]:
        """How many edges there are, and how many rows that are none."""
        counts = self._table.frame.select(edges=nw.len(), bad=self._table.bad().cast(nw.Int64).sum())
        rows, bad = self._backend.collect(counts).row(0)
        return int(rows - (bad or 0)), int(bad or 0)
