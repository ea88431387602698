"""A result as text for a terminal, drawn by Rich: sentences, then a tree with each node once."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence, Set
from typing import Any, Protocol

import polars as pl
from rich.console import Console, RenderableType
from rich.text import Text
from rich.tree import Tree

from lineage_kit.relations.request import Node
from lineage_kit.view import generic
from lineage_kit.view.summary import Summary
from lineage_kit.view.text import FLAGS, MARKS, named
from lineage_kit.wording import counted

PLAIN_NODES = 40
"""Nodes drawn in a notebook's plain text."""
STYLES = {
    "invalidated": "bold red",
    "superseded": "bold yellow",
    "outdated_support": "bold magenta",
    "cut": "bold cyan",
}


class Walked(Protocol):
    """A result with an anchor, and nodes each of which was reached from another (via_type, via_id)."""

    @property
    def anchor(self) -> Node:
        """Where the walk began."""

    @property
    def nodes(self) -> pl.DataFrame:
        """The nodes found."""

    @property
    def anchor_label(self) -> str | None:
        """What the anchor is called."""


def node_tree(
    result: Walked,
    limit: int | None,
    told: Callable[[dict[str, Any], str], str],
    anchor_flags: Sequence[str] = (),
    cut: Set[tuple[str, str]] = frozenset(),
) -> Tree:
    """The tree of a walk, each node under the node whose edge reached it.

    Args:
        result: the walk.
        limit: how many nodes to draw, or None for all; a line says how many are not drawn.
        told: the line of a node, from its row and its name; its flags are added.
        anchor_flags: the flags of the anchor.
        cut: the nodes at which the walk stopped.
    """
    shown = result.nodes if limit is None else result.nodes.head(limit)
    head = Text(named(*result.anchor, result.anchor_label), style="bold")
    _mark(head, [*anchor_flags, *(["cut"] if result.anchor in cut else [])])
    root = Tree(head, guide_style="dim")
    branches: dict[tuple[str, str], Tree] = {result.anchor: root}
    for row in shown.iter_rows(named=True):
        node = (row["type"], row["id"])
        line = Text(told(row, named(*node, row["label"])))
        _mark(line, [flag for flag in FLAGS if row.get(flag)] + (["cut"] if node in cut else []))
        branches[node] = branches[row["via_type"], row["via_id"]].add(line)
    if hidden := result.nodes.height - shown.height:
        root.add(Text(f"… {counted(hidden, 'more node')} not drawn, of {result.nodes.height:,}", style="bold cyan"))
    return root


def plain(result: Any, summary: Summary) -> str:
    """A result as plain text: the summary's sentences, then a tree (or the rows of many)."""
    lines = [summary.title, *(f"! {notice.text}" for notice in summary.notices), *summary.facts]
    if not summary.sentences_only:
        lines.append(drawn(generic.tree(result, PLAIN_NODES)))
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


def _mark(line: Text, flags: Sequence[str]) -> None:
    for flag in flags:
        line.append(" · ")
        line.append(MARKS[flag].word, style=STYLES[flag])
