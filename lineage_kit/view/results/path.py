"""A way through a trace in words, as a line a step, as JSON and as frames."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.text import Text
from rich.tree import Tree

from lineage_kit.relations.path import Path
from lineage_kit.schema import FLAGS
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.data import GraphData, graph_of
from lineage_kit.view.graph.rows import edge_table, node_row, node_table
from lineage_kit.view.summary import Summary, flag_notices, reached_by
from lineage_kit.view.text import flags, named
from lineage_kit.wording import counted


@generic.summary.register(Path)
def summary(path: Path) -> Summary:
    """Each step, with the flags where they stand."""
    steps = path.nodes.height - 1
    told = Summary(f"Way from {named(*path.anchor)} to {named(*path.node)}")
    told.notices += flag_notices(path.nodes.filter(pl.col("step") > 0))
    told.facts.append(f"{counted(steps, 'step')} of the {path.called.lower()}." if steps else "The anchor itself.")
    told.columns = ("step", "node", "reached by", "flags")
    told.rows = [
        (str(row["step"]), _name(row), reached_by(row) if row["step"] else "", ", ".join(flags(row)))
        for row in path.nodes.iter_rows(named=True)
    ]
    return told


def _name(row: dict[str, Any]) -> str:
    return named(row["type"], row["id"], row["label"])


@generic.tree.register(Path)
def tree(path: Path, limit: int | None = None) -> Tree:
    """Each step under the one before; all of them, since a way with gaps is none."""
    del limit
    root = branch = Tree(Text(_name(path.nodes.row(0, named=True)), style="bold"), guide_style="dim")
    for row in path.nodes[1:].iter_rows(named=True):
        words = [_name(row), reached_by(row), *flags(row)]
        branch = branch.add(Text(" · ".join(words)))
    return root


@generic.graph_data.register(Path)
def graph_data(path: Path, limit: int) -> GraphData:
    """The steps side by side, from the anchor on."""
    rows, edges = [], []
    for step, row in enumerate(path.nodes.iter_rows(named=True)):
        held = [flag for flag in FLAGS if row.get(flag)]
        made = node_row(step, row["type"], row["id"], row["label"], step, step - 1, held)
        if step:
            told = {name: row[name] for name in ("relation_kind", "edge_class", "confidence")}
            made = made._replace(**told)
            role = "replacement" if row.get("hop") else "walk"
            invalid = bool(row["invalidated"])
            edges.append(
                (step - 1, step, role, told["relation_kind"], told["edge_class"], told["confidence"], invalid, True)
            )
        rows.append(made)
    return graph_of("path", summary(path), node_table(rows), range(len(rows)), edge_table(edges), limit)


@generic.to_json.register(Path)
def to_json(path: Path) -> str:
    """The two ends, and the rows of nodes and edges."""
    told = {"anchor": path.anchor._asdict(), "node": path.node._asdict()}
    return json_text(told | {name: getattr(path, name).to_dicts() for name in ("nodes", "edges")})


@generic.csv_frame.register(Path)
def csv_frame(path: Path, frame_name: str | None = None) -> pl.DataFrame:
    """`nodes` or `edges`."""
    return frame_called({"nodes": path.nodes, "edges": path.edges}, frame_name)
