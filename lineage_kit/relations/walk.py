"""The level loop, written once: lineages, batches of lineages and reachability all walk here.

Everything is arrays of integers. A *pair* is an anchor's number and a node's key packed into one 64-bit integer, so
that one walk serves any number of anchors: `pair = anchor << key_bits | key`. A pair that has been visited is known
by its *number*, counted in the order of visits: anchors first, then level by level and hop by hop, within each by
pair. The loop reads edges in batches, drops the ends it has seen (the anti-join) and remembers which edges it read;
texts are looked up when it is over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lineage_kit.engines.protocol import Bools, Ints, Reader
from lineage_kit.relations.visited import Visited
from lineage_kit.schema import SUPERSEDES, WALKED

NONE: Ints = np.empty(0, np.int64)


class Frontier(NamedTuple):
    """Visited nodes to go on from: their numbers and their pairs."""

    number: Ints
    pair: Ints


class Peek(NamedTuple):
    """Edges that were read.

    By edge: its number, the number of the node it was read from, the pair at its other end. `incoming`: whether
    that is the source. Edges are in the order of the numbers of the nodes they were read from.
    """

    edge: Ints
    near: Ints
    pair: Ints
    incoming: bool

    def take(self, which: Bools) -> Peek:
        """The chosen ones."""
        return Peek(self.edge[which], self.near[which], self.pair[which], self.incoming)


class Met(NamedTuple):
    """Edges between visited nodes, in the order of the numbers of the nodes they were met from.

    By edge: its number, the number of the node it was met from, that of the node at its other end, whether that is
    the source (incoming), and whether the edge was among those that reached that node first.
    """

    edge: Ints
    near: Ints
    far: Ints
    incoming: Bools
    first: Bools

    @staticmethod
    def join(parts: Sequence[Met]) -> Met:
        """One `Met` of several, in order."""
        if not parts:
            return Met(NONE, NONE, NONE, np.empty(0, np.bool_), np.empty(0, np.bool_))
        if len(parts) == 1:
            return parts[0]
        edge, near, far = (np.concatenate([part[column] for part in parts]) for column in range(3))
        incoming, first = (np.concatenate([part[column] for part in parts]) for column in (3, 4))
        return Met(edge, near, far, incoming, first)


class Step(NamedTuple):
    """One step of a walk: how many nodes it found first, at which depth and hop."""

    found: int
    depth: int
    hop: int


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
    """One walk from all its anchors: what it visited, and what was met on the way."""

    reader: Reader
    anchors: Ints
    visited: Visited = field(init=False)
    start: Frontier = field(init=False)
    bits: int = field(init=False)  # how many of a pair are the key's
    walked: list[Met] = field(default_factory=list)  # edges out of expanded nodes
    replaced: list[Met] = field(default_factory=list)  # supersedes edges met; near = the item replaced
    past_end: list[Peek] = field(default_factory=list)  # final peek: edges out of the last level
    past_cut: list[Peek] = field(default_factory=list)  # peeks at cut chains
    levels: list[Level] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    edges_read: int = 0

    def __post_init__(self) -> None:
        number = np.arange(self.anchors.size, dtype=np.int64)
        self.bits = self.reader.key_bits
        self.start = Frontier(number, (number << self.bits) | self.anchors)
        self.visited = Visited(self.start.pair)
        self.steps.append(Step(number.size, 0, 0))

    @property
    def pairs(self) -> Ints:
        """Every pair visited, by number; the anchors come first."""
        return self.visited.pairs

    @property
    def keys(self) -> Ints:
        """The key of every node, by number."""
        return self.pairs & self._mask

    def anchors_of(self, numbers: Ints) -> Ints:
        """The numbers of the anchors that these nodes were visited from."""
        return self.pairs[numbers] >> self.bits

    @property
    def _mask(self) -> int:
        return (1 << self.bits) - 1

    def of_steps(self) -> dict[str, Ints]:
        """The depth and the hop of every node, by number."""
        found, depth, hop = np.array(self.steps).T
        return {"depth": depth.repeat(found), "hop": hop.repeat(found)}

    def read(self, frontier: Frontier, kinds: Sequence[str] | None, *, incoming: bool) -> Peek:
        """The edges out of (or into) the nodes of a frontier, in one batched read."""
        ask = self.reader.into if incoming else self.reader.out
        edge, asked, far = ask(frontier.pair & self._mask, kinds)
        self.edges_read += edge.size
        near = frontier.number[asked]
        if self.anchors.size > 1:
            far |= frontier.pair[asked] & ~self._mask
        return Peek(edge, near, far, incoming)

    def enter(self, peeks: Sequence[Peek], depth: int, hop: int) -> tuple[list[Met], Frontier]:
        """Visit the ends not visited before; gives the edges as met, and the nodes found first, in order."""
        before = self.visited.count
        pairs = np.concatenate([peek.pair for peek in peeks]) if len(peeks) > 1 else peeks[0].pair
        far, fresh = self.visited.enter(pairs)
        if fresh.size:
            self.steps.append(Step(fresh.size, depth, hop))
        mets, at = [], 0
        for peek in peeks:
            ends = far[at : at + peek.edge.size]
            at += peek.edge.size
            mets.append(Met(peek.edge, peek.near, ends, np.full(ends.size, peek.incoming), ends >= before))
        return mets, Frontier(np.arange(before, before + fresh.size), fresh)

    def unseen(self, peeks: Sequence[Peek]) -> Ints:
        """The numbers of the nodes from which these peeks saw something that the walk never visited."""
        return np.concatenate([NONE, *(peek.near[self.visited.numbers(peek.pair) < 0] for peek in peeks)])


def lineage_walk(reader: Reader, anchors: Ints, max_depth: int, supersede_limit: int) -> Walk:
    """Walk premises level by level, resolving replacements at the depth of what they replace (rules L2-L9).

    1. Depth 0: the replacements of the anchors join them in the frontier.
    2. A level: one read of the walked edges out of the frontier; the unvisited ends are the next frontier.
    3. Their replacements, hop by hop, join that frontier at the same depth.
    4. Exit when the frontier is empty, or at `max_depth`: then one peek at what lies past it.
    """
    walk = Walk(reader, anchors)
    with measured(walk, 0, anchors.size):
        frontier = _with_replacements(walk, walk.start, 0, supersede_limit)
    depth = 0
    while frontier.number.size and depth < max_depth:
        depth += 1
        with measured(walk, depth, frontier.number.size):
            met, fresh = walk.enter([walk.read(frontier, WALKED, incoming=False)], depth, 0)
            walk.walked += met
            frontier = _with_replacements(walk, fresh, depth, supersede_limit)
            if depth == max_depth and frontier.number.size:
                walk.past_end.append(walk.read(frontier, WALKED, incoming=False))
    return walk


def _with_replacements(walk: Walk, found: Frontier, depth: int, limit: int) -> Frontier:
    """Follow supersedes edges from the items just found to their replacements, and on, up to `limit` hops."""
    joined = [found]
    hop = 0
    while joined[-1].number.size:
        items = joined[-1]
        peek = walk.read(items, (SUPERSEDES,), incoming=True)
        if not peek.edge.size:
            break
        peek = peek.take(peek.pair != items.pair[peek.near - items.number[0]])  # superseding itself says nothing
        if hop == limit:
            walk.past_cut.append(peek)
            break
        hop += 1
        met, fresh = walk.enter([peek], depth, hop)
        walk.replaced += met
        joined.append(fresh)
    return Frontier(*(np.concatenate(column) for column in zip(*joined, strict=True))) if hop else found


def reach_walk(
    reader: Reader, anchors: Ints, max_depth: int, kinds: Sequence[str] | None, *, out: bool, into: bool
) -> Walk:
    """Rings at each hop distance over edges of the given kinds, in one or both directions."""
    sides = ([False] if out else []) + ([True] if into else [])
    walk = Walk(reader, anchors)
    frontier = walk.start
    depth = 0
    while frontier.number.size and depth < max_depth:
        depth += 1
        with measured(walk, depth, frontier.number.size):
            met, frontier = walk.enter([walk.read(frontier, kinds, incoming=side) for side in sides], depth, 0)
            walk.walked += met
            if depth == max_depth and frontier.number.size:
                walk.past_end += [walk.read(frontier, kinds, incoming=side) for side in sides]
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
        return self._walk.edges_read, self._walk.visited.count, self._walk.reader.reads
