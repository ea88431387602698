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
from lineage_kit.view.text import flags, moment, named, trust, visible
from lineage_kit.wording import counted

WAYS = {"outgoing": "What can be reached from", "incoming": "What reaches", "both": "What lies around"}


@generic.summary.register(Reachability)
def summary(reach: Reachability) -> Summary:
    """How many nodes each ring has, over which kinds."""
    first = reach.nodes.head(SHOWN)
    labels = labels_with_anchor(reach.origin, reach.anchor, first)
    told = Summary(f"{WAYS[reach.direction]} {named(*reach.anchor, labels.get(reach.anchor))}")
    if reach.unknown_kinds:
        told.notices.append(_unknown_kinds(reach))
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
    clocks = (("as of", reach.as_of), ("known at", reach.known_at))
    seen = "".join(f", {clock} {moment(instant)}" for clock, instant in clocks if instant)
    told.facts.append(f"{counted(reach.nodes.height, 'node')} over {kinds}{seen}; rings of {sizes}.{complete}")
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


def _unknown_kinds(reach: Reachability) -> Notice:
    """Which kinds were asked for that no relation has, and which there are."""
    unknown, there = (", ".join(_kind(kind) for kind in kinds) for kinds in (reach.unknown_kinds, reach.kinds_there))
    what = f"UNKNOWN KIND{'S' * (len(reach.unknown_kinds) > 1)}"
    text = f"{what}: no relation has {unknown}, at any time. The kinds there are: {there or 'none'}."
    return Notice("unknown_kinds", text, f"{what} {unknown}")


def _kind(kind: str) -> str:
    return visible(kind, 30) or "an empty one"


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
    names = (
        "anchor_known",
        "relation_kind",
        "unknown_kinds",
        "direction",
        "max_depth",
        "as_of",
        "known_at",
        "truncated",
    )
    told = {"anchor": reach.anchor._asdict(), **{name: getattr(reach, name) for name in names}}
    return json_text(told | {"nodes": reach.nodes.to_dicts()})


@generic.csv_frame.register(Reachability)
def csv_frame(reach: Reachability, frame_name: str | None = None) -> pl.DataFrame:
    """The nodes of all rings."""
    return frame_called({"nodes": reach.nodes}, frame_name)
