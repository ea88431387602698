"""A batch of anchors asked in parts, so that memory follows the answer of a part."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl

from lineage_kit.progress import bar
from lineage_kit.relations.walk.frames import Numbered, Walked

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
    if anchors.height <= (WHOLE if chunked else SCANNED):
        return ask(anchors)
    size = FIRST if chunked else SCANNED
    workers = (os.cpu_count() or 1) if chunked else 1
    with bar(total=anchors.height, doing="tracing", unit="anchor") as progress:
        parts = [ask(anchors[:size])]
        progress.update(size)
        if chunked:
            each = max(1, parts[0].nodes.anchor.size + parts[0].edge_anchor.size) / size
            size = max(1, min(int(PAIRS / each), -(-(anchors.height - size) // workers)))
        firsts = [0, *range(parts[0].known.size, anchors.height, size)]
        with ThreadPoolExecutor(workers) as pool:
            for part in pool.map(lambda first: ask(anchors[first : first + size]), firsts[1:]):
                parts.append(part)
                progress.update(part.known.size)
    stats = pl.concat([part.stats for part in parts]).group_by("depth").sum().sort("depth")
    return Walked(
        nodes=_joined([part.nodes for part in parts], firsts),
        edges=lambda: _joined([part.edges() for part in parts], firsts),
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


def _joined(parts: list[Numbered], firsts: list[int]) -> Numbered:
    """Parts end to end, with the numbers that their anchors have in the whole batch."""
    anchors = [part.anchor + first for part, first in zip(parts, firsts, strict=True)]
    return Numbered(np.concatenate(anchors), pl.concat([part.frame for part in parts]))
