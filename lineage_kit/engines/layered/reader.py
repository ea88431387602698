"""One question to a graph with a layer over it: what both have, in the numbers of the large one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import CsrAnswer
from lineage_kit.engines.csr.instant import Instant
from lineage_kit.engines.csr.reader import CsrReader
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.layered.answer import both
from lineage_kit.engines.layered.layer import LaidOut
from lineage_kit.engines.protocol import Answer, EdgeBatch, Moment


class LayeredReader:
    """Reads the graph, and what the layer adds to it."""

    def __init__(self, base: CsrReader, laid: LaidOut, at: Moment) -> None:
        self._base, self._laid = base, laid
        self._added = CsrReader(laid.graph, laid.nodes, laid.own, at)
        self._count = laid.base_edges
        self._at = Instant.of(at)
        self._here: Ints = np.empty(0, np.int64)  # the keys of the layer's nodes, by their numbers in the layer
        self._sorted, self._order = self._here, self._here

    @property
    def reads(self) -> int:
        """The batched reads; what the layer adds is in memory."""
        return self._base.reads

    @property
    def key_bits(self) -> int:
        """As many as the graph and its strangers need."""
        return self._base.key_bits

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The number of each (type, id) in the graph; new nodes of the layer are strangers to it."""
        strange = self._laid.strange
        asked = nodes.select("type", "id")
        keys = self._base.keys(pl.concat([asked, strange]) if strange.height else asked)
        self._here = self._laid.found.copy()
        self._here[self._here < 0] = keys[nodes.height :]
        self._order = self._here.argsort()
        self._sorted = self._here[self._order]
        return keys[: nodes.height]

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges out of these keys."""
        which, local = self._local(keys)
        found = self._base.out(keys, kinds)
        return self._both(found, which, self._added.out(local, kinds)) if local.size else found

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges into these keys."""
        which, local = self._local(keys)
        found = self._base.into(keys, kinds)
        return self._both(found, which, self._added.into(local, kinds)) if local.size else found

    def resting(self, keys: Ints) -> tuple[EdgeBatch, EdgeBatch]:
        """The walked edges into these keys, and the supersedes edges."""
        which, local = self._local(keys)
        walked, superseding = self._base.resting(keys)
        if not local.size:
            return walked, superseding
        more = self._added.resting(local)
        return self._both(walked, which, more[0]), self._both(superseding, which, more[1])

    def _local(self, keys: Ints) -> tuple[Ints, Ints]:
        """Which of these keys the layer has, and their numbers in it."""
        if not self._sorted.size:
            return self._sorted, self._sorted
        at = np.minimum(self._sorted.searchsorted(keys), self._sorted.size - 1)
        which = np.flatnonzero(self._sorted[at] == keys)
        return which, self._order[at[which]]

    def _both(self, found: EdgeBatch, which: Ints, more: EdgeBatch) -> EdgeBatch:
        """Two batches as one, in the order of the keys asked."""
        if not more.edge.size:
            return found
        asked = which[more.asked]
        at = found.asked.searchsorted(asked, side="right")  # both lie in the order of the keys asked
        return EdgeBatch(
            np.insert(found.edge, at, more.edge + self._count),
            np.insert(found.asked, at, asked),
            np.insert(found.neighbour, at, self._here[more.neighbour]),
        )

    def answer(self, keys: Ints, edges: Ints) -> Answer:
        """What is known of edges of the graph and of the layer, by the names of the graph and its strangers."""
        added = edges >= self._count
        strangers = self._base.strangers
        held = self._base.held(edges[~added])
        if added.any():
            held = both(held, self._added.held(edges[added] - self._count), added, self._laid)
        ranks = strangers.ranks(keys) if self._laid.strange.height else None
        return CsrAnswer(strangers.names_of(keys), ranks, lambda nodes: self._labels(keys[nodes]), held, self._at)

    def _labels(self, keys: Ints) -> pl.Series:
        """What the items call these nodes, those of the layer among them."""
        found = self._base.labels(keys)
        if not self._laid.strange.height:
            return found
        named = self._here[self._laid.found < 0]
        order = named.argsort()
        at = np.minimum(named.searchsorted(keys, sorter=order), named.size - 1)
        new = named[order[at]] == keys
        if not new.any():
            return found
        told = self._laid.labels.gather(order[at[new]])
        return found.scatter(np.flatnonzero(new), told)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node."""
        more: Bools = self._laid.nodes.find(nodes) >= 0
        return self._base.known(nodes) | more
