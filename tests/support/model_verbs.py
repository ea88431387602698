"""What the questions about a trace must answer: path, routes, flagged, diff and audit, from the model's traces."""

import math
from collections import Counter

from support import model
from support.model_rows import WALK, ends_of
from support.model_walk import NODE_FIELDS, reached

FLAGS = ("invalidated", "superseded", "outdated_support")
SCALARS = ("truncated", "truncated_by", "anchor_known", "anchor_superseded")
EDGE_FIELDS = (
    "source_type", "source_id", "target_type", "target_id", "relation_kind", "edge_class", "confidence",
    "created_at", "valid_at", "invalid_at", "expired_at",
)  # fmt: skip


def node_of(row):
    return (row["type"], row["id"])


def rows_by_node(trace):
    return {node_of(row): row for row in trace["nodes"]}


def flags_of(row):
    return [flag for flag in FLAGS if row[flag]]


# --- path, routes, flagged -------------------------------------------------------------------------------


def path(trace, anchor, node):
    """P1: the nodes from the anchor to the node, via by via; None where the node is not in the trace."""
    rows, way = rows_by_node(trace), [node]
    if node != anchor and node not in rows:
        return None
    while way[0] != anchor:
        row = rows[way[0]]
        way.insert(0, (row["via_type"], row["via_id"]))
    return way


def path_edges(trace, anchor, node):
    """P1: the row numbers of the describing edges along the path."""
    number = dict(zip(map(node_of, trace["nodes"]), trace["describing"], strict=True))
    return [number[step] for step in path(trace, anchor, node)[1:]]


def routes(raws, trace, anchor, node, *, backwards=False):
    """P2: (role, row number) of the edges on some way between anchor and node, as in the trace; None as for path."""
    if path(trace, anchor, node) is None:
        return None
    if node == anchor:
        return []
    first, last = (node, anchor) if backwards else (anchor, node)
    steps = {row: leads(raws[row]) for _, row in trace["edges"]}
    after_first = reached(first, list(steps.values()))
    before_last = reached(last, [(end, start) for start, end in steps.values()])
    on_the_way = {row for row, (start, end) in steps.items() if start in after_first and end in before_last}
    return [(role, row) for role, row in trace["edges"] if row in on_the_way]


def leads(raw):
    source, target = ends_of(raw)
    return (source, target) if raw["relation_kind"] in WALK else (target, source)


def flagged(trace, anchor):
    """P3: the rows of nodes with a flag, and the path to each in words."""
    return [
        {**row, "path": " > ".join(f"{type_} {id_}" for type_, id_ in path(trace, anchor, node_of(row)))}
        for row in trace["nodes"]
        if flags_of(row)
    ]


# --- diff ------------------------------------------------------------------------------------------------


def diff(before, after):
    """D1, D2: one row a node that differs, sorted by type and id."""
    old, new = rows_by_node(before), rows_by_node(after)
    values = [name for name in NODE_FIELDS if name not in ("type", "id")]
    rows = []
    for node in sorted(old.keys() | new.keys()):
        one, other = old.get(node), new.get(node)
        if one == other:
            continue
        row = {"type": node[0], "id": node[1], "columns": []}
        if one is None:
            row["change"] = "added"
        elif other is None:
            row["change"] = "removed"
        else:
            row["change"] = "changed"
            row["columns"] = [name for name in values if one[name] != other[name]]
        row["worse"] = other is not None and any(flag not in (flags_of(one) if one else []) for flag in flags_of(other))
        for name in values:
            row[f"{name}_before"] = one[name] if one else None
            row[f"{name}_after"] = other[name] if other else None
        rows.append(row)
    return rows


def diff_edges(raws_before, before, raws_after, after):
    """D3: the rows (change, canonical columns, role) of one trace only, as a multiset."""
    old, new = edge_rows(raws_before, before), edge_rows(raws_after, after)
    return Counter([("removed", *row) for row in (old - new).elements()]) + Counter(
        [("added", *row) for row in (new - old).elements()]
    )


def edge_rows(raws, trace):
    return Counter((*edge_values(raws[row]), role) for role, row in trace["edges"])


def edge_values(raw):
    """The canonical columns as a trace shows them: class asserted where null, confidence null where no number."""
    shown = {**raw, "edge_class": "asserted" if raw.get("edge_class") is None else raw["edge_class"]}
    confidence = raw.get("confidence")
    shown["confidence"] = None if confidence is None or math.isnan(confidence) else confidence
    return tuple(shown.get(name) for name in EDGE_FIELDS)


def diff_scalars(before, after):
    """D3: the scalars that differ, before and after."""
    return {name: (before[name], after[name]) for name in SCALARS if before[name] != after[name]}


# --- audit -----------------------------------------------------------------------------------------------


def audit(raws, anchors, max_depth=5, **asked):
    """A2, A4: the rows of summary and of findings."""
    summary, findings = [], []
    for anchor in sorted(set(anchors)):
        trace = model.trace_lineage(raws, anchor[0], anchor[1], max_depth, **asked)
        summary.append(audit_row(trace, anchor))
        mine = {"anchor_type": anchor[0], "anchor_id": anchor[1]}
        findings += [{**mine, **row} for row in flagged(trace, anchor)]
    return {"summary": summary, "findings": findings}


def anchors_of_type(raws, type_):
    """A1: every node of the type with a walk edge out of it, of any time."""
    return {ends_of(raw)[0] for raw in raws if raw["relation_kind"] in WALK and raw["source_type"] == type_}


def audit_row(trace, anchor):
    nodes = trace["nodes"]
    premises = [row for row in nodes if row["hop"] == 0]
    first = next((row for row in nodes if flags_of(row)), None)
    return {
        "type": anchor[0],
        "id": anchor[1],
        "verdict": verdict(trace),
        "premises": len(premises),
        "replacements": len(nodes) - len(premises),
        **{flag: sum(row[flag] for row in nodes) for flag in FLAGS},
        "anchor_superseded": trace["anchor_superseded"],
        "truncated": trace["truncated"],
        "nearest_flag": flags_of(first)[0] if first else None,
        **{f"nearest_{name}": first[name] if first else None for name in ("type", "id", "depth", "hop")},
    }


def verdict(trace):
    """A3: the first that holds."""
    nodes = trace["nodes"]
    if not trace["anchor_known"]:
        return "unknown"
    if any(
        row["hop"] == 0 and row["invalidated"] and not row["outdated_support"] and not row["current"] for row in nodes
    ):
        return "withdrawn"
    if trace["anchor_superseded"] or any(row["superseded"] or row["invalidated"] for row in nodes):
        return "stale"
    return "cut" if trace["truncated"] else "stands"
