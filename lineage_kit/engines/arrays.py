"""The array engine: edges sorted by endpoint with offsets, so that a level is a gather over the frontier's ranges.

The arrays may lie in memory or in mapped files; nothing here asks which. A node's key is its place among all nodes
sorted by (type, id), so that keys sort as nodes do. An edge is known by its place in the order by source, walked
kinds first within a source; edges are listed again by target, supersedes first within a target. Reading the
premises of a frontier, or the replacements of its items, touches just these stretches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.engines.reader import Bools, EdgeRead, Ints
from lineage_kit.tables import SUPERSEDES, WALKED

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = np.iinfo(np.int64).min
"""Stands for a time that is not known: such an edge has always existed."""
Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Graph:
    """Edges between integer nodes, twice sorted.

    Attributes:
        kinds: the relation kinds, by code.
        out_start, out_walked: where the edges out of a node begin, and where its walked ones end.
        out_far, kind, since: by edge: the target, the code of the kind, the time (us) since which it exists.
        in_start, in_superseding: where the edges into a node begin, and where the supersedes ones among them end.
        in_far, in_edge: the source, and the place of the edge in the order by source.
    """

    kinds: Sequence[str]
    out_start: Array
    out_walked: Array
    out_far: Array
    kind: Array
    since: Ints | None
    in_start: Array
    in_superseding: Array
    in_far: Array
    in_edge: Array


@dataclass(frozen=True)
class Attributes:
    """The texts and values behind a graph, looked up for the edges and nodes of an answer only."""

    rows: Callable[[Ints], pl.DataFrame]
    names: Callable[[Ints], pl.DataFrame]
    find: Callable[[pl.DataFrame], Ints]
    empty: Callable[[], pl.DataFrame]


class ArrayReader:
    """One question to a graph; keys are node numbers, and need no interning."""

    def __init__(self, graph: Graph, attributes: Attributes, as_of: datetime | None) -> None:
        self.reads = 0
        self._graph = graph
        self._attributes = attributes
        self._as_of = None if as_of is None else (as_of - EPOCH) // timedelta(microseconds=1)
        self._strangers = pl.DataFrame(schema={"type": pl.String, "id": pl.String})

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The number of each (type, id); a node the graph does not have gets one above all of its own."""
        keys = self._attributes.find(nodes)
        strange = keys < 0
        keys[strange] = self._nodes + np.arange(int(strange.sum()))
        self._strangers = nodes.select("type", "id").filter(pl.Series(strange))
        return keys

    @property
    def _nodes(self) -> int:
        return self._graph.out_start.size - 1

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges out of these keys."""
        self.reads += 1
        graph, keys = self._graph, keys[keys < self._nodes]
        walked = kinds is not None and tuple(kinds) == WALKED
        first = graph.out_start[keys].astype(np.int64)
        last = (graph.out_walked[keys] if walked else graph.out_start[keys + 1]).astype(np.int64)
        near, edge = ranges(keys, first, last)
        return self._kept(near, edge, edge, graph.out_far, None if walked else kinds)

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges into these keys."""
        self.reads += 1
        graph, keys = self._graph, keys[keys < self._nodes]
        replacing = kinds is not None and tuple(kinds) == (SUPERSEDES,)
        first = graph.in_start[keys].astype(np.int64)
        last = (graph.in_superseding[keys] if replacing else graph.in_start[keys + 1]).astype(np.int64)
        near, place = ranges(keys, first, last)
        edge = graph.in_edge[place].astype(np.int64)
        return self._kept(near, edge, place, graph.in_far, None if replacing else kinds)

    def _kept(self, near: Ints, edge: Ints, place: Ints, far: Array, kinds: Sequence[str] | None) -> EdgeRead:
        keep: Bools | None = None
        if kinds is not None:
            wanted = [code for code, kind in enumerate(self._graph.kinds) if kind in kinds]
            keep = np.isin(self._graph.kind[edge], wanted)
        if self._as_of is not None and self._graph.since is not None:
            exists = self._graph.since[edge] <= self._as_of
            keep = exists if keep is None else keep & exists
        if keep is not None:
            near, edge, place = near[keep], edge[keep], place[keep]
        return EdgeRead(edge, near, far[place].astype(np.int64))

    def rows(self, edges: Ints) -> pl.DataFrame:
        """The rows of these edges."""
        if not edges.size:
            return self._attributes.empty()
        self.reads += 1
        return self._attributes.rows(edges)

    def names(self, keys: Ints) -> pl.DataFrame:
        """The names of these keys."""
        if not self._strangers.height:
            return self._attributes.names(keys)
        known = keys < self._nodes
        places = np.where(known, np.cumsum(known) - 1, int(known.sum()) + keys - self._nodes)
        return pl.concat([self._attributes.names(keys[known]), self._strangers])[places]

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node: the graph holds no others."""
        self.reads += 1
        found: Bools = self._attributes.find(nodes) >= 0
        return found


def ranges(keys: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """For the ranges [first, last) of some keys: the key and the place of every element, range by range."""
    sizes = last - first
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if ends.size else 0
    place = np.arange(total) + np.repeat(first - (ends - sizes), sizes)
    return np.repeat(keys, sizes), place
