"""A layer over an index: what is supposed touches the edges that it names, whatever the order they lie in."""

from datetime import UTC, datetime

import pytest

from lineage_kit import RelationStore
from support.small import edge
from support.sources import frame

BEFORE, LATER = (datetime(2024, 1, day, tzinfo=UTC) for day in (1, 2))


@pytest.fixture
def added(tmp_path):
    """Two edges laid over an index, not in the order in which a graph keeps them."""
    store = RelationStore.open(frame([edge("x", "y")])).build_index(tmp_path / "index", progress=False)
    return store.what_if(BEFORE, add=frame([edge("b", "p"), edge("a", "q")]))


@pytest.mark.parametrize(
    "change",
    [{"withdraw": [("decision", "q")]}, {"invalidate": [("decision", "a", "decision", "q", "depends_on")]}],
    ids=["withdraw", "invalidate"],
)
def test_of_edges_added_before_just_those_named_end(added, change):
    changed = added.what_if(LATER, **change)
    ended = {id: changed.trace_lineage("decision", id).edges["invalid_at"].to_list() for id in ("a", "b", "x")}
    assert ended == {"a": [LATER], "b": [None], "x": [None]}
