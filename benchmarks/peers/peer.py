"""What every peer does, and the coding of names to numbers that the in-memory ones share."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from benchmarks.graphs import WALKED


class Peer(ABC):
    """Lives in a process of its own; the anchor is looked up before a warm walk is timed."""

    name: ClassVar[str]
    limit: ClassVar[int | None] = None  # the largest graph it is given, in edges
    in_memory: ClassVar[bool] = True

    @abstractmethod
    def load(self, path: Path) -> None:
        """Get ready to be asked: what an analyst does once a session."""

    @abstractmethod
    def ask(self, type: str, id: str) -> None:
        """Look the anchor up."""

    @abstractmethod
    def walk(self, depth: int) -> None:
        """The nodes within so many levels, in whatever form the peer has them."""

    @abstractmethod
    def visited(self) -> pl.DataFrame:
        """Their type and id."""

    def load_and_walk(self, path: Path, type: str, id: str, depth: int) -> None:
        """From nothing to the first answer."""
        self.load(path)
        self.ask(type, id)
        self.walk(depth)


class CodedPeer(Peer):
    """Walks numbers: `nodes` has the names of them, row by row."""

    nodes: pl.DataFrame
    start: int
    found: list[int] | pl.Series

    def ask(self, type: str, id: str) -> None:
        named = (self.nodes["id"] == id) & (self.nodes["type"] == type)
        self.start = int(named.arg_true()[0])

    def visited(self) -> pl.DataFrame:
        return self.nodes[self.found]


def coded(path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The nodes (type, id) sorted by id, and the walked edges as row numbers of these (source, target), sorted.

    Ways to code 10 million edges, in seconds: distinct names and two joins 3.9; names glued together and cast to
    Categorical 3.6, to an Enum 4.8, encoded by Arrow 4.2, one join on glued names 4.4; DuckDB 4.6. Sorting nodes and
    edges costs a second more here, pays for itself where a graph is made of them, and makes the walks a third faster.
    """
    edges = (
        pl.scan_parquet(path)
        .filter(pl.col("relation_kind").is_in(WALKED))
        .select("source_type", "source_id", "target_type", "target_id")
        .collect()
    )
    ends = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    nodes = pl.concat(ends).unique().sort("id", "type")
    numbered = nodes.with_row_index("number").lazy()
    links = edges.lazy()
    for end in ("source", "target"):
        number = numbered.select(pl.col("number").alias(end), pl.col("type"), pl.col("id"))
        links = links.join(number, left_on=[f"{end}_type", f"{end}_id"], right_on=["type", "id"])
    return nodes, links.select("source", "target").sort("source", "target").collect()


def pairs(links: pl.DataFrame) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The edges as an array of (source, target)."""
    both = np.empty((links.height, 2), np.int64)
    for place, end in enumerate(("source", "target")):
        both[:, place] = links[end].to_numpy()
    return both
