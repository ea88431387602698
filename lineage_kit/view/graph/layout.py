"""Where nodes stand: one band a level, from left to right, each replacement to the right of what it replaces.

The layout is computed once, here, and holds no randomness: the same lineage is the same picture. Within a level the
rows follow the order of the nodes they were reached from, which keeps lines short. A level is laid out twice, with
the nodes shown at first and with all that are kept, each in coordinates of its own; whoever draws puts the bands of
the levels side by side, so that one level can be opened without moving what stands left of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, NamedTuple

COLUMN, ROW = 240, 62
"""Pixels from one node to the next, across and down, at the size at which labels are easily read."""
GAP = 110
"""Pixels between two levels, for the lines to be told apart."""
TALL = 24
"""Rows of a level before it is folded into several columns."""


class Placed(NamedTuple):
    """A node to be placed: its number, depth and hop, the number it was reached from (-1: none), shown at first?"""

    number: int
    depth: int
    hop: int
    via: int
    shown: bool


def placed(nodes: list[Placed], totals: list[int]) -> list[dict[str, Any]]:
    """The levels, in order of depth.

    Each has depth, total (nodes of the level in the lineage), and two arrangements, `few` and `all`: width (pixels),
    nodes (numbers), x, y (pixels, the middle of a node; y = 0 is the middle of the level), and more (x and y of the
    place that stands for the rest of the level, or null when nothing is left out).
    """
    by_level: dict[int, list[Placed]] = defaultdict(list)
    for node in nodes:
        by_level[node.depth].append(node)
    rank: dict[int, int] = {-1: -1}
    levels = []
    for depth, total in enumerate(totals):
        level = sorted(by_level[depth], key=lambda node: (rank.get(node.via, len(rank)), node.number))
        whole = _arranged(level, total)
        for number in whole["nodes"]:
            rank[number] = len(rank)
        few = [node for node in level if node.shown]
        levels.append({"depth": depth, "total": total, "few": _arranged(few, total), "all": whole})
    return levels


def _arranged(level: list[Placed], total: int) -> dict[str, Any]:
    """One arrangement of a level: a row a chain of replacements, folded into columns of about `TALL` rows."""
    numbers, rows, columns = _in_rows(level)
    count = max(rows, default=-1) + 1
    left_out = total > len(level)
    if left_out:
        count += 1
    across = max(columns, default=0) + 1
    tall = max(TALL, math.ceil(math.sqrt(count * across * COLUMN / ROW)))  # about as high as it is wide
    folds = max(1, math.ceil(count / tall))
    high = math.ceil(count / folds)

    def at(row: int, column: int) -> list[float]:
        fold, line = divmod(row, high) if high else (0, 0)
        return [(fold * across + column + 0.5) * COLUMN, (line - (high - 1) / 2) * ROW]

    places = [at(row, column) for row, column in zip(rows, columns, strict=True)]
    return {
        "width": folds * across * COLUMN + GAP,
        "nodes": numbers,
        "x": [x for x, _ in places],
        "y": [y for _, y in places],
        "more": at(count - 1, 0) if left_out else None,
    }


def _in_rows(level: list[Placed]) -> tuple[list[int], list[int], list[int]]:
    """Numbers, rows and columns: a node's first replacement stands beside it, further ones in rows below that."""
    here = {node.number for node in level}
    replacing: dict[int, list[Placed]] = defaultdict(list)
    for node in level:
        if node.hop and node.via in here:
            replacing[node.via].append(node)
    numbers: list[int] = []
    rows: list[int] = []
    columns: list[int] = []
    last = -1
    for head in level:
        if head.hop and head.via in here:
            continue
        last += 1
        waiting = [(head, last, 0)]
        while waiting:
            node, row, column = waiting.pop()
            if row < 0:
                last += 1
                row = last
            numbers.append(node.number)
            rows.append(row)
            columns.append(column)
            beside = replacing[node.number]
            waiting += [(other, -1, column + 1) for other in reversed(beside[1:])]
            waiting += [(other, row, column + 1) for other in beside[:1]]
    return numbers, rows, columns
