"""Edges sorted by endpoint with offsets (compressed sparse rows): a level is a gather over the frontier's ranges.

The arrays may lie in memory or in mapped files; nothing here asks which. A node's key is its place among all nodes
sorted by (type, id), so that keys sort as nodes do. An edge is known by its place in the order by source, in which
the walked edges of a source come first, then those that supersede, and otherwise edges lie as people are shown them;
edges are listed again by target, supersedes first within a target, then walked ones. Reading the premises of a
frontier, the replacements of its items, or what rests on them, touches just these stretches. What is known of one
node, or of one edge, lies side by side in one record, so that it comes into memory at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.engines.integer_arrays import Ints

NEVER = np.iinfo(np.int64).min
"""Stands for a time that is not known: such an edge has always existed."""
TIMES = ("created_at", "valid_at", "invalid_at", "expired_at")
"""The fields of an edge that are times."""
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
            out_superseding, in_superseding, in_walked (where the walked ones and the supersedes ones among them end).
        edges: by edge: target, row, kind, edge_class, quality (see `qualities`), and where any edge has
            one: confidence (NaN: none), created_at, valid_at, invalid_at, expired_at (microseconds, `NEVER`: none).
        into: by edge into a node: source, edge (its place in `edges`).
        levels: the distinct confidences, ascending: with them, what is not an edge here gets a quality that compares.
    """

    kinds: Sequence[str]
    classes: Sequence[str]
    ends: Records
    edges: Records
    into: Records
    levels: Array

    @cached_property
    def kind_texts(self) -> pl.Series:
        """The kinds, by code."""
        return pl.Series(self.kinds, dtype=pl.String)

    @cached_property
    def class_texts(self) -> pl.Series:
        """The classes, by code."""
        return pl.Series(self.classes, dtype=pl.String)

    def resting(self, nodes: range) -> Ints:
        """Those of a range of nodes that have a walked edge out of them."""
        part = self.ends.held[nodes.start : nodes.stop]
        found: Ints = np.flatnonzero(part["out_walked"] > part["out_start"]) + nodes.start
        return found

    def has(self, name: str) -> bool:
        """Whether edges have this field."""
        return name in self.edges.names
