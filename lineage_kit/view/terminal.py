"""A result as a tree in the terminal, drawn by Rich: each node once, under the node whose edge reached it."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
from rich.console import Console, RenderableType
from rich.text import Text
from rich.tree import Tree

from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.sessions import event_tree, session_tree
from lineage_kit.view.summary import Summary, labels_of
from lineage_kit.view.text import flags, named, trust, visible
from lineage_kit.wording import counted

PLAIN_NODES = 40
"""Nodes drawn in a notebook's plain text."""
STYLES = {
    "INVALIDATED": "bold red",
    "SUPERSEDED": "bold yellow",
    "OUTDATED SUPPORT": "bold magenta",
    "TRUNCATED HERE": "bold cyan",
}


def tree_of(result: LineageTrace | Reachability, limit: int | None = None) -> Tree:
    """The tree of a lineage or of rings; at most `limit` nodes, and a line that says how many are not drawn."""
    shown = result.nodes if limit is None else result.nodes.head(limit)
    anchor = pl.DataFrame([result.anchor], schema={"type": pl.String, "id": pl.String}, orient="row")
    labels = labels_of(result.origin, pl.concat([anchor, shown.select("type", "id")]))
    cut = set(result.frontier.iter_rows()) if isinstance(result, LineageTrace) else set()
    superseded = isinstance(result, LineageTrace) and result.anchor_superseded
    head = Text(named(*result.anchor, labels.get(result.anchor)), style="bold")
    _mark(head, ["SUPERSEDED"] * superseded + ["TRUNCATED HERE"] * (result.anchor in cut))
    root = Tree(head, guide_style="dim")
    branches: dict[tuple[str, str], Tree] = {result.anchor: root}
    for row in shown.iter_rows(named=True):
        node = (row["type"], row["id"])
        line = _line(row, labels.get(node), len(result.rings) if isinstance(result, Reachability) else 0)
        _mark(line, flags(row) + ["TRUNCATED HERE"] * (node in cut))
        branches[node] = branches[row["via_type"], row["via_id"]].add(line)
    if hidden := result.nodes.height - shown.height:
        root.add(Text(f"… {counted(hidden, 'more node')} not drawn, of {result.nodes.height:,}", style="bold cyan"))
    return root


def plain(
    result: LineageTrace | LineageTraces | Reachability | SessionEventTrace | SessionLineageTrace, summary: Summary
) -> str:
    """A result as plain text: the summary's sentences, then a tree (or the rows of many)."""
    lines = [summary.title, *(f"! {warning}" for warning in summary.warnings), *summary.facts]
    if isinstance(result, LineageTraces):
        lines += [" · ".join(cell for cell in row if cell) for row in summary.rows]
        return "\n".join([*lines, *([summary.rest] if summary.rest else [])])
    if isinstance(result, SessionEventTrace):
        lines.append(drawn(event_tree(result)))
    elif isinstance(result, SessionLineageTrace):
        lines.append(drawn(session_tree(result, PLAIN_NODES)))
    elif result.anchor_known:
        lines.append(drawn(tree_of(result, PLAIN_NODES)))
    return "\n".join(lines)


def drawn(thing: RenderableType, like: Console | None = None, *, style: str = "") -> str:
    """A tree, table or text as lines that are never wrapped or cut; plain, or coloured as a console would."""
    page = io.StringIO()
    coloured = like is not None and like.is_terminal and not like.no_color
    wide = Console(
        file=page,
        width=100_000,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        force_jupyter=False,  # else Rich shows the text in the notebook cell that runs, instead of returning it
    )
    wide.print(thing, soft_wrap=True, style=style)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _line(row: dict[str, Any], label: str | None, rings: int) -> Text:
    node = named(row["type"], row["id"], label)
    where = f"depth {row['depth']}"
    if rings:
        way = "→" if row["direction"] == "outgoing" else "←"
        told = f"{where} · {way} {visible(row['relation_kind'], 30)} {node}"
    elif row["hop"]:
        told = f"{where}, hop {row['hop']} · replaced by {node}"
    else:
        told = f"{where} · {visible(row['relation_kind'], 30)} {node}"
    return Text(f"{told} · {trust(row['edge_class'], row['confidence'])}")


def _mark(line: Text, words: list[str]) -> None:
    for word in words:
        line.append(" · ")
        line.append(word, style=STYLES[word])
