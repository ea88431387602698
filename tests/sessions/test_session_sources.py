"""Where an answer comes from: live first, the order of errors, nothing kept between calls."""

import pandas as pd
import polars as pl
import pytest

from lineage_kit import (
    CorruptSession,
    InvalidRequest,
    LineageKitError,
    MemorySessions,
    SessionCorpus,
    SessionLog,
    SessionQueryError,
)
from support.session_fakes import BrokenSource, FakeSource
from support.session_small import live, log, said, story

HEADER = {"version": 1, "createdAt": 5, "cwd": "/a", "parentSession": "p", "seedLength": 2, "delegationDepth": 1}
OTHER = {"version": 2, "createdAt": 6, "cwd": "/b", "parentSession": "q", "seedLength": 3, "delegationDepth": 2}
EVENT_CALLS = {
    "trace_event": lambda corpus, id: corpus.trace_event(id, 0),
    "event_traces": lambda corpus, id: corpus.event_traces(id),
    "events": lambda corpus, id: corpus.events(id),
    "surface": lambda corpus, id: corpus.surface(id),
    "read_session": lambda corpus, id: corpus.read_session(id),
    "read_event": lambda corpus, id: corpus.read_event(id, 0),
}
CROSS_CALLS = {
    "trace_session": lambda corpus: corpus.trace_session("s1"),
    "unknown": lambda corpus: corpus.trace_session("nowhere"),
    "sessions": lambda corpus: corpus.sessions(),
    "event_traces": lambda corpus: corpus.event_traces(),
    "relations": lambda corpus: corpus.relations(),
    "find": lambda corpus: corpus.find("first"),
    "write_parquet": lambda corpus: corpus.write_parquet("/nowhere/at/all"),
}


def error_of(ask, *args):
    with pytest.raises(SessionQueryError) as caught:
        ask(*args)
    return caught.value


def code_of(ask, *args):
    return error_of(ask, *args).code.removeprefix("SESSION_QUERY_")


def stored(*pieces, **options):
    """A corpus of a fake persisted source; pieces are headers with events."""
    return SessionCorpus(persisted=FakeSource(pieces, **options))


def piece(session_id, events=None, **header):
    return {"header": {"id": session_id, **header}, "events": story() if events is None else events}


# ---- live first


@pytest.mark.parametrize("ask", EVENT_CALLS.values(), ids=EVENT_CALLS)
def test_every_live_event_call_works_while_the_persisted_source_fails(ask):
    corpus = SessionCorpus(live=MemorySessions([log("s1")]), persisted=BrokenSource())
    ask(corpus, "s1")
    failed = error_of(ask, corpus, "s2")
    assert failed.code == "SESSION_QUERY_PERSISTENCE_FAILED"
    assert isinstance(failed.__cause__, ConnectionError)


@pytest.mark.parametrize("ask", CROSS_CALLS.values(), ids=CROSS_CALLS)
def test_every_cross_corpus_call_fails_with_the_persisted_source(ask):
    corpus = SessionCorpus(live=MemorySessions([log("s1")]), persisted=BrokenSource())
    failed = error_of(ask, corpus)
    assert failed.code == "SESSION_QUERY_PERSISTENCE_FAILED"
    assert isinstance(failed.__cause__, ConnectionError)
    assert "the disk is gone" in str(failed)


@pytest.mark.parametrize("key", HEADER)
@pytest.mark.parametrize("ask", CROSS_CALLS.values(), ids=CROSS_CALLS)
def test_a_header_that_differs_is_a_conflict_across_the_corpus_only(key, ask):
    persisted = FakeSource([piece("s1", **HEADER | {key: OTHER[key]}), piece("other")])
    corpus = SessionCorpus(live=MemorySessions([log("s1", **HEADER)]), persisted=persisted)
    assert code_of(ask, corpus) == "SOURCE_CONFLICT"
    assert corpus.trace_event("s1", 0).replaced_by == 3


@pytest.mark.parametrize("key", HEADER)
def test_an_absent_header_field_differs_too(key):
    header = {name: value for name, value in HEADER.items() if name != key}
    corpus = SessionCorpus(live=MemorySessions([log("s1", **HEADER)]), persisted=FakeSource([piece("s1", **header)]))
    told = error_of(corpus.sessions)
    assert told.code == "SESSION_QUERY_SOURCE_CONFLICT"
    assert "s1" in str(told)


