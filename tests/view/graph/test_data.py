"""Which nodes of a result a graph holds and shows, and what is left out."""

import pytest

from lineage_kit import InvalidRequest, RelationStore
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph import data as graphs
from lineage_kit.view.graph.data import SHOWN
from support.small import edge
from support.sources import frame


def wide(width, deep=1):
    edges = [edge("d1", f"0-{place}") for place in range(width)]
    for level in range(1, deep):
        edges += [edge(f"{level - 1}-{place}", f"{level}-{place}") for place in range(width)]
    return RelationStore.open(frame(edges)).trace_lineage("decision", "d1")


def test_at_first_each_level_shows_its_share():
    data = graph_data(wide(40, deep=3), 31).data
    assert [len(level["few"]["nodes"]) for level in data["levels"]] == [1, 10, 10, 10]
    assert [level["few"]["more"] is None for level in data["levels"]] == [True, False, False, False]
    assert (data["total"], data["kept"], data["limit"]) == (121, 121, 31)


def test_what_is_not_kept_is_named_on_the_way(monkeypatch):
    monkeypatch.setattr(graphs, "KEPT", 3)
    edges = [edge("d1", "a"), edge("d1", "b"), edge("d1", "c"), edge("a", "z", invalid_at=None), edge("b", "y")]
    edges += [edge("c", "z2"), edge("c", "z3")]
    data = graph_data(RelationStore.open(frame(edges)).trace_lineage("decision", "d1"), SHOWN).data
    kept = [node for node in data["nodes"] if node["kept"]]
    assert len(kept) == 3
    by_number = {node["number"]: node for node in data["nodes"]}
    for node in kept:
        while node["via"] >= 0:
            node = by_number[node["via"]]
        assert node["id"] == "d1"
    assert data["kept"] == 3


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, "3", None])
def test_a_limit_is_a_positive_integer(limit):
    with pytest.raises(InvalidRequest, match="limit must be a positive integer"):
        graph_data(wide(2), limit)
