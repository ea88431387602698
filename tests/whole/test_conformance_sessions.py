"""Every conformance case of the sessions half, every field."""

import pytest

from lineage_kit import MemorySessions, SchemaError, SessionCorpus, SessionLog, SessionQueryError
from support import session_cases as cases
from support.session_fakes import FakeSource, logs_of, sessions_frame


def named(name):
    return [pytest.param(case, id=case["name"]) for case in cases.load_cases(name)]


def code_of(ask, *args):
    with pytest.raises(SessionQueryError) as caught:
        ask(*args)
    assert str(caught.value).startswith(caught.value.code)
    return {"error": caught.value.code}


# ---- event_trace.jsonl


def live_corpus(case):
    log = SessionLog.from_records({"id": case["session_id"]}, case["events"])
    return SessionCorpus(live=MemorySessions([log]))


def check_event_trace(corpus, case):
    if "error" in case["expected"]:
        assert code_of(corpus.trace_event, case["session_id"], case["seq"]) == case["expected"]
        return
    trace = corpus.trace_event(case["session_id"], case["seq"])
    logged = case["events"][trace.target.seq]
    assert cases.plain_trace(trace) == case["expected"]
    assert type(trace.target.seq) is int
    assert trace.session.session_id == trace.target.session_id == case["session_id"]
    assert (trace.target.seq, trace.target.time) == (case["seq"], cases.moment(logged.get("time")))
    assert trace.target.type == (logged.get("type") if isinstance(logged.get("type"), str) else None)


@pytest.mark.parametrize("case", named("event_trace"))
def test_event_trace_of_records(case):
    check_event_trace(live_corpus(case), case)


@pytest.mark.parametrize("case", named("event_trace"))
def test_event_trace_after_write_parquet(case, tmp_path):
    """A valid log gives the same trace; an invalid one is refused, or is the same violation in the tables."""
    corpus = live_corpus(case)
    valid = "error" not in case["expected"] or case["name"].startswith("not-found/valid-log")
    try:
        corpus.write_parquet(tmp_path)
    except SchemaError:
        assert not valid
        assert not list(tmp_path.iterdir())
        return
    check_event_trace(SessionCorpus.open(tmp_path), case)


def test_event_traces_of_all_valid_logs_at_once(tmp_path):
    valid = [case for case in cases.load_cases("event_trace") if "error" not in case["expected"]]
    logs = [SessionLog.from_records({"id": case["name"]}, case["events"]) for case in valid]
    live = SessionCorpus(live=MemorySessions(logs))
    stored = SessionCorpus.open(live.write_parquet(tmp_path))
    for corpus in (live, stored):
        rows = {(row["session_id"], row["seq"]): row for row in corpus.event_traces().to_dicts()}
        for case in valid:
            row, expected = rows[case["name"], case["seq"]], case["expected"]
            chain = expected["replacement_chain"]
            assert {name: row[name] for name in expected if name != "replacement_chain"} == {
                name: value for name, value in expected.items() if name != "replacement_chain"
            }, case["name"]
            assert (row["chain_length"], row["final_replacement"]) == (len(chain), chain[-1] if chain else None)


# ---- session_lineage.jsonl


def lineage_corpus(case):
    flags = ("live", "persisted")
    where = {flag: [{"header": one["header"]} for one in case["sessions"] if one[flag]] for flag in flags}
    return SessionCorpus(live=MemorySessions(logs_of(where["live"])), persisted=FakeSource(where["persisted"]))


@pytest.mark.parametrize("case", named("session_lineage"))
def test_session_lineage(case):
    corpus, expected = lineage_corpus(case), case["expected"]
    if "error" in expected:
        assert code_of(corpus.trace_session, case["session_id"]) == expected
        return
    entries = {one["header"]["id"]: cases.raw_record(one) for one in case["sessions"]}
    trace = corpus.trace_session(case["session_id"])
    preorder = [(record, depth + 1) for node in trace.descendants for depth, record in node.preorder()]
    assert cases.record_of(trace.target) == entries[case["session_id"]]
    assert [cases.record_of(record) for record in trace.ancestors] == [entries[id] for id in expected["ancestors"]]
    assert [[record.session_id, depth] for record, depth in preorder] == expected["descendants"]
    assert all(cases.record_of(record) == entries[record.session_id] for record, _ in preorder)
    assert trace.complete is expected["complete"]
    assert (trace.root and cases.record_of(trace.root)) == (entries[expected["root"]] if trace.complete else None)
    assert trace.unresolved_parent_id == expected.get("unresolved_parent_id")
    check_frame(trace, expected)


def check_frame(trace, expected):
    ids = [*reversed(expected["ancestors"]), trace.target.session_id, *(id for id, _ in expected["descendants"])]
    above = len(expected["ancestors"])
    depths = [*range(-above, 1), *(depth for _, depth in expected["descendants"])]
    relations = ["ancestor"] * above + ["target"] + ["descendant"] * len(expected["descendants"])
    assert trace.frame["session_id"].to_list() == ids
    assert trace.frame["depth"].to_list() == depths
    assert trace.frame["relation"].to_list() == relations
    assert trace.frame["position"].to_list() == list(range(len(ids)))


