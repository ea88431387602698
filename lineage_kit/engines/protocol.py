"""What a walk needs of an engine: edges by key, in batches, and attributes at the end.

A node is a small integer key for the length of one question. An engine is asked for a `Reader` per question; the
reader hands out keys, gives the edges out of and into a set of keys, and at the end what is known of the nodes and
edges of the answer. Nothing else of an engine is known above this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.engines.columns import picked, places_in

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

KEY_BITS = 40
"""A key is below 2**40, so that an anchor's number and a key fit one 64-bit integer."""


class EdgeRead(NamedTuple):
    """The edges of one batched read, as parallel arrays.

    edge: its number; asked: the place, among the keys asked for, of the key at its near end; far: the other key.
    A key that was asked for twice has its edges twice.
    """

    edge: Ints
    asked: Ints
    far: Ints


class EdgeFacts(NamedTuple):
    """What decides which edge describes a node (rule L8), as integers.

    quality: class and confidence in one number, the lower the better (see `qualities`); kind: numbers that sort as
    the texts of the relation kinds do.
    """

    quality: Ints
    invalidated: Bools
    kind: Ints


class Names(NamedTuple):
    """The types and the ids of some nodes."""

    type: pl.Series
    id: pl.Series

    def at(self, places: npt.NDArray[Any], prefix: str = "") -> dict[str, pl.Series]:
        """The columns `<prefix>type` and `<prefix>id` of the nodes at these places."""
        here = places_in(places)
        return {f"{prefix}type": picked(self.type, here), f"{prefix}id": picked(self.id, here)}


class Known(Protocol):
    """What is known of the nodes and edges of one answer; both are called by their place among those asked about.

    Attributes:
        names: the type and id of each node.
    """

    names: Names

    @property
    def ranks(self) -> Ints | None:
        """Numbers by which the nodes sort as their (type, id); None when their keys do."""

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges, in this order."""

    def shown(self, edges: Ints) -> Ints:
        """Numbers by which walked edges, and edges of one kind, sort as people are shown them.

        That is by source, target, kind, class, confidence with nulls last, row.
        """

    def said(self, edges: Ints) -> dict[str, pl.Series]:
        """relation_kind, edge_class, confidence and invalidated of these edges, in this order."""

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The canonical rows of these edges, in this order, between these nodes."""


class Reader(Protocol):
    """One question's view of the relations; `reads` counts the batched reads made so far."""

    reads: int

    @property
    def key_bits(self) -> int:
        """How many bits the largest key may need, at most `KEY_BITS`; the fewer, the faster pairs are sorted."""

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The key of each (type, id); a node that no relation mentions gets a key too."""

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Every edge of these kinds (None = all) whose source is one of these keys."""

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Every edge of these kinds (None = all) whose target is one of these keys."""

    def answer(self, keys: Ints, edges: Ints) -> Known:
        """What is known of these nodes (ends of edges, or anchors) and of these edges, all of them read before."""

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation at all, of whatever kind and time, mentions each (type, id)."""


class Engine(Protocol):
    """Relations that can be asked; one engine answers any number of questions, from any number of threads.

    Attributes:
        edges: how many there are.
        chunked: whether a batch of anchors is as fast when it is asked in several parts.
    """

    edges: int
    chunked: bool

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that were set aside at open, with a `reason`."""

    def reader(self, as_of: datetime | None) -> Reader:
        """A reader that sees the edges which exist at `as_of` (None = all)."""

    def empty(self) -> pl.DataFrame:
        """A relations frame without rows: every column with its dtype."""

    def turn(self) -> AbstractContextManager[Any]:
        """Held while a question is asked, where threads must take turns."""

    def code_exactly(self) -> None:
        """Give every node a key of its own from now on, whatever its hash; asked for after a collision."""


def distinct(values: Ints) -> Ints:
    """The distinct values, sorted: by sorting, which for integers is several times faster than a hash table."""
    ordered = np.sort(values)
    if ordered.size < 2:
        return ordered
    kept: Ints = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    return kept


def marked(places: Ints, count: int) -> Bools:
    """Of so many, those at these places."""
    marks = np.zeros(count, np.bool_)
    marks[places] = True
    return marks


def sorting(values: Ints) -> tuple[Ints, Ints]:
    """The places that sort these values (none negative); and the values, sorted.

    Where value and place fit side by side in one integer, those are sorted, in half the time of sorting places.
    """
    room = values.size.bit_length()
    if int(values.max(initial=0)).bit_length() + room > WIDTH:
        order = values.argsort()
        return order, values[order]
    packed = (values << room) | np.arange(values.size)
    packed.sort()
    return packed & ((1 << room) - 1), packed >> room


WIDTH = 63


def ranges(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """For ranges [first, last): which range, and which place, of every element, range by range."""
    sizes = last - first
    which = np.arange(first.size).repeat(sizes)
    if not which.size:
        return which, which
    skipped = first - sizes.cumsum() + sizes
    return which, np.arange(which.size) + skipped[which]


TRUST = {"asserted": 0, "observed": 1}
"""How much an edge class is trusted, the lower the more; every other class comes after."""
UNTRUSTED = 2


def qualities(trust: Ints, confidence: npt.NDArray[np.float64], levels: npt.NDArray[np.float64] | None = None) -> Ints:
    """One number an edge for (class, confidence), the lower the better: asserted first, then high confidence first.

    `confidence` has NaN for null, which comes last within a class; `levels`, the distinct confidences in ascending
    order, are found where they are not given.
    """
    if levels is None:
        levels = np.unique(confidence[~np.isnan(confidence)])
    place = levels.size - 1 - np.searchsorted(levels, confidence)
    place[np.isnan(confidence)] = levels.size
    return trust.astype(np.int64) * (levels.size + 1) + place
