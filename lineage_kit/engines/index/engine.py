"""The index engine: the arrays of `engines/csr` mapped from files, so that opening costs milliseconds.

Nothing that grows with the graph is allocated, at open or for a question: a level touches the stretches of its
frontier, and the values of an edge are gathered for the edges of an answer only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from lineage_kit.door.tables import with_reason
from lineage_kit.engines.csr.graph import Graph, Records
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.csr.override import Override
from lineage_kit.engines.csr.reader import NOT_CHANGED, CsrReader
from lineage_kit.engines.index.columns import OwnColumns, texts
from lineage_kit.engines.index.manifest import (
    Manifest,
    expect_scattered_reads,
    mapped_arrays,
    release,
    resident_of_files,
    unusable,
)
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.protocol import ALWAYS, Moment, T
from lineage_kit.errors import LineageKitError
from lineage_kit.output.generation import state_of

ALWAYS_MAPPED = 1_000_000_000
"""Bytes up to which the files of an index stay mapped, whatever was touched."""
RESIDENT = 300_000_000
"""Bytes of mapped files of a larger one beyond which a question gives its pages back when it has been answered."""


class IndexEngine:
    """Relations in the files of an index."""

    chunked = True

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        arrays = mapped_arrays(folder, manifest)
        start, text = arrays["id_start"], arrays["id_text"]
        if not (int(start[0]) == 0 and int(start[-1]) == text.size):
            raise unusable(folder, "its files id_start.npy and id_text.npy do not fit together", manifest=manifest)
        self.folder = folder
        self._state = state_of(folder)
        self.manifest = manifest
        self.edges = manifest.edges
        self._arrays = arrays
        self._size = sum(array.nbytes for array in arrays.values())
        if self._size > ALWAYS_MAPPED:
            expect_scattered_reads(arrays.values())
        called = None
        if "label_text" in arrays:
            called = texts(arrays["label_start"], arrays["label_text"], arrays["label_there"])
        self._nodes = Nodes(manifest.types, arrays["type_start"], texts(start, text), called)
        self._own = OwnColumns(folder / "own.arrow") if "own.arrow" in manifest.files else None
        ends, edges, into = (Records(arrays[name]) for name in ("ends", "edges", "into"))
        self._graph = Graph(manifest.kinds, manifest.classes, ends, edges, into, arrays["levels"])

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that were set aside when the index was built."""
        path = self.folder / "rejected.parquet"
        if path.name in self.manifest.files:
            rows = pl.read_parquet(path, glob=False)
            self.confirm()
            return rows
        nothing: Ints = np.empty(0, np.int64)
        empty = self._reader(ALWAYS).answer(nothing, nothing).rows(nothing, nothing, nothing)
        return with_reason(empty, [pl.lit(None, pl.String)])

    def confirm(self) -> None:
        """Raise if the index was built anew since it was opened, so that what was read now may be of another one.

        Raises:
            LineageKitError: it was.
        """
        if state_of(self.folder) != self._state:
            told = f"the index {self.folder} was built anew since this store was opened. Hint: open the store again"
            raise LineageKitError(told)

    @property
    def graph(self) -> Graph:
        """The edges, in arrays."""
        return self._graph

    @property
    def nodes(self) -> Nodes:
        """The names of the nodes."""
        return self._nodes

    @property
    def own(self) -> pl.DataFrame | None:
        """The columns of the user's own without rows, if there are any."""
        return None if self._own is None else self._own.empty

    def ask(self, question: Callable[[CsrReader], T], at: Moment, override: Override = NOT_CHANGED) -> T:
        """Ask; mapped files may be read by any number of threads.

        Afterwards, pages are given back if many are held: the system maps the neighbours of a page that is touched
        too, so that a few traces would otherwise seem to hold the whole index in memory.
        """
        answer = question(self._reader(at, override))
        if self._size > ALWAYS_MAPPED and resident_of_files() > RESIDENT:
            release(self._arrays.values())
        return answer

    def kinds(self) -> tuple[str, ...]:
        """Every relation kind, sorted."""
        return tuple(self.manifest.kinds)

    def resting_of(self, type: str) -> pl.DataFrame:
        """The nodes of a type that have a walked edge out of them."""
        graph, nodes = self._graph, self._nodes
        return nodes.names(graph.resting(nodes.of_type(type))).framed()

    def resting_types(self) -> tuple[str, ...]:
        """The types of nodes that have one."""
        graph, nodes = self._graph, self._nodes
        return tuple(type for type in nodes.types if graph.resting(nodes.of_type(type)).size)

    def _reader(self, at: Moment, override: Override = NOT_CHANGED) -> CsrReader:
        return CsrReader(self._graph, self._nodes, None if self._own is None else self._own.take, at, override)
