"""What a picture shows: which nodes, where, with what said of them, and what is left out."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from lineage_kit import InvalidRequest, MemorySessions, RelationStore, SessionCorpus, SessionLog
from lineage_kit.view.graph import data as drawings
from lineage_kit.view.graph.data import lineage_drawing
from lineage_kit.view.graph.layout import COLUMN, ROW, TALL, Placed, placed
from lineage_kit.view.session_drawing import event_drawing, family_drawing
from support.small import edge
from support.sources import frame
from support.strategies import graphs


def names(drawing):
    return {node["number"]: node["id"] for node in drawing.data["nodes"]}


def wide(width, deep=1):
    edges = [edge("d1", f"0-{place}") for place in range(width)]
    for level in range(1, deep):
        edges += [edge(f"{level - 1}-{place}", f"{level}-{place}") for place in range(width)]
    return RelationStore.open(frame(edges)).trace_lineage("decision", "d1")


@settings(deadline=None)
@given(graphs())
def test_a_drawing_holds_the_nodes_and_edges_of_its_trace(graph):
    edges, anchor = graph
    trace = RelationStore.open(frame(edges)).trace_lineage(*anchor)
    data = lineage_drawing(trace).data
    assert json.loads(json.dumps(data)) == data
    nodes = data["nodes"]
    assert [(node["type"], node["id"]) for node in nodes] == [
        tuple(anchor), *trace.nodes.select("type", "id").iter_rows()
    ]  # fmt: skip
    for node, row in zip(nodes[1:], trace.nodes.iter_rows(named=True), strict=True):
        assert (nodes[node["via"]]["type"], nodes[node["via"]]["id"]) == (row["via_type"], row["via_id"])
        words = [("INVALIDATED", "invalidated"), ("SUPERSEDED", "superseded"), ("OUTDATED SUPPORT", "outdated_support")]
        assert node["flags"] == [word for word, flag in words if row[flag]]
        assert (node["depth"], node["hop"], node["kind"]) == (row["depth"], row["hop"], row["relation_kind"])
    assert [node["id"] for node in nodes if node["cut"]] == [
        node["id"] for node in nodes if (node["type"], node["id"]) in set(trace.frontier.iter_rows())
    ]
    assert len(data["edges"]) == trace.edges.height
    reached = [each["target"] if each["role"] == "walk" else each["source"] for each in data["edges"] if each["first"]]
    assert sorted(reached) == [node["number"] for node in nodes[1:]]
    placed_nodes = [number for level in data["levels"] for number in level["all"]["nodes"]]
    assert sorted(placed_nodes) == [node["number"] for node in nodes]


@settings(deadline=None)
@given(graphs())
def test_no_two_nodes_stand_in_the_same_place(graph):
    edges, anchor = graph
    data = lineage_drawing(RelationStore.open(frame(edges)).trace_lineage(*anchor), limit=3).data
    for level in data["levels"]:
        for arrangement in (level["few"], level["all"]):
            places = [*zip(arrangement["x"], arrangement["y"], strict=True)]
            places += [tuple(arrangement["more"])] if arrangement["more"] else []
            assert len(set(places)) == len(places)
            assert all(0 < x < arrangement["width"] for x, _ in places)
            left_out = level["total"] - len(arrangement["nodes"])
            assert (arrangement["more"] is None) == (left_out == 0)


def test_a_replacement_stands_beside_what_it_replaces():
    level = [Placed(0, 0, 0, -1, True), Placed(1, 0, 1, 0, True), Placed(2, 0, 1, 0, True), Placed(3, 0, 2, 1, True)]
    [only] = placed(level, [4])
    where = dict(zip(only["all"]["nodes"], zip(only["all"]["x"], only["all"]["y"], strict=True), strict=True))
    assert where[1] == (where[0][0] + COLUMN, where[0][1])
    assert where[3] == (where[1][0] + COLUMN, where[0][1])
    assert where[2] == (where[0][0] + COLUMN, where[0][1] + ROW)


def test_a_long_level_is_folded():
    [only] = placed([Placed(number, 0, 0, -1, True) for number in range(200)], [200])
    height = max(only["all"]["y"]) - min(only["all"]["y"])
    width = max(only["all"]["x"]) - min(only["all"]["x"])
    assert height + ROW >= TALL * ROW
    assert 0.5 < (width + COLUMN) / (height + ROW) < 2


def test_at_first_each_level_shows_its_share():
    data = lineage_drawing(wide(40, deep=3), limit=31).data
    assert [len(level["few"]["nodes"]) for level in data["levels"]] == [1, 10, 10, 10]
    assert [level["few"]["more"] is None for level in data["levels"]] == [True, False, False, False]
    assert (data["total"], data["kept"], data["limit"]) == (121, 121, 31)


def test_what_is_not_kept_is_named_on_the_way(monkeypatch):
    monkeypatch.setattr(drawings, "KEPT", 3)
    edges = [edge("d1", "a"), edge("d1", "b"), edge("d1", "c"), edge("a", "z", invalid_at=None), edge("b", "y")]
    edges += [edge("c", "z2"), edge("c", "z3")]
    data = lineage_drawing(RelationStore.open(frame(edges)).trace_lineage("decision", "d1")).data
    kept = [node for node in data["nodes"] if node["kept"]]
    assert len(kept) == 3
    by_number = {node["number"]: node for node in data["nodes"]}
    for node in kept:
        while node["via"] >= 0:
            node = by_number[node["via"]]
        assert node["id"] == "d1"
    assert data["kept"] == 3


def test_flagged_nodes_are_shown_before_others():
    edges = [edge("d1", f"e{place:02}") for place in range(30)]
    edges[17]["invalid_at"] = edges[4]["invalid_at"] = datetime(2026, 1, 1, tzinfo=UTC)
    trace = RelationStore.open(frame([*edges, edge("new", "e21", "supersedes")])).trace_lineage("decision", "d1")
    data = lineage_drawing(trace, limit=4).data
    shown = {names(lineage_drawing(trace))[number] for level in data["levels"] for number in level["few"]["nodes"]}
    assert shown == {"d1", "e04", "e17", "e21"}


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, "3", None])
def test_a_limit_is_a_positive_integer(limit):
    with pytest.raises(InvalidRequest, match="limit must be a positive integer"):
        lineage_drawing(wide(2), limit=limit)


def corpus(*logs):
    return SessionCorpus(live=MemorySessions([SessionLog.from_records(header, events) for header, events in logs]))


def test_a_family_of_sessions():
    parents = [("root", None), ("me", "root"), ("kid", "me"), ("kid2", "me"), ("grandkid", "kid")]
    family = corpus(*(({"id": id, **({"parentSession": up} if up else {})}, []) for id, up in parents))
    data = family_drawing(family.trace_session("me")).data
    assert [(node["id"], node["depth"], node["via"]) for node in data["nodes"]] == [
        ("root", 0, 1), ("me", 1, -1), ("kid", 2, 1), ("kid2", 2, 1), ("grandkid", 3, 2),
    ]  # fmt: skip
    assert [(each["source"], each["target"], each["role"]) for each in data["edges"]] == [
        (1, 0, "child"), (2, 1, "child"), (3, 1, "child"), (4, 2, "child"),
    ]  # fmt: skip
    assert (data["anchor"], data["total"]) == (1, 5)


def test_a_parent_that_is_not_there_is_said_to_be():
    data = family_drawing(corpus(({"id": "me", "parentSession": "gone"}, [])).trace_session("me")).data
    assert [(node["id"], node["flags"]) for node in data["nodes"]] == [("gone", ["NOT THERE"]), ("me", [])]
    assert data["total"] == 2


def test_of_a_long_chain_the_nearest_are_kept():
    logs = [({"id": f"s{n}", **({"parentSession": f"s{n - 1}"} if n else {})}, []) for n in range(20_000)]
    data = family_drawing(corpus(*logs).trace_session("s9000"), limit=50).data
    assert data["total"] == 20_000
    kept = [int(node["id"][1:]) for node in data["nodes"] if node["kept"]]
    assert (min(kept), max(kept), len(kept)) == (6_500, 11_499, 5_000)
    shown = [number for level in data["levels"] for number in level["few"]["nodes"]]
    assert len(shown) == 50
    assert data["anchor"] in shown


def test_an_event_between_what_it_replaced_and_what_cites_it():
    message = {"type": "user/message", "surfaceOp": "append"}
    log = ({"id": "s"}, [
        {"seq": 0, **message}, {"seq": 1, **message},
        {"seq": 2, "type": "user/message", "surfaceOp": {"op": "replace", "start": 0, "end": 1},
         "sourceEventSeqs": [0, 1]},
        {"seq": 3, "type": "user/message", "surfaceOp": "append", "sourceEventSeqs": [2]},
        {"seq": 4, "type": "user/message", "surfaceOp": {"op": "replace", "start": 2, "end": 2},
         "sourceEventSeqs": [2]},
    ])  # fmt: skip
    data = event_drawing(corpus(log).trace_event("s", 2)).data
    shown = names(event_drawing(corpus(log).trace_event("s", 2)))
    assert {(shown[each["source"]], each["role"], shown[each["target"]]) for each in data["edges"]} == {
        ("s#2", "replacement", "s#0"), ("s#2", "replacement", "s#1"), ("s#2", "cites", "s#0"), ("s#2", "cites", "s#1"),
        ("s#4", "replacement", "s#2"), ("s#3", "cites", "s#2"), ("s#4", "cites", "s#2"),
    }  # fmt: skip
    assert {node["id"]: node["depth"] for node in data["nodes"]} == {"s#0": 0, "s#1": 0, "s#2": 1, "s#4": 2, "s#3": 2}
    assert data["nodes"][data["anchor"]]["flags"] == ["SHADOWED"]


def test_edges_that_are_not_drawn_are_counted(monkeypatch):
    monkeypatch.setattr(drawings, "KEPT", 3)
    data = lineage_drawing(wide(5)).data
    by_id = {node["id"]: node["elsewhere"] for node in data["nodes"]}
    assert by_id["d1"] == 3
    assert [count for id, count in by_id.items() if id != "d1"] == [0, 0]
    loop = RelationStore.open(frame([edge("d1", "a"), edge("a", "a")])).trace_lineage("decision", "d1")
    assert [node["elsewhere"] for node in lineage_drawing(loop).data["nodes"]] == [0, 0]
