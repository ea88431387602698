"""A batch of anchors asked in parts, so that memory follows the answer of a part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from lineage_kit.relations.lineage import ANCHOR, Lineages

WHOLE = 2_000
"""Up to so many anchors are asked about in one go."""
FIRST = 256
"""Anchors in the first part of more; how many nodes they have says how many anchors the next one takes."""
PAIRS = 5_000_000
"""Nodes and edges that the answer of a part should hold, over all of its anchors."""
SCANNED = 100_000
"""Anchors in a part where each costs scans of the whole table."""


def in_parts(anchors: pl.DataFrame, ask: Callable[[pl.DataFrame], Lineages], *, chunked: bool) -> Lineages:
    """The lineages of a batch of anchors, asked part by part."""
    if anchors.height <= (WHOLE if chunked else SCANNED):
        return ask(anchors)
    size = FIRST if chunked else SCANNED
    from tqdm import tqdm  # only here: importing the package stays light

    parts: list[Lineages] = []
    done = 0
    with tqdm(total=anchors.height, desc="tracing", unit="anchor", delay=2, leave=False) as progress:
        while done < anchors.height:
            part = ask(anchors[done : done + size])
            parts.append(_shifted(part, done))
            asked = part.known.size
            done += asked
            progress.update(asked)
            if chunked:
                each = max(1, part.nodes.height + part.edges.height) / asked
                size = max(1, min(8 * size, int(PAIRS / each)))
    stats = pl.concat([part.stats for part in parts]).group_by("depth").sum().sort("depth")
    return Lineages(
        nodes=pl.concat([part.nodes for part in parts]),
        edges=pl.concat([part.edges for part in parts]),
        frontier=pl.concat([part.frontier for part in parts]),
        stats=stats,
        known=np.concatenate([part.known for part in parts]),
        superseded=np.concatenate([part.superseded for part in parts]),
        cut_by_depth=np.concatenate([part.cut_by_depth for part in parts]),
        cut_by_limit=np.concatenate([part.cut_by_limit for part in parts]),
    )


def _shifted(part: Lineages, by: int) -> Lineages:
    """A part with the numbers its anchors have in the whole batch."""
    number = pl.col(ANCHOR) + by
    nodes, edges, frontier = (frame.with_columns(number) for frame in (part.nodes, part.edges, part.frontier))
    flags = (part.known, part.superseded, part.cut_by_depth, part.cut_by_limit)
    return Lineages(nodes, edges, frontier, part.stats, *flags)
