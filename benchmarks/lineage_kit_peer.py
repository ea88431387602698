"""lineage_kit in a process of its own, and the index of a graph, built anew when it cannot be used."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.graphs import WALKED
from lineage_kit import IndexUnusable, RelationStore


class Ours:
    """The calls that are measured. What they answer stays here; only counts and visited nodes go out."""

    store: RelationStore
    node: tuple[str, str]
    asked: pl.DataFrame
    answer: Any

    def build(self, path: Path, folder: Path) -> None:
        RelationStore.open(path).build_index(folder, progress=False)

    def open(self, folder: Path) -> None:
        self.store = RelationStore.open(folder)

    def nothing(self) -> None:
        """What a process has in memory before it is asked for anything."""

    def ask(self, type: str, id: str) -> None:
        self.node = type, id

    def trace(self, depth: int) -> None:
        self.answer = self.store.trace_lineage(*self.node, depth)
        _ = self.answer.nodes, self.answer.edges

    def open_and_trace(self, folder: Path, type: str, id: str, depth: int) -> None:
        self.open(folder)
        self.ask(type, id)
        self.trace(depth)

    def reach(self, depth: int) -> None:
        self.answer = self.store.reachability(*self.node, relation_kind=list(WALKED), max_depth=depth)
        _ = self.answer.nodes

    def ask_many(self, anchors: pl.DataFrame) -> None:
        self.asked = anchors

    def many(self, depth: int) -> None:
        self.answer = self.store.trace_lineage_many(self.asked, depth)
        _ = self.answer.summary, self.answer.nodes

    def many_with_edges(self, depth: int) -> None:
        self.many(depth)
        _ = self.answer.edges

    def reach_many(self, depth: int) -> None:
        self.answer = self.store.reachability_many(self.asked, relation_kind=list(WALKED), max_depth=depth)
        _ = self.answer.nodes

    def nodes(self) -> int:
        return int(self.answer.nodes.height)

    def edges(self) -> int:
        return int(self.answer.edges.height)

    def visited(self) -> pl.DataFrame:
        """The nodes of the latest answer; of many anchors, with the anchor in front."""
        named = [name for name in ("anchor_type", "anchor_id", "type", "id") if name in self.answer.nodes.columns]
        return pl.DataFrame(self.answer.nodes.select(named))

    def sizes(self, anchors: list[tuple[str, str]], depth: int) -> list[int]:
        """How many nodes each of these lineages has."""
        summary = self.store.trace_lineage_many(anchors, depth).summary
        counts = dict(zip(_anchors_in(summary), summary["nodes"], strict=True))
        return [counts[anchor] for anchor in anchors]

    def reaches(self, anchors: list[tuple[str, str]], depth: int) -> list[int]:
        """How many nodes the peers' walk finds from each."""
        nodes = self.store.reachability_many(anchors, relation_kind=list(WALKED), max_depth=depth).nodes
        counts = Counter(_anchors_in(nodes))
        return [counts[anchor] for anchor in anchors]


def usable_index(path: Path) -> Path:
    """The index beside a graph's file, built when there is none that this version of the package can use."""
    folder = index_folder(path)
    if folder.exists():
        with suppress(IndexUnusable):
            RelationStore.open(folder)
            return folder
    return build_afresh(path)


def build_afresh(path: Path) -> Path:
    """The same, whether there was one or not."""
    discard(path)
    RelationStore.open(path).build_index(index_folder(path), progress=False)
    return index_folder(path)


def index_folder(path: Path) -> Path:
    """Where the index of a graph's file is."""
    return path.with_suffix(".index")


def discard(path: Path) -> Path:
    """Remove the index of a graph's file, and say where it was: so a build never pays for removing an old one."""
    shutil.rmtree(index_folder(path), ignore_errors=True)
    return index_folder(path)


def _anchors_in(frame: pl.DataFrame) -> Iterator[tuple[str, str]]:
    return zip(frame["anchor_type"], frame["anchor_id"], strict=True)
