"""The level loop, written once: lineages, batches of lineages and reachability all walk here.

Everything is arrays of integers. A *pair* is an anchor's number and a node's key packed into one 64-bit integer, so
that one walk serves any number of anchors: `pair = anchor << KEY_BITS | key`. The loop reads edges in batches, drops
the ends it has seen (the anti-join) and remembers which edges it read; texts are looked up when it is over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lineage_kit.engines.reader import KEY_BITS, Bools, EdgeRead, Ints, Reader, distinct
from lineage_kit.tables import SUPERSEDES, WALKED

KEY_MASK = (1 << KEY_BITS) - 1
NONE: Ints = np.empty(0, np.int64)


class Met(NamedTuple):
    """Edges met by a walk: row number, the pair it was met from, the pair at its other end, and whether incoming."""

    edge: Ints
    near: Ints
    far: Ints
    incoming: Bools

    def take(self, which: Bools | Ints) -> Met:
        """The chosen ones."""
        return Met(self.edge[which], self.near[which], self.far[which], self.incoming[which])

    @staticmethod
    def join(parts: Sequence[Met]) -> Met:
        """One `Met` of several, in order."""
        if not parts:
            return Met(NONE, NONE, NONE, np.empty(0, np.bool_))
        edge, near, far = (np.concatenate([part[column] for part in parts]) for column in range(3))
        return Met(edge, near, far, np.concatenate([part.incoming for part in parts]))


class Found(NamedTuple):
    """Pairs in the order in which levels and hops found them, each with its depth and hop."""

    pair: Ints
    depth: Ints
    hop: Ints


class Level(NamedTuple):
    """What one level cost; seconds are wall-clock."""

    depth: int
    frontier: int
    edges_read: int
    new_nodes: int
    reads: int
    seconds: float


@dataclass
class Walk:
    """One walk from all its anchors: the visited set, and what was met on the way."""

    reader: Reader
    anchors: Ints
    visited: Ints = field(init=False)  # sorted pairs
    walked: list[Met] = field(default_factory=list)  # edges out of expanded nodes
    replaced: list[Met] = field(default_factory=list)  # supersedes edges met; near = the item replaced
    reaching: list[Met] = field(default_factory=list)  # the edges among these that reached a node first
    past_end: Met = field(default_factory=lambda: Met.join(()))  # final peek: edges out of the last level
    past_cut: list[Met] = field(default_factory=list)  # peeks at cut chains
    levels: list[Level] = field(default_factory=list)
    edges_read: int = 0
    _steps: list[tuple[Ints, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = pack(np.arange(self.anchors.size, dtype=np.int64), self.anchors)
        self.visited = np.sort(self.start)

    @property
    def found(self) -> Found:
        """Every pair found; the anchors are not among them."""
        return Found(
            np.concatenate([NONE, *(pairs for pairs, _, _ in self._steps)]),
            np.concatenate([NONE, *(np.full(pairs.size, depth) for pairs, depth, _ in self._steps)]),
            np.concatenate([NONE, *(np.full(pairs.size, hop) for pairs, _, hop in self._steps)]),
        )

    def seen(self, pairs: Ints) -> Bools:
        """Which of these pairs have been visited."""
        return among(pairs, self.visited)

    def enter(self, met: Met, depth: int, hop: int) -> Ints:
        """Visit the ends not visited before; returns them, sorted."""
        ends = distinct(met.far)
        fresh = ends[~self.seen(ends)]
        if fresh.size:
            self.visited = np.insert(self.visited, np.searchsorted(self.visited, fresh), fresh)
            self.reaching.append(met.take(among(met.far, fresh)))
            self._steps.append((fresh, depth, hop))
        return fresh

    def read(self, pairs: Ints, kinds: Sequence[str] | None, *, incoming: bool) -> Met:
        """The edges out of (or into) the nodes of these pairs, one batched read, handed to every pair that asked."""
        ask = self.reader.into if incoming else self.reader.out
        keys = pairs & KEY_MASK
        met = spread(ask(distinct(keys), kinds), pairs, keys, incoming=incoming)
        self.edges_read += met.edge.size
        return met


def lineage_walk(reader: Reader, anchors: Ints, max_depth: int, supersede_limit: int) -> Walk:
    """Walk premises level by level, resolving replacements at the depth of what they replace (rules L2-L9).

    1. Depth 0: the replacements of the anchors join them in the frontier.
    2. A level: one read of the walked edges out of the frontier; the unvisited ends are the next frontier.
    3. Their replacements, hop by hop, join that frontier at the same depth.
    4. Exit when the frontier is empty, or at `max_depth`: then one peek at what lies past it.
    """
    walk = Walk(reader, anchors)
    with measured(walk, 0, anchors.size):
        frontier = np.concatenate([walk.start, _replacements(walk, walk.start, 0, supersede_limit)])
    depth = 0
    while frontier.size and depth < max_depth:
        depth += 1
        with measured(walk, depth, frontier.size):
            met = walk.read(frontier, WALKED, incoming=False)
            walk.walked.append(met)
            fresh = walk.enter(met, depth, 0)
            frontier = np.concatenate([fresh, _replacements(walk, fresh, depth, supersede_limit)])
            if depth == max_depth and frontier.size:
                walk.past_end = walk.read(frontier, WALKED, incoming=False)
    return walk


def _replacements(walk: Walk, items: Ints, depth: int, limit: int) -> Ints:
    """Follow supersedes edges from the items just found to their replacements, and on, up to `limit` hops."""
    joined: list[Ints] = [NONE]
    hop = 0
    while items.size:
        met = walk.read(items, (SUPERSEDES,), incoming=True)
        met = met.take(met.near != met.far)  # an item that supersedes itself says nothing
        if hop == limit:
            walk.past_cut.append(met)
            break
        hop += 1
        walk.replaced.append(met)
        items = walk.enter(met, depth, hop)
        joined.append(items)
    return np.concatenate(joined)


def reach_walk(
    reader: Reader, anchors: Ints, max_depth: int, kinds: Sequence[str] | None, *, out: bool, into: bool
) -> Walk:
    """Rings at each hop distance over edges of the given kinds, in one or both directions."""

    def around(pairs: Ints) -> Met:
        sides = ([False] if out else []) + ([True] if into else [])
        return Met.join([walk.read(pairs, kinds, incoming=side) for side in sides])

    walk = Walk(reader, anchors)
    frontier = walk.start
    depth = 0
    while frontier.size and depth < max_depth:
        depth += 1
        with measured(walk, depth, frontier.size):
            met = around(frontier)
            walk.walked.append(met)
            frontier = walk.enter(met, depth, 0)
            if depth == max_depth and frontier.size:
                walk.past_end = around(frontier)
    return walk


class measured:
    """Notes what a level cost on the walk it is part of."""

    def __init__(self, walk: Walk, depth: int, frontier: int) -> None:
        self._walk, self._depth, self._frontier = walk, depth, frontier

    def __enter__(self) -> None:
        self._before = self._counts()
        self._began = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        seconds = time.perf_counter() - self._began
        edges, nodes, reads = (now - was for now, was in zip(self._counts(), self._before, strict=True))
        self._walk.levels.append(Level(self._depth, self._frontier, edges, nodes, reads, seconds))

    def _counts(self) -> tuple[int, int, int]:
        return self._walk.edges_read, self._walk.visited.size, self._walk.reader.reads


def pack(anchor: Ints, key: Ints) -> Ints:
    """Anchor number and key as one pair."""
    return (anchor << KEY_BITS) | key


def among(values: Ints, ordered: Ints) -> Bools:
    """Which values are in a sorted array without duplicates."""
    if not ordered.size:
        return np.zeros(values.size, np.bool_)
    at = np.searchsorted(ordered, values)
    at[at == ordered.size] = 0
    hit: Bools = ordered[at] == values
    return hit


def spread(read: EdgeRead, pairs: Ints, keys: Ints, *, incoming: bool) -> Met:
    """Hand the edges of each key to every pair that asked for it: a gather over ranges of the sorted read."""
    order = np.argsort(read.near, kind="stable")
    near = read.near[order]
    first, last = np.searchsorted(near, keys, "left"), np.searchsorted(near, keys, "right")
    asked, edges = gather(first, last)
    anchors = pairs[asked] & ~KEY_MASK
    return Met(read.edge[order][edges], pairs[asked], anchors | read.far[order][edges], np.full(edges.size, incoming))


def gather(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """For ranges [first, last): which range, and which position, of every element, range by range."""
    sizes = last - first
    which = np.repeat(np.arange(first.size), sizes)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if sizes.size else NONE
    return which, starts + np.arange(which.size)
