"""Two traces as one picture: the later one, with what is gone beside it, and what differs marked by a word."""

from __future__ import annotations

import polars as pl

from lineage_kit.relations.diff import LineageDiff
from lineage_kit.view.graph.data import GraphData, graph_of
from lineage_kit.view.graph.rows import EDGE, NODE
from lineage_kit.view.graph.walked import numbered, numbered_edges
from lineage_kit.view.summary import Summary


def compared_graph(told: Summary, diff: LineageDiff, limit: int) -> GraphData:
    """The graph of a diff: what differs is drawn before the rest of a level."""
    after = numbered(diff.after)
    gone = numbered(diff.before).join(after, on=["type", "id"], how="anti", maintain_order="left")
    table = pl.concat([after, _moved(gone, after)], how="diagonal").select(*NODE.names, "degree")
    changes = diff.nodes.select("type", "id", "worse", "change")
    table = table.join(changes, on=["type", "id"], how="left", maintain_order="left")
    words = [
        pl.when(pl.col("worse")).then(pl.lit("worse")),
        *(pl.when(pl.col("change") == word).then(pl.lit(word)) for word in ("added", "removed")),
    ]
    table = table.with_columns(flags=pl.concat_list("flags", *words).list.drop_nulls())
    order = table.with_columns(differs=pl.col("change").is_not_null()).sort(
        "differs", "degree", "number", descending=[True, True, False]
    )
    edges = [numbered_edges(trace, table) for trace in (diff.after, diff.before)]
    both = pl.concat(edges).unique(["source", "target", "role", "kind", "class", "confidence"], maintain_order=True)
    return graph_of("diff", told, table.select(NODE.names), order["number"], both.select(EDGE.names), limit)


def _moved(gone: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Nodes that are gone, numbered on from those that are there; each under the node it was reached from then."""
    numbers = gone.with_columns(number=pl.int_range(pl.len(), dtype=pl.Int64) + after.height)
    places = pl.concat([after.select("number", "type", "id"), numbers.select("number", "type", "id")])
    via = places.rename({"number": "new_via", "type": "via_type", "id": "via_id"})
    joined = numbers.join(via, on=["via_type", "via_id"], how="left", maintain_order="left")
    # An anchor that is another one now hangs on the new one.
    return joined.with_columns(via=pl.coalesce("new_via", pl.lit(0, pl.Int64))).drop("new_via")
