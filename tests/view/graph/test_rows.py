"""The two tables that a graph is made of."""

from lineage_kit.view.graph.data import graph_of
from lineage_kit.view.graph.rows import EDGE, NODE, Row, edge_row, edge_table, node_row, node_table
from lineage_kit.view.summary import Summary


def test_rows_have_the_columns_of_their_tables():
    assert Row._fields == NODE.names
    assert node_table([]).schema == NODE.empty().schema
    assert edge_table([edge_row(0, 1, "child", "child_of")]).columns == list(EDGE.names)


def test_a_graph_of_a_few_rows():
    nodes = [node_row(0, "item", "a", None, 0, -1), node_row(1, "item", "b", "B", 1, 0, ["missing"])]
    edges = [edge_row(0, 1, "impact", "depends_on"), edge_row(1, 1, "impact", "depends_on")]
    data = graph_of("impact", Summary("What a change touches"), node_table(nodes), [1, 0], edge_table(edges), 5).data
    assert (data["kind"], data["anchor"], data["total"], data["kept"]) == ("impact", 0, 2, 2)
    assert [(node["id"], node["label"], node["flags"]) for node in data["nodes"]] == [
        ("a", None, []),
        ("b", "B", ["missing"]),
    ]
    assert [(edge["source"], edge["target"]) for edge in data["edges"]] == [(0, 1), (1, 1)]
