"""Rings of nodes in words, as a tree, as JSON and as a frame."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.tree import Tree

from lineage_kit.relations.reach import Reachability
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
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
from lineage_kit.view.text import flags, named, trust, visible
from lineage_kit.wording import counted

WAYS = {"outgoing": "What can be reached from", "incoming": "What reaches", "both": "What lies around"}


@generic.summary.register(Reachability)
def summary(reach: Reachability) -> Summary:
    """How many nodes each ring has, over which kinds."""
    first = reach.nodes.head(SHOWN)
    labels = labels_with_anchor(reach.origin, reach.anchor, first)
    told = Summary(f"{WAYS[reach.direction]} {named(*reach.anchor, labels.get(reach.anchor))}")
    if not reach.anchor_known:
        told.notices.append(unknown_anchor(reach.anchor, reach.origin))
        told.sentences_only = True
        return told
    if reach.truncated:
        text = f"TRUNCATED by max_depth {reach.max_depth}: there are nodes beyond the last ring."
        told.notices.append(Notice("truncated", text, "TRUNCATED by max_depth"))
    told.notices += flag_notices(reach.nodes)
    kinds = "all kinds" if reach.relation_kind is None else ", ".join(visible(k, 30) for k in reach.relation_kind)
    sizes = ", ".join(f"{ring.height:,}" for ring in reach.rings)
    complete = "" if reach.truncated else " Complete: nothing was cut."
    told.facts.append(f"{counted(reach.nodes.height, 'node')} over {kinds}; rings of {sizes}.{complete}")
    told.columns = ("depth", "node", "reached by", "direction", "from", "flags")
    told.rows = [
        (
            str(row["depth"]),
            named(row["type"], row["id"], labels.get((row["type"], row["id"]))),
            reached_by(row),
            row["direction"],
            named(row["via_type"], row["via_id"]),
            ", ".join(flags(row)),
        )
        for row in first.iter_rows(named=True)
    ]
    told.rest = rows_beyond(reach.nodes, "reachability.nodes")
    return told


@generic.tree.register(Reachability)
def tree(reach: Reachability, limit: int | None = None) -> Tree:
    """Each node once, under the node of the ring before whose edge reached it."""
    return node_tree(reach, limit, _step)


def _step(row: dict[str, Any], name: str) -> str:
    way = "→" if row["direction"] == "outgoing" else "←"
    edge = trust(row["edge_class"], row["confidence"])
    return f"depth {row['depth']} · {way} {visible(row['relation_kind'], 30)} {name} · {edge}"


@generic.to_json.register(Reachability)
def to_json(reach: Reachability) -> str:
    """What was asked, and the rows of the nodes."""
    names = ("anchor_known", "relation_kind", "direction", "max_depth", "truncated")
    told = {"anchor": reach.anchor._asdict(), **{name: getattr(reach, name) for name in names}}
    return json_text(told | {"nodes": reach.nodes.to_dicts()})


@generic.csv_frame.register(Reachability)
def csv_frame(reach: Reachability, frame_name: str | None = None) -> pl.DataFrame:
    """The nodes of all rings."""
    return frame_called({"nodes": reach.nodes}, frame_name)
