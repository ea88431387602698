"""What is known of an answer: the records of its edges, copied once, and the names of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.csr.graph import NEVER, TIMES, Array, Records
from lineage_kit.engines.csr.instant import Instant
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import EdgeFacts, Names
from lineage_kit.schema import ROW

TIME = pl.Datetime("us", "UTC")
NO_TIME, NO_NUMBER = pl.Series([None], dtype=TIME), pl.Series([None], dtype=pl.Float64)
Own = Callable[[Ints], pl.DataFrame]


class Held(NamedTuple):
    """The records of the edges of an answer, and what is needed to read them.

    Attributes:
        kinds, classes: the relation kinds and edge classes, by code.
        records: one a place in the answer.
        invalid_at, expired_at: these two times, as the question has them; None where no edge has one.
        rank: numbers by which walked edges, and edges of one kind, sort as people are shown them.
        own: the columns of the user's own at these places of the answer; None without any.
    """

    kinds: pl.Series
    classes: pl.Series
    records: Records
    invalid_at: Array | None
    expired_at: Array | None
    rank: Ints
    own: Own | None


class CsrAnswer:
    """What is known of the nodes and edges of one answer."""

    def __init__(
        self, names: Names, ranks: Ints | None, labels: Callable[[Ints], pl.Series], held: Held, at: Instant
    ) -> None:
        self.names = names
        self.ranks = ranks
        self._labels, self._held, self._at = labels, held, at

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges."""
        held = self._held.records.held
        quality, kind = held["quality"][edges], held["kind"][edges]
        return EdgeFacts(quality.astype(np.int64), self.invalidated(edges), kind.astype(np.int64))

    def display_rank(self, edges: Ints) -> Ints:
        """Walked edges, and edges of one kind, lie in the order in which they are shown."""
        return self._held.rank[edges]

    def attributes(self, edges: Ints) -> dict[str, pl.Series]:
        """The kind, class and confidence of these edges, and whether they are invalidated."""
        records = self._held.records.at(edges)
        return {**self._texts_and_confidence(records), "invalidated": pl.Series(self.invalidated(edges))}

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The rows of these edges."""
        records = self._held.records.at(edges)
        columns = self.names.at(source, "source_") | self.names.at(target, "target_")
        columns |= self._texts_and_confidence(records)
        columns |= {name: self._times(edges, name) for name in TIMES}
        if self._held.own is not None:
            columns |= {column.name: column for column in self._held.own(edges)}
        return framed({**columns, ROW: records["row"].astype(np.int64)})

    def row_numbers(self, edges: Ints) -> Ints:
        """The row numbers of these edges."""
        return self._held.records.held["row"][edges].astype(np.int64)

    def labels(self, nodes: Ints) -> pl.Series:
        """What the items call these nodes."""
        return self._labels(nodes)

    def invalidated(self, edges: Ints) -> Bools:
        """Which of these edges have been invalidated."""
        invalid_at, expired_at = self._held.invalid_at, self._held.expired_at
        if invalid_at is None:
            return np.zeros(edges.size, np.bool_)
        return self._at.invalidated(invalid_at[edges], None if expired_at is None else expired_at[edges])

    def _texts_and_confidence(self, records: Array) -> dict[str, pl.Series]:
        confidence = NO_NUMBER.new_from_index(0, records.size)
        if "confidence" in self._held.records.names:
            confidence = pl.Series(np.ascontiguousarray(records["confidence"]), dtype=pl.Float64, nan_to_null=True)
        return {
            "relation_kind": picked(self._held.kinds, records["kind"]),
            "edge_class": picked(self._held.classes, records["edge_class"]),
            "confidence": confidence,
        }

    def _times(self, edges: Ints, name: str) -> pl.Series:
        held = {"invalid_at": self._held.invalid_at, "expired_at": self._held.expired_at}.get(name)
        if name in ("created_at", "valid_at") and name in self._held.records.names:
            held = self._held.records.held[name]
        if held is None:
            return NO_TIME.new_from_index(0, edges.size)
        moments = np.ascontiguousarray(held[edges])
        series = pl.Series(moments, dtype=pl.Int64).cast(TIME)
        unknown = moments == NEVER
        return series.set(pl.Series(unknown), None) if unknown.any() else series
