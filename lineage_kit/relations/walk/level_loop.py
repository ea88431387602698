"""The level loop, written once: lineages, impacts, batches of either and reachability all walk here.

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

from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import EdgeBatch, Reader
from lineage_kit.relations.walk.visited import Visited
from lineage_kit.schema import SUPERSEDES, WALKED

NONE: Ints = np.empty(0, np.int64)


class Frontier(NamedTuple):
    """Visited nodes to go on from: their numbers and their pairs."""

    number: Ints
    pair: Ints


class ReadEdges(NamedTuple):
    """Edges that were read.

    By edge: its number, the number of the frontier node it was read from, the pair at its other end. `incoming`:
    whether that is the source. Edges are in the order of the numbers of the nodes they were read from.
    """

    edge: Ints
    frontier_node: Ints
    pair: Ints
    incoming: bool

    def take(self, which: Bools) -> ReadEdges:
        """The chosen ones."""
        return ReadEdges(self.edge[which], self.frontier_node[which], self.pair[which], self.incoming)


class TraversedEdges(NamedTuple):
    """Edges between visited nodes, in the order of the numbers of the frontier nodes they were read from.

    By edge: its number, the number of the frontier node, that of the neighbour at its other end, whether that is the
    source (incoming), and whether the edge was among those that reached the neighbour first.
    """

    edge: Ints
    frontier_node: Ints
    neighbour: Ints
    incoming: Bools
    first: Bools

    @staticmethod
    def join(parts: Sequence[TraversedEdges]) -> TraversedEdges:
        """One `TraversedEdges` of several, in order."""
        if not parts:
            return TraversedEdges(NONE, NONE, NONE, np.empty(0, np.bool_), np.empty(0, np.bool_))
        if len(parts) == 1:
            return parts[0]
        edge, here, there = (np.concatenate([part[column] for part in parts]) for column in range(3))
        incoming, first = (np.concatenate([part[column] for part in parts]) for column in (3, 4))
        return TraversedEdges(edge, here, there, incoming, first)


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
    """One walk from all its anchors: what it visited, and what it traversed on the way."""

    reader: Reader
    anchors: Ints
    visited: Visited = field(init=False)
    start: Frontier = field(init=False)
    bits: int = field(init=False)  # how many of a pair are the key's
    walked: list[TraversedEdges] = field(default_factory=list)  # edges out of expanded nodes
    replaced: list[TraversedEdges] = field(default_factory=list)  # supersedes edges; frontier node = the item replaced
    past_end: list[ReadEdges] = field(default_factory=list)  # final peek: edges out of the last level
    past_cut: list[ReadEdges] = field(default_factory=list)  # peeks at cut chains
    superseding: list[ReadEdges] = field(default_factory=list)  # an impact: supersedes edges into its nodes
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
        return self.key_of(self.pairs)

    def key_of(self, pairs: Ints) -> Ints:
        """The keys of these pairs."""
        return pairs & self._mask

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

    def read(self, frontier: Frontier, kinds: Sequence[str] | None, *, incoming: bool) -> ReadEdges:
        """The edges out of (or into) the nodes of a frontier, in one batched read."""
        ask = self.reader.into if incoming else self.reader.out
        return self._of(frontier, ask(frontier.pair & self._mask, kinds), incoming=incoming)

    def _of(self, frontier: Frontier, batch: EdgeBatch, *, incoming: bool) -> ReadEdges:
        """A batch that was read, with the numbers and pairs of the walk."""
        edge, asked, neighbour = batch
        self.edges_read += edge.size
        if self.anchors.size > 1:
            neighbour |= frontier.pair[asked] & ~self._mask
        return ReadEdges(edge, frontier.number[asked], neighbour, incoming)

    def read_resting(self, frontier: Frontier) -> tuple[ReadEdges, ReadEdges]:
        """The walked edges into the nodes of a frontier, and the supersedes edges into them, in one batched read."""
        resting, superseding = (
            self._of(frontier, batch, incoming=True) for batch in self.reader.resting(frontier.pair & self._mask)
        )
        return resting, superseding

    def enter(self, batches: Sequence[ReadEdges], depth: int, hop: int) -> tuple[list[TraversedEdges], Frontier]:
        """Visit the ends not visited before; gives the edges as traversed, and the nodes found first, in order."""
        before = self.visited.count
        pairs = np.concatenate([batch.pair for batch in batches]) if len(batches) > 1 else batches[0].pair
        neighbours, fresh = self.visited.enter(pairs)
        if fresh.size:
            self.steps.append(Step(fresh.size, depth, hop))
        traversed, at = [], 0
        for edge, frontier_node, _, incoming in batches:
            ends = neighbours[at : at + edge.size]
            at += edge.size
            traversed.append(TraversedEdges(edge, frontier_node, ends, np.full(ends.size, incoming), ends >= before))
        return traversed, Frontier(np.arange(before, before + fresh.size), fresh)

    def seen(self, peeks: Sequence[ReadEdges]) -> TraversedEdges:
        """Those edges that these peeks saw between nodes which the walk visited."""
        parts = []
        for edge, frontier_node, pair, incoming in peeks:
            ends = self.visited.numbers(pair)
            inside = ends >= 0
            way = np.full(int(inside.sum()), incoming)
            parts.append(TraversedEdges(edge[inside], frontier_node[inside], ends[inside], way, np.zeros_like(way)))
        return TraversedEdges.join(parts)

    def unseen(self, peeks: Sequence[ReadEdges]) -> Ints:
        """The numbers of the nodes from which these peeks saw something that the walk never visited."""
        return np.concatenate([NONE, *(peek.frontier_node[self.visited.numbers(peek.pair) < 0] for peek in peeks)])


def trace_walk(reader: Reader, anchors: Ints, max_depth: int, supersede_limit: int, *, impact: bool) -> Walk:
    """Walk premises level by level, resolving replacements at the depth of what they replace (rules L2-L9).

    1. Depth 0: the replacements of the anchors join them in the frontier.
    2. A level: one read of the walked edges out of the frontier; the unvisited ends are the next frontier.
    3. Their replacements, hop by hop, join that frontier at the same depth.
    4. Exit when the frontier is empty, or at `max_depth`: then one peek at what lies past it.

    An impact is the same loop turned round (rules I1-I3): edges are read from their other end, so that a level finds
    what rests on the frontier, and a hop what the items found replace.
    """
    walk = Walk(reader, anchors)
    with Measured(walk, 0, anchors.size):
        frontier = _with_replacements(walk, walk.start, 0, supersede_limit, impact=impact)
    depth = 0
    while frontier.number.size and depth < max_depth:
        depth += 1
        with Measured(walk, depth, frontier.number.size):
            traversed, fresh = walk.enter([_level(walk, frontier, impact=impact)], depth, 0)
            walk.walked += traversed
            frontier = _with_replacements(walk, fresh, depth, supersede_limit, impact=impact)
            if depth == max_depth and frontier.number.size:
                walk.past_end.append(_level(walk, frontier, impact=impact))
    return walk


def _level(walk: Walk, frontier: Frontier, *, impact: bool) -> ReadEdges:
    """The walked edges that lead on from a frontier, in one read.

    Those of an impact come with the supersedes edges into the same nodes: every node of it is in one frontier, and
    whether another item replaces it is told by no other read.
    """
    if not impact:
        return walk.read(frontier, WALKED, incoming=False)
    resting, superseding = walk.read_resting(frontier)
    walk.superseding.append(superseding)
    return resting


def _with_replacements(walk: Walk, found: Frontier, depth: int, limit: int, *, impact: bool) -> Frontier:
    """Follow supersedes edges from the items just found to their replacements, and on, up to `limit` hops.

    In an impact, from the items to those that they replace.
    """
    joined = [found]
    hop = 0
    while joined[-1].number.size:
        items = joined[-1]
        read = walk.read(items, (SUPERSEDES,), incoming=not impact)
        if not read.edge.size:
            break
        itself = items.pair[read.frontier_node - items.number[0]]
        read = read.take(read.pair != itself)  # superseding itself says nothing
        if hop == limit:
            walk.past_cut.append(read)
            break
        hop += 1
        traversed, fresh = walk.enter([read], depth, hop)
        walk.replaced += traversed
        joined.append(fresh)
    return Frontier(*(np.concatenate(column) for column in zip(*joined, strict=True))) if hop else found


def reach_walk(
    reader: Reader, anchors: Ints, max_depth: int, kinds: Sequence[str] | None, *, out: bool, into: bool
) -> Walk:
    """Rings, one a hop distance, over edges of the given kinds, in one or both directions."""
    sides = ([False] if out else []) + ([True] if into else [])
    walk = Walk(reader, anchors)
    frontier = walk.start
    depth = 0
    while frontier.number.size and depth < max_depth:
        depth += 1
        with Measured(walk, depth, frontier.number.size):
            batches = [walk.read(frontier, kinds, incoming=side) for side in sides]
            traversed, frontier = walk.enter(batches, depth, 0)
            walk.walked += traversed
            if depth == max_depth and frontier.number.size:
                walk.past_end += [walk.read(frontier, kinds, incoming=side) for side in sides]
    return walk


class Measured:
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
