"""One question to a graph: keys are the numbers of its nodes, and need no interning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import CsrAnswer
from lineage_kit.engines.csr.graph import Array, Graph
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.integer_arrays import Bools, Ints, ranges
from lineage_kit.engines.protocol import Answer, EdgeBatch
from lineage_kit.schema import SUPERSEDES, WALKED

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class CsrReader:
    """Reads the stretches of a frontier in the arrays of a graph, in memory or in mapped files."""

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

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges out of these keys."""
        walked = kinds is not None and tuple(kinds) == WALKED
        asked, edge = self._places(keys, "out_start", "out_walked" if walked else None)
        return self._existing(asked, edge, self._graph.edges.held["target"][edge], None if walked else kinds)

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges into these keys."""
        replacing = kinds is not None and tuple(kinds) == (SUPERSEDES,)
        asked, place = self._places(keys, "in_start", "in_superseding" if replacing else None)
        if not place.size:
            return EdgeBatch(place, place, place)
        read = self._graph.into.at(place)
        return self._existing(asked, read["edge"].astype(np.int64), read["source"], None if replacing else kinds)

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

    def _existing(self, asked: Ints, edge: Ints, neighbour: Array, kinds: Sequence[str] | None) -> EdgeBatch:
        """Those of these edges that are of the kinds and exist at the time that was asked about."""
        edges, keep = self._graph.edges.held, None
        if kinds is not None:
            keep = np.isin(edges["kind"][edge], _codes(self._graph.kinds, kinds))
        if self._as_of is not None:
            for name in ("created_at", "valid_at"):
                if self._graph.has(name):
                    exists: Bools = edges[name][edge] <= self._as_of
                    keep = exists if keep is None else keep & exists
        if keep is not None:
            asked, edge, neighbour = asked[keep], edge[keep], neighbour[keep]
        return EdgeBatch(edge, asked, neighbour.astype(np.int64))

    def answer(self, keys: Ints, edges: Ints) -> Answer:
        """Copy the records of these edges, and look up the names of these keys."""
        self.reads += 1
        return CsrAnswer(self._graph, self._nodes.names(keys), edges, self._own, self._as_of)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node: the graph holds no others."""
        self.reads += 1
        found: Bools = self._nodes.find(nodes) >= 0
        return found


def _codes(texts: Sequence[str], wanted: Sequence[str]) -> Ints:
    return np.array([code for code, text in enumerate(texts) if text in wanted], np.int64)
