"""What a walk needs of an engine: edges by key, in batches, and attributes at the end.

A node is a small integer key for the length of one question. An engine is asked a question, and hands it a `Reader`;
the reader hands out keys, gives the edges out of and into a set of keys, and at the end what is known of the nodes
and edges of the answer. A walk knows no more of an engine than this file says; what opens a store chooses the engine,
and checks and text search read whole tables through a `Backend`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar

import narwhals as nw
import numpy.typing as npt
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.columns import picked, places_in
from lineage_kit.engines.integer_arrays import Bools, Ints

T = TypeVar("T")
Frame = nw.LazyFrame[Any]

KEY_BITS = 40
"""A key is below 2**40, so that an anchor's number and a key fit one 64-bit integer."""


class Moment(NamedTuple):
    """The instant at which relations are seen: as the world was at `as_of`, by what was known at `known_at`.

    None is no such limit. An edge exists when it was recorded (created_at) by `recorded_by` and held (valid_at) by
    `as_of`. It is invalidated when its invalid_at is set and not after `as_of`, and was noticed by `known_at`: at its
    expired_at, or, where that is not told, at once.
    """

    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def recorded_by(self) -> datetime | None:
        """By when an edge must have been recorded."""
        return self.as_of if self.known_at is None else self.known_at


ALWAYS = Moment()
"""All relations, whenever they hold."""


class EdgeBatch(NamedTuple):
    """The edges of one batched read, as parallel arrays.

    edge: its number; asked: the place, among the keys asked for, of the key that it was read from; neighbour: the
    key at its other end. A key that was asked for twice has its edges twice.
    """

    edge: Ints
    asked: Ints
    neighbour: Ints


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

    def framed(self) -> pl.DataFrame:
        """All of them as a frame."""
        return pl.DataFrame([self.type.alias("type"), self.id.alias("id")])

    def at(self, places: npt.NDArray[Any], prefix: str = "") -> dict[str, pl.Series]:
        """The columns `<prefix>type` and `<prefix>id` of the nodes at these places."""
        here = places_in(places)
        return {f"{prefix}type": picked(self.type, here), f"{prefix}id": picked(self.id, here)}


class Answer(Protocol):
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

    def invalidated(self, edges: Ints) -> Bools:
        """Whether each of these edges has been invalidated."""

    def display_rank(self, edges: Ints) -> Ints:
        """Numbers by which walked edges, and edges of one kind, sort as people are shown them.

        That is by source, target, kind, class, confidence with nulls last, row.
        """

    def attributes(self, edges: Ints) -> dict[str, pl.Series]:
        """relation_kind, edge_class, confidence and invalidated of these edges, in this order."""

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The canonical rows of these edges, in this order, between these nodes."""

    def row_numbers(self, edges: Ints) -> Ints:
        """The row numbers of these edges in the source, in this order."""

    def labels(self, nodes: Ints) -> pl.Series:
        """What the items call the nodes at these places; null for one without a label."""


class Reader(Protocol):
    """One question's view of the relations."""

    @property
    def reads(self) -> int:
        """How many batched reads were made so far."""

    @property
    def key_bits(self) -> int:
        """How many bits the largest key may need, at most `KEY_BITS`; the fewer, the faster pairs are sorted."""

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The key of each (type, id); a node that no relation mentions gets a key too."""

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Every edge of these kinds (None = all) whose source is one of these keys."""

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Every edge of these kinds (None = all) whose target is one of these keys."""

    def resting(self, keys: Ints) -> tuple[EdgeBatch, EdgeBatch]:
        """In one read, the walked edges whose target is one of these keys, and the supersedes edges."""

    def answer(self, keys: Ints, edges: Ints) -> Answer:
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

    def ask(self, question: Callable[[Reader], T], at: Moment) -> T:
        """What a question makes of a reader that sees the relations at a moment.

        Threads take turns here where they must. A question may be asked a second time, with another reader, when
        the engine finds that the first one has mixed up two nodes.
        """

    def kinds(self) -> tuple[str, ...]:
        """Every relation kind that any edge has, of whatever time, sorted."""

    def resting_of(self, type: str) -> pl.DataFrame:
        """The type and id of every node of a type that has a walked edge out of it, of whatever time; sorted by id."""

    def resting_types(self) -> tuple[str, ...]:
        """The types of such nodes, sorted."""


class TableEngine(Engine, Protocol):
    """An engine over a table that was opened; what opens a store asks each, in order, whether it suits the table."""

    def __init__(
        self,
        table: Table,
        backend: Backend,
        items: Table | None = None,
        *,
        strict: bool = True,
        rejected: pl.DataFrame | None = None,
        edges: int | None = None,
    ) -> None:
        """Over a table whose bad rows are refused, or set aside; `rejected` and `edges` say that it has none left."""

    @staticmethod
    def suits(table: Table, backend: Backend, *, held: bool) -> bool:
        """Whether this engine is the one for such a table; `held` says that all of it is in memory."""


class Backend(Protocol):
    """Where frames live, and the few things about them that Narwhals cannot say."""

    def hashed(self, frame: Frame, into: str, *columns: str) -> Frame:
        """The frame with one more column: an unsigned 64-bit hash of some of its columns together."""

    def materialize(self, frame: Frame) -> Frame:
        """The frame computed once and held, so that reading it again is cheap."""

    def upload(self, small: pl.DataFrame) -> Frame:
        """A small frame, brought to where the relations are."""

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Run a lazy frame."""

    def turn(self) -> AbstractContextManager[Any]:
        """Held while frames are built and run, where the library would refuse two threads at once."""
