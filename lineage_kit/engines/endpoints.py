"""The two ends of edges as nodes: told once for every engine, check and search."""

from __future__ import annotations

from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.protocol import Frame

ENDPOINTS = ("source", "target")


def lazy_endpoints(edges: Frame) -> tuple[Frame, Frame]:
    """Type and id of the source of every edge, and those of its target."""
    source, target = (
        edges.select(type=nw.col(f"{endpoint}_type"), id=nw.col(f"{endpoint}_id")) for endpoint in ENDPOINTS
    )
    return source, target


def endpoints(edges: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Type and id of the source of every edge, and those of its target, in the order of the edges."""
    source, target = (edges.select(type=f"{endpoint}_type", id=f"{endpoint}_id") for endpoint in ENDPOINTS)
    return source, target


class NumberedEnds(NamedTuple):
    """The nodes that some edges mention, sorted by type and id; and the place among them of every edge's two ends."""

    nodes: pl.DataFrame
    source: Ints
    target: Ints


def numbered_ends(edges: pl.DataFrame) -> NumberedEnds:
    """Every distinct node and, edge by edge, the numbers of the two ends.

    Example:
        >>> nodes, source, target = numbered_ends(edges)
        >>> nodes["id"].to_list(), source.tolist(), target.tolist()
        (['d1', 'e1', 'e2'], [0, 2], [1, 1])
    """
    both = endpoints(edges)
    nodes = pl.concat(both).unique().sort("type", "id")
    numbered = nodes.with_row_index("number")
    source, target = (
        side.join(numbered, on=["type", "id"], how="left", maintain_order="left")["number"].to_numpy().astype(np.int64)
        for side in both
    )
    return NumberedEnds(nodes, source, target)
