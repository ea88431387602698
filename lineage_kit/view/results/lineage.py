"""A lineage or an impact in words, as a tree, as a graph, as JSON and as frames."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.tree import Tree

from lineage_kit.relations.trace import ImpactTrace, Trace, extent
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.walked import walked_graph
from lineage_kit.view.summary import (
    SHOWN,
    Notice,
    Summary,
    flag_notices,
    reached_by,
    rows_beyond,
    seen_at,
    supposed,
    unknown_anchor,
)
from lineage_kit.view.terminal import node_tree
from lineage_kit.view.text import flags, named, trust, visible
from lineage_kit.wording import counted


@generic.summary.register(Trace)
def summary(trace: Trace) -> Summary:
    """What it rests on (or what rests on it), whether that stands, and whether the walk was cut."""
    first = trace.nodes.head(SHOWN)
    told = Summary(f"{trace.called} of {named(*trace.anchor, trace.anchor_label)}")
    told.notices += supposed(trace.origin)
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
    asked = f"max_depth {trace.max_depth}{seen_at(trace.as_of, trace.known_at)}"
    complete = "" if trace.truncated else " Complete: nothing was cut."
    told.facts.append(f"{extent(trace.nodes, trace.finds).capitalize()} ({asked}).{complete}")
    told.columns = ("depth", "hop", "node", "reached by", "from", "flags")
    told.rows = [
        (
            str(row["depth"]),
            str(row["hop"]),
            named(row["type"], row["id"], row["label"]),
            reached_by(row),
            named(row["via_type"], row["via_id"]),
            ", ".join(flags(row)),
        )
        for row in first.iter_rows(named=True)
    ]
    told.rest = rows_beyond(trace.nodes, "trace.nodes")
    return told


def _truncated(trace: Trace) -> Notice:
    """Why and where the walk was cut."""
    limits = {"max_depth": trace.max_depth, "supersede_limit": trace.supersede_limit}
    why = " and ".join(f"{reason} {limits[reason]}" for reason in trace.truncated_by)
    stops = [named(*node) for node in trace.frontier.head(5).select("type", "id").iter_rows()]
    more = ", …" if trace.frontier.height > 5 else ""
    beyond = f"{counted(trace.frontier.height, 'node')} ({', '.join(stops)}{more})"
    return Notice(
        "truncated",
        f"TRUNCATED by {why}: the walk stopped with more beyond {beyond}.",
        f"TRUNCATED by {' and '.join(trace.truncated_by)}",
    )


@generic.tree.register(Trace)
def tree(trace: Trace, limit: int | None = None) -> Tree:
    """Each node once, under the node whose edge reached it."""
    flags_of_anchor = ["superseded"] if trace.anchor_superseded else []
    cut = set(trace.frontier.select("type", "id").iter_rows())
    step = _step_back if isinstance(trace, ImpactTrace) else _step
    return node_tree(trace, limit, step, flags_of_anchor, cut)


def _step(row: dict[str, Any], name: str) -> str:
    where = f"depth {row['depth']}"
    if row["hop"]:
        told = f"{where}, hop {row['hop']} · replaced by {name}"
    else:
        told = f"{where} · {visible(row['relation_kind'], 30)} {name}"
    return f"{told} · {trust(row['edge_class'], row['confidence'])}"


def _step_back(row: dict[str, Any], name: str) -> str:
    where = f"depth {row['depth']}"
    if row["hop"]:
        told = f"{where}, hop {row['hop']} · has replaced {name}"
    else:
        told = f"{where} · ← {visible(row['relation_kind'], 30)} {name}"
    return f"{told} · {trust(row['edge_class'], row['confidence'])}"


@generic.graph_data.register(Trace)
def graph_data(trace: Trace, limit: int) -> GraphData:
    """The anchor at the left, level by level what it rests on (what rests on it), each replacement beside it."""
    return walked_graph(trace.called.lower(), generic.summary(trace), trace, limit)


@generic.to_json.register(Trace)
def to_json(trace: Trace) -> str:
    """The scalars, and the rows of nodes, edges and frontier."""
    told = {**trace.scalars(), "anchor": trace.anchor._asdict(), "supersede_limit": trace.supersede_limit}
    return json_text(told | {name: getattr(trace, name).to_dicts() for name in ("nodes", "edges", "frontier")})


@generic.csv_frame.register(Trace)
def csv_frame(trace: Trace, frame_name: str | None = None) -> pl.DataFrame:
    """`nodes`, `edges` or `frontier`."""
    return frame_called({"nodes": trace.nodes, "edges": trace.edges, "frontier": trace.frontier}, frame_name)
