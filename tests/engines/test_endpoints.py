"""The ends of edges as nodes, alone and numbered."""

import narwhals as nw
from hypothesis import given

from lineage_kit.engines.endpoints import endpoints, lazy_endpoints, numbered_ends
from support.sources import frame
from support.strategies import graphs


@given(graphs())
def test_every_end_has_the_number_of_its_node(graph):
    edges = frame(graph[0])
    nodes, source, target = numbered_ends(edges)
    assert nodes.rows() == sorted(set(nodes.rows()))
    for side, numbers in zip(endpoints(edges), (source, target), strict=True):
        assert nodes[numbers].rows() == side.rows()
    lazy = [side.collect().to_native() for side in lazy_endpoints(nw.from_native(edges.lazy()))]
    assert [side.rows() for side in lazy] == [side.rows() for side in endpoints(edges)]
