"""One question to a graph: keys are the numbers of its nodes, and need no interning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import CsrAnswer, Held, Own
from lineage_kit.engines.csr.graph import Array, Graph, Records
from lineage_kit.engines.csr.instant import Instant
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.csr.override import Override
from lineage_kit.engines.csr.strangers import Strangers
from lineage_kit.engines.integer_arrays import Bools, Ints, ranges
from lineage_kit.engines.protocol import EdgeBatch, Moment
from lineage_kit.schema import SUPERSEDES, WALKED

NOT_CHANGED = Override.none()
BEFORE = -1
"""What `Nodes.find` takes from the place of a node that is not there."""


class CsrReader:
    """Reads the stretches of a frontier in the arrays of a graph, in memory or in mapped files."""

    def __init__(
        self,
        graph: Graph,
        nodes: Nodes,
        own: Own | None,
        at: Moment,
        override: Override = NOT_CHANGED,
    ) -> None:
        self.reads = 0
        self._override = override
        self._graph, self._nodes, self._own = graph, nodes, own
        self._at = Instant.of(at)
        self._strangers = Strangers.none(nodes)

    @property
    def strangers(self) -> Strangers:
        """The nodes of the question that the graph does not have."""
        return self._strangers

    @property
    def key_bits(self) -> int:
        """As many as the numbers of the nodes need, and of the strangers above them."""
        return (self._nodes.count + self._strangers.count).bit_length()

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The number of each (type, id); a node the graph does not have gets one above all of its own."""
        keys = self._nodes.find(nodes)
        if (strange := keys < 0).any():
            self._strangers = Strangers.of(self._nodes, nodes.filter(pl.Series(strange)), BEFORE - keys[strange])
            keys[strange] = self._strangers.keys
        return keys

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges out of these keys."""
        asked, edge = self._places(keys, *OUT.get(_told(kinds), ("out_start", None)))
        return self._existing(asked, edge, self._graph.edges.held["target"][edge], _unsorted(kinds, OUT))

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges into these keys."""
        asked, place = self._places(keys, *INTO.get(_told(kinds), ("in_start", None)))
        if not place.size:
            return EdgeBatch(place, place, place)
        read = self._graph.into.at(place)
        return self._existing(asked, read["edge"].astype(np.int64), read["source"], _unsorted(kinds, INTO))

    def resting(self, keys: Ints) -> tuple[EdgeBatch, EdgeBatch]:
        """The walked edges into these keys, and the supersedes edges: they lie side by side."""
        here = self._here(keys)
        first, middle, last = (here[name].astype(np.int64) for name in ("in_start", "in_superseding", "in_walked"))
        asked, place = ranges(first, last)
        read = self._graph.into.at(place)
        edge, source, walked = read["edge"].astype(np.int64), read["source"], place >= middle[asked]
        resting, superseding = (
            self._existing(asked[part], edge[part], source[part], None) for part in (walked, ~walked)
        )
        return resting, superseding

    def _here(self, keys: Ints) -> Array:
        """Where the edges of these keys begin and end; a stranger has those of the end: none."""
        self.reads += 1
        if self._strangers.count:
            keys = np.minimum(keys, self._nodes.count)
        return self._graph.ends.at(keys)

    def _places(self, keys: Ints, start: str, end: str | None) -> tuple[Ints, Ints]:
        """Which key, and which place, for every edge in the stretches of these keys."""
        here = self._here(keys)
        first = here[start].astype(np.int64)
        if end is not None:
            last = here[end].astype(np.int64)
        else:
            last = self._graph.ends.held[start][np.minimum(keys + 1, self._nodes.count)].astype(np.int64)
        return ranges(first, last)

    def _existing(self, asked: Ints, edge: Ints, neighbour: Array, kinds: Sequence[str] | None) -> EdgeBatch:
        """Those of these edges that are of the kinds and exist at the moment that was asked about."""
        edges, keep = self._graph.edges.held, None
        if kinds is not None:
            keep = np.isin(edges["kind"][edge], _codes(self._graph.kinds, kinds))
        for name, last in (("created_at", self._at.recorded_by), ("valid_at", self._at.as_of)):
            if last is not None and self._graph.has(name):
                exists: Bools = edges[name][edge] <= last
                keep = exists if keep is None else keep & exists
        if keep is not None:
            asked, edge, neighbour = asked[keep], edge[keep], neighbour[keep]
        return EdgeBatch(edge, asked, neighbour.astype(np.int64))

    def answer(self, keys: Ints, edges: Ints) -> CsrAnswer:
        """Copy the records of these edges, and look up the names of these keys."""
        held = self.held(edges)
        return CsrAnswer(self.strangers.names_of(keys), None, lambda nodes: self.labels(keys[nodes]), held, self._at)

    def held(self, edges: Ints) -> Held:
        """The records of these edges, copied."""
        self.reads += 1
        graph, own = self._graph, self._own
        records = Records(graph.edges.at(edges))
        told = [records.held[name] if graph.has(name) else None for name in ("invalid_at", "expired_at")]
        invalid_at, expired_at = self._override.applied(edges, *told)
        taken = None if own is None else (lambda places: own(edges[places]))
        return Held(graph.kind_texts, graph.class_texts, records, invalid_at, expired_at, edges, taken)

    def labels(self, keys: Ints) -> pl.Series:
        """What the items call these nodes."""
        return self._nodes.labels(keys)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node: the graph holds no others."""
        self.reads += 1
        found: Bools = self._nodes.find(nodes) >= 0
        return found


WALKED_OR_ALL = tuple[str, ...] | None
OUT: dict[WALKED_OR_ALL, tuple[str, str | None]] = {
    WALKED: ("out_start", "out_walked"),
    (SUPERSEDES,): ("out_walked", "out_superseding"),
}
INTO: dict[WALKED_OR_ALL, tuple[str, str | None]] = {
    (SUPERSEDES,): ("in_start", "in_superseding"),
    WALKED: ("in_superseding", "in_walked"),
}
"""The stretch in which the edges of some kinds lie by themselves: where it begins and ends."""


def _told(kinds: Sequence[str] | None) -> WALKED_OR_ALL:
    return None if kinds is None else tuple(kinds)


def _unsorted(kinds: Sequence[str] | None, stretches: Mapping[WALKED_OR_ALL, Any]) -> Sequence[str] | None:
    """The kinds that must be looked for edge by edge, since they have no stretch of their own."""
    return None if _told(kinds) in stretches else kinds


def _codes(texts: Sequence[str], wanted: Sequence[str]) -> Ints:
    return np.array([code for code, text in enumerate(texts) if text in wanted], np.int64)
