"""What is known of an answer: the records of its edges, copied once, and the names of its nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.csr.graph import NEVER, TIMES, Array, Graph, Records
from lineage_kit.engines.csr.instant import Instant
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.csr.override import Override
from lineage_kit.engines.csr.strangers import Strangers
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import EdgeFacts
from lineage_kit.schema import ROW

TIME = pl.Datetime("us", "UTC")
NO_TIME, NO_NUMBER = pl.Series([None], dtype=TIME), pl.Series([None], dtype=pl.Float64)


class CsrAnswer:
    """What is known of the nodes and edges of one answer."""

    def __init__(
        self,
        graph: Graph,
        nodes: Nodes,
        strangers: Strangers,
        keys: Ints,
        edges: Ints,
        own: Callable[[Ints], pl.DataFrame] | None,
        at: Instant,
        override: Override,
    ) -> None:
        self.names = strangers.names_of(keys)
        self.ranks: Ints | None = None  # numbers sort as names do; strangers, which have no edges, are never sorted
        self._nodes, self._keys = nodes, keys
        self._graph, self._edges, self._own, self._at = graph, edges, own, at
        self._records = Records(graph.edges.at(edges))
        held = self._records.held
        told = [held[name] if graph.has(name) else None for name in ("invalid_at", "expired_at")]
        self._invalid_at, self._expired_at = override.applied(edges, *told)

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges."""
        quality, kind = self._records.held["quality"][edges], self._records.held["kind"][edges]
        return EdgeFacts(quality.astype(np.int64), self.invalidated(edges), kind.astype(np.int64))

    def display_rank(self, edges: Ints) -> Ints:
        """Walked edges, and edges of one kind, lie in the order in which they are shown."""
        return self._edges[edges]

    def attributes(self, edges: Ints) -> dict[str, pl.Series]:
        """The kind, class and confidence of these edges, and whether they are invalidated."""
        records = self._records.at(edges)
        return {**self._texts_and_confidence(records), "invalidated": pl.Series(self.invalidated(edges))}

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The rows of these edges."""
        records = self._records.at(edges)
        columns = self.names.at(source, "source_") | self.names.at(target, "target_")
        columns |= self._texts_and_confidence(records)
        columns |= {name: self._times(edges, name) for name in TIMES}
        if self._own is not None:
            columns |= {column.name: column for column in self._own(self._edges[edges])}
        return framed({**columns, ROW: records["row"].astype(np.int64)})

    def row_numbers(self, edges: Ints) -> Ints:
        """The row numbers of these edges."""
        return self._records.held["row"][edges].astype(np.int64)

    def labels(self, nodes: Ints) -> pl.Series:
        """What the items call these nodes."""
        return self._nodes.labels(self._keys[nodes])

    def invalidated(self, edges: Ints) -> Bools:
        """Which of these edges have been invalidated."""
        if self._invalid_at is None:
            return np.zeros(edges.size, np.bool_)
        expired_at = None if self._expired_at is None else self._expired_at[edges]
        return self._at.invalidated(self._invalid_at[edges], expired_at)

    def _texts_and_confidence(self, records: Array) -> dict[str, pl.Series]:
        confidence = NO_NUMBER.new_from_index(0, records.size)
        if self._graph.has("confidence"):
            confidence = pl.Series(np.ascontiguousarray(records["confidence"]), dtype=pl.Float64, nan_to_null=True)
        return {
            "relation_kind": picked(self._graph.kind_texts, records["kind"]),
            "edge_class": picked(self._graph.class_texts, records["edge_class"]),
            "confidence": confidence,
        }

    def _times(self, edges: Ints, name: str) -> pl.Series:
        held = {"invalid_at": self._invalid_at, "expired_at": self._expired_at}.get(name)
        if held is None and name in ("created_at", "valid_at") and self._graph.has(name):
            held = self._records.held[name]
        if held is None:
            return NO_TIME.new_from_index(0, edges.size)
        moments = np.ascontiguousarray(held[edges])
        series = pl.Series(moments, dtype=pl.Int64).cast(TIME)
        unknown = moments == NEVER
        return series.set(pl.Series(unknown), None) if unknown.any() else series
