"""The lineages of a batch."""

import pickle

from lineage_kit import RelationStore
from support.small import edge
from support.sources import frame


def test_the_edges_of_a_batch_are_made_when_they_are_asked_for():
    store = RelationStore.open(frame([edge("d1", "e1"), edge("d2", "e1")]))
    traces = store.trace_lineage_many([("decision", "d1"), ("decision", "d2")])
    assert traces.summary["edges"].to_list() == [1, 1]
    assert "edges" not in vars(traces)
    again = pickle.loads(pickle.dumps(traces))
    assert again == traces
    assert traces.edges is traces.edges
    assert traces.edges["source_id"].to_list() == ["d1", "d2"]
