"""Session traces in words and as trees."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from lineage_kit.sessions.header import SessionRecord
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.summary import SHOWN, Summary
from lineage_kit.view.text import moment, visible
from lineage_kit.wording import counted

SURFACES = {
    "current": "on the surface: the model sees it now",
    "shadowed": "SHADOWED: another event stands in its place",
    "log-only": "log-only: it never stood on the surface",
}


def event_summary(trace: SessionEventTrace) -> Summary:
    """An event trace in words."""
    target = trace.target
    when = f", {moment(target.time)}" if target.time else ""
    told = Summary(f"Event {visible(trace.ref)} ({visible(target.type or 'no type', 40)}{when})")
    if target.surface == "shadowed":
        told.warnings.append(f"SHADOWED: event {target.seq} was replaced by event {trace.replaced_by}.")
    else:
        told.facts.append(f"It is {SURFACES[target.surface]}.")
    replaced, cites, cited = trace.replaced_event_seqs, trace.source_event_seqs, trace.derived_event_seqs
    told.facts.append(
        f"It replaced {counted(len(replaced), 'event')}, cites {counted(len(cites), 'event')} "
        f"and is cited by {counted(len(cited), 'event')}."
    )
    told.columns = ("relation", "events")
    told.rows = [
        (name, _seqs(seqs))
        for name, seqs in (
            ("replacement chain", trace.replacement_chain),
            ("replaced", replaced),
            ("cites", cites),
            ("cited by", cited),
        )
        if seqs
    ]
    return told


def _seqs(seqs: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, seqs[:SHOWN]))
    return shown if len(seqs) <= SHOWN else f"{shown}, … ({len(seqs):,} in all)"


def event_tree(trace: SessionEventTrace) -> Tree:
    """An event with its two relations, each under its own words."""
    root = Tree(Text(f"event {visible(trace.ref)} · {trace.target.surface}", style="bold"), guide_style="dim")
    at = root
    for place, seq in enumerate(trace.replacement_chain):
        last = place == len(trace.replacement_chain) - 1
        at = at.add(Text(f"replaced by event {seq}" + (" · on the surface now" if last else "")))
    for words, seqs in (
        ("replaced", trace.replaced_event_seqs),
        ("cites", trace.source_event_seqs),
        ("is cited by", trace.derived_event_seqs),
    ):
        if seqs:
            branch = root.add(Text(f"{words} {counted(len(seqs), 'event')}", style="bold"))
            for seq in seqs[: SHOWN * 10]:
                branch.add(Text(f"event {seq}"))
            if len(seqs) > SHOWN * 10:
                branch.add(Text(f"… {len(seqs) - SHOWN * 10:,} more, of {len(seqs):,}"))
    return root


def session_summary(trace: SessionLineageTrace) -> Summary:
    """A session lineage in words."""
    frame = trace.frame
    below = frame.height - 1 - len(trace.ancestors)
    told = Summary(f"Session {_named(trace.target)}")
    if not trace.complete:
        told.warnings.append(
            f"INCOMPLETE: the chain of parents leads to {visible(trace.unresolved_parent_id or '')}, "
            "which is not there."
        )
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
    told.rest = f"{SHOWN} of {frame.height:,} rows shown; all are in trace.frame." if frame.height > SHOWN else ""
    return told


def session_tree(trace: SessionLineageTrace, limit: int | None = None) -> Tree:
    """Ancestors, the session, and what descends from it."""
    lines: list[tuple[int, Text]] = []
    if trace.unresolved_parent_id is not None:
        lines.append((0, Text(f"{visible(trace.unresolved_parent_id)} · NOT THERE", style="bold red")))
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


def _named(record: SessionRecord) -> str:
    title = f" “{visible(record.title, 80)}”" if record.title else ""
    origin = f" · {visible(record.origin, 30)}" if record.origin else ""
    return f"{visible(record.session_id)}{title}{origin}"
