"""The layered engine: an index with a layer over it, asked as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import polars as pl

from lineage_kit.engines.index.engine import IndexEngine
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.layered.layer import LaidOut, Layer
from lineage_kit.engines.layered.reader import LayeredReader
from lineage_kit.engines.protocol import Moment, Reader, T
from lineage_kit.schema import WALKED


class LayeredEngine:
    """Relations in the files of an index, and a change over them in memory; any number of threads may ask at once.

    Its edges are numbered as the index numbers its own, those of the layer counting on.
    """

    chunked = True

    def __init__(
        self,
        base: IndexEngine,
        layer: Layer,
        labels: Callable[[pl.DataFrame], pl.DataFrame],
        rejected: pl.DataFrame | None = None,
    ) -> None:
        self.base, self.layer = base, layer
        self.edges = base.edges + layer.added.height
        self._rejected, self._labels = rejected, labels

    @cached_property
    def _laid(self) -> LaidOut:
        return LaidOut(self.layer, self.base.graph, self.base.nodes, self._labels)

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that were set aside when the index was built, and those of the layer."""
        return self.base.rejected if self._rejected is None else self._rejected

    def ask(self, question: Callable[[Reader], T], at: Moment) -> T:
        """Ask; nodes have numbers of their own here, and nothing can be mixed up."""
        override = self.layer.override
        if self.layer.added.is_empty():
            return self.base.ask(question, at, override)
        return self.base.ask(lambda reader: question(LayeredReader(reader, self._laid, at)), at, override)

    def ending(self, edges: Ints, at: int) -> Layer:
        """The layer with these edges, numbered as here, invalid at a time, if not at an earlier one."""
        count = self.base.edges
        of_base = self.layer.ending(self.base.graph, edges[edges < count], at)
        of_layer = edges[edges >= count] - count
        return of_base.ending_added(self._laid.graph.edges.held["row"][of_layer], at) if of_layer.size else of_base

    def kinds(self) -> tuple[str, ...]:
        """Every relation kind, sorted."""
        return tuple(sorted({*self.base.kinds(), *self.layer.added["relation_kind"].to_list()}))

    def resting_of(self, type: str) -> pl.DataFrame:
        """The nodes of a type that have a walked edge out of them, in the index or in the layer."""
        more = self._resting.filter(pl.col("type") == type)
        return pl.concat([self.base.resting_of(type), more]).unique().sort("type", "id")

    def resting_types(self) -> tuple[str, ...]:
        """The types of nodes that have one."""
        return tuple(sorted({*self.base.resting_types(), *self._resting["type"].to_list()}))

    @property
    def _resting(self) -> pl.DataFrame:
        walked = self.layer.added.filter(pl.col("relation_kind").is_in(WALKED))
        return walked.select(type="source_type", id="source_id").unique()
