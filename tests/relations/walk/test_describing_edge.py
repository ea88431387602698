"""Which edge describes a node does not depend on how the candidates are compared."""

import pytest
from hypothesis import given

from lineage_kit import RelationStore
from lineage_kit.relations.walk import describing_edge
from support.sources import frame
from support.strategies import graphs


@pytest.mark.parametrize("bits", [0, 3, 63])
@given(graphs())
def test_what_does_not_fit_into_one_integer_is_sorted(bits, graph):
    edges, anchor = graph
    store = RelationStore.open(frame(edges))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(describing_edge, "BITS", bits)
        one, ring = store.trace_lineage(*anchor), store.reachability(*anchor, direction="both")
    assert one == store.trace_lineage(*anchor)
    assert ring == store.reachability(*anchor, direction="both")
