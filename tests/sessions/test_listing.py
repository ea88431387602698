"""Where an answer comes from: live first, and the order of errors."""

import pytest

from lineage_kit import CorruptSession, LineageKitError, MemorySessions, SessionCorpus
from support.session_fakes import BrokenSource, FakeSource, piece
from support.session_small import code_of, error_of, live, log, said

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


def stored(*pieces, **options):
    """A corpus of a fake persisted source; pieces are headers with events."""
    return SessionCorpus(persisted=FakeSource(pieces, **options))


# ---- session ids


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
