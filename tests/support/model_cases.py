"""The conformance cases of the verbs as Python values, and what the brute-force model answers to each."""

from support import model, model_rows, model_verbs
from support.cases import TIMES, instant, load_cases


def timed(edge):
    return {name: instant(value) if name in TIMES and isinstance(value, str) else value for name, value in edge.items()}


def node(row):
    return (row["type"], row["id"])


def clocks(row):
    return {name: instant(row.get(name)) for name in ("as_of", "known_at")}


def in_python(case):
    """Edges and clocks with datetimes."""
    more = {name: [timed(edge) for edge in case[name]] for name in ("edges_after", "add") if name in case}
    return {**case, **more, "at": instant(case.get("at"))}


CASES = [in_python(case) for case in load_cases("verbs")]


def supposition(case):
    """What a what_if case supposes, as `model_rows.what_if` takes it."""
    return {
        "withdraw": [node(one) for one in case["withdraw"]],
        "invalidate": [(node(one["source"]), node(one["target"]), one["relation_kind"]) for one in case["invalidate"]],
        "supersede": [(node(one["old"]), node(one["new"])) for one in case["supersede"]],
        "add": case["add"],
    }


def asked(raws, case, verb, when):
    question = model.impact if verb == "impact" else model.trace_lineage
    anchor = case["anchor"]
    return question(raws, anchor["type"], anchor["id"], case["max_depth"], **clocks(when))


def as_case(trace):
    """A trace of the model as the cases write one."""
    return {
        **{name: trace[name] for name in ("truncated", "anchor_superseded", "nodes")},
        "truncated_by": list(trace["truncated_by"]),
        "frontier": [{"type": type_, "id": id_} for type_, id_ in trace["frontier"]],
        "edges": sorted(row for _, row in trace["edges"]),
    }


def answer(case):
    """The model's answer to a case, in the words of its `expected`."""
    verb, raws = case["verb"], case["edges"]
    if verb in ("lineage", "impact"):
        return as_case(asked(raws, case, verb, case))
    if verb == "path":
        return answer_path(case)
    if verb == "diff":
        of = case.get("of", "lineage")
        before = asked(raws, case, of, case["before"])
        after = asked(case.get("edges_after", raws), case, of, case["after"])
        names = ("type", "id", "change", "columns", "worse")
        return [{name: row[name] for name in names} for row in model_verbs.diff(before, after)]
    if verb == "what_if":
        changed = model_rows.what_if(raws, case["at"], **supposition(case))
        return {verb: as_case(asked(changed, case, verb, case)) for verb in ("lineage", "impact")}
    return answer_audit(case)


def answer_path(case):
    anchor, end, of = node(case["anchor"]), node(case["node"]), case["of"]
    trace = asked(case["edges"], case, of, case)
    way = model_verbs.path(trace, anchor, end)
    ways = model_verbs.routes(case["edges"], trace, anchor, end, backwards=of == "impact")
    return {
        "path": None if way is None else [{"type": type_, "id": id_} for type_, id_ in way],
        "routes": None if ways is None else sorted(row for _, row in ways),
    }


def answer_audit(case):
    anchors = [node(one) for one in case["anchors"]]
    rows = model_verbs.audit(case["edges"], anchors, case["max_depth"], **clocks(case))["summary"]
    for row in rows:
        nearest = {name: row.pop(f"nearest_{name}") for name in ("flag", "type", "id", "depth", "hop")}
        row["nearest"] = nearest if nearest["flag"] else None
    return rows
