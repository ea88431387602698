"""What a picture of a lineage shows: its nodes, level by level, the edges between them, and what is left out.

A drawing is plain data, the same for the page, the widget and pyvis; nothing in it is HTML. It holds at most `KEPT`
nodes; of these the most important of each level are shown at first, up to a limit, and the others when the reader
asks for the rest of the level. Every node kept can name the way back to the anchor: nodes on that way that are not
kept themselves are named, but never drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.relations.request import checked_count
from lineage_kit.relations.trace import LineageTrace, Origin
from lineage_kit.view.graph.layout import Placed, placed
from lineage_kit.view.summary import Summary, labels_of, summary_of
from lineage_kit.view.text import FLAGS

SHOWN = 500
"""Nodes drawn at first, unless another limit is asked for."""
KEPT = 5_000
"""Nodes that a drawing holds, drawn or not: more would make a page too heavy to open."""
EDGES = 15_000
"""Edges that a drawing holds."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Drawing:
    """A picture as plain data; `data` is what travels to the page or the widget, as JSON.

    data: kind; title, warnings, facts (texts for people); anchor (a number of a node); total, kept, limit (how many
    nodes there are, are in the drawing, are drawn at first); nodes (a list, see `_nodes`), edges (a list, see
    `_edges`), edges_left_out (how many more there are between these nodes), levels (a list, see `layout.placed`).
    """

    data: dict[str, Any]

    @property
    def title(self) -> str:
        """What the picture is of."""
        title: str = self.data["title"]
        return title


def lineage_drawing(trace: LineageTrace, limit: int = SHOWN) -> Drawing:
    """The drawing of a lineage.

    Raises:
        InvalidRequest: a limit that is no positive integer.

    Example:
        >>> import lineage_kit, polars as pl
        >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
        ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
        ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
        >>> [(node["type"], node["id"], node["depth"]) for node in lineage_drawing(trace).data["nodes"]]
        [('decision', 'd1', 0), ('evidence', 'e1', 1)]
    """
    table = _numbered(trace)
    telling = pl.any_horizontal("invalidated", "superseded", "outdated_support", "cut")
    leads = _leading(table["via"].to_numpy(), table.select(telling).to_series().to_numpy())
    order = table.with_columns(leads=pl.Series(leads)).sort(
        "leads", telling, "degree", "number", descending=[True, True, True, False]
    )
    return assembled("lineage", summary_of(trace), table, order["number"], _edges(trace, table), limit, trace.origin)


