"""The CSR engine: a table held in memory, sorted into arrays at the first question (compressed sparse rows).

That takes a tenth of a second at most for as many edges as `SMALL`, and makes each trace several times faster than
reading frames.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table, with_reason
from lineage_kit.engines.csr.from_frame import BuiltGraph, graph_of
from lineage_kit.engines.csr.reader import CsrReader
from lineage_kit.engines.labels import labels_of
from lineage_kit.engines.protocol import Backend, Moment, Reader, T

SMALL = 200_000
"""Up to so many rows the arrays are worth it; a larger table would have to be traced many times to make up for them."""


class CsrEngine:
    """Relations in arrays in memory; any number of threads may ask at once."""

    chunked = True

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
        rows = backend.collect(table.frame)
        self.rejected = with_reason(rows.clear(), [pl.lit(None, pl.String)]) if rejected is None else rejected
        bad = backend.collect(nw.from_native(rows.lazy()).select(bad=table.bad()))["bad"]
        if rejected is None and bad.any():
            if strict:
                table.refuse()
            self.rejected = table.rejected()
            rows = rows.filter(~bad)
        self.edges = rows.height
        self._rows = rows
        self._labels = None if items is None else partial(labels_of, backend, items)
        self._lock = threading.Lock()
        self._built: BuiltGraph | None = None

    @staticmethod
    def suits(table: Table, backend: Backend, *, held: bool) -> bool:
        """A small table in memory."""
        return held and int(backend.collect(table.frame.select(rows=nw.len())).item()) <= SMALL

    def ask(self, question: Callable[[Reader], T], at: Moment) -> T:
        """Ask; nodes have numbers of their own here, and nothing can be mixed up."""
        return question(CsrReader(*(self._built or self._build()), at))

    def kinds(self) -> tuple[str, ...]:
        """Every relation kind, sorted."""
        return tuple((self._built or self._build())[0].kinds)

    def resting_of(self, type: str) -> pl.DataFrame:
        """The nodes of a type that have a walked edge out of them."""
        graph, nodes, _ = self._built or self._build()
        return nodes.names(graph.resting(nodes.of_type(type))).framed()

    def resting_types(self) -> tuple[str, ...]:
        """The types of nodes that have one."""
        graph, nodes, _ = self._built or self._build()
        return tuple(type for type in nodes.types if graph.resting(nodes.of_type(type)).size)

    def _build(self) -> BuiltGraph:
        """The arrays; the first to ask builds them, and who asks meanwhile waits for it."""
        with self._lock:
            if self._built is None:
                self._built = graph_of(self._rows, self._labels)
                self._rows = self._rows.clear()
            return self._built
