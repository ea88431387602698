"""A batch of anchors asked in parts, so that memory follows the answer of a part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from lineage_kit.relations.lineage import Lineages, Numbered

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
    firsts: list[int] = []
    done = 0
    with tqdm(total=anchors.height, desc="tracing", unit="anchor", delay=2, leave=False) as progress:
        while done < anchors.height:
            part = ask(anchors[done : done + size])
            parts.append(part)
            firsts.append(done)
            asked = part.known.size
            done += asked
            progress.update(asked)
            if chunked:
                each = max(1, part.nodes.anchor.size + part.edge_anchor.size) / asked
                size = max(1, min(8 * size, int(PAIRS / each)))
    stats = pl.concat([part.stats for part in parts]).group_by("depth").sum().sort("depth")
    return Lineages(
        nodes=_joined([part.nodes for part in parts], firsts),
        edges=lambda: _joined([part.edges() for part in parts], firsts),
        edge_anchor=np.concatenate([part.edge_anchor + first for part, first in zip(parts, firsts, strict=True)]),
        frontier=_joined([part.frontier for part in parts], firsts),
        stats=stats,
        known=np.concatenate([part.known for part in parts]),
        superseded=np.concatenate([part.superseded for part in parts]),
        cut_by_depth=np.concatenate([part.cut_by_depth for part in parts]),
        cut_by_limit=np.concatenate([part.cut_by_limit for part in parts]),
    )


def _joined(parts: list[Numbered], firsts: list[int]) -> Numbered:
    """Parts end to end, with the numbers that their anchors have in the whole batch."""
    anchors = [part.anchor + first for part, first in zip(parts, firsts, strict=True)]
    return Numbered(np.concatenate(anchors), pl.concat([part.frame for part in parts]))
