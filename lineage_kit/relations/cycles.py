"""Cycles in a directed graph of integers: one in each strongly connected component of more than one node."""

from __future__ import annotations

import numpy as np

from lineage_kit.engines.integer_arrays import Ints


def cycles(source: Ints, target: Ints) -> list[list[int]]:
    """A cycle of each strongly connected component of two nodes or more, smallest node first; self-loops do not count.

    Nodes that have no edge in, or none out, are peeled off in batches first; what is left is usually tiny, and goes
    through Tarjan's algorithm (R. Tarjan, "Depth-first search and linear graph algorithms", 1972), without recursion.

    Example:
        >>> cycles(np.array([0, 1, 2, 2, 3]), np.array([1, 2, 0, 3, 3]))
        [[0, 1, 2]]
    """
    keep = source != target
    source, target = source[keep], target[keep]
    while source.size:
        inner = np.isin(source, target) & np.isin(target, source)
        if inner.all():
            break
        source, target = source[inner], target[inner]
    onward: dict[int, list[int]] = {}
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        onward.setdefault(one, []).append(other)
    return sorted(_cycle(component, onward) for component in _components(onward) if len(component) > 1)


def _components(onward: dict[int, list[int]]) -> list[set[int]]:
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    components: list[set[int]] = []
    for root in sorted(onward):
        if root in index:
            continue
        work = [(root, iter(onward.get(root, ())))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, ahead = work[-1]
            for other in ahead:
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(onward.get(other, ()))))
                    break
                if other in on_path:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: set[int] = set()
                    while node not in component:
                        component.add(path.pop())
                    on_path -= component
                    components.append(component)
    return components


def _cycle(component: set[int], onward: dict[int, list[int]]) -> list[int]:
    """A shortest cycle through the smallest node of a component, by breadth-first search."""
    start = min(component)
    came: dict[int, int] = {}
    level = [start]
    while level:
        after: list[int] = []
        for node in level:
            for other in sorted(onward[node]):
                if other == start:
                    cycle = [node]
                    while cycle[-1] != start:
                        cycle.append(came[cycle[-1]])
                    return cycle[::-1]
                if other in component and other not in came:
                    came[other] = node
                    after.append(other)
        level = after
    raise AssertionError("a strongly connected component has a cycle through each of its nodes")
