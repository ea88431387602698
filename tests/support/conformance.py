"""Answers held against the conformance cases of the relations half: each alone, or all of them in one table.

In the one table the nodes of a case have types of their own (``<case>/<type>``), which changes no order within it.
"""

import random

import polars as pl

from support.cases import nodes_of
from support.compare import differences, plain_reachability, plain_trace


def expected_trace(case):
    """What the file says, in the words of ``plain_trace``."""
    expected = case["expected"]
    return {
        **{field: expected[field] for field in ("truncated", "anchor_superseded", "nodes", "edges")},
        "truncated_by": tuple(expected["truncated_by"]),
        "frontier": [(row["type"], row["id"]) for row in expected["frontier"]],
        "anchor_known": anchor_of(case) in nodes_of(case["edges"]),
    }


def anchor_of(case, prefix=""):
    return (prefix + case["anchor_type"], case["anchor_id"])


def ask_trace(store, case, prefix=""):
    return store.trace_lineage(*anchor_of(case, prefix), case["max_depth"])


def ask_reach(store, case, prefix=""):
    asked = {field: case[field] for field in ("relation_kind", "direction", "max_depth")}
    return store.reachability(*anchor_of(case, prefix), **asked)


def ask(store, case, prefix=""):
    return (ask_reach if "relation_kind" in case else ask_trace)(store, case, prefix)


def check(case, result, prefix="", row_in_case=lambda row: row):
    """Compare one answer with the case, its types stripped of the prefix and its rows counted in the case."""
    lineage = "relation_kind" not in case
    got = plain_trace(result) if lineage else plain_reachability(result)
    for row in got["nodes"]:
        for column in ("type", "via_type"):
            row[column] = row[column].removeprefix(prefix)
    if lineage:
        got["frontier"] = [(type_.removeprefix(prefix), id_) for type_, id_ in got["frontier"]]
        got["edges"] = sorted(row_in_case(row) for _, row in got["edges"])
    expected = expected_trace(case) if lineage else case["expected"]
    told = [set(row) for row in expected["nodes"]][:1]  # these cases are older than some columns
    got["nodes"] = [{name: row[name] for name in (told[0] if told else row)} for row in got["nodes"]]
    assert not differences(got, expected), case["name"]


def one_table(cases, seed=None):
    """All edges, shuffled by a seed or not, and for each row the (case name, row in the case) it came from."""
    rows = [(case["name"], row, edge) for case in cases for row, edge in enumerate(case["edges"])]
    if seed is not None:
        random.Random(seed).shuffle(rows)
    edges = [
        {
            **edge,
            "source_type": f"{name}/{edge['source_type']}",
            "target_type": f"{name}/{edge['target_type']}",
        }
        for name, _, edge in rows
    ]
    return edges, [(name, row) for name, row, _ in rows]


def own_types(case):
    return f"{case['name']}/"


def check_all(results, origin):
    for case, result in results:

        def row_in_case(row, case=case):
            name, number = origin[row]
            assert name == case["name"]
            return number

        check(case, result, own_types(case), row_in_case)


def singly(store, cases):
    return [(case, ask(store, case, own_types(case))) for case in cases]


def in_batches(store, cases):
    """One batch of anchors for each max_depth there is."""
    for depth in {case["max_depth"] for case in cases}:
        batch = [case for case in cases if case["max_depth"] == depth]
        anchors = pl.DataFrame([anchor_of(case, own_types(case)) for case in batch], ["type", "id"], orient="row")
        many = store.trace_lineage_many(anchors, depth)
        for case in batch:
            yield case, many[anchor_of(case, own_types(case))]
