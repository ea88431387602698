"""The conformance cases of the verbs, and how a store is asked each of them."""

import polars as pl

from lineage_kit import InvalidRequest
from support.cases import TIMES, instant, load_cases
from support.sources import frame

CASES = load_cases("verbs")
for _case in CASES:
    for _name in ("edges_after", "add"):
        for _edge in _case.get(_name) or []:
            _edge.update({column: instant(_edge[column]) for column in TIMES})


def of_verb(verb):
    return [case for case in CASES if case["verb"] == verb]


def named(type_, id_, prefix=""):
    return (prefix + type_, id_)


def node_of(case, name, prefix=""):
    return named(case[name]["type"], case[name]["id"], prefix)


def prefixed(edges, prefix):
    """Edges whose types are the case's own."""
    return [
        {**edge, "source_type": prefix + edge["source_type"], "target_type": prefix + edge["target_type"]}
        for edge in edges
    ]


def clocks(case):
    return {name: case.get(name) for name in ("as_of", "known_at")}


def bare(rows, prefix):
    """Rows of nodes without the label, their types those of the case."""
    found = rows.drop("label").to_dicts()
    for row in found:
        for column in ("type", "via_type"):
            if row.get(column) is not None:
                row[column] = row[column].removeprefix(prefix)
    return found


def told_trace(trace, prefix="", number=lambda row: row):
    """A trace as the cases tell one."""
    return {
        "truncated": trace.truncated,
        "truncated_by": list(trace.truncated_by),
        "anchor_superseded": trace.anchor_superseded,
        "frontier": bare(trace.frontier, prefix),
        "nodes": bare(trace.nodes, prefix),
        "edges": sorted(number(row) for row in trace.edges["edge"]),
    }


def wanted_trace(expected):
    return {**expected, "edges": sorted(expected["edges"])}


def ask(store, case, prefix=""):
    """The lineage or impact that a case asks for."""
    verb = case["verb"] if case["verb"] in ("lineage", "impact") else case.get("of", "lineage")
    question = store.impact if verb == "impact" else store.trace_lineage
    return question(*node_of(case, "anchor", prefix), case["max_depth"], **clocks(case))


def told_path(store, case, prefix="", number=lambda row: row):
    """The way and the ways to a node; None where it is not in the trace."""
    trace = ask(store, case, prefix)
    node = node_of(case, "node", prefix)
    try:
        path, routes = trace.path(*node), trace.routes(*node)
    except InvalidRequest:
        return None
    ways = bare(path.nodes.select("type", "id", "label"), prefix)
    return {"path": ways, "routes": sorted(number(row) for row in routes["edge"])}


def wanted_path(expected):
    if expected is None or expected["path"] is None:
        return None
    return {"path": expected["path"], "routes": sorted(expected["routes"])}


def told_diff(before, after, case, prefix=""):
    """What a diff says of the nodes."""
    question = "impact" if case.get("of") == "impact" else "trace_lineage"
    anchor = node_of(case, "anchor", prefix)
    one = getattr(before, question)(*anchor, case["max_depth"], **case["before"])
    other = getattr(after, question)(*anchor, case["max_depth"], **case["after"])
    diff = one.diff(other)
    assert not one.diff(one)
    assert bool(diff) == (
        not one.nodes.drop("label").sort("type", "id").equals(other.nodes.drop("label").sort("type", "id"))
        or bool(diff.edges.height or diff.scalars)
    )
    return bare(diff.nodes.select("type", "id", "change", "columns", "worse", "label"), prefix)


def supposed(store, case, prefix=""):
    """The store in which the change of a case is supposed."""

    def edge(one):
        return (*node_of(one, "source", prefix), *node_of(one, "target", prefix), one["relation_kind"])

    replaced = [(*node_of(pair, "old", prefix), *node_of(pair, "new", prefix)) for pair in case["supersede"]]
    return store.what_if(
        case["at"],
        withdraw=[named(node["type"], node["id"], prefix) for node in case["withdraw"]] or None,
        supersede=replaced or None,
        invalidate=[edge(one) for one in case["invalidate"]] or None,
        add=frame(prefixed(case["add"], prefix)) if case["add"] else None,
    )


def told_audit(store, case, prefix=""):
    """The summary of an audit, row by row."""
    anchors = [named(node["type"], node["id"], prefix) for node in case["anchors"]]
    audit = store.audit(anchors, case["max_depth"], **clocks(case), progress=False)
    rows: list[dict[str, object]] = []
    for row in audit.summary.drop("label").to_dicts():
        nearest = {name: row.pop(f"nearest_{name}") for name in ("flag", "type", "id", "depth", "hop")}
        if nearest["flag"] is not None:
            nearest["type"] = nearest["type"].removeprefix(prefix)
        row["type"] = row["type"].removeprefix(prefix)
        rows.append({**row, "nearest": None if nearest["flag"] is None else nearest})
    return audit, rows


def one_table_of(cases):
    """All edges of these cases in one table, each case with types of its own, and where each case begins in it."""
    rows: list[dict[str, object]] = []
    firsts: dict[str, int] = {}
    for case in cases:
        firsts[case["name"]] = len(rows)
        rows += prefixed(case["edges"], own(case))
    return frame(rows), firsts


def own(case):
    return f"{case['name']}/"


def flagged_rows(audit, anchor):
    """The findings of one anchor, as `trace.flagged` tells them."""
    mine = audit.findings.filter(pl.col("anchor_type") == anchor[0], pl.col("anchor_id") == anchor[1])
    return mine.drop("anchor_type", "anchor_id")
