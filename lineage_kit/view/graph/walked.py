"""A walk over a table of edges as a graph: its nodes numbered, and its edges by those numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.relations.trace import ImpactTrace, Trace
from lineage_kit.view.graph.data import GraphData, Ints, graph_of
from lineage_kit.view.graph.rows import EDGE
from lineage_kit.view.summary import Summary
from lineage_kit.view.text import FLAGS


def walked_graph(kind: str, told: Summary, trace: Trace, limit: int) -> GraphData:
    """The graph of a trace: of each level first the nodes that are flagged, cut, or on the way to one that is."""
    table = numbered(trace)
    telling = pl.any_horizontal(*FLAGS, "cut")
    leads = _leading(table["via"].to_numpy(), table.select(telling).to_series().to_numpy())
    order = table.with_columns(leads=pl.Series(leads)).sort(
        "leads", telling, "degree", "number", descending=[True, True, True, False]
    )
    return graph_of(kind, told, table, order["number"], numbered_edges(trace, table), limit)


def _leading(via: Ints, telling: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which nodes are telling (flagged, or where the walk was cut), or on the way to one that is."""
    leads: list[bool] = telling.tolist()
    ways: list[int] = via.tolist()
    for number in range(len(ways) - 1, 0, -1):  # a node's number is above that of the node it was reached from
        if leads[number] and ways[number] >= 0:
            leads[ways[number]] = True
    return np.array(leads, np.bool_)


def numbered(trace: Trace) -> pl.DataFrame:
    """The anchor and the nodes, numbered: the anchor is 0, the nodes follow as they stand in `trace.nodes`."""
    anchor = pl.DataFrame(
        {"type": [trace.anchor.type], "id": [trace.anchor.id], "label": [trace.anchor_label], "depth": [0], "hop": [0]},
        schema_overrides={"label": pl.String, "depth": pl.Int64, "hop": pl.Int64},
    ).with_columns(
        superseded=pl.lit(trace.anchor_superseded), invalidated=pl.lit(False), outdated_support=pl.lit(False)
    )
    whole = pl.concat([anchor, trace.nodes], how="diagonal").with_row_index("number").cast({"number": pl.Int64})
    names = whole.select("number", "type", "id")
    via = names.rename({"number": "via", "type": "via_type", "id": "via_id"})
    cut = trace.frontier.select("type", "id").with_columns(cut=True)
    ends = pl.concat([trace.edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")])
    degrees = ends.group_by("type", "id").agg(degree=pl.len())
    joined = whole.join(via, on=["via_type", "via_id"], how="left").join(cut, on=["type", "id"], how="left")
    flags = [pl.when(flag).then(pl.lit(flag)) for flag in FLAGS]
    return (
        joined.join(degrees, on=["type", "id"], how="left")
        .with_columns(
            pl.col("via").fill_null(-1),
            pl.col("cut").fill_null(False),
            pl.col("degree").fill_null(0),
            flags=pl.concat_list(flags).list.drop_nulls(),
        )
        .sort("number")
    )


def numbered_edges(trace: Trace, table: pl.DataFrame) -> pl.DataFrame:
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
    if trace.known_at is not None:
        noticed = pl.coalesce("expired_at", "invalid_at") <= trace.known_at
        invalid = (invalid & noticed).fill_null(False)
    # A lineage goes along its walk edges and against supersedes edges, an impact the other way round.
    outward = pl.when((pl.col("role") == "walk") != isinstance(trace, ImpactTrace))
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
    return found.with_columns(pl.col("edge_class").alias("class")).select(EDGE.names)
