"""What a fold says of a log that breaks a rule."""

import pytest

from support.session_small import error_of, live, log, noted, said, summary

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


def test_the_first_violation_is_told():
    events = [said(0), summary(1, 0, 0, [0]), summary(2, 0, 0, [0]), said(3, surfaceOp=None), said(9)]
    assert "seq 2" in str(error_of(live(log("s1", events)).events, "s1"))