def test_unknown_header_keys_are_kept():
    extras = [
        (one["header"]["id"], one["live"], one["header"]["custom"], case)
        for case in cases.load_cases("session_lineage")
        for one in case["sessions"]
        if "custom" in one["header"]
    ]
    assert extras
    for session_id, live, custom, case in extras:
        if live:
            assert lineage_corpus(case).trace_session(session_id).target.extra == {"custom": custom}


# ---- corpus.jsonl


def corpus_of(given):
    """The corpus of a scenario, and its persisted source."""
    live = MemorySessions(logs_of(given.get("live", [])))

    def appears(name):
        return lambda: None if name not in given else live.add(logs_of([given[name]])[0])

    during = {"list": appears("liveAppearsDuringListing"), "load": appears("liveAppearsDuringLoad")}
    persisted = FakeSource(given.get("persisted", []), given.get("faults"), during)
    return SessionCorpus(live=live, persisted=persisted if given["persistenceMounted"] else None), persisted


def ask(corpus, when):
    op, session_id, seq = when["op"], when.get("sessionId"), when.get("seq")
    calls = {
        "listSessions": lambda: corpus.sessions(),
        "traceSession": lambda: corpus.trace_session(session_id),
        "traceEvent": lambda: corpus.trace_event(session_id, seq),
        "listEvents": lambda: corpus.events(session_id),
        "readSurface": lambda: corpus.surface(session_id),
        "readSession": lambda: corpus.read_session(session_id),
        "readEvent": lambda: corpus.read_event(session_id, seq, when.get("before", 0), when.get("after", 0)),
    }
    return calls[op]()


def check_list(got, expected, when):
    wanted = [cases.raw_record(entry) for entry in expected]
    wanted.sort(key=lambda row: row["session_id"])
    wanted.sort(key=lambda row: row["created_at"], reverse=True)
    assert got.select(*cases.HEADER, "live", "persisted").to_dicts() == wanted


def check_lineage(got, expected, when):
    assert cases.record_of(got.target) == cases.raw_record(expected["target"])
    assert [cases.record_of(one) for one in got.ancestors] == [cases.raw_record(one) for one in expected["ancestors"]]
    assert [cases.plain_tree(one) for one in got.descendants] == [
        cases.raw_tree(one) for one in expected["descendants"]
    ]
    assert got.complete is expected["complete"]
    assert (got.root and cases.record_of(got.root)) == (cases.raw_record(expected["root"]) if got.complete else None)
    assert got.unresolved_parent_id == expected.get("unresolvedParentId")


def check_trace(got, expected, when):
    target = expected["target"]
    assert cases.columns_of(got.session) == cases.header_columns(expected["session"])
    assert got.target == (
        *(target["sessionId"], target["seq"], target["type"]),
        *(cases.moment(target["time"]), target["surface"]),
    )
    assert cases.plain_trace(got) == {
        "surface": target["surface"],
        "replaced_by": expected.get("replacedBy"),
        "replacement_chain": expected["replacementChain"],
        "replaced_event_seqs": expected["replacedEventSeqs"],
        "source_event_seqs": expected["sourceEventSeqs"],
        "derived_event_seqs": expected["derivedEventSeqs"],
    }


def check_events(got, expected, when):
    assert cases.event_rows(got) == [cases.event_row(when["sessionId"], event) for event in expected]


def check_surface(got, expected, when):
    check_events(got, expected["events"], when)
    assert got["position"].to_list() == list(range(len(expected["events"])))
    assert set(got["surface"]) <= {"current"}


def check_session(got, expected, when):
    assert cases.columns_of(got.header) == cases.header_columns(expected["session"])
    assert cases.exact(got.records()) == cases.exact(expected["events"])


def check_window(got, expected, when):
    assert cases.columns_of(got.session) == cases.header_columns(expected["session"])
    assert cases.exact(got.target) == cases.exact(expected["target"])
    assert cases.exact(got.events) == cases.exact(expected["events"])
    assert (got.start_seq, got.end_seq) == (expected["startSeq"], expected["endSeq"])


CHECKS = {
    "listSessions": check_list,
    "traceSession": check_lineage,
    "traceEvent": check_trace,
    "listEvents": check_events,
    "readSurface": check_surface,
    "readSession": check_session,
    "readEvent": check_window,
}


@pytest.mark.parametrize("case", named("corpus"))
def test_corpus_scenario(case):
    corpus, persisted = corpus_of(case["given"])
    for step in case["steps"]:
        before, when, then = persisted.calls.copy(), step["when"], step["then"]
        if "error" in then:
            assert code_of(ask, corpus, when) == then, when
        else:
            CHECKS[when["op"]](ask(corpus, when), then["ok"], when)
        calls = {name: count - before[name] for name, count in persisted.calls.items()}
        assert calls == step["persistenceCalls"], when


def test_the_fake_lists_what_it_was_given():
    frame = sessions_frame([{"id": "a", "createdAt": 5, "version": 0}])
    assert frame.row(0, named=True) == cases.header_columns({"id": "a", "createdAt": 5, "version": 0})
