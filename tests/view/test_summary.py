"""Notices: each says by its kind what it is about, so that nobody reads its sentence to find out."""

from datetime import UTC, datetime

import polars as pl

from lineage_kit import MemorySessions, RelationStore, SessionCorpus, SessionLog
from lineage_kit.view.generic import graph_data, summary
from lineage_kit.view.summary import flag_notices
from support.session_small import live, log
from support.small import edge
from support.sources import frame

END = datetime(2026, 2, 1, tzinfo=UTC)


def kinds(result):
    return [(notice.kind, notice.brief) for notice in summary(result).notices]


def test_of_a_lineage():
    edges = [edge("d0", "d1", "supersedes"), edge("d1", "a", invalid_at=END), edge("a2", "a", "supersedes")]
    store = RelationStore.open(frame([*edges, edge("a", "b"), edge("b", "c")]))
    assert kinds(store.trace_lineage("decision", "d1", 2)) == [
        ("truncated", "TRUNCATED by max_depth"),
        ("anchor_superseded", "the anchor is SUPERSEDED"),
        ("invalidated", "1 node INVALIDATED"),
        ("superseded", "1 node SUPERSEDED"),
        ("outdated_support", "3 nodes OUTDATED SUPPORT"),
    ]
    assert kinds(store.trace_lineage("decision", "nobody")) == [("unknown_anchor", "UNKNOWN ANCHOR")]
    many = store.trace_lineage_many([("decision", "d1"), ("decision", "nobody")], 2)
    assert kinds(many) == [("unknown_anchor", "1 UNKNOWN ANCHOR"), ("truncated", "1 lineage TRUNCATED")]
    assert kinds(store.reachability("decision", "d1", max_depth=1)) == [
        ("truncated", "TRUNCATED by max_depth"),
        ("invalidated", "1 node INVALIDATED"),
    ]


def test_of_sessions_and_events():
    corpus = live(log("s1"))
    shadowed = corpus.event_traces("s1").filter(surface="shadowed")["seq"][0]
    assert kinds(corpus.trace_event("s1", shadowed)) == [("shadowed", "SHADOWED")]
    lost = SessionCorpus(live=MemorySessions([SessionLog.from_records({"id": "a", "parentSession": "gone"}, [])]))
    assert kinds(lost.trace_session("a")) == [("incomplete", "INCOMPLETE")]


def test_only_flags_that_a_frame_has_are_told():
    nodes = pl.DataFrame({"invalidated": [True, False, True]})
    assert [notice.text for notice in flag_notices(nodes)] == ["2 nodes INVALIDATED."]


def test_a_graph_carries_them_and_the_words_of_its_flags():
    trace = RelationStore.open(frame([edge("d1", "a", invalid_at=END)])).trace_lineage("decision", "d1")
    data = graph_data(trace, 5).data
    assert data["notices"] == [{"kind": "invalidated", "text": "1 node INVALIDATED."}]
    assert data["nodes"][1]["flags"] == ["invalidated"]
    assert data["flags"]["invalidated"] == {
        "word": "INVALIDATED",
        "tag": "invalidated",
        "meaning": "The edge that reached it has been invalidated.",
    }
