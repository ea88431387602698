"""What a walk needs of an engine: edges by key, in batches, and attributes at the end.

A node is a small integer key for the length of one question. An engine is asked for a `Reader` per question; the
reader hands out keys, gives the edges out of and into a set of keys, and at the end the rows of chosen edges and
the names of chosen keys. Nothing else of an engine is known above this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

KEY_BITS = 40
"""A key is below 2**40, so that an anchor's number and a key fit one 64-bit integer."""


class EdgeRead(NamedTuple):
    """The edges of one batched read, as parallel arrays: row number, key that was asked for, key at the other end."""

    edge: Ints
    near: Ints
    far: Ints


class Reader(Protocol):
    """One question's view of the relations; `reads` counts the batched reads made so far."""

    reads: int

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The key of each (type, id); a node that no relation mentions gets a key too."""

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Every edge of these kinds (None = all) whose source is one of these distinct keys."""

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Every edge of these kinds (None = all) whose target is one of these distinct keys."""

    def rows(self, edges: Ints) -> pl.DataFrame:
        """The canonical rows of these distinct, sorted edge numbers, in that order."""

    def names(self, keys: Ints) -> pl.DataFrame:
        """The type and id of each of these keys, in that order; asked after `rows`."""

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
