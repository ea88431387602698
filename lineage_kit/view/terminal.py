"""A result on a terminal: what to worry about first, then the tree."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from lineage_kit.relations.trace import LineageTrace
from lineage_kit.view.summary import Summary
from lineage_kit.view.tree import drawn, tree_of


def show_result(console: Console, result: LineageTrace, summary: Summary, draw: int | None) -> None:
    """Print a lineage; `draw` bounds the nodes drawn (None = all)."""
    console.print(Text(summary.title, style="bold"), soft_wrap=True)
    for warning in summary.warnings:
        console.print(Text(f"! {warning}", style="yellow"), soft_wrap=True)
    for fact in summary.facts:
        console.print(Text(fact), soft_wrap=True)
    if result.anchor_known:
        # Drawn wide, then written as it is: a tree cut at the window's edge would lose its flags.
        console.file.write(drawn(tree_of(result, draw), console) + "\n")
