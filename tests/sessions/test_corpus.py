"""How a question may be put, what every error says, and that answers are detached."""

import copy

import numpy as np
import polars as pl
import pytest

from lineage_kit import MemorySessions, SessionCorpus, SessionLog, SessionQueryError
from support.session_fakes import BrokenSource, FakeSource
from support.session_small import live, log, noted, said, story, summary


def error_of(ask, *args):
    with pytest.raises(SessionQueryError) as caught:
        ask(*args)
    return caught.value


# ---- windows

LONG = [noted(seq) for seq in range(120)]


@pytest.mark.parametrize("window", [True, False, 1.0, 0.5, -1, 51, 10**30, "1", "", None, np.int64(51), np.float64(1)])
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_window_out_of_bounds_is_told_before_anything_is_read(side, window):
    for corpus in (SessionCorpus(live=BrokenSource(), persisted=BrokenSource()), SessionCorpus()):
        told = error_of(lambda corpus=corpus: corpus.read_event("s1", "no seq", **{side: window}))
        assert told.code == "SESSION_QUERY_INVALID_WINDOW"
        assert all(part in str(told) for part in ("s1", "no seq", side, "50"))


@pytest.mark.parametrize(
    ("seq", "before", "after", "start", "end"),
    [
        (60, 0, 0, 60, 60),
        (60, 50, 50, 10, 110),
        (0, 50, 1, 0, 1),
        (119, 1, 50, 118, 119),
        (60, np.int64(2), np.uint8(3), 58, 63),
        (1, 2, 0, 0, 1),
    ],
)
def test_windows_are_cut_at_the_ends_of_the_log(seq, before, after, start, end):
    window = live(log("s1", LONG, title="long")).read_event("s1", seq, before, after)
    assert window.session.title == "long"
    assert window.target == LONG[seq]
    assert window.events == LONG[start : end + 1]
    assert (window.start_seq, window.end_seq) == (start, end)


# ---- forms of seq

SAME_AS_ONE = [1, 1.0, np.int64(1), np.uint8(1), np.float64(1.0), np.float32(1)]
NOTHING = [True, False, np.True_, "1", "", b"1", 1.5, np.float64(0.5), float("nan"), float("inf"), -float("inf")]
NOTHING += [None, [1], (1,), {}, 10**30, -(10**30), 1e300, 2**63, -1, 4, 4.0]


@pytest.mark.parametrize("seq", SAME_AS_ONE, ids=repr)
def test_a_number_with_an_integral_value_is_that_integer(seq):
    corpus = live(log("s1"))
    trace = corpus.trace_event("s1", seq)
    assert (trace.target.seq, type(trace.target.seq), trace.ref) == (1, int, "s1#1")
    assert corpus.read_event("s1", seq).target == noted(1)


@pytest.mark.parametrize("seq", NOTHING, ids=repr)
@pytest.mark.parametrize("name", ["trace_event", "read_event"])
def test_anything_else_is_not_found(name, seq):
    told = error_of(getattr(live(log("s1")), name), "s1", seq)
    assert told.code == "SESSION_QUERY_EVENT_NOT_FOUND"
    assert all(part in str(told) for part in ("'s1'", repr(seq)[:20]))


@pytest.mark.parametrize("seq", [1, 1.0])
def test_a_float_seq_in_a_log_is_that_integer(seq):
    events = [said(0.0), said(seq)]
    assert live(log("s1", events)).trace_event("s1", 1).target.surface == "current"


@pytest.mark.parametrize("session_id", ["", " ", "a#1", "#", "ä/\n", "s1#0#1"])
def test_any_text_is_a_session_id(session_id):
    corpus = live(log(session_id))
    assert corpus.trace_session(session_id).target.session_id == session_id
    assert corpus.trace_event(session_id, 3).ref == f"{session_id}#3"
    assert corpus.events(session_id)["ref"].to_list() == [f"{session_id}#{seq}" for seq in range(4)]


@pytest.mark.parametrize("session_id", [None, 1, b"s1", ["s1"]])
def test_what_is_no_text_is_no_session(session_id):
    for corpus in (live(log("s1")), SessionCorpus(persisted=FakeSource([{"header": {"id": "s1"}}]))):
        for ask in (corpus.trace_session, corpus.read_session, corpus.events):
            assert error_of(ask, session_id).code == "SESSION_QUERY_SESSION_NOT_FOUND"


