"""`corpus.check()`: what is wrong, row by row, and nothing raised."""

import pytest

from lineage_kit import MemorySessions, SessionCorpus
from support.session_fakes import BrokenSource, FakeSource, piece
from support.session_small import BAD, MIXED_EVENTS, MIXED_SESSIONS, code_of, error_of, live, log, noted, said, stored


def test_check_tells_conflicts_and_failing_sources_and_goes_on():
    both = {"live": MemorySessions([log("s1", cwd="/a"), log("bad", [said(5)])])}
    found = SessionCorpus(**both, persisted=FakeSource([piece("s1", cwd="/b")])).check()
    assert set(found["session_id"]) == {"s1", "bad"}
    assert found["message"].str.contains("SOURCE_CONFLICT").any()
    found = SessionCorpus(**both, persisted=BrokenSource()).check()
    assert set(found["session_id"]) == {None, "bad"}
    assert found["message"].str.contains("the disk is gone").any()


def test_wrong_rows_spoil_their_own_session_only():
    corpus = stored(MIXED_SESSIONS, MIXED_EVENTS)
    for name in BAD:
        assert code_of(corpus.trace_event, name, 0) == "INVALID_SURFACE", name
    assert code_of(corpus.trace_event, "ghost", 0) == "SESSION_NOT_FOUND"
    assert corpus.trace_event("s1", 0).replaced_by == 2
    with pytest.warns(UserWarning, match=rf"\b{len(BAD)} sessions"):
        assert set(corpus.event_traces()["session_id"]) == {"s1", "s2"}


def test_check_names_every_wrong_row():
    found = stored(MIXED_SESSIONS, MIXED_EVENTS).check()
    assert found.columns == ["session_id", "seq", "rule", "message"]
    assert set(found["session_id"]) == {*BAD, "ghost", None}
    assert found.equals(found.sort("session_id", "seq", "rule", "message"))


def test_a_seq_that_no_table_can_hold():
    corpus = live(log("s1", [said(0), noted(1) | {"seq": 2**70}]))
    assert str(2**70) in str(error_of(corpus.events, "s1"))
    assert corpus.check().select("session_id", "seq").rows() == [("s1", None)]
