"""Sorting edges by one end, a range of nodes at a time, so that memory does not grow with the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from lineage_kit.engines.csr.graph import Array
from lineage_kit.engines.index.memory import CHUNK, Memory
from lineage_kit.engines.integer_arrays import Ints

PIECE = 1 << 19
"""How many edges a thread handles at once."""
Parts = Callable[[slice | Ints], Ints]
"""The part of its node's stretch, 0, 1 or 2, in which each of the edges at these places lies."""
PART_BITS = 2


def chunks(size: int, step: int) -> Iterator[slice]:
    """Slices that cover `size` places."""
    for first in range(0, size, step):
        yield slice(first, min(first + step, size))


def count_starts(codes: Array, part_of: Parts, start: Ints, ends: tuple[Ints, Ints], memory: Memory) -> None:
    """Fill `start`: where the edges of each node begin once they are sorted, and the end of the last.

    And `ends`: where the first and the second part of each node end. Codes above those of the nodes stand for rows
    that are no edges.
    """
    nodes = ends[0].size
    start[0] = 0
    for span in chunks(nodes, memory.nodes or max(1, nodes)):
        width, whole = span.stop - span.start, span.stop - span.start == nodes
        sizes, first, second = (np.zeros(width + 1, np.int64) for _ in range(3))
        for at in chunks(codes.size, max(memory.chunk, width)):  # each chunk costs a pass over the nodes
            held, parts = codes[at].astype(np.int64), part_of(at)
            if not whole:
                inside = (held >= span.start) & (held < span.stop)
                held, parts = held[inside] - span.start, parts[inside]
            sizes += np.bincount(held, minlength=width + 1)
            first += np.bincount(held[parts == 0], minlength=width + 1)
            second += np.bincount(held[parts == 1], minlength=width + 1)
        start[span.start + 1 : span.stop + 1] = start[span.start] + np.cumsum(sizes[:width])
        ends[0][span] = start[span] + first[:width]
        ends[1][span] = ends[0][span] + second[:width]


def by_ranges(codes: Array, start: Ints, part_of: Parts, memory: Memory) -> Iterator[tuple[int, Ints]]:
    """The places of the edges in order of their code, then of their part, then by place.

    Yields, range by range, where in the order the range begins and the places in it. A range is as many nodes as
    have `memory.range` edges together; it is sorted as one array of integers that pack code, part and place.
    """
    nodes, bits = start.size - 1, max(1, int(codes.size).bit_length())
    first = 0
    while first < nodes:
        last = max(first + 1, int(np.searchsorted(start, start[first] + memory.range, "right")) - 1)
        packed = np.empty(int(start[last] - start[first]), np.uint64)
        assert (last - first).bit_length() + PART_BITS + bits <= 64, "too many nodes in one range"
        filled = 0
        for at in chunks(codes.size, memory.chunk):
            held: Ints = codes[at]
            inside = np.flatnonzero((held >= first) & (held < last))
            places = inside + at.start
            high = ((held[inside].astype(np.int64) - first) << PART_BITS) | part_of(places)
            packed[filled : filled + inside.size] = ((high << bits) | places).astype(np.uint64)
            filled += inside.size
        packed.sort()
        packed &= np.uint64((1 << bits) - 1)
        if packed.size:
            yield int(start[first]), packed.view(np.int64)
        first = last


def in_pieces(first: int, order: Ints, start: Ints) -> Iterator[tuple[int, Ints]]:
    """A range of places cut between nodes into pieces to be handled side by side: where each begins, and its places."""
    while order.size:
        end = int(np.searchsorted(start, first + PIECE, "right")) - 1
        size = min(order.size, max(int(start[end]), int(start[np.searchsorted(start, first, "right")])) - first)
        yield first, order[:size]
        first, order = first + size, order[size:]


def as_shown(order: Ints, raw: Mapping[str, Array], part: Ints) -> Ints:
    """Edges sorted by source and part, sorted on as people are shown them; `part` is that of each kind.

    That is by target, kind, class, confidence (none last), row. Few edges share source and target: only those are
    sorted by the rest.
    """
    source, target = raw["source"][order], raw["target"][order].astype(np.int64)
    chosen = part[raw["kind"][order]]
    group = np.cumsum((np.diff(source, prepend=source[:1]) != 0) | (np.diff(chosen, prepend=chosen[:1]) != 0))
    room = max(1, int(target.max(initial=0)).bit_length())
    packed = (group << room) | target
    by_target = np.argsort(packed)
    packed, order = packed[by_target], order[by_target]
    same = packed[1:] == packed[:-1]
    tied = np.flatnonzero(np.concatenate([[False], same]) | np.concatenate([same, [False]]))
    if tied.size:
        rows = order[tied]
        columns = [rows, *(raw[name][rows] for name in ("confidence", "class", "kind") if name in raw)]
        order[tied] = rows[np.lexsort((*columns, packed[tied]))]
    return order


def distinct_floats(values: Array) -> npt.NDArray[np.float64]:
    """The distinct numbers among floats, sorted; NaN is none."""
    found = np.empty(0)
    for at in chunks(values.size, CHUNK):
        held = values[at]
        found = np.union1d(found, held[~np.isnan(held)])
    return found
