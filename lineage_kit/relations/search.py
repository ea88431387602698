"""Finding nodes by text: `find`, the near matches of a misspelt anchor, and labels."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.endpoints import lazy_endpoints
from lineage_kit.engines.labels import labels_of
from lineage_kit.engines.protocol import Backend, Frame
from lineage_kit.folding import folds_further
from lineage_kit.relations.request import Node
from lineage_kit.schema import FOUND, ITEMS, LABELS, NODE

MATCHES = ("id", "id start", "label", "label start", "in id", "in label")
"""How well a node matches, best first."""
NEAR_POOL = 5_000
"""How many nodes that share half of a misspelt id are compared with it in full."""
COMPARED = 500
"""Characters of a text by which others are looked for: a longer one may be more than an engine takes for a pattern."""


class Nodes(Protocol):
    """The nodes that relations mention, and how many edge ends lie at each."""

    def like(self, close: nw.Expr) -> Frame:
        """The type and id of those that an expression over these two columns chooses."""

    def degrees(self, asked: Frame) -> Frame:
        """type, id and degree of those of these nodes that there are."""


class EndsOfEdges:
    """Nodes read off the edges of a relations table."""

    def __init__(self, relations: Table) -> None:
        self._ends: Frame = nw.concat(lazy_endpoints(relations.frame), how="vertical")

    def like(self, close: nw.Expr) -> Frame:
        """Distinct ends of edges."""
        return self._ends.filter(close).unique()

    def degrees(self, asked: Frame) -> Frame:
        """Ends of edges, counted."""
        touching = self._ends.join(asked, on=["type", "id"], how="semi")
        return touching.group_by("type", "id").agg(degree=nw.len())


class ListedNodes:
    """Nodes in a table of their own: type, id, degree."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def like(self, close: nw.Expr) -> Frame:
        """Rows of the table."""
        return self._frame.filter(close).select("type", "id")

    def degrees(self, asked: Frame) -> Frame:
        """Rows of the table."""
        return self._frame.join(asked, on=["type", "id"], how="semi")


class Searched(NamedTuple):
    """What is searched, and where it is."""

    backend: Backend
    nodes: Nodes
    items: Table | None


