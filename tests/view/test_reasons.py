"""When, by whom and why: from the edge that fell, from what ended, and from what replaced it."""

from datetime import UTC, datetime

import polars as pl
import pytest

from lineage_kit import RelationStore
from lineage_kit.view.reasons import reasons_of
from support.small import edge
from support.sources import frame

ENDED = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def store():
    """The item e has ended; d rests on it, and d2 on d."""
    items = pl.DataFrame(
        {
            "type": ["decision"] * 2,
            "id": ["e", "d"],
            "ended_at": [ENDED, None],
            "end_reason": ["the cache was on", None],
            "text": [None, "Ship it"],
        }
    )
    return RelationStore.open(frame([edge("d", "e"), edge("d2", "d")]), items=items)


def test_the_reason_of_a_premise_that_has_ended(store):
    reasons = reasons_of(store.trace_lineage("decision", "d2"))
    assert reasons == {("decision", "e"): ["ended at 2026-03-01T00:00:00Z: the cache was on"]}


def test_in_an_impact_it_stands_at_what_rests_on_it(store):
    """The edge from d to e describes d there; what ended is e."""
    reasons = reasons_of(store.impact("decision", "e"))
    told = ["ended at 2026-03-01T00:00:00Z: the cache was on", "it says: Ship it"]
    assert reasons[("decision", "d")] == told
