"""What a picture of a session's family, or of one event, shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from lineage_kit.sessions.header import SessionRecord
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.graph.data import KEPT, SHOWN, Drawing, assembled
from lineage_kit.view.sessions import event_summary, session_summary

NODE: dict[str, Any] = {
    "number": pl.Int64,
    "type": pl.String,
    "id": pl.String,
    "label": pl.String,
    "depth": pl.Int64,
    "hop": pl.Int64,
    "via": pl.Int64,
    "flags": pl.List(pl.String),
    "cut": pl.Boolean,
    "relation_kind": pl.String,
    "edge_class": pl.String,
    "confidence": pl.Float64,
}
EDGE: dict[str, Any] = {
    "source": pl.Int64,
    "target": pl.Int64,
    "role": pl.String,
    "kind": pl.String,
    "class": pl.String,
    "confidence": pl.Float64,
    "invalidated": pl.Boolean,
    "first": pl.Boolean,
}
NOT_THERE, SHADOWED = "NOT THERE", "SHADOWED"
Row = tuple[Any, ...]


def family_drawing(trace: SessionLineageTrace, limit: int = SHOWN) -> Drawing:
    """A session between its ancestors (left) and its descendants (right).

    Of a family too large to keep, those nearest to the session are kept.

    Example:
        >>> import lineage_kit
        >>> logs = [lineage_kit.SessionLog.from_records(header, []) for header in (
        ...     {"id": "main"}, {"id": "sub", "parentSession": "main"})]
        >>> corpus = lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions(logs))
        >>> [(node["id"], node["depth"]) for node in family_drawing(corpus.trace_session("sub")).data["nodes"]]
        [('main', 0), ('sub', 1)]
    """
    below = [(depth + 1, record) for node in trace.descendants for depth, record in node.preorder()]
    above = list(reversed(trace.ancestors[: KEPT // 2]))
    lost = trace.unresolved_parent_id if len(above) == len(trace.ancestors) else None
    rows: list[Row] = []
    if lost is not None:
        rows.append(_node(0, "session", lost, None, 0, 1, [NOT_THERE]))
    for record in above:
        number = len(rows)
        rows.append(_session(number, record, number, number + 1))
    anchor = len(rows)
    rows.append(_session(anchor, trace.target, anchor, -1))
    numbers = {trace.target.session_id: anchor}
    for depth, record in sorted(below, key=lambda one: one[0])[: KEPT // 2]:  # parents before their children
        numbers[record.session_id] = len(rows)
        rows.append(_session(len(rows), record, anchor + depth, numbers[str(record.parent_session)]))
    order = sorted(range(len(rows)), key=lambda number: (abs(rows[number][4] - anchor), number))
    edges = [
        (number, row[6], "child", "child_of", None, None, False, True) if number > anchor else
        (row[6], number, "child", "child_of", None, None, False, True)
        for number, row in enumerate(rows) if row[6] >= 0
    ]  # fmt: skip
    total = len(trace.ancestors) + 1 + len(below) + (trace.unresolved_parent_id is not None)
    return assembled("sessions", session_summary(trace), *_tables(rows, order, edges), limit, total=total)


def event_drawing(trace: SessionEventTrace, limit: int = SHOWN) -> Drawing:
    """An event between what it replaced and cites (left), and what replaced and cites it (right).

    Example:
        >>> import lineage_kit
        >>> log = lineage_kit.SessionLog.from_records({"id": "s1"}, [
        ...     {"seq": 0, "type": "user/message", "surfaceOp": "append"},
        ...     {"seq": 1, "type": "user/message", "surfaceOp": {"op": "replace", "start": 0, "end": 0},
        ...      "sourceEventSeqs": [0]}])
        >>> corpus = lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions([log]))
        >>> drawing = event_drawing(corpus.trace_event("s1", 0))
        >>> [(edge["role"], edge["source"], edge["target"]) for edge in drawing.data["edges"]]
        [('replacement', 1, 0), ('cites', 1, 0)]
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
        rows.append(_node(len(rows), "event", f"{session}#{seq}", f"#{seq}{more}", depth, via, flags, hop=hop))

    more = f" {target.type}" if target.type else ""
    add(target.seq, middle, 0, -1, more, [SHADOWED] if target.surface == "shadowed" else [])
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
        (numbers[one], numbers[other], role, kind, "observed", None, False, True)
        for role, kind, pairs in (("replacement", "supersedes", replaced), ("cites", "derives_from", cited))
        for one, other in pairs
    ]
    return assembled("event", event_summary(trace), *_tables(rows, list(range(len(rows))), edges), limit)


def _tables(rows: list[Row], order: list[int], edges: list[Row]) -> tuple[pl.DataFrame, pl.Series, pl.DataFrame]:
    return (
        pl.DataFrame(rows, schema=NODE, orient="row"),
        pl.Series(order, dtype=pl.Int64),
        pl.DataFrame(edges, schema=EDGE, orient="row"),
    )


def _session(number: int, record: SessionRecord, depth: int, via: int) -> Row:
    return _node(number, "session", record.session_id, record.title, depth, via, [])


def _node(
    number: int, type: str, id: str, label: str | None, depth: int, via: int, flags: Iterable[str], hop: int = 0
) -> Row:
    return (number, type, id, label, depth, hop, via, list(flags), False, None, None, None)