# ---- what an error says

TOOL = {"turn": 1, "message": {"callId": "c", "content": [{"isError": False, "content": "x"}]}}
OTHER = {"turn": 2, "message": {"callId": "c", "content": [{"isError": False, "content": "x"}]}}


def tool(seq, data=TOOL, **more):
    return {"seq": seq, "type": "tool/result", "data": data, "surfaceOp": "append"} | more


REWRITE = {"surfaceOp": {"op": "replace", "start": 0, "end": 0}, "sourceEventSeqs": [0]}
WRONG = {
    "seq": ([said(0), said(2)], 2, ["position", "2", "1"]),
    "seq is text": ([said(0), noted(1) | {"seq": "1"}], None, ["position", "'1'", "1"]),
    "no seq": ([said(0), {"type": "turn/start"}], None, ["position", "None"]),
    "op on log-only": ([said(0), noted(1) | {"surfaceOp": "append"}], 1, ["surface", "turn/start"]),
    "citation on log-only": ([said(0), noted(1) | {"sourceEventSeqs": [0]}], 1, ["turn/start"]),
    "no op": ([said(0), {"seq": 1, "type": "user/message"}], 1, ["surface_op"]),
    "op null": ([said(0), said(1, surfaceOp=None)], 1, ["None", "append"]),
    "op shape": ([said(0), said(1, surfaceOp={"op": "replace", "start": 0})], 1, ["start", "end"]),
    "op number": ([said(0), said(1, surfaceOp={"op": "replace", "start": "0", "end": 0})], 1, ["'0'"]),
    "not standing": ([said(0), summary(1, 5, 5, [0])], 1, ["5", "surface"]),
    "replaced before": ([said(0), summary(1, 0, 0, [0]), summary(2, 0, 0, [0])], 2, ["0", "surface"]),
    "start after end": ([said(0), said(1), summary(2, 1, 0, [0, 1])], 2, ["1", "0", "after"]),
    "no citations": ([said(0), said(1, sourceEventSeqs=[])], 1, ["[]", "non-empty"]),
    "citations null": ([said(0), said(1, sourceEventSeqs=None)], 1, ["None", "list"]),
    "cites later": ([said(0), said(1, sourceEventSeqs=[1])], 1, ["1", "earlier|smaller"]),
    "cites twice": ([said(0), said(1, sourceEventSeqs=[0, 0])], 1, ["0", "distinct|twice"]),
    "removes uncited": ([said(0), said(1), summary(2, 0, 1, [0])], 2, ["1", "cite"]),
    "rewrites no tool": ([said(0), tool(1, **REWRITE)], 1, ["tool/result", "user/message"]),
    "unfaithful": ([tool(0), tool(1, OTHER, **REWRITE)], 1, ["content"]),
    "tool without data": ([tool(0), tool(1, None, **REWRITE)], 1, ["data", "object"]),
}


@pytest.mark.parametrize(("events", "seq", "words"), WRONG.values(), ids=WRONG)
def test_an_unsound_log_says_session_seq_rule_found_and_expected(events, seq, words):
    corpus = live(log("s-one", events))
    where = "position 1" if seq is None else f"seq {seq}"
    asks = [lambda: corpus.trace_event("s-one", 0), lambda: corpus.events("s-one"), lambda: corpus.surface("s-one")]
    asks.append(lambda: corpus.event_traces("s-one"))
    for ask in asks:
        told = error_of(ask)
        assert told.code == "SESSION_QUERY_INVALID_SURFACE"
        assert all(part in str(told) for part in ("'s-one'", where, "found", "expected"))
        for word in words:
            assert any(part in str(told) for part in word.split("|")), str(told)
    (row,) = corpus.check().to_dicts()
    assert (row["session_id"], row["seq"]) == ("s-one", seq)
    assert row["rule"] in row["message"] in str(told)


def test_a_seq_that_no_table_can_hold():
    corpus = live(log("s1", [said(0), noted(1) | {"seq": 2**70}]))
    assert str(2**70) in str(error_of(corpus.events, "s1"))
    assert corpus.check().select("session_id", "seq").rows() == [("s1", None)]


