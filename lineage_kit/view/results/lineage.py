"""A lineage in words, as a tree, as a graph, as JSON and as frames."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.tree import Tree

from lineage_kit.relations.trace import LineageTrace, extent
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.walked import walked_graph
from lineage_kit.view.summary import (
    SHOWN,
    Notice,
    Summary,
    flag_notices,
    labels_with_anchor,
    reached_by,
    rows_beyond,
    unknown_anchor,
)
from lineage_kit.view.terminal import node_tree
from lineage_kit.view.text import flags, moment, named, trust, visible
from lineage_kit.wording import counted


@generic.summary.register(LineageTrace)
def summary(trace: LineageTrace) -> Summary:
    """What it rests on, whether that stands, and whether the walk was cut."""
    first = trace.nodes.head(SHOWN)
    labels = labels_with_anchor(trace.origin, trace.anchor, first)
    told = Summary(f"Lineage of {named(*trace.anchor, labels.get(trace.anchor))}")
    if not trace.anchor_known:
        told.notices.append(unknown_anchor(trace.anchor, trace.origin))
        told.sentences_only = True
        return told
    if trace.truncated:
        told.notices.append(_truncated(trace))
    if trace.anchor_superseded:
        text = "The anchor itself is SUPERSEDED: another item replaces it."
        told.notices.append(Notice("anchor_superseded", text, "the anchor is SUPERSEDED"))
    told.notices += flag_notices(trace.nodes)
    asked = f"max_depth {trace.max_depth}" + (f", as of {moment(trace.as_of)}" if trace.as_of else "")
    complete = "" if trace.truncated else " Complete: nothing was cut."
    told.facts.append(f"{extent(trace.nodes, trace.finds).capitalize()} ({asked}).{complete}")
    told.columns = ("depth", "hop", "node", "reached by", "from", "flags")
    told.rows = [
        (
            str(row["depth"]),
            str(row["hop"]),
            named(row["type"], row["id"], labels.get((row["type"], row["id"]))),
            reached_by(row),
            named(row["via_type"], row["via_id"]),
            ", ".join(flags(row)),
        )
        for row in first.iter_rows(named=True)
    ]
    told.rest = rows_beyond(trace.nodes, "trace.nodes")
    return told


def _truncated(trace: LineageTrace) -> Notice:
    """Why and where the walk was cut."""
    limits = {"max_depth": trace.max_depth, "supersede_limit": trace.supersede_limit}
    why = " and ".join(f"{reason} {limits[reason]}" for reason in trace.truncated_by)
    stops = [named(*node) for node in trace.frontier.head(5).iter_rows()]
    more = ", …" if trace.frontier.height > 5 else ""
    beyond = f"{counted(trace.frontier.height, 'node')} ({', '.join(stops)}{more})"
    return Notice(
        "truncated",
        f"TRUNCATED by {why}: the walk stopped with more beyond {beyond}.",
        f"TRUNCATED by {' and '.join(trace.truncated_by)}",
    )


@generic.tree.register(LineageTrace)
def tree(trace: LineageTrace, limit: int | None = None) -> Tree:
    """Each node once, under the node whose edge reached it."""
    flags_of_anchor = ["superseded"] if trace.anchor_superseded else []
    return node_tree(trace, limit, _step, flags_of_anchor, set(trace.frontier.iter_rows()))


def _step(row: dict[str, Any], name: str) -> str:
    where = f"depth {row['depth']}"
    if row["hop"]:
        told = f"{where}, hop {row['hop']} · replaced by {name}"
    else:
        told = f"{where} · {visible(row['relation_kind'], 30)} {name}"
    return f"{told} · {trust(row['edge_class'], row['confidence'])}"


@generic.graph_data.register(LineageTrace)
def graph_data(trace: LineageTrace, limit: int) -> GraphData:
    """The anchor at the left, level by level what it rests on, each replacement beside what it replaces."""
    return walked_graph("lineage", generic.summary(trace), trace, limit)


@generic.to_json.register(LineageTrace)
def to_json(trace: LineageTrace) -> str:
    """The scalars, and the rows of nodes, edges and frontier."""
    told = {**trace.scalars(), "anchor": trace.anchor._asdict(), "supersede_limit": trace.supersede_limit}
    return json_text(told | {name: getattr(trace, name).to_dicts() for name in ("nodes", "edges", "frontier")})


@generic.csv_frame.register(LineageTrace)
def csv_frame(trace: LineageTrace, frame_name: str | None = None) -> pl.DataFrame:
    """`nodes`, `edges` or `frontier`."""
    return frame_called({"nodes": trace.nodes, "edges": trace.edges, "frontier": trace.frontier}, frame_name)
