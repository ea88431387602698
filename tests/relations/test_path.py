"""Why a node is here: the way, the ways, and the ways to what is flagged."""

import pytest

from lineage_kit import InvalidRequest, RelationStore
from support.small import edge
from support.sources import frame

EDGES = [
    edge("d1", "a"),
    edge("d1", "b"),
    edge("a", "c"),
    edge("b", "c", edge_class="inferred"),
    edge("c2", "c", "supersedes"),
    edge("c2", "e"),
    edge("x", "y"),
]


@pytest.fixture(scope="module")
def store():
    return RelationStore.open(frame(EDGES))


def test_a_path_goes_along_the_describing_edges(store):
    path = store.trace_lineage("decision", "d1").path("decision", "e")
    assert path.nodes.select("step", "id", "hop", "superseded").rows() == [
        (0, "d1", None, None), (1, "a", 0, False), (2, "c", 0, True), (3, "c2", 1, False), (4, "e", 0, False),
    ]  # fmt: skip
    assert path.edges["edge"].to_list() == [0, 2, 4, 5]
    assert repr(path) == ("Path(decision d1 > decision a > decision c [SUPERSEDED] > decision c2 > decision e)")


def test_of_the_anchor_it_is_one_node(store):
    trace = store.trace_lineage("decision", "d1")
    path = trace.path("decision", "d1")
    assert (len(path), path.edges.height, trace.routes("decision", "d1").height) == (1, 0, 0)


@pytest.mark.parametrize("ask", ["path", "routes", "along"])
def test_a_node_that_is_not_there_is_told_with_near_ones(store, ask):
    trace = store.trace_lineage("decision", "d1")
    with pytest.raises(InvalidRequest, match=r"'decision' 'c3' is not in the lineage of decision d1.*'decision' 'c2'"):
        getattr(trace, ask)("decision", "c3")


def test_routes_are_all_edges_on_some_way(store):
    trace = store.trace_lineage("decision", "d1")
    assert sorted(trace.routes("decision", "c")["edge"]) == [0, 1, 2, 3]
    assert sorted(trace.routes("decision", "e")["edge"]) == [0, 1, 2, 3, 4, 5]
    assert sorted(store.impact("decision", "e").routes("decision", "b")["edge"]) == [1 + 2, 4, 5]


def test_along_is_the_part_of_the_trace_on_the_ways(store):
    part = store.trace_lineage("decision", "d1").along("decision", "c")
    assert part.nodes["id"].to_list() == ["a", "b", "c"]
    assert part.describing.to_list() == [0, 1, 2]
    assert len(store.trace_lineage("decision", "d1").show(routes=("decision", "c")).drawing["nodes"]) == 4


def test_flagged_has_the_way_to_each(store):
    flagged = store.trace_lineage("decision", "d1").flagged
    assert flagged.select("id", "path").rows() == [("c", "decision d1 > decision a > decision c")]
    assert flagged.columns[-2:] == ["path", "label"]


def test_rings_have_paths_without_edges(store):
    path = store.reachability("decision", "e", direction="incoming").path("decision", "c2")
    assert (path.nodes["id"].to_list(), path.edges.height) == (["e", "c2"], 0)
