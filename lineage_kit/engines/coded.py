"""A graph built in memory from a relations frame: for tables of a size that a notebook holds anyway."""

from __future__ import annotations

import numpy as np
import polars as pl

from lineage_kit.engines.arrays import NEVER, Attributes, Graph
from lineage_kit.engines.reader import Ints
from lineage_kit.tables import SUPERSEDES, WALKED


def graph_of(edges: pl.DataFrame) -> tuple[Graph, Attributes]:
    """The graph of a canonical relations frame (with its row numbers), and its attributes."""
    sides = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    nodes = pl.concat(sides).unique().sort("type", "id").with_row_index("code")
    source, target = (_codes(side, nodes) for side in sides)
    kinds = edges["relation_kind"].unique().sort().to_list()
    kind = edges["relation_kind"].replace_strict({text: code for code, text in enumerate(kinds)}, return_dtype=pl.Int32)
    walked = edges["relation_kind"].is_in(WALKED).to_numpy()
    superseding = (edges["relation_kind"] == SUPERSEDES).to_numpy()
    out_order = np.lexsort((~walked, source))
    place = np.empty(out_order.size, np.int64)
    place[out_order] = np.arange(out_order.size)
    in_order = np.lexsort((~superseding, target))
    since = edges.select(pl.max_horizontal("created_at", "valid_at")).to_series()
    graph = Graph(
        kinds=kinds,
        out_start=_starts(source, nodes.height),
        out_walked=_starts(source, nodes.height)[:-1] + np.bincount(source[walked], minlength=nodes.height),
        out_far=target[out_order],
        kind=kind.to_numpy()[out_order],
        since=None
        if since.null_count() == len(since)
        else since.dt.timestamp("us").fill_null(NEVER).to_numpy()[out_order],
        in_start=_starts(target, nodes.height),
        in_superseding=_starts(target, nodes.height)[:-1] + np.bincount(target[superseding], minlength=nodes.height),
        in_far=source[in_order],
        in_edge=place[in_order],
    )
    ordered = edges[out_order]
    names = nodes.select("type", "id")

    def find(asked: pl.DataFrame) -> Ints:
        return _codes(asked, nodes)

    return graph, Attributes(
        rows=lambda places: ordered[places], names=lambda keys: names[keys], find=find, empty=lambda: ordered.head(0)
    )


def _codes(side: pl.DataFrame, nodes: pl.DataFrame) -> Ints:
    joined = side.select("type", "id").join(nodes, on=["type", "id"], how="left", maintain_order="left")
    return joined["code"].cast(pl.Int64).fill_null(-1).to_numpy().copy()


def _starts(codes: Ints, nodes: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=nodes))])
