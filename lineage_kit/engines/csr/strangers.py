"""Nodes of a question that a graph does not have: they are numbered above all of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lineage_kit.engines.columns import picked
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.protocol import Names


@dataclass(frozen=True)
class Strangers:
    """Such nodes, and the place of each among the nodes of the graph.

    Attributes:
        nodes: those of the graph.
        names: the type and id of each stranger.
        keys: their numbers.
        before: the number of the node of the graph before which each would lie.
        among: their own order, by which those at one place are sorted.
    """

    nodes: Nodes
    names: Names
    keys: Ints
    before: Ints
    among: Ints

    @classmethod
    def none(cls, nodes: Nodes) -> Strangers:
        """No strangers."""
        nothing: Ints = np.empty(0, np.int64)
        empty = pl.Series(dtype=pl.String)
        return cls(nodes, Names(empty, empty), nothing, nothing, nothing)

    @classmethod
    def of(cls, nodes: Nodes, strange: pl.DataFrame, before: Ints) -> Strangers:
        """These (type, id), which may be told twice: they are numbered in their own order."""
        pairs = strange.select("type", "id").with_columns(pl.all().cast(pl.String))
        ordered = pairs.unique().sort("type", "id").with_row_index("among")
        joined = pairs.join(ordered, on=["type", "id"], how="left", maintain_order="left")
        among = joined["among"].to_numpy().astype(np.int64)
        return cls(nodes, Names(pairs["type"], pairs["id"]), nodes.count + among, before, among)

    @property
    def count(self) -> int:
        """How many numbers they take."""
        return int(self.among.max(initial=-1)) + 1

    def names_of(self, keys: Ints) -> Names:
        """The type and id of nodes of the graph, and of strangers among them."""
        strange = keys >= self.nodes.count
        if not strange.any():
            return self.nodes.names(keys)
        known = self.nodes.names(keys[~strange])
        place = np.empty(keys.size, np.int64)
        place[~strange] = np.arange(known.id.len())
        place[strange] = known.id.len() + self._first_of(keys[strange])
        joined = (pl.concat([ours, theirs]) for ours, theirs in zip(known, self.names, strict=True))
        return Names(*(picked(column, place) for column in joined))

    def ranks(self, keys: Ints) -> Ints | None:
        """Numbers by which these nodes sort as their names do; None where their numbers do."""
        strange = keys >= self.nodes.count
        if not strange.any():
            return None
        room = self.count.bit_length() + 1
        ranks = ((keys + 1) << room) - 1  # after all strangers that lie before it
        at = self._first_of(keys[strange])
        ranks[strange] = (self.before[at] << room) + self.among[at]
        return ranks

    def _first_of(self, keys: Ints) -> Ints:
        """The first place at which each of these strangers is told."""
        first = np.zeros(self.count, np.int64)
        first[self.among[::-1]] = np.arange(self.among.size)[::-1]
        return first[keys - self.nodes.count]
