"""What a picture of a result shows: its nodes, level by level, the edges between them, and what is left out.

It is plain data, the same for the page, the widget and pyvis; nothing in it is HTML. It holds at most `KEPT` nodes;
of these the most important of each level are shown at first, up to a limit, and the others when the reader asks for
the rest of the level. Every node kept can name the way back to the anchor: nodes on that way that are not kept
themselves are named, but never drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.relations.request import checked_count
from lineage_kit.view.graph.layout import Placed, placed
from lineage_kit.view.summary import Summary
from lineage_kit.view.text import MARKS

SHOWN = 500
"""Nodes drawn at first, unless another limit is asked for."""
KEPT = 5_000
"""Nodes that a graph holds, drawn or not: more would make a page too heavy to open."""
EDGES = 15_000
"""Edges that a graph holds."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GraphData:
    """A picture as plain data; `data` is what travels to the page or the widget, as JSON.

    data: kind; title, facts (texts for people); notices (kind and text each); flags (by the name that a node's flags
    hold: word, tag and meaning, see `text.Flag`); anchor (a number of a node); total, kept, limit (how many nodes
    there are, are in the graph, are drawn at first); nodes (a list, see `_nodes`), edges (a list, the columns of
    `rows.EDGE`), edges_left_out (how many more there are between these nodes), levels (a list, see `layout.placed`).
    """

    data: dict[str, Any]

    @property
    def title(self) -> str:
        """What the picture is of."""
        title: str = self.data["title"]
        return title


NO_GRAPH = GraphData(
    {
        "kind": "lineage", "title": "No item chosen", "notices": [], "facts": [], "flags": {}, "anchor": 0, "total": 0,
        "kept": 0, "limit": SHOWN, "nodes": [], "edges": [], "edges_left_out": 0, "levels": [],
    }
)  # fmt: skip
"""What is drawn before an item is chosen."""


def graph_of(
    kind: str,
    told: Summary,
    table: pl.DataFrame,
    order: pl.Series | Sequence[int],
    edges: pl.DataFrame,
    limit: int,
    total: int | None = None,
) -> GraphData:
    """The graph of a table of nodes and a table of edges.

    Args:
        kind: `lineage`, `impact`, `sessions` or `event`.
        told: what the picture is of, in words.
        table: the nodes, sorted by number: the columns of `rows.NODE`. The node that was asked about has via -1.
        order: the numbers of the nodes; within a level, the ones that come first are drawn first.
        edges: the columns of `rows.EDGE`; the most important first.
        limit: how many nodes to draw at first.
        total: how many nodes there are, if the table does not hold all of them.
    """
    limit = checked_count("limit", limit, None)
    depth, via = table["depth"].to_numpy(), table["via"].to_numpy()
    anchor = int(table.filter(pl.col("via") == -1)["number"][0])
    near = int(depth[anchor])
    ranked = np.asarray(order, np.int64)
    kept = _share(depth, via, ranked, KEPT, near)
    shown = _share(depth, via, ranked, min(limit, KEPT), near)
    here = table.filter(pl.col("number").is_in(sorted(kept)))
    columns = here.select("number", "depth", "hop", "via").iter_rows()
    places = [Placed(number, level, hop, back, number in shown) for number, level, hop, back in columns]
    inside = here["number"].implode()
    between = edges.filter(pl.col("source").is_in(inside), pl.col("target").is_in(inside))
    drawn = between.head(EDGES)
    named = table.filter(pl.col("number").is_in(sorted(_with_ways(kept, via))))
    return GraphData(
        {
            "kind": kind,
            "title": told.title,
            "notices": [{"kind": notice.kind, "text": notice.text} for notice in told.notices],
            "facts": told.facts,
            "flags": {name: words._asdict() for name, words in MARKS.items()},
            "anchor": anchor,
            "total": table.height if total is None else total,
            "kept": len(kept),
            "limit": limit,
            "nodes": _nodes(named, kept, _touching(edges, table) - _touching(drawn, table)),
            "edges": drawn.to_dicts(),
            "edges_left_out": max(0, between.height - EDGES),
            "levels": placed(places, np.bincount(depth).tolist()),
        }
    )


def _share(depth: Ints, via: Ints, order: Ints, most: int, near: int) -> set[int]:
    """At most so many nodes, shared out among the levels: none gets more than another that still has some left.

    Where there are more levels than nodes to share out, those nearest to the level `near` come first. Within a level,
    nodes that were reached from a chosen node come before others: so few of them hang in the air.
    """
    sizes = np.bincount(depth)
    quota = np.zeros(sizes.size, np.int64)
    nearest = np.argsort(np.abs(np.arange(sizes.size) - near), kind="stable")
    left = most
    while left > 0 and (open_levels := nearest[(quota < sizes)[nearest]]).size:
        each = max(1, left // open_levels.size)
        for level in open_levels[:left].tolist():
            given = min(each, int(sizes[level] - quota[level]))
            quota[level] += given
            left -= given
    by_level = order[np.argsort(depth[order], kind="stable")]
    start = np.cumsum(sizes) - sizes
    chosen = np.zeros(depth.size, np.bool_)
    for level in nearest[quota[nearest] > 0].tolist():
        here = by_level[start[level] : start[level] + sizes[level]]
        loose = (via[here] >= 0) & ~chosen[via[here]]
        chosen[here[np.argsort(loose, kind="stable")[: quota[level]]]] = True
    return set(np.flatnonzero(chosen).tolist())


def _with_ways(kept: set[int], via: Ints) -> set[int]:
    """These nodes, and those on their ways to the anchor."""
    named = set(kept)
    ways: list[int] = via.tolist()
    for number in kept:
        way = ways[number]
        while way >= 0 and way not in named:
            named.add(way)
            way = ways[way]
    return named


def _touching(edges: pl.DataFrame, table: pl.DataFrame) -> Ints:
    """How many edges begin or end at each node; one from a node to itself counts once."""
    other = edges.filter(pl.col("source") != pl.col("target"))["target"].to_numpy()
    return np.bincount(edges["source"].to_numpy(), minlength=table.height) + np.bincount(other, minlength=table.height)


def _nodes(rows: pl.DataFrame, kept: set[int], elsewhere: Ints) -> list[dict[str, Any]]:
    """The nodes a graph knows, by number.

    number, type, id, label (what a person calls it, or null), depth, hop, via (a number, -1 for the anchor), flags
    (names of `text.MARKS`), cut (whether the walk stopped there), kept (false: named, never drawn), elsewhere (how
    many of its edges are not in the graph), and of the edge that reached it: kind, class, confidence.
    """
    return [
        {
            "number": row["number"],
            "type": row["type"],
            "id": row["id"],
            "label": row["label"],
            "depth": row["depth"],
            "hop": row["hop"],
            "via": row["via"],
            "flags": row["flags"],
            "cut": row["cut"],
            "kept": row["number"] in kept,
            "elsewhere": int(elsewhere[row["number"]]),
            "kind": row["relation_kind"],
            "class": row["edge_class"],
            "confidence": row["confidence"],
        }
        for row in rows.iter_rows(named=True)
    ]
