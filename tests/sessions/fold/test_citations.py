"""A corpus as relations: a decision is walked into its events, and nothing is there that the model does not say."""

import warnings

import polars as pl
from hypothesis import given

from lineage_kit import RelationStore
from support import session_model as model
from support import session_strategies as some
from support.session_small import live, log, noted, said, summary


def test_a_decision_is_walked_into_the_events_that_ground_it():
    events = [said(0), noted(1), said(2, sourceEventSeqs=[1]), summary(3, 0, 0, [0]), summary(4, 3, 3, [3])]
    corpus = live(log("s1", events), log("s2", [], parentSession="s1"))
    decisions = pl.DataFrame(
        [("decision", "d1", "event", "s1#2", "depends_on"), ("decision", "d1", "event", "s1#0", "derives_from")],
        schema=["source_type", "source_id", "target_type", "target_id", "relation_kind"],
        orient="row",
    )
    store = RelationStore.open([decisions, corpus.relations()])
    nodes = store.trace_lineage("decision", "d1").nodes.select("depth", "hop", "id", "relation_kind", "superseded")
    assert nodes.rows() == [
        (1, 0, "s1#0", "derives_from", True),
        (1, 0, "s1#2", "depends_on", False),
        (1, 1, "s1#3", "supersedes", True),
        (1, 2, "s1#4", "supersedes", False),
        (2, 0, "s1#1", "derives_from", False),
    ]
    kin = corpus.relations().filter(relation_kind="child_of")
    assert kin.select("source_type", "source_id", "target_type", "target_id", "edge_class").rows() == [
        ("session", "s2", "session", "s1", "observed")
    ]


@some.FEWER
@given(some.logs(), some.changed())
def test_relations_hold_what_the_model_cites_and_replaces(one, other):
    corpus = live(log("one", one), log("other", other, parentSession="gone"))
    expected = [("other", "gone", "child_of")]
    for name, events in (("one", one), ("other", other)):
        for trace in model.fold(events)[0] if model.accepts(events) else []:
            ref = f"{name}#{trace['seq']}"
            expected += [(ref, f"{name}#{seq}", "derives_from") for seq in trace["source_event_seqs"]]
            expected += [(ref, f"{name}#{seq}", "supersedes") for seq in trace["replaced_event_seqs"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        frame = corpus.relations()
    assert sorted(frame.select("source_id", "target_id", "relation_kind").rows()) == sorted(expected)
    assert set(frame["edge_class"]) == {"observed"}
    if frame.height > 1:
        assert set(frame.filter(pl.col("relation_kind") != "child_of")["source_type"]) == {"event"}