def test_what_is_no_conflict():
    """A delegation depth of none is 0; title and origin may change; the live header is returned."""
    ours = log("s1", title="new", origin="cli", mood="good")
    theirs = piece("s1", title="old", delegationDepth=0)
    corpus = SessionCorpus(live=MemorySessions([ours]), persisted=FakeSource([theirs]))
    record = corpus.trace_session("s1").target
    assert (record.title, record.origin, record.delegation_depth) == ("new", "cli", None)
    assert (record.live, record.persisted) == (True, True)
    assert record.extra == {"mood": "good"}
    assert corpus.sessions().select("title", "live", "persisted").rows() == [("new", True, True)]


def test_two_rows_of_one_id_in_one_source():
    assert stored(piece("s1"), piece("s1", delegationDepth=0)).sessions().height == 1
    assert code_of(stored(piece("s1"), piece("s1", cwd="/b")).sessions) == "SOURCE_CONFLICT"


def test_the_live_log_answers_where_it_differs_from_the_stored_one():
    corpus = SessionCorpus(live=MemorySessions([log("s1", [said(0)])]), persisted=FakeSource([piece("s1")]))
    assert corpus.events("s1").height == 1
    assert corpus.event_traces().height == 1
    assert corpus.relations().is_empty()


def test_exceptions_of_the_live_source_pass_through():
    corpus = SessionCorpus(live=BrokenSource(), persisted=FakeSource([piece("s1")]))
    for ask in (lambda: corpus.trace_event("s1", 0), corpus.sessions, lambda: corpus.trace_session("s1")):
        with pytest.raises(ConnectionError, match="the disk is gone"):
            ask()


def test_check_tells_conflicts_and_failing_sources_and_goes_on():
    both = {"live": MemorySessions([log("s1", cwd="/a"), log("bad", [said(5)])])}
    found = SessionCorpus(**both, persisted=FakeSource([piece("s1", cwd="/b")])).check()
    assert set(found["session_id"]) == {"s1", "bad"}
    assert found["message"].str.contains("SOURCE_CONFLICT").any()
    found = SessionCorpus(**both, persisted=BrokenSource()).check()
    assert set(found["session_id"]) == {None, "bad"}
    assert found["message"].str.contains("the disk is gone").any()


def test_neither_source():
    corpus = SessionCorpus()
    assert corpus.sessions().is_empty()
    assert corpus.event_traces().is_empty()
    assert corpus.relations().is_empty()
    assert corpus.check().is_empty()
    assert code_of(corpus.trace_event, "s1", 0) == code_of(corpus.trace_session, "s1") == "SESSION_NOT_FOUND"


# ---- the order of errors


BROKEN_LOG = [said(0), said(1, surfaceOp="nowhere")]
LADDER = [
    ("PERSISTENCE_FAILED", {"list": "error", "load": "corrupt"}, "unknown", {}, 99),
    ("CORRUPT_SESSION", {"list": "corrupt", "load": "error"}, "unknown", {}, 99),
    ("SESSION_NOT_FOUND", {"load": "error"}, "unknown", {"cwd": "/b"}, 99),
    ("PERSISTENCE_FAILED", {"load": "error"}, "s1", {"cwd": "/b"}, 99),
    ("PERSISTENCE_FAILED", {"load": "unsupported-format"}, "s1", {"cwd": "/b"}, 99),
    ("CORRUPT_SESSION", {"load": "corrupt"}, "s1", {"cwd": "/b"}, 99),
    ("SOURCE_CONFLICT", {}, "s1", {"cwd": "/b"}, 99),
    ("EVENT_NOT_FOUND", {}, "s1", {}, 99),
    ("INVALID_SURFACE", {}, "s1", {}, 1),
]


@pytest.mark.parametrize(("code", "faults", "session_id", "at_load", "seq"), LADDER)
def test_the_order_of_errors(code, faults, session_id, at_load, seq):
    corpus = stored(piece("s1", BROKEN_LOG) | {"headerAtLoad": at_load}, faults=faults)
    assert code_of(corpus.trace_event, session_id, seq) == code


@pytest.mark.parametrize(("code", "faults", "session_id", "at_load", "seq"), LADDER[:-2])
@pytest.mark.parametrize("ask", EVENT_CALLS.values(), ids=EVENT_CALLS)
def test_all_event_calls_share_that_order(ask, code, faults, session_id, at_load, seq):
    corpus = stored(piece("s1", BROKEN_LOG) | {"headerAtLoad": at_load}, faults=faults)
    assert code_of(ask, corpus, session_id) == code


def test_raw_reads_do_not_fold():
    corpus = stored(piece("s1", BROKEN_LOG))
    assert corpus.read_session("s1").records() == BROKEN_LOG
    assert corpus.read_event("s1", 1).target == BROKEN_LOG[1]
    assert code_of(corpus.read_event, "s1", 2) == "EVENT_NOT_FOUND"


