"""A lineage as a graph: its nodes and edges, all of them, the telling ones first."""

import json
from datetime import UTC, datetime

from hypothesis import given, settings

from lineage_kit import RelationStore
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph import data as graph_module
from lineage_kit.view.graph.data import SHOWN
from support.small import edge
from support.sources import frame
from support.strategies import graphs


def names(drawing):
    return {node["number"]: node["id"] for node in drawing.data["nodes"]}


@settings(deadline=None)
@given(graphs())
def test_a_graph_holds_the_nodes_and_edges_of_its_trace(graph):
    edges, anchor = graph
    trace = RelationStore.open(frame(edges)).trace_lineage(*anchor)
    data = graph_data(trace, SHOWN).data
    assert json.loads(json.dumps(data)) == data
    nodes = data["nodes"]
    assert [(node["type"], node["id"]) for node in nodes] == [
        tuple(anchor), *trace.nodes.select("type", "id").iter_rows()
    ]  # fmt: skip
    for node, row in zip(nodes[1:], trace.nodes.iter_rows(named=True), strict=True):
        assert (nodes[node["via"]]["type"], nodes[node["via"]]["id"]) == (row["via_type"], row["via_id"])
        assert node["flags"] == [flag for flag in ("invalidated", "superseded", "outdated_support") if row[flag]]
        assert (node["depth"], node["hop"], node["kind"]) == (row["depth"], row["hop"], row["relation_kind"])
    assert [node["id"] for node in nodes if node["cut"]] == [
        node["id"] for node in nodes if (node["type"], node["id"]) in set(trace.frontier.iter_rows())
    ]
    assert len(data["edges"]) == trace.edges.height
    reached = [each["target"] if each["role"] == "walk" else each["source"] for each in data["edges"] if each["first"]]
    assert sorted(reached) == [node["number"] for node in nodes[1:]]
    placed_nodes = [number for level in data["levels"] for number in level["all"]["nodes"]]
    assert sorted(placed_nodes) == [node["number"] for node in nodes]


def test_flagged_nodes_are_shown_before_others():
    edges = [edge("d1", f"e{place:02}") for place in range(30)]
    edges[17]["invalid_at"] = edges[4]["invalid_at"] = datetime(2026, 1, 1, tzinfo=UTC)
    trace = RelationStore.open(frame([*edges, edge("new", "e21", "supersedes")])).trace_lineage("decision", "d1")
    data = graph_data(trace, 4).data
    shown = {names(graph_data(trace, SHOWN))[number] for level in data["levels"] for number in level["few"]["nodes"]}
    assert shown == {"d1", "e04", "e17", "e21"}


def test_edges_that_are_not_drawn_are_counted(monkeypatch):
    monkeypatch.setattr(graph_module, "KEPT", 3)
    store = RelationStore.open(frame([edge("d1", f"0-{place}") for place in range(5)]))
    data = graph_data(store.trace_lineage("decision", "d1"), SHOWN).data
    by_id = {node["id"]: node["elsewhere"] for node in data["nodes"]}
    assert by_id["d1"] == 3
    assert [count for id, count in by_id.items() if id != "d1"] == [0, 0]
    loop = RelationStore.open(frame([edge("d1", "a"), edge("a", "a")])).trace_lineage("decision", "d1")
    assert [node["elsewhere"] for node in graph_data(loop, SHOWN).data["nodes"]] == [0, 0]
