"""What changed between two traces in words, as a tree, as a graph, as JSON and as frames."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.text import Text
from rich.tree import Tree

from lineage_kit.relations.diff import LineageDiff
from lineage_kit.schema import FLAGS
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.compared import compared_graph
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.summary import SHOWN, Notice, Summary, rows_beyond, supposed
from lineage_kit.view.text import FLAGS as WORDS
from lineage_kit.view.text import named
from lineage_kit.wording import counted

ORDER = ("worse", "added", "removed", "changed")


@generic.summary.register(LineageDiff)
def summary(diff: LineageDiff) -> Summary:
    """What got worse first, then what came, went and changed."""
    anchor = named(*diff.before.anchor, diff.before.anchor_label)
    if diff.before.anchor != diff.after.anchor:
        anchor += f" and of {named(*diff.after.anchor, diff.after.anchor_label)}"
    told = Summary(f"What changed in the {diff.before.called.lower()} of {anchor}")
    told.notices += supposed(diff.after.origin)
    if worse := int(diff.nodes["worse"].sum()):
        brief = f"{counted(worse, 'node')} WORSE"
        told.notices.append(Notice("worse", f"{brief}: flagged after, and not before.", brief))
    for name, (before, after) in diff.scalars.items():
        brief = f"{name} {_said(before)} before, {_said(after)} after"
        told.notices.append(Notice(f"{name} changed", f"{brief}.", brief))
    told.facts = [f"Compared: {diff.header}.", f"{_sentence(diff.counted())}."]
    told.columns = ("node", "change", "what changed")
    first = _worst_first(diff.nodes).head(SHOWN)
    told.rows = [
        (named(row["type"], row["id"], row["label"]), _change(row), _what(row)) for row in first.iter_rows(named=True)
    ]
    told.rest = rows_beyond(diff.nodes, "diff.nodes")
    return told


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " and ".join(value) or "nothing"


def _worst_first(nodes: pl.DataFrame) -> pl.DataFrame:
    return nodes.sort("worse", descending=True, maintain_order=True)


def _change(row: dict[str, Any]) -> str:
    return f"{row['change']}, WORSE" if row["worse"] else str(row["change"])


def _what(row: dict[str, Any]) -> str:
    """Flags that came or went in words, then the other columns that changed, with their values."""
    flags = [
        f"{WORDS[flag].word} {'now' if row[f'{flag}_after'] else 'no more'}"
        for flag in FLAGS
        if bool(row[f"{flag}_after"]) != bool(row[f"{flag}_before"])
    ]
    others = [
        f"{name} {_shown(row[f'{name}_before'])} → {_shown(row[f'{name}_after'])}"
        for name in row["columns"]
        if name not in FLAGS
    ]
    return "; ".join([*flags, *others])


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


@generic.tree.register(LineageDiff)
def tree(diff: LineageDiff, limit: int | None = None) -> Tree:
    """What changed under the way it did: worse, added, removed, changed."""
    root = Tree(Text(summary(diff).title, style="bold"), guide_style="dim")
    nodes = diff.nodes if limit is None else _worst_first(diff.nodes).head(limit)
    for part in ORDER:
        chosen = nodes.filter(pl.col("worse") if part == "worse" else ~pl.col("worse") & (pl.col("change") == part))
        if chosen.height:
            branch = root.add(Text(part, style="bold red" if part == "worse" else "bold"))
            for row in chosen.iter_rows(named=True):
                words = [named(row["type"], row["id"], row["label"]), _change(row), _what(row)]
                branch.add(Text(" · ".join(word for word in words if word)))
    if hidden := diff.nodes.height - nodes.height:
        root.add(Text(f"… {counted(hidden, 'more node')} not drawn, of {diff.nodes.height:,}", style="bold cyan"))
    return root


@generic.graph_data.register(LineageDiff)
def graph_data(diff: LineageDiff, limit: int) -> GraphData:
    """The later trace, with what is gone beside it; what differs is marked by a word."""
    return compared_graph(generic.summary(diff), diff, limit)


@generic.to_json.register(LineageDiff)
def to_json(diff: LineageDiff) -> str:
    """Both questions, what differs of the whole, and the rows of nodes and edges."""
    asked = ("anchor", "max_depth", "as_of", "known_at")
    told: dict[str, Any] = {
        when: {name: getattr(trace, name) for name in asked} | {"anchor": trace.anchor._asdict()}
        for when, trace in (("before", diff.before), ("after", diff.after))
    }
    told["scalars"] = {name: {"before": pair[0], "after": pair[1]} for name, pair in diff.scalars.items()}
    return json_text(told | {name: getattr(diff, name).to_dicts() for name in ("nodes", "edges")})


@generic.csv_frame.register(LineageDiff)
def csv_frame(diff: LineageDiff, frame_name: str | None = None) -> pl.DataFrame:
    """`nodes` or `edges`."""
    return frame_called({"nodes": diff.nodes, "edges": diff.edges}, frame_name)
