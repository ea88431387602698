"""A session's ancestors and descendants in words, as a tree, as a graph, as JSON and as a frame."""

from __future__ import annotations

import polars as pl
from rich.text import Text
from rich.tree import Tree

from lineage_kit.sessions.header import SessionRecord
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.data import KEPT, GraphData, graph_of
from lineage_kit.view.graph.rows import Row, edge_row, edge_table, node_row, node_table
from lineage_kit.view.summary import SHOWN, Notice, Summary, rows_beyond
from lineage_kit.view.text import MARKS, moment, visible
from lineage_kit.wording import counted


@generic.summary.register(SessionLineageTrace)
def summary(trace: SessionLineageTrace) -> Summary:
    """What it descends from, and how many descend from it."""
    frame = trace.frame
    below = frame.height - 1 - len(trace.ancestors)
    told = Summary(f"Session {_named(trace.target)}")
    if not trace.complete:
        lost = visible(trace.unresolved_parent_id or "")
        text = f"INCOMPLETE: the chain of parents leads to {lost}, which is not there."
        told.notices.append(Notice("incomplete", text, "INCOMPLETE"))
    elif trace.root is not None and trace.ancestors:
        told.facts.append(f"It descends from {_named(trace.root)}.")
    else:
        told.facts.append("It is a root: it has no parent.")
    told.facts.append(f"{counted(len(trace.ancestors), 'ancestor')}, {counted(below, 'descendant')}.")
    told.columns = ("relation", "depth", "session", "created", "origin")
    told.rows = [
        (
            row["relation"],
            str(row["depth"]),
            visible(row["session_id"]) + (f" “{visible(row['title'], 80)}”" if row["title"] else ""),
            moment(row["created_at"]) if row["created_at"] else "",
            visible(row["origin"] or ""),
        )
        for row in frame.head(SHOWN).iter_rows(named=True)
    ]
    told.rest = rows_beyond(frame, "trace.frame")
    return told


@generic.tree.register(SessionLineageTrace)
def tree(trace: SessionLineageTrace, limit: int | None = None) -> Tree:
    """Ancestors, the session, and what descends from it."""
    lines: list[tuple[int, Text]] = []
    if trace.unresolved_parent_id is not None:
        lines.append((0, Text(f"{visible(trace.unresolved_parent_id)} · {MARKS['missing'].word}", style="bold red")))
    above = len(lines)
    for record in reversed(trace.ancestors):
        lines.append((above, Text(_named(record))))
        above += 1
    lines.append((above, Text(_named(trace.target), style="bold")))
    lines += [
        (above + 1 + depth, Text(_named(record))) for node in trace.descendants for depth, record in node.preorder()
    ]
    shown = lines if limit is None else lines[:limit]
    root = Tree(shown[0][1], guide_style="dim")
    path = [root]
    for depth, line in shown[1:]:
        del path[depth:]
        path.append(path[-1].add(line))
    if len(shown) < len(lines):
        root.add(Text(f"… {counted(len(lines) - len(shown), 'more session')} not drawn, of {len(lines):,}"))
    return root


@generic.graph_data.register(SessionLineageTrace)
def graph_data(trace: SessionLineageTrace, limit: int) -> GraphData:
    """A session between its ancestors (left) and its descendants (right).

    Of a family too large to keep, those nearest to the session are kept.

    Example:
        >>> [(node["id"], node["depth"]) for node in graph_data(corpus.trace_session("s1"), 500).data["nodes"]]
        [('s1', 0)]
    """
    below = [(depth + 1, record) for node in trace.descendants for depth, record in node.preorder()]
    above = list(reversed(trace.ancestors[: KEPT // 2]))
    lost = trace.unresolved_parent_id if len(above) == len(trace.ancestors) else None
    rows: list[Row] = []
    if lost is not None:
        rows.append(node_row(0, "session", lost, None, 0, 1, ["missing"]))
    for record in above:
        number = len(rows)
        rows.append(_session_node(number, record, number, number + 1))
    anchor = len(rows)
    rows.append(_session_node(anchor, trace.target, anchor, -1))
    numbers = {trace.target.session_id: anchor}
    for depth, record in sorted(below, key=lambda one: one[0])[: KEPT // 2]:  # parents before their children
        numbers[record.session_id] = len(rows)
        rows.append(_session_node(len(rows), record, anchor + depth, numbers[str(record.parent_session)]))
    order = sorted(range(len(rows)), key=lambda number: (abs(rows[number].depth - anchor), number))
    ways = [(row.number, row.via) if row.number > anchor else (row.via, row.number) for row in rows if row.via >= 0]
    edges = [edge_row(child, parent, "child", "child_of") for child, parent in ways]
    total = len(trace.ancestors) + 1 + len(below) + (trace.unresolved_parent_id is not None)
    told = generic.summary(trace)
    return graph_of("sessions", told, node_table(rows), order, edge_table(edges), limit, total=total)


@generic.to_json.register(SessionLineageTrace)
def to_json(trace: SessionLineageTrace) -> str:
    """The ids of the session and its root, and the rows of the frame."""
    return json_text(
        {
            "target": trace.target.session_id,
            "complete": trace.complete,
            "root": None if trace.root is None else trace.root.session_id,
            "unresolved_parent_id": trace.unresolved_parent_id,
            "sessions": trace.frame.to_dicts(),
        }
    )


@generic.csv_frame.register(SessionLineageTrace)
def csv_frame(trace: SessionLineageTrace, frame_name: str | None = None) -> pl.DataFrame:
    """The flat form."""
    return frame_called({"frame": trace.frame}, frame_name)


def _session_node(number: int, record: SessionRecord, depth: int, via: int) -> Row:
    return node_row(number, "session", record.session_id, record.title, depth, via)


def _named(record: SessionRecord) -> str:
    title = f" “{visible(record.title, 80)}”" if record.title else ""
    origin = f" · {visible(record.origin, 30)}" if record.origin else ""
    return f"{visible(record.session_id)}{title}{origin}"