class Search:
    """Text search over nodes and items, which are opened when first needed; threads take turns.

    `confirm` raises if what was searched is not what the store was opened on.
    """

    def __init__(self, opened: Callable[[], Searched], confirm: Callable[[], None] = lambda: None) -> None:
        self._open = opened
        self._confirm = confirm
        self._lock = threading.Lock()
        self._held: Searched | None = None

    def opened(self) -> Searched:
        """What is searched."""
        with self._lock:
            if self._held is None:
                self._held = self._open()
            return self._held

    def items_table(self) -> Table | None:
        """The items."""
        return self.opened().items

    def find(self, text: str, limit: int) -> pl.DataFrame:
        """Nodes whose id or label contains the text; see `RelationStore.find`."""
        with self._turn() as searched:
            return searched.find(text, limit)

    def near(self, type: str, id: str, limit: int) -> list[Node]:
        """Nodes whose name is close to one that is not there, closest first."""
        with self._turn() as searched:
            return searched.near(type, id, limit)

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """type, id and label of those of these nodes that have one, sorted by type and id."""
        with self._turn() as searched:
            return searched.labels(nodes)

    def items(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """The rows of the items for those of these nodes that have one, sorted by type and id."""
        with self._turn() as searched:
            return searched.items(nodes)

    @contextmanager
    def _turn(self) -> Iterator[Turn]:
        try:
            held = self.opened()
            with held.backend.turn():
                yield Turn(*held)
        finally:
            self._confirm()


class Turn:
    """The searches themselves, made while it is this thread's turn."""

    def __init__(self, backend: Backend, nodes: Nodes, items: Table | None) -> None:
        self._backend = backend
        self._nodes = nodes
        self._items = items

    def find(self, text: str, limit: int) -> pl.DataFrame:
        """Nodes whose id or label contains the text; see `RelationStore.find`."""
        wanted = text.casefold()
        ids, labels = self._maybe("id", wanted), self._maybe("label", wanted)
        nodes = pl.concat([self._backend.collect(self._nodes.like(ids)), self._listed(ids | labels)]).unique()
        folded = self._with_labels(nodes).with_columns(
            folded_id=pl.col("id").map_elements(str.casefold, return_dtype=pl.String),
            folded_label=pl.col("label").map_elements(str.casefold, return_dtype=pl.String),
        )

        def holds(held: str) -> bool:  # Polars's own search refuses very long texts
            return held.find(wanted) >= 0

        tests = [
            pl.col("folded_id") == wanted,
            pl.col("folded_id").str.starts_with(wanted),
            pl.col("folded_label") == wanted,
            pl.col("folded_label").str.starts_with(wanted),
            pl.col("folded_id").map_elements(holds, return_dtype=pl.Boolean),
            pl.col("folded_label").map_elements(holds, return_dtype=pl.Boolean),
        ]
        matched = pl.coalesce(pl.when(test).then(pl.lit(place)) for place, test in enumerate(tests))
        ranked = folded.with_columns(rank=matched).filter(pl.col("rank").is_not_null())
        ranked = ranked.join(self._degrees(ranked.select("type", "id")), on=["type", "id"], how="left")
        ranked = ranked.with_columns(pl.col("degree").fill_null(0))
        match = pl.col("rank").replace_strict(dict(enumerate(MATCHES)), return_dtype=pl.String)
        best = ranked.sort("rank", "degree", "type", "id", descending=[False, True, False, False]).head(limit)
        return best.with_columns(match=match).select(FOUND.names)

    def near(self, type: str, id: str, limit: int) -> list[Node]:
        """Nodes whose name is close to one that is not there, closest first."""
        folded = id.lower()[:COMPARED]
        half = max(1, (len(folded) + 1) // 2)
        lower = nw.col("id").str.to_lowercase()
        close = (
            lower.str.starts_with(folded[:half])
            | lower.str.ends_with(folded[-half:])
            | lower.str.contains(folded, literal=True)
        )
        pool = self._backend.collect(self._nodes.like(close).sort("type", "id").head(NEAR_POOL))
        scored = []
        for node in map(Node._make, pool.iter_rows()):
            other = node.id.lower()[:COMPARED]
            likeness = difflib.SequenceMatcher(None, folded, other, autojunk=False).ratio()
            shared = _shared_start(folded, other)
            scored.append((node.id != id, -likeness, node.type != type, -shared, node))
        scored.sort()
        return [node for *_, node in scored[:limit]]

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """type, id and label of those of these nodes that have one, sorted by type and id."""
        return LABELS.empty() if self._items is None else labels_of(self._backend, self._items, nodes)

    def items(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """The rows of the items for those of these nodes that have one, sorted by type, id and the other columns."""
        if self._items is None or not nodes.height:
            return ITEMS.empty()
        asked = self._backend.upload(nodes.select("type", "id").unique())
        held = self._items.frame.select(*ITEMS.names)
        return self._backend.collect(held.join(asked, on=["type", "id"], how="semi")).sort(ITEMS.names)

    def _listed(self, close: nw.Expr) -> pl.DataFrame:
        if self._items is None:
            return NODE.empty()
        return self._backend.collect(self._items.frame.filter(close).select("type", "id").unique())

    @staticmethod
    def _maybe(column: str, wanted: str) -> nw.Expr:
        """Rows that may hold the folded text: lower case is enough but for the few characters that fold further."""
        text = nw.col(column)
        return text.str.to_lowercase().str.contains(wanted[:COMPARED], literal=True) | text.str.contains(
            folds_further()
        )

    def _with_labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        return nodes.join(self.labels(nodes), on=["type", "id"], how="left")

    def _degrees(self, nodes: pl.DataFrame) -> pl.DataFrame:
        counted = self._nodes.degrees(self._backend.upload(nodes))
        return self._backend.collect(counted).with_columns(pl.col("degree").cast(pl.Int64))


def _shared_start(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