@pytest.mark.parametrize("cause", [KeyError("s1"), ValueError(), OSError("gone"), CorruptSession("bad block")])
@pytest.mark.parametrize("call", ["list", "load"])
def test_causes_are_kept(call, cause):
    told = error_of(stored(piece("s1"), faults={call: cause}).trace_event, "s1", 0)
    assert told.__cause__ is cause
    kind = "CORRUPT_SESSION" if isinstance(cause, CorruptSession) else "PERSISTENCE_FAILED"
    assert told.code == f"SESSION_QUERY_{kind}"
    assert isinstance(told, LineageKitError)


def test_a_session_listed_but_gone_at_load_is_a_failure_and_a_live_one_not_known_is_not():
    source = FakeSource([piece("s1")], during={"load": lambda: source.logs.clear()})
    assert code_of(SessionCorpus(persisted=source).trace_event, "s1", 0) == "PERSISTENCE_FAILED"
    assert code_of(live(log("s1")).trace_event, "s2", 0) == "SESSION_NOT_FOUND"


def test_a_session_that_becomes_live_while_loading_fails():
    """Liveness is looked up again after a *successful* load only."""
    memory = MemorySessions()
    source = FakeSource([piece("s1")], {"load": "error"}, {"load": lambda: memory.add(log("s1"))})
    corpus = SessionCorpus(live=memory, persisted=source)
    assert code_of(corpus.trace_event, "s1", 0) == "PERSISTENCE_FAILED"
    assert corpus.trace_event("s1", 0).replaced_by == 3


# ---- a source of one's own


class Own:
    """The two methods and nothing more; the listing is a pandas frame with one column."""

    def list_sessions(self):
        return pd.DataFrame({"session_id": ["s1", "s2"], "mine": [1, 2]})

    def load_session(self, session_id):
        return {"s1": log("s1")}[session_id]


def test_a_source_of_ones_own_live():
    corpus = SessionCorpus(live=Own())
    assert corpus.sessions()["session_id"].to_list() == ["s1", "s2"]
    assert corpus.trace_event("s1", 0).replaced_by == 3
    assert code_of(corpus.trace_event, "s3", 0) == "SESSION_NOT_FOUND"


def test_a_source_of_ones_own_persisted():
    corpus = SessionCorpus(persisted=Own())
    assert corpus.trace_session("s2").target.persisted
    assert corpus.trace_event("s1", 0).replaced_by == 3
    failed = error_of(corpus.trace_event, "s2", 0)
    assert (failed.code, type(failed.__cause__)) == ("SESSION_QUERY_PERSISTENCE_FAILED", KeyError)
    with pytest.warns(UserWarning, match="1 session"):
        assert set(corpus.event_traces()["session_id"]) == {"s1"}
    assert corpus.check()["session_id"].to_list() == ["s2"]


def test_something_that_is_no_source():
    for source in (pl.DataFrame({"session_id": ["s1"]}), {"s1": story()}, "folder"):
        with pytest.raises(InvalidRequest, match="list_sessions"):
            SessionCorpus(live=source)


# ---- nothing is kept between calls


def test_appending_to_a_live_log_shows_in_the_next_call():
    memory = MemorySessions([log("s1", story()[:3])])
    corpus = SessionCorpus(live=memory)
    before = corpus.read_session("s1")
    assert corpus.trace_event("s1", 0).target.surface == "current"
    memory.append("s1", story()[3])
    assert corpus.trace_event("s1", 0).replaced_by == 3
    assert (len(before), len(before.records())) == (3, 3)
    memory.append("s1", said(9))
    assert code_of(corpus.trace_event, "s1", 0) == "INVALID_SURFACE"
    memory.add(log("s2"))
    assert corpus.sessions().height == 2
    with pytest.raises(KeyError):
        memory.append("s3", said(0))
    with pytest.raises(ValueError, match="'s2'"):
        memory.add(log("s2"))


def test_rewriting_the_files_shows_in_the_next_call(tmp_path):
    live(log("s1")).write_parquet(tmp_path)
    corpus = SessionCorpus.open(tmp_path)
    assert (corpus.sessions().height, corpus.trace_event("s1", 0).replaced_by) == (1, 3)
    live(log("s1", story()[:3]), log("s2")).write_parquet(tmp_path)
    assert (corpus.sessions().height, corpus.trace_event("s1", 0).replaced_by) == (2, None)
    assert corpus.event_traces().height == 7


def test_records_given_are_copied():
    events, header = story(), {"id": "s1", "tags": ["a"]}
    built = SessionLog.from_records(header, events)
    events[0]["data"]["content"][0]["text"] = "changed"
    events[3]["surfaceOp"]["start"] = 2
    header["tags"].append("b")
    assert built.records() == story()
    assert built.header.extra == {"tags": ["a"]}
