"""Real graphs: Debian's packages against networkx, and the RFCs with answers that a reader can look up."""

import networkx as nx
import polars as pl
import pytest

from lineage_kit import RelationStore
from support.shared import DATA, shared_file

RFC = DATA / "rfc_relations.parquet"
ENDS = ["source_type", "source_id", "target_type", "target_id"]
MAX_DEPTH = 5


@pytest.fixture(scope="module")
def debian():
    return shared_file("data/debian_relations.parquet")


@pytest.fixture(scope="module")
def steps(debian):
    """What a walk may do, with its price: a premise costs one level, a replacement none."""
    edges = pl.read_parquet(debian, columns=[*ENDS, "relation_kind"])
    walk = edges.filter(pl.col("relation_kind").is_in(["depends_on", "derives_from"]))
    replaced = edges.filter(relation_kind="supersedes").select(ENDS).rows()
    graph = nx.DiGraph()
    graph.add_edges_from(((row[:2], row[2:]) for row in walk.select(ENDS).rows()), cost=1)
    graph.add_edges_from(((row[2:], row[:2]) for row in replaced if row[:2] != row[2:]), cost=0)
    return graph


@pytest.fixture(scope="module")
def anchors(debian):
    """Fifty nodes from the least to the most connected one."""
    edges = pl.scan_parquet(debian).filter(relation_kind="depends_on")
    degrees = edges.group_by(type="source_type", id="source_id").len().sort("len", "type", "id").collect()
    spread = [round(place * (degrees.height - 1) / 49) for place in range(50)]
    return degrees[spread].select("type", "id")


def expected_depths(graph, anchor):
    depths = nx.single_source_dijkstra_path_length(graph, anchor, cutoff=MAX_DEPTH, weight="cost")
    return {node: depth for node, depth in depths.items() if node != anchor}


def depths_of(trace):
    return {(type_, id_): depth for type_, id_, depth in trace.nodes.select("type", "id", "depth").rows()}


@pytest.mark.parametrize("kind", ["parquet", "eager"])
def test_depths_are_shortest_paths(kind, debian, steps, anchors):
    """Shortest paths know no limit of hops, so the limit is lifted."""
    source = debian if kind == "parquet" else pl.read_parquet(debian)
    many = RelationStore.open(source, supersede_limit=1_000).trace_lineage_many(anchors, MAX_DEPTH)
    for anchor in anchors.rows():
        trace = many[anchor]
        expected = expected_depths(steps, anchor)
        assert depths_of(trace) == expected, anchor
        beyond = nx.single_source_dijkstra_path_length(steps, anchor, cutoff=MAX_DEPTH + 1, weight="cost")
        assert trace.truncated == (len(beyond) > len(expected) + 1), anchor
        assert trace.truncated_by == ("max_depth",) * trace.truncated, anchor


def test_single_calls_equal_the_batch(debian, anchors):
    store = RelationStore.open(debian)
    many = store.trace_lineage_many(anchors, 3)
    for anchor in anchors.rows()[::10]:
        assert many[anchor] == store.trace_lineage(*anchor, 3), anchor


# --- RFCs -------------------------------------------------------------------------------------------


def test_what_http_1_1_has_become():
    """RFC2616 was split and its parts merged again: three documents stand today."""
    trace = RelationStore.open(RFC).trace_lineage("rfc", "RFC2616")
    current = trace.nodes.filter(~pl.col("superseded"))
    assert current.select("id", "hop").rows() == [("RFC9110", 2), ("RFC9111", 2), ("RFC9112", 2)]
    assert trace.nodes["hop"].max() == 2
    assert trace.anchor_superseded
    assert not trace.truncated


def test_a_long_chain_of_replacements_is_cut_and_says_so():
    trace = RelationStore.open(RFC).trace_lineage("rfc", "RFC1083")
    assert trace.nodes.height == 15
    assert trace.nodes["hop"].max() == 10
    assert trace.truncated_by == ("supersede_limit",)
    assert trace.frontier.rows() == [("rfc", "RFC1540", None), ("rfc", "RFC2600", None)]


def test_the_same_chain_ends_where_the_limit_allows():
    trace = RelationStore.open(RFC, supersede_limit=40).trace_lineage("rfc", "RFC1083")
    assert trace.nodes.height == 32
    assert trace.nodes["hop"].max() == 19
    assert trace.nodes.filter(~pl.col("superseded"))["id"].to_list() == ["RFC7100"]
    assert not trace.truncated
    assert trace.frontier.is_empty()