@pytest.mark.parametrize("data", [{"text": "\ud800"}, float("nan"), {"content": [{"text": "\udfff"}]}, None, "x"])
def test_a_log_of_odd_data_is_built_and_read_back(data):
    """Building a log never raises for an event: half a surrogate pair is what harnesses do write."""
    events = [noted(0) | {"data": data}]
    corpus = live(log("s1", events))
    assert repr(corpus.read_session("s1").records()) == repr(events)
    assert corpus.events("s1")["surface"].to_list() == ["log-only"]


def test_the_first_violation_is_told():
    events = [said(0), summary(1, 0, 0, [0]), summary(2, 0, 0, [0]), said(3, surfaceOp=None), said(9)]
    assert "seq 2" in str(error_of(live(log("s1", events)).events, "s1"))


def test_unknown_and_ringed_sessions_are_named():
    ring = live(*(log(name, parentSession=above) for name, above in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]))
    for name in ("a", "b", "c"):
        told = error_of(ring.trace_session, name)
        assert told.code == "SESSION_QUERY_INVALID_LINEAGE"
        assert repr(name) in str(told)
    assert "'nobody'" in str(error_of(ring.trace_session, "nobody"))


# ---- detachment


def spoil(value):
    """Change everything that can be changed in a raw value."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value["spoiled"] = True
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.append("spoiled")


def spoil_frame(frame):
    """Change a frame in place, as far as Polars lets one."""
    for name in frame.columns:
        if frame.height and frame.schema[name] in (pl.Int64, pl.Boolean, pl.String):
            frame[0, name] = None
    frame.drop_in_place(frame.columns[-1])
    frame.insert_column(0, pl.lit("spoiled").alias("spoiled"))


def answers(corpus):
    """Everything that a corpus says of session s1."""
    window, session = corpus.read_event("s1", 0, 1, 3), corpus.read_session("s1")
    traced = corpus.trace_session("s1")
    raw = [window.target, window.events, session.records(), session.record(0), window.session.extra]
    raw += [session.header.extra, traced.target.extra, corpus.trace_event("s1", 0).session.extra]
    raw += [record.extra for record in traced.ancestors] + [node.session.extra for node in traced.descendants]
    frames = [corpus.sessions(), corpus.events("s1"), corpus.surface("s1"), corpus.event_traces(), corpus.relations()]
    frames += [corpus.event_traces("s1"), corpus.find("first"), traced.frame, corpus.trace_event("s1", 0).frame]
    return raw, [*frames, session.events]


def corpora(folder):
    extra = {"mood": {"today": ["good"]}}
    logs = [log("s1", parentSession="s0", **extra), log("s0", **extra), log("s2", parentSession="s1", **extra)]
    yield live(*logs)
    yield SessionCorpus(persisted=MemorySessions(logs))
    yield SessionCorpus.open(live(*logs).write_parquet(folder))


def test_nothing_reachable_from_an_answer_changes_a_later_one(tmp_path):
    for corpus in corpora(tmp_path):
        first = copy.deepcopy(answers(corpus))
        raw, frames = answers(corpus)
        for value in raw:
            spoil(value)
        for frame in frames:
            spoil_frame(frame)
        again = answers(corpus)
        assert again[0] == first[0]
        assert all(one.equals(other) for one, other in zip(again[1], first[1], strict=True))


def test_a_log_that_was_read_is_detached_too():
    source = MemorySessions([log("s1")])
    corpus = SessionCorpus(live=source)
    read = corpus.read_session("s1")
    spoil_frame(read.events)
    spoil(read.records())
    assert corpus.events("s1").height == 4
    assert corpus.read_session("s1").records() == story()
    assert isinstance(read, SessionLog)


def test_a_trace_of_two_calls_is_equal_but_not_the_same():
    corpus = live(log("s1", mood=[1]))
    one, other = corpus.trace_event("s1", 0), corpus.trace_event("s1", 0)
    assert one == other == copy.deepcopy(one)
    assert one.session.extra is not other.session.extra
    assert corpus.trace_session("s1") == corpus.trace_session("s1")
    assert one != corpus.trace_event("s1", 2)
