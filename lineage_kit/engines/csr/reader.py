"""The array engine: edges sorted by endpoint with offsets, so that a level is a gather over the frontier's ranges.

The arrays may lie in memory or in mapped files; nothing here asks which. A node's key is its place among all nodes
sorted by (type, id), so that keys sort as nodes do. An edge is known by its place in the order by source, in which
the walked edges of a source come first, and otherwise edges lie as people are shown them; edges are listed again by
target, supersedes first within a target. Reading the premises of a frontier, or the replacements of its items,
touches just these stretches. What is known of one node, or of one edge, lies side by side in one record, so that it
comes into memory at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.protocol import Bools, EdgeFacts, EdgeRead, Ints, Known, Names, ranges
from lineage_kit.schema import ROW, SUPERSEDES, WALKED

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = np.iinfo(np.int64).min
"""Stands for a time that is not known: such an edge has always existed."""
TIME = pl.Datetime("us", "UTC")
TIMES = ("created_at", "valid_at", "invalid_at")
"""The fields of an edge that are times."""
NO_TIME, NO_NUMBER = pl.Series([None], dtype=TIME), pl.Series([None], dtype=pl.Float64)
Array = npt.NDArray[Any]
WORD = 8


def record(fields: Iterable[tuple[str, str]]) -> np.dtype[np.void]:
    """The layout of a record: its fields side by side, the largest first, in whole words of eight bytes."""
    ordered = sorted(fields, key=lambda one: -np.dtype(one[1]).itemsize)
    sizes = np.array([np.dtype(kind).itemsize for _, kind in ordered])
    return np.dtype(
        {
            "names": [name for name, _ in ordered],
            "formats": [kind for _, kind in ordered],
            "offsets": [int(end - size) for end, size in zip(np.cumsum(sizes), sizes, strict=True)],
            "itemsize": int(-(-sizes.sum() // WORD) * WORD),
        }
    )


class Records:
    """An array of records, of which some are copied at a time: as whole words, several times faster than as records."""

    def __init__(self, held: Array) -> None:
        self.held = held
        self.names = held.dtype.names or ()
        self._words = held.view(np.uint64).reshape(held.size, held.dtype.itemsize // WORD)

    def at(self, places: Ints) -> Array:
        """The records at these places."""
        return self._words[places].view(self.held.dtype)[:, 0]


@dataclass(frozen=True)
class Graph:
    """Edges between integer nodes, twice sorted.

    Attributes:
        kinds, classes: the relation kinds and edge classes, by code, each sorted.
        ends: by node, with one more: out_start, in_start (where its edges out and in begin), out_walked,
            in_superseding (where the walked ones and the supersedes ones among them end).
        edges: by edge: far (the target), row, kind, edge_class, quality (see `qualities`), and where any edge has
            one: confidence (NaN: none), created_at, valid_at, invalid_at (microseconds, `NEVER`: none).
        into: by edge into a node: far (the source), edge (its place in `edges`).
    """

    kinds: Sequence[str]
    classes: Sequence[str]
    ends: Records
    edges: Records
    into: Records

    @cached_property
    def kind_texts(self) -> pl.Series:
        """The kinds, by code."""
        return pl.Series(self.kinds, dtype=pl.String)

    @cached_property
    def class_texts(self) -> pl.Series:
        """The classes, by code."""
        return pl.Series(self.classes, dtype=pl.String)

    def has(self, name: str) -> bool:
        """Whether edges have this field."""
        return name in self.edges.names


class ArrayReader:
    """One question to a graph; keys are node numbers, and need no interning."""

    def __init__(
        self, graph: Graph, nodes: Nodes, own: Callable[[Ints], pl.DataFrame] | None, as_of: datetime | None
    ) -> None:
        self.reads = 0
        self._graph, self._nodes, self._own = graph, nodes, own
        self._as_of = None if as_of is None else (as_of - EPOCH) // timedelta(microseconds=1)
        self._walked = _codes(graph.kinds, WALKED)
        self._strangers = 0

    @property
    def key_bits(self) -> int:
        """As many as the numbers of the nodes need, and of the strangers above them."""
        return (self._nodes.count + self._strangers).bit_length()

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The number of each (type, id); a node the graph does not have gets one above all of its own."""
        keys = self._nodes.find(nodes)
        strange = keys < 0
        self._strangers = int(strange.sum())
        keys[strange] = self._nodes.count + np.arange(self._strangers)
        return keys

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges out of these keys."""
        walked = kinds is not None and tuple(kinds) == WALKED
        asked, edge = self._places(keys, "out_start", "out_walked" if walked else None)
        return self._kept(asked, edge, self._graph.edges.held["far"][edge], None if walked else kinds)

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges into these keys."""
        replacing = kinds is not None and tuple(kinds) == (SUPERSEDES,)
        asked, place = self._places(keys, "in_start", "in_superseding" if replacing else None)
        if not place.size:
            return EdgeRead(place, place, place)
        met = self._graph.into.at(place)
        return self._kept(asked, met["edge"].astype(np.int64), met["far"], None if replacing else kinds)

    def _places(self, keys: Ints, start: str, end: str | None) -> tuple[Ints, Ints]:
        """Which key, and which place, for every edge in the stretches of these keys."""
        self.reads += 1
        if self._strangers:  # a stranger has the edges of the end: none
            keys = np.minimum(keys, self._nodes.count)
        here = self._graph.ends.at(keys)
        first = here[start].astype(np.int64)
        if end is not None:
            last = here[end].astype(np.int64)
        else:
            last = self._graph.ends.held[start][np.minimum(keys + 1, self._nodes.count)].astype(np.int64)
        return ranges(first, last)

    def _kept(self, asked: Ints, edge: Ints, far: Array, kinds: Sequence[str] | None) -> EdgeRead:
        edges, keep = self._graph.edges.held, None
        if kinds is not None:
            keep = np.isin(edges["kind"][edge], _codes(self._graph.kinds, kinds))
        if self._as_of is not None:
            for name in ("created_at", "valid_at"):
                if self._graph.has(name):
                    exists: Bools = edges[name][edge] <= self._as_of
                    keep = exists if keep is None else keep & exists
        if keep is not None:
            asked, edge, far = asked[keep], edge[keep], far[keep]
        return EdgeRead(edge, asked, far.astype(np.int64))

    def answer(self, keys: Ints, edges: Ints) -> Known:
        """Copy the records of these edges, and look up the names of these keys."""
        self.reads += 1
        return ArrayAnswer(self._graph, self._nodes.names(keys), edges, self._own, self._as_of)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node: the graph holds no others."""
        self.reads += 1
        found: Bools = self._nodes.find(nodes) >= 0
        return found


class ArrayAnswer:
    """What is known of the nodes and edges of one answer."""

    ranks: Ints | None = None  # keys sort as names do

    def __init__(
        self,
        graph: Graph,
        names: Names,
        edges: Ints,
        own: Callable[[Ints], pl.DataFrame] | None,
        as_of: int | None,
    ) -> None:
        self.names = names
        self._graph, self._edges, self._own, self._as_of = graph, edges, own, as_of
        self._records = Records(graph.edges.at(edges))

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges."""
        quality, kind = self._records.held["quality"][edges], self._records.held["kind"][edges]
        return EdgeFacts(quality.astype(np.int64), self._invalidated(edges), kind.astype(np.int64))

    def shown(self, edges: Ints) -> Ints:
        """Walked edges, and edges of one kind, lie in the order in which they are shown."""
        return self._edges[edges]

    def said(self, edges: Ints) -> dict[str, pl.Series]:
        """The kind, class and confidence of these edges, and whether they are invalidated."""
        return {**self._said(self._records.at(edges)), "invalidated": pl.Series(self._invalidated(edges))}

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The rows of these edges."""
        met = self._records.at(edges)
        columns = self.names.at(source, "source_") | self.names.at(target, "target_") | self._said(met)
        columns |= {name: self._times(met, name) for name in TIMES}
        if self._own is not None:
            columns |= {column.name: column for column in self._own(self._edges[edges])}
        return framed({**columns, ROW: met["row"].astype(np.int64)})

    def _invalidated(self, edges: Ints) -> Bools:
        if not self._graph.has("invalid_at"):
            return np.zeros(edges.size, np.bool_)
        invalid_at = self._records.held["invalid_at"][edges]
        invalidated: Bools = invalid_at != NEVER
        if self._as_of is not None:
            invalidated &= invalid_at <= self._as_of
        return invalidated

    def _said(self, met: Array) -> dict[str, pl.Series]:
        confidence = NO_NUMBER.new_from_index(0, met.size)
        if self._graph.has("confidence"):
            confidence = pl.Series(np.ascontiguousarray(met["confidence"]), dtype=pl.Float64, nan_to_null=True)
        return {
            "relation_kind": picked(self._graph.kind_texts, met["kind"]),
            "edge_class": picked(self._graph.class_texts, met["edge_class"]),
            "confidence": confidence,
        }

    def _times(self, met: Array, name: str) -> pl.Series:
        if not self._graph.has(name):
            return NO_TIME.new_from_index(0, met.size)
        moments = np.ascontiguousarray(met[name])
        series = pl.Series(moments, dtype=pl.Int64).cast(TIME)
        unknown = moments == NEVER
        return series.set(pl.Series(unknown), None) if unknown.any() else series


def _codes(texts: Sequence[str], wanted: Sequence[str]) -> Ints:
    return np.array([code for code, text in enumerate(texts) if text in wanted], np.int64)
