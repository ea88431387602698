"""The pieces that walks are made of, against their plain meaning."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit import RelationStore
from lineage_kit.engines.csr import nodes
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.integer_arrays import ranges
from lineage_kit.engines.trust import qualities
from lineage_kit.relations import describing_edge, visited
from lineage_kit.relations.visited import Visited
from support.small import edge
from support.sources import frame
from support.strategies import graphs

BATCHES = st.lists(st.lists(st.integers(0, 60), max_size=30), max_size=12)


@given(st.sets(st.integers(0, 60), max_size=5), BATCHES, st.integers(0, 40))
def test_visited_numbers_everything_once_in_order(first, batches, small):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visited, "SMALL", small)
        seen = Visited(np.array(sorted(first), np.int64))
        model = {value: number for number, value in enumerate(sorted(first))}
        for batch in batches:
            new = sorted(set(batch) - set(model))
            for value in new:
                model[value] = len(model)
            numbers, fresh = seen.enter(np.array(batch, np.int64))
            assert fresh.tolist() == new
            assert numbers.tolist() == [model[value] for value in batch]
        assert seen.count == len(model)
        assert seen.pairs.tolist() == list(model)
        assert seen.numbers(np.arange(70)).tolist() == [model.get(value, -1) for value in range(70)]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=20))
def test_ranges_are_gathered_one_after_the_other(stretches):
    first = np.array([begin for begin, _ in stretches], np.int64)
    last = first + np.array([size for _, size in stretches], np.int64)
    which, place = ranges(first, last)
    expected = [(at, begin + step) for at, (begin, size) in enumerate(stretches) for step in range(size)]
    assert list(zip(which.tolist(), place.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.none() | st.sampled_from([-0.0, 0.0, 0.25, 1.0, -3.5, 1e300]))))
def test_quality_sorts_as_class_and_confidence_do(edges):
    trust = np.array([trust for trust, _ in edges], np.int64)
    confidence = np.array([np.nan if said is None else said for _, said in edges])
    found = qualities(trust, confidence)

    def plain(one):
        return (one[0], one[1] is None, 0 if one[1] is None else -one[1])

    for one, quality in zip(edges, found, strict=True):
        for other, another in zip(edges, found, strict=True):
            assert (quality < another) == (plain(one) < plain(other))


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


@given(st.sets(st.tuples(st.sampled_from(["a", "b", "\u00e9", "\U0001f600"]), st.text(max_size=3)), max_size=12))
def test_nodes_are_found_one_by_one_and_all_at_once(held):
    held = sorted(node for node in held if node[1])
    asked = [*held, ("a", "not there"), ("z", "1"), ("b", ""), ("\uffff", "x")]
    expected = [held.index(node) if node in held else -1 for node in asked]
    schema = {"type": pl.String, "id": pl.String}
    table = Nodes.of(pl.DataFrame(held, schema=schema, orient="row"))
    for few in (0, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nodes, "FEW", few)
            assert table.find(pl.DataFrame(asked, schema=schema, orient="row")).tolist() == expected
    names = table.names(np.arange(len(held) + 1))
    assert list(zip(names.type, names.id, strict=True)) == [*held, (None, None)]


def test_the_edges_of_a_batch_are_made_when_they_are_asked_for():
    store = RelationStore.open(frame([edge("d1", "e1"), edge("d2", "e1")]))
    traces = store.trace_lineage_many([("decision", "d1"), ("decision", "d2")])
    assert traces.summary["edges"].to_list() == [1, 1]
    assert "edges" not in vars(traces)
    again = pickle.loads(pickle.dumps(traces))
    assert again == traces
    assert traces.edges is traces.edges
    assert traces.edges["source_id"].to_list() == ["d1", "d2"]
