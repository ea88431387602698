"""Every conformance case, every field: alone in a table, and all of them in one table of each kind of source.

In the one table the nodes of a case have types of their own (``<case>/<type>``), which changes no order within it.
"""

import random

import model
import polars as pl
import pytest
from cases import LINEAGE, REACHABILITY, nodes_of
from compare import differences, plain_reachability, plain_trace
from sources import KINDS, frame, make_source

from lineage_kit import RelationStore

CASES = {"lineage": LINEAGE, "reachability": REACHABILITY}


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
    assert not differences(got, expected), case["name"]


# --- each case in its own table ----------------------------------------------------------------------


@pytest.mark.parametrize("number", range(4))
def test_each_case_alone(number):
    for case in (LINEAGE + REACHABILITY)[number::4]:
        check(case, ask(RelationStore.open(frame(case["edges"])), case))


@pytest.mark.parametrize("kind", KINDS)
def test_some_cases_alone_on_each_kind_of_source(kind, tmp_path):
    for case in (LINEAGE + REACHABILITY)[list(KINDS).index(kind) :: 25]:
        store = RelationStore.open(make_source(kind, case["edges"], tmp_path / case["name"]))
        check(case, ask(store, case))


def test_many_anchors_of_a_case_equal_single_calls():
    """Every node of the case, its own anchor, and one that nothing mentions; two of them twice."""
    for case in LINEAGE[::12]:
        store = RelationStore.open(frame(case["edges"]))
        nodes = sorted({*nodes_of(case["edges"]), anchor_of(case), ("decision", "nobody")})
        anchors = pl.DataFrame(nodes + nodes[:2], ["type", "id"], orient="row")
        many = store.trace_lineage_many(anchors, case["max_depth"])
        assert many.summary.height == len(nodes), case["name"]
        for node in nodes:
            single = store.trace_lineage(*node, case["max_depth"])
            assert many[node] == single, f"{case['name']}: {node}"
            assert plain_trace(many[node]) == plain_trace(single), f"{case['name']}: {node}"


# --- all cases in one table --------------------------------------------------------------------------


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


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_lineage_cases_in_one_table(kind, number, tmp_path):
    edges, origin = one_table(LINEAGE)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    check_all(singly(store, LINEAGE[number::2]), origin)


@pytest.mark.parametrize("kind", KINDS)
def test_lineage_cases_in_one_table_and_in_batches(kind, tmp_path):
    edges, origin = one_table(LINEAGE)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    check_all(in_batches(store, LINEAGE), origin)


@pytest.mark.parametrize("kind", KINDS)
def test_reachability_cases_in_one_table(kind, tmp_path):
    edges, origin = one_table(REACHABILITY)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    check_all(singly(store, REACHABILITY), origin)


@pytest.mark.parametrize(("kind", "seed"), [("eager", 1), ("eager", 2), ("parquet_glob", 3)])
def test_rows_in_another_order_give_the_same_answers(kind, seed, tmp_path):
    """Over several files, the edges of nearly every case lie in more than one."""
    edges, origin = one_table(LINEAGE, seed)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "lineage"))
    check_all(in_batches(store, LINEAGE) if kind == "parquet_glob" else singly(store, LINEAGE), origin)
    edges, origin = one_table(REACHABILITY, seed)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "reachability"))
    check_all(singly(store, REACHABILITY), origin)


@pytest.mark.parametrize("name", CASES)
def test_answers_equal_those_of_another_run_and_another_order(name):
    stores = [RelationStore.open(frame(one_table(CASES[name], seed)[0])) for seed in (None, 4)]
    for case in CASES[name][::2]:
        one, again, other = (ask(store, case, own_types(case)) for store in (stores[0], *stores))
        assert one == again == other, case["name"]


@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_every_node_of_every_case_in_one_batch(kind, tmp_path):
    """Some three thousand anchors: each equals the model, and some of them the single call."""
    edges, origin = one_table(LINEAGE)
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    anchors = pl.DataFrame(sorted(nodes_of(edges)), ["type", "id"], orient="row")
    many = store.trace_lineage_many(anchors, 3)
    first = {name: number for number, (name, row) in enumerate(origin) if row == 0}
    for number, anchor in enumerate(many):
        name = anchor[0].partition("/")[0]
        case = [edge for edge, (owner, _) in zip(edges, origin, strict=True) if owner == name]
        expected = model.trace_lineage(case, *anchor, 3)
        expected["edges"] = [(role, row + first[name]) for role, row in expected["edges"]]
        assert not differences(plain_trace(many[anchor]), expected), anchor
        if number % 100 == 0:
            assert many[anchor] == store.trace_lineage(*anchor, 3), anchor