def _leading(via: Ints, telling: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which nodes are telling (flagged, or where the walk was cut), or on the way to one that is."""
    leads: list[bool] = telling.tolist()
    ways: list[int] = via.tolist()
    for number in range(len(ways) - 1, 0, -1):  # a node's number is above that of the node it was reached from
        if leads[number] and ways[number] >= 0:
            leads[ways[number]] = True
    return np.array(leads, np.bool_)


def assembled(
    kind: str,
    told: Summary,
    table: pl.DataFrame,
    order: pl.Series,
    edges: pl.DataFrame,
    limit: int,
    origin: Origin | None = None,
    total: int | None = None,
) -> Drawing:
    """A drawing of a table of nodes and a table of edges.

    Args:
        kind: `lineage`, `sessions` or `event`.
        told: what the picture is of, in words.
        table: the nodes, sorted by number from 0: number, type, id, label, depth, hop, via, flags, cut, and of the
            edge that reached it relation_kind, edge_class, confidence. The node that was asked about has via -1.
        order: the numbers of the nodes; within a level, the ones that come first are drawn first.
        edges: source, target (numbers), role, kind, class, confidence, invalidated, first; the most important first.
        limit: how many nodes to draw at first.
        origin: what knows the labels of the nodes, if anything does.
        total: how many nodes there are, if the table does not hold all of them.
    """
    limit = checked_count("limit", limit, None)
    depth, via = table["depth"].to_numpy(), table["via"].to_numpy()
    anchor = int(table.filter(pl.col("via") == -1)["number"][0])
    near = int(depth[anchor])
    kept = _share(depth, via, order.to_numpy(), KEPT, near)
    shown = _share(depth, via, order.to_numpy(), min(limit, KEPT), near)
    here = table.filter(pl.col("number").is_in(sorted(kept)))
    columns = here.select("number", "depth", "hop", "via").iter_rows()
    places = [Placed(number, level, hop, back, number in shown) for number, level, hop, back in columns]
    inside = here["number"].implode()
    between = edges.filter(pl.col("source").is_in(inside), pl.col("target").is_in(inside))
    drawn = between.head(EDGES)
    named = table.filter(pl.col("number").is_in(sorted(_with_ways(kept, via))))
    return Drawing(
        {
            "kind": kind,
            "title": told.title,
            "warnings": told.warnings,
            "facts": told.facts,
            "anchor": anchor,
            "total": table.height if total is None else total,
            "kept": len(kept),
            "limit": limit,
            "nodes": _nodes(named, kept, _touching(edges, table) - _touching(drawn, table), origin),
            "edges": drawn.to_dicts(),
            "edges_left_out": max(0, between.height - EDGES),
            "levels": placed(places, np.bincount(depth).tolist()),
        }
    )


def _numbered(trace: LineageTrace) -> pl.DataFrame:
    """The anchor and the nodes, numbered: the anchor is 0, the nodes follow as they stand in `trace.nodes`."""
    anchor = pl.DataFrame(
        {"type": [trace.anchor.type], "id": [trace.anchor.id], "depth": [0], "hop": [0]},
        schema_overrides={"depth": pl.Int64, "hop": pl.Int64},
    ).with_columns(
        superseded=pl.lit(trace.anchor_superseded), invalidated=pl.lit(False), outdated_support=pl.lit(False)
    )
    whole = pl.concat([anchor, trace.nodes], how="diagonal").with_row_index("number").cast({"number": pl.Int64})
    names = whole.select("number", "type", "id")
    via = names.rename({"number": "via", "type": "via_type", "id": "via_id"})
    cut = trace.frontier.with_columns(cut=True)
    ends = pl.concat([trace.edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")])
    degrees = ends.group_by("type", "id").agg(degree=pl.len())
    joined = whole.join(via, on=["via_type", "via_id"], how="left").join(cut, on=["type", "id"], how="left")
    words = [pl.when(flag).then(pl.lit(word)) for flag, word in FLAGS.items()]
    return (
        joined.join(degrees, on=["type", "id"], how="left")
        .with_columns(
            pl.col("via").fill_null(-1),
            pl.col("cut").fill_null(False),
            pl.col("degree").fill_null(0),
            flags=pl.concat_list(words).list.drop_nulls(),
            label=pl.lit(None, pl.String),
        )
        .sort("number")
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


def _nodes(rows: pl.DataFrame, kept: set[int], elsewhere: Ints, origin: Origin | None) -> list[dict[str, Any]]:
    """The nodes a drawing knows, by number.

    number, type, id, label (what a person calls it, or null), depth, hop, via (a number, -1 for the anchor), flags
    (in words), cut (whether the walk stopped there), kept (false: named, never drawn), elsewhere (how many of its
    edges are not in the drawing), and of the edge that reached it: kind, class, confidence.
    """
    labels = labels_of(origin, rows.select("type", "id"))
    return [
        {
            "number": row["number"],
            "type": row["type"],
            "id": row["id"],
            "label": labels.get((row["type"], row["id"]), row["label"]),
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


def _edges(trace: LineageTrace, table: pl.DataFrame) -> pl.DataFrame:
    """The edges of a trace by the numbers of their ends; those by which nodes were reached come first.

    source, target (numbers), role (walk or replacement), kind, class, confidence, invalidated, first (whether it
    describes the node that it reached).
    """
    names = table.select("number", "type", "id")
    found = trace.edges
    for end in ("source", "target"):
        numbers = names.rename({"number": end, "type": f"{end}_type", "id": f"{end}_id"})
        found = found.join(numbers, on=[f"{end}_type", f"{end}_id"], how="inner", maintain_order="left")
    invalid = pl.col("invalid_at").is_not_null()
    if trace.as_of is not None:
        invalid = (pl.col("invalid_at") <= trace.as_of).fill_null(False)
    outward = pl.when(pl.col("role") == "walk")  # a walk goes along its edges, and against supersedes edges
    found = found.select(
        "source",
        "target",
        "role",
        "edge_class",
        "confidence",
        kind="relation_kind",
        invalidated=invalid,
        via=outward.then("source").otherwise("target"),
        reached=outward.then("target").otherwise("source"),
    ).with_row_index("place")
    best = table.select("via", "edge_class", "confidence", reached="number", kind="relation_kind")
    first = (
        found.join(best, on=best.columns, how="semi", nulls_equal=True).sort("place").unique("reached", keep="first")
    )
    found = found.with_columns(first=pl.col("place").is_in(first["place"].implode()))
    found = found.sort("first", "place", descending=[True, False])
    return found.select(EDGE)


EDGE = ("source", "target", "role", "kind", pl.col("edge_class").alias("class"), "confidence", "invalidated", "first")
