"""Every conformance case, every field: alone in a table, and all of them in one table of each kind of source.

In the one table the nodes of a case have types of their own (``<case>/<type>``), which changes no order within it.
"""

import polars as pl
import pytest

from lineage_kit import RelationStore
from support import model
from support.cases import LINEAGE, REACHABILITY, nodes_of
from support.compare import differences, plain_trace
from support.conformance import anchor_of, ask, check, check_all, in_batches, one_table, own_types, singly
from support.sources import KINDS, frame, make_source

CASES = {"lineage": LINEAGE, "reachability": REACHABILITY}


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
        expected["describing"] = [row + first[name] for row in expected["describing"]]
        assert not differences(plain_trace(many[anchor]), expected), anchor
        if number % 100 == 0:
            assert many[anchor] == store.trace_lineage(*anchor, 3), anchor
