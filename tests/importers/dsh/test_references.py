"""What dsh events say of others: citations, replacements, links."""

import pytest

from lineage_kit.importers.dsh.references import cited_by
from support.dsh_written import (
    MARKS,
    answer,
    call,
    event,
    header,
    imported,
    links,
    replaces,
    result,
    rows,
    told,
    user,
)


def test_citations_that_no_log_can_hold(path):
    got = imported(
        path,
        user("a"),
        user("b"),
        answer("none", []),
        answer("runs", [[0, 2], 1]),
        answer("late", [0, 9, 4, -1, "x", [2, 6], True]),
        answer("all late", [5]),
        answer("no list", None, sourceEventSeqs=None),
        answer("backwards", [3, 2, 1.0]),
    )
    assert [cited for (cited,) in rows(got, "source_event_seqs")] == [
        None, None, None, [0, 1, 2, 1], [0, 2, 3], None, None, [3, 2, 1]
    ]  # fmt: skip
    # Of [2, 6], 4, 5 and 6 are late for event 4.
    assert told(got, "kind", "line", "count", "example") == [
        ("empty_citations", 4, 1, None),
        ("late_citation", 6, 9, "9"),
    ]
    # A citation said twice is what the log says: it is named, not mended.
    assert got.corpus().check().select("seq", "rule").rows() == [(3, "citations are distinct")]


@pytest.mark.parametrize(("version", "names"), [(0, ("start", "end")), (3, ("startSeq", "endSeq"))])
def test_a_replacement(path, version, names):
    op = {"op": "replace", **dict(zip(names, (1, 2), strict=True))}
    got = imported(
        path,
        user("a"),
        user("b"),
        answer("c"),
        event("compaction/summary", {"shadowedSeqs": [1, 2]}),
        user("in short", sourceEventSeqs=[3, 1, 2], surfaceOp=op),
        user("d"),
        head=header(version=version),
    )
    assert rows(got, *MARKS)[4] == (4, "user/message", replaces(1, 2), [3, 1, 2])
    corpus = got.corpus()
    assert corpus.check().rows() == []
    assert corpus.surface("s1")["seq"].to_list() == [0, 4, 5]
    assert corpus.trace_event("s1", 4).replaced_event_seqs == (1, 2)
    assert corpus.trace_event("s1", 1).replacement_chain == (4,)
    traces = corpus.event_traces().select("seq", "surface", "replaced_by").rows()
    assert traces[1:5] == [(1, "shadowed", 4), (2, "shadowed", 4), (3, "log-only", None), (4, "current", None)]
    refers = [("s1#3", "refers_to", "event", f"s1#{seq}", "asserted", 1.0) for seq in (1, 2)]
    assert links(got) == refers


def test_what_refers_to_what(path):
    got = imported(
        path,
        call("c1"),
        event("tool/code-dispatch", {"rootCallId": "c1", "parentCallId": "c1"}),
        event("tool/ptc-dispatch-end", {"rootCallId": "c1", "parentCallId": "c9"}),
        event("session/title", {"title": "early", "messageSeqs": [0, 99, "x", [0, 1]]}),
        event("subagent/descriptor", {"callId": "c1"}),
        event("step/end", sourceEventSeqs=[0]),
        result("c2"),
    )
    assert links(got) == [
        ("s1#1", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#2", "refers_to", "event", "c9", "observed", 0.0),
        ("s1#2", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#3", "refers_to", "event", "s1#0", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#0", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#1", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#99", "asserted", 0.0),
        ("s1#4", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#5", "refers_to", "event", "s1#0", "asserted", 1.0),
    ]
    assert told(got, "kind", "line", "example") == [("open_call", 2, "c1"), ("orphan_result", 8, "c2")]
    assert got.corpus().check().rows() == []


def test_citations_that_are_equal_to_a_run():
    assert cited_by([2, 3.0, 4], 9).earlier == range(2, 5)
    assert cited_by([1, True, 2], 9) == ([1, 2], 1, "True")
    assert cited_by([0, 1], 9).earlier == range(2)
    assert cited_by([2, 4, 4], 9).earlier == [2, 4, 4]
