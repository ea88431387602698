"""A batch of anchors asked in parts, so that memory follows the answer of a part."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import polars as pl

from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.progress import bar
from lineage_kit.relations.walk.frames import Numbered, Walked

T = TypeVar("T")
WHOLE = 2_000
"""Up to so many anchors are asked about in one go."""
FIRST = 64
"""Anchors in the first part of more; how many nodes they have says how many anchors each of the others takes."""
PAIRS = 2_500_000
"""Nodes and edges that the answer of a part should hold, over all of its anchors."""
SCANNED = 100_000
"""Anchors in a part where each costs scans of the whole table."""


def in_parts(anchors: pl.DataFrame, ask: Callable[[pl.DataFrame], Walked], *, chunked: bool) -> Walked:
    """The answers for a batch of anchors, asked part by part; side by side where parts cost no more than the whole."""
    whole = WHOLE if chunked else SCANNED
    parts = each_part(
        anchors, ask, lambda part: part.nodes.anchor.size + part.edge_anchor.size, chunked=chunked, whole=whole
    )
    if len(parts) == 1:
        return parts[0]
    firsts = [0, *np.cumsum([part.known.size for part in parts])[:-1].tolist()]
    stats = pl.concat([part.stats for part in parts]).group_by("depth").sum().sort("depth")
    return Walked(
        nodes=_joined([part.nodes for part in parts], firsts),
        edges=lambda: _joined([part.edges() for part in parts], firsts),
        parents=_shifted([part.parents for part in parts]),
        describing=pl.concat([part.describing for part in parts]),
        superseding=lambda: _joined([part.superseding() for part in parts], firsts),
        edge_anchor=np.concatenate([part.edge_anchor + first for part, first in zip(parts, firsts, strict=True)]),
        frontier=_joined([part.frontier for part in parts], firsts),
        stats=stats,
        known=np.concatenate([part.known for part in parts]),
        superseded=np.concatenate([part.superseded for part in parts]),
        cut_by_depth=np.concatenate([part.cut_by_depth for part in parts]),
        cut_by_limit=np.concatenate([part.cut_by_limit for part in parts]),
        anchor_labels=pl.concat([part.anchor_labels for part in parts]),
    )


def _looked_at(part: Walked) -> int:
    return part.nodes.anchor.size + part.edge_anchor.size


def each_part(
    anchors: pl.DataFrame,
    ask: Callable[[pl.DataFrame], T],
    size_of: Callable[[T], int],
    *,
    chunked: bool,
    whole: int,
    pairs: int | None = None,
    doing: str = "tracing",
    progress: bool = True,
) -> list[T]:
    """What is made of the anchors part by part, in order: all at once up to `whole` of them.

    Where parts cost no more than the whole they are asked side by side, as many anchors in each as the first part says
    (`size_of` tells how much it looked at): such that a part holds some `pairs` nodes and edges, else `PAIRS`.
    """
    if anchors.height <= whole:
        return [ask(anchors)]
    size = FIRST if chunked else whole
    workers = (os.cpu_count() or 1) if chunked else 1
    with bar(total=anchors.height, doing=doing, unit="anchor", shown=progress) as shown:
        parts = [ask(anchors[:size])]
        shown.update(size)
        if chunked:
            each = max(1, size_of(parts[0])) / size
            size = max(1, min(int((pairs or PAIRS) / each), -(-(anchors.height - FIRST) // workers)))
        firsts = range(FIRST if chunked else whole, anchors.height, size)
        with ThreadPoolExecutor(workers) as pool:
            for part in pool.map(lambda first: ask(anchors[first : first + size]), firsts):
                parts.append(part)
                shown.update(min(size, anchors.height))
    return parts


def _joined(parts: list[Numbered], firsts: list[int]) -> Numbered:
    """Parts end to end, with the numbers that their anchors have in the whole batch."""
    anchors = [part.anchor + first for part, first in zip(parts, firsts, strict=True)]
    return Numbered(np.concatenate(anchors), pl.concat([part.frame for part in parts]))


def _shifted(parts: list[Ints]) -> Ints:
    """Places in parts as places in all of them end to end; -1 stays."""
    before = np.cumsum([0, *(part.size for part in parts)])
    return np.concatenate(
        [np.where(part < 0, -1, part + first) for part, first in zip(parts, before[:-1], strict=True)]
    )
