"""What changed between two traces."""

import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore
from support.small import edge
from support.sources import frame

BEFORE = [edge("d1", "a"), edge("a", "b"), edge("d1", "c")]
AFTER = [edge("d1", "a"), edge("d1", "a"), edge("a", "b"), edge("b2", "b", "supersedes"), edge("d1", "z")]


def traces(before=BEFORE, after=AFTER):
    return [RelationStore.open(frame(rows)).trace_lineage("decision", "d1") for rows in (before, after)]


def test_nodes_that_came_went_and_changed():
    before, after = traces()
    diff = before.diff(after)
    assert diff.nodes.select("id", "change", "columns", "worse").rows() == [
        ("b", "changed", ["superseded"], True),
        ("b2", "added", [], False),
        ("c", "removed", [], False),
        ("z", "added", [], False),
    ]
    assert (
        repr(diff) == "LineageDiff(lineages of decision d1: 2 nodes added, 1 removed, 1 changed, 1 worse; "
        "3 edges added, 1 edge removed)"
    )


def test_edges_are_compared_as_a_multiset():
    before, after = traces()
    rows = before.diff(after).edges.select("change", "role", "source_id", "target_id").rows()
    assert rows == [
        ("added", "replacement", "b2", "b"),
        ("added", "walk", "d1", "a"),
        ("added", "walk", "d1", "z"),
        ("removed", "walk", "d1", "c"),
    ]


def test_many_equal_edges_are_so_many_rows():
    before, after = traces([edge("d1", "a")], [edge("d1", "a")] * 4)
    assert before.diff(after).edges["change"].to_list() == ["added"] * 3


def test_columns_of_ones_own_count_whatever_they_hold():
    rows = [edge("d1", "a")]
    stores = [RelationStore.open(frame(rows).with_columns(own=pl.Series([value]))) for value in ([1, 2], [1, 3])]
    one, other = (store.trace_lineage("decision", "d1") for store in stores)
    assert one.diff(other).edges.select("change", "own").rows() == [("added", [1, 3]), ("removed", [1, 2])]
    plain = RelationStore.open(frame(rows)).trace_lineage("decision", "d1")
    assert plain.diff(one).edges["change"].to_list() == ["added", "removed"]


def test_nothing_differs_from_itself():
    before, _ = traces()
    diff = before.diff(before)
    assert (bool(diff), diff.nodes.height, diff.edges.height, diff.scalars) == (False, 0, 0, {})
    assert repr(diff) == "LineageDiff(lineages of decision d1: no difference)"


def test_scalars_that_differ():
    before, after = traces([edge("d1", "a")], [edge("d2", "d1", "supersedes"), edge("d1", "a")])
    assert before.diff(after).scalars == {"anchor_superseded": (False, True)}


def test_only_traces_of_one_sort_compare():
    store = RelationStore.open(frame(BEFORE))
    with pytest.raises(InvalidRequest, match="two lineages compare, or two impacts"):
        store.trace_lineage("decision", "d1").diff(store.impact("decision", "b"))
    with pytest.raises(InvalidRequest, match="not with a str"):
        store.trace_lineage("decision", "d1").diff("yesterday")


def test_two_anchors_are_named():
    store = RelationStore.open(frame(BEFORE))
    diff = store.trace_lineage("decision", "d1").diff(store.trace_lineage("decision", "a"))
    assert diff.header == "decision d1, all times against decision a, all times"
    assert "decision d1 and decision a" in repr(diff)


def test_a_picture_marks_what_differs_by_a_word():
    before, after = traces()
    drawn = before.diff(after).show().drawing
    flags = {node["id"]: node["flags"] for node in drawn["nodes"]}
    assert flags == {"d1": [], "a": [], "b": ["superseded", "worse"], "b2": ["added"], "c": ["removed"], "z": ["added"]}
