"""An event trace in words, as a tree, as a graph, as JSON and as a frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import polars as pl
from rich.text import Text
from rich.tree import Tree

from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.graph.data import GraphData, graph_of
from lineage_kit.view.graph.rows import Row, edge_row, edge_table, node_row, node_table
from lineage_kit.view.summary import SHOWN, Notice, Summary
from lineage_kit.view.text import moment, visible
from lineage_kit.wording import counted

SURFACES = {
    "current": "on the surface: the model sees it now",
    "shadowed": "SHADOWED: another event stands in its place",
    "log-only": "log-only: it never stood on the surface",
}


@generic.summary.register(SessionEventTrace)
def summary(trace: SessionEventTrace) -> Summary:
    """Where it stands, and how many events it replaced, cites and is cited by."""
    target = trace.target
    when = f", {moment(target.time)}" if target.time else ""
    told = Summary(f"Event {visible(trace.ref)} ({visible(target.type or 'no type', 40)}{when})")
    if target.surface == "shadowed":
        text = f"SHADOWED: event {target.seq} was replaced by event {trace.replaced_by}."
        told.notices.append(Notice("shadowed", text, "SHADOWED"))
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


@generic.tree.register(SessionEventTrace)
def tree(trace: SessionEventTrace, _: int | None = None) -> Tree:
    """An event with its two relations, each under its own words; of a long one the first events."""
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


@generic.graph_data.register(SessionEventTrace)
def graph_data(trace: SessionEventTrace, limit: int) -> GraphData:
    """An event between what it replaced and cites (left), and what replaced and cites it (right).

    Example:
        >>> drawn = graph_data(corpus.trace_event("s1", 0), 500)
        >>> [(edge["role"], edge["source"], edge["target"]) for edge in drawn.data["edges"]]
        [('replacement', 1, 0), ('cites', 2, 0), ('cites', 1, 0)]
    """
    session, target = trace.session.session_id, trace.target
    left = sorted({*trace.replaced_event_seqs, *trace.source_event_seqs})
    middle = 1 if left else 0
    chain = list(trace.replacement_chain)
    later = [seq for seq in trace.derived_event_seqs if seq not in set(chain)]
    numbers: dict[int, int] = {}
    rows: list[Row] = []

    def add(seq: int, depth: int, hop: int, via: int, more: str = "", flags: Iterable[str] = ()) -> None:
        numbers[seq] = len(rows)
        rows.append(node_row(len(rows), "event", f"{session}#{seq}", f"#{seq}{more}", depth, via, flags, hop=hop))

    more = f" {target.type}" if target.type else ""
    add(target.seq, middle, 0, -1, more, ["shadowed"] if target.surface == "shadowed" else [])
    for seq in left:
        add(seq, 0, 0, 0)
    for place, seq in enumerate(chain):
        add(seq, middle + 1, place, 0 if not place else numbers[chain[place - 1]])
    for seq in later:
        add(seq, middle + 1, 0, 0)
    replaced = [*((target.seq, seq) for seq in trace.replaced_event_seqs)]
    replaced += [(by, seq) for seq, by in zip([target.seq, *chain], chain, strict=False)]
    cited = [(target.seq, seq) for seq in trace.source_event_seqs]
    cited += [(seq, target.seq) for seq in trace.derived_event_seqs]
    edges = [
        edge_row(numbers[one], numbers[other], role, kind, "observed")
        for role, kind, pairs in (("replacement", "supersedes", replaced), ("cites", "derives_from", cited))
        for one, other in pairs
    ]
    return graph_of("event", generic.summary(trace), node_table(rows), range(len(rows)), edge_table(edges), limit)


@generic.to_json.register(SessionEventTrace)
def to_json(trace: SessionEventTrace) -> str:
    """Its attributes."""
    return json_text(dataclasses.asdict(trace) | {"target": trace.target._asdict()})


@generic.csv_frame.register(SessionEventTrace)
def csv_frame(trace: SessionEventTrace, frame_name: str | None = None) -> pl.DataFrame:
    """The flat form."""
    return frame_called({"frame": trace.frame}, frame_name)
