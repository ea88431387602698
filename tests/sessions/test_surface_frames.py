"""The frames of a corpus, its relations, and contracts of one's own."""

import json
import warnings

import polars as pl
import pytest
from hypothesis import given

from lineage_kit import InvalidRequest, RelationStore, SurfaceContract
from support import session_model as model
from support import session_strategies as some
from support.session_small import EVENT_COLUMNS, OP, code_of, live, log, noted, said, stored, summary

# ---- frames


def test_sessions_are_sorted_newest_first_then_by_id():
    logs = [("b", 5), ("a", 5), ("Z", None), ("new", 9), ("ä", 5), ("B", 5), ("y", None)]
    corpus = live(*(log(name, [], **({} if at is None else {"createdAt": at})) for name, at in logs))
    assert corpus.sessions()["session_id"].to_list() == ["new", "B", "a", "b", "ä", "Z", "y"]


def test_events_and_surface_have_their_columns():
    corpus = stored()
    events, surface = corpus.events("s1"), corpus.surface("s1")
    assert events.columns == [*EVENT_COLUMNS, "tokens"]
    assert surface.columns == ["position", *events.columns]
    assert events.schema["surface_op"] == OP
    assert events["surface"].to_list() == ["shadowed", "log-only", "current"]
    assert events["ref"].to_list() == ["s1#0", "s1#1", "s1#2"]
    assert json.loads(events["payload"][0]) == {"n": 1}
    assert surface.select("position", "seq").rows() == [(0, 2)]


def test_the_surface_is_in_model_order():
    events = [said(0), said(1), said(2), summary(3, 0, 1, [0, 1]), said(4)]
    assert live(log("s1", events)).surface("s1")["seq"].to_list() == [3, 2, 4]


def test_find_is_literal_and_folds_case():
    events = [said(0, "Die STRASSE a.b"), said(1, "straße axb"), noted(2), said(3, "100%_*")]
    corpus = live(log("s1", events), log("s2", [said(0, "ΣΊΣΥΦΟΣ")]))

    def refs(pattern):
        return corpus.find(pattern)["ref"].to_list()

    assert refs("Straße") == refs("strasse") == ["s1#0", "s1#1"]
    assert (refs("A.B"), refs("%_*"), refs("σίσυφος")) == (["s1#0"], ["s1#3"], ["s2#0"])
    assert refs('"TURN": 2') == ["s1#2"]  # an event without text is searched in its payload
    assert (refs("callId"), refs("[")[:1]) == ([], ["s1#2"][:0])
    for empty in ("", None):
        with pytest.raises(InvalidRequest, match="pattern"):
            corpus.find(empty)


# ---- relations


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


# ---- the contract


def test_a_contract_with_types_of_ones_own():
    events = [{"seq": 0, "type": "note", "surfaceOp": "append"}, {"seq": 1, "type": "user/message"}]
    own = live(log("s1", events), contract=SurfaceContract(surface_types=["note"]))
    assert own.events("s1")["surface"].to_list() == ["current", "log-only"]
    assert code_of(live(log("s1", events)).events, "s1") == "INVALID_SURFACE"
    assert code_of(live(log("s1"), contract=SurfaceContract(surface_types=[])).events, "s1") == "INVALID_SURFACE"


def test_a_contract_without_the_rewrite_rule():
    events = [said(0), said(1), summary(2, 0, 1, [0, 1]) | {"type": "tool/result"}]
    assert code_of(live(log("s1", events)).events, "s1") == "INVALID_SURFACE"
    free = live(log("s1", events), contract=SurfaceContract(tool_result_rewrite=False))
    assert free.surface("s1")["seq"].to_list() == [2]
