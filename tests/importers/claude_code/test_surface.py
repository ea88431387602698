"""Claude Code sessions in which something was replaced: compactions, preserved records, edited prompts."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_kit import JsonlSessions, SessionCorpus
from lineage_kit.importers.claude_code.surface import _Branches, _Tour
from support.claude_logs import Log, events, imported, links, report, shape, surface, write

APPEND = "append"


def test_compaction(tmp_path):
    """The boundary has no parent but a logical one; the summary covers all that stood before the boundary."""
    log = Log().user("u1").assistant("a1").boundary("b1", compactMetadata={"trigger": "auto", "preTokens": 9})
    log.summary("s", parentUuid="b1").user("u2").assistant("a2")
    got = write(tmp_path, s1=log)
    assert shape(got) == [
        ("u1", "user/message", APPEND, None),
        ("a1", "assistant/message", APPEND, None),
        ("b1", "system", None, None),
        ("s", "user/message", (0, 1), [0, 1]),
        ("u2", "user/message", APPEND, None),
        ("a2", "assistant/message", APPEND, None),
    ]
    assert surface(got) == ["s", "u2", "a2"]
    assert links(got, "child_of")[1:3] == [
        ("s1#2", "child_of", "s1#1", "asserted", 1.0),
        ("s1#3", "child_of", "s1#2", "asserted", 1.0),
    ]
    assert report(got) == []
    trace = got.corpus().trace_event("s1", 3)
    assert (trace.replaced_event_seqs, trace.source_event_seqs) == ((0, 1), (0, 1))


def test_a_result_that_comes_after_two_compactions(tmp_path):
    """It cites the call that has long been shadowed."""
    log = Log().user("u1").call("a1", "t1").boundary("b1").summary("s1").user("u2").boundary("b2").summary("s2")
    log.result("r1", "t1").user("u3")
    got = write(tmp_path, s1=log)
    assert shape(got) == [
        ("u1", "user/message", APPEND, None),
        ("a1", "assistant/message", APPEND, None),
        ("b1", "system", None, None),
        ("s1", "user/message", (0, 1), [0, 1]),
        ("u2", "user/message", APPEND, None),
        ("b2", "system", None, None),
        ("s2", "user/message", (3, 4), [3, 4]),
        ("r1", "tool/result", APPEND, [1]),
        ("u3", "user/message", APPEND, None),
    ]
    assert surface(got) == ["s2", "r1", "u3"]
    assert report(got) == []
    assert got.corpus().trace_event("s1", 1).replacement_chain == (3, 6)


def test_what_comes_between_boundary_and_summary_stays(tmp_path):
    log = Log().user("u1").boundary("b1").user("u2", isMeta=True).summary("s").user("u3")
    got = write(tmp_path, s1=log)
    assert surface(got) == ["s", "u2", "u3"]
    assert shape(got)[3] == ("s", "user/message", (0, 0), [0])


def test_a_summary_without_a_boundary_covers_everything(tmp_path):
    got = write(tmp_path, s1=Log().user("u1").assistant("a1").summary("s").user("u2"))
    assert shape(got)[2] == ("s", "user/message", (0, 1), [0, 1])
    assert surface(got) == ["s", "u2"]


def test_a_summary_of_nothing(tmp_path):
    got = write(tmp_path, s1=Log().boundary("b0").summary("s").user("u1"))
    assert shape(got)[1] == ("s", "user/message", APPEND, None)
    assert report(got) == [("s1.jsonl", "empty_replacement", 2, 1)]


def test_summary_missing(tmp_path):
    """The boundary carries the replacement, as a message that says nothing; the next compaction is its own."""
    log = Log().user("u1").boundary("b1").user("u2").boundary("b2").summary("s").boundary("b3").user("u3")
    got = write(tmp_path, s1=log)
    assert shape(got) == [
        ("u1", "user/message", APPEND, None),
        ("b1", "user/message", (0, 0), [0]),
        ("u2", "user/message", APPEND, None),
        ("b2", "system", None, None),
        ("s", "user/message", (1, 2), [1, 2]),
        ("b3", "user/message", (4, 4), [4]),
        ("u3", "user/message", APPEND, None),
    ]
    rows = events(got, "s1", "raw_type", "payload")
    assert (rows[1], rows[5]) == (("system:compact_boundary", "{}"),) * 2
    assert surface(got) == ["b3", "u3"]
    assert report(got) == [("s1.jsonl", "summary_missing", 2, 2)]


def test_a_live_log_waits_for_the_summary(tmp_path):
    path = tmp_path / "s1.jsonl"
    log = Log().user("u1").assistant("a1").boundary("b1")
    path.write_bytes(log.bytes())
    live = SessionCorpus(live=JsonlSessions(path, format="claude-code"))
    assert live.surface("s1")["seq"].to_list() == [0, 1]
    log.summary("s")
    with path.open("ab") as file:
        file.write(json.dumps(log.lines[-1]).encode()[:30])
    assert live.surface("s1")["seq"].to_list() == [0, 1]
    path.write_bytes(log.bytes())
    assert live.surface("s1")["seq"].to_list() == [3]


@pytest.mark.parametrize("how", ["segment", "messages"])
def test_preserved_records_stay(tmp_path, how):
    """They are written again after the boundary, with their old ids and times: the same events."""
    stay = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s", "tailUuid": "a2"}}
    if how == "messages":
        stay = {"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}}
    log = Log().user("u1").assistant("a1").user("u2").assistant("a2").boundary("b", compactMetadata=stay)
    log.summary("s").again(2, 3).user("u3")
    got = write(tmp_path, s1=log)
    assert shape(got)[4:] == [
        ("b", "system", None, None),
        ("s", "user/message", (0, 1), [0, 1]),
        ("u3", "user/message", APPEND, None),
    ]
    assert surface(got) == ["s", "u2", "a2", "u3"]
    assert report(got) == [("s1.jsonl", "duplicate_record", 7, 2)]


def test_preserved_inside(tmp_path):
    """One range cannot spare what lies inside it."""
    stay = {"preservedMessages": {"uuids": ["a1", "a2", "unknown", 7]}}
    log = Log().user("u1").assistant("a1").user("u2").assistant("a2").boundary("b", compactMetadata=stay).summary("s")
    got = write(tmp_path, s1=log)
    assert shape(got)[5] == ("s", "user/message", (0, 2), [0, 1, 2])
    assert surface(got) == ["s", "a2"]
    assert report(got) == [("s1.jsonl", "preserved_inside", 6, 1)]


def test_nothing_but_preserved_records(tmp_path):
    stay = {"preservedSegment": {"headUuid": "u1", "tailUuid": "a1"}}
    got = write(tmp_path, s1=Log().user("u1").assistant("a1").boundary("b", compactMetadata=stay).summary("s"))
    assert surface(got) == ["u1", "a1", "s"]
    assert report(got) == [("s1.jsonl", "empty_replacement", 4, 1)]


def test_an_edited_prompt(tmp_path):
    """It takes the place of the branch it abandons; a third edit that of the second."""
    log = Log().user("u1").assistant("a1").user("u2").assistant("a2").call("a3", "t1").result("r1", "t1")
    log.user("u3", parentUuid="a1").assistant("a4").user("u4", parentUuid="a1").assistant("a5")
    got = write(tmp_path, s1=log)
    assert shape(got)[6:] == [
        ("u3", "user/message", (2, 5), [2, 3, 4, 5]),
        ("a4", "assistant/message", APPEND, None),
        ("u4", "user/message", (6, 7), [6, 7]),
        ("a5", "assistant/message", APPEND, None),
    ]
    assert surface(got) == ["u1", "a1", "u4", "a5"]
    assert report(got) == [("s1.jsonl", "rewind", 7, 2)]
    traces = got.corpus().event_traces("s1")
    assert traces["final_replacement"].to_list() == [None, None, 8, 8, 8, 8, 8, 8, None, None]


def test_what_is_no_edited_prompt(tmp_path):
    """Results of parallel calls, meta records, roots, and prompts of a sidechain."""
    log = Log().user("u1").call("a1", "t1", "t2").result("r1", "t1").result("r2", "t2", parentUuid="a1")
    log.user("m1", parentUuid="a1", isMeta=True).user("p1", parentUuid="a1").user("u9", parentUuid=None)
    log.user("x1", parentUuid="a1", isSidechain=True)
    got = write(tmp_path, s1=log)
    assert surface(got) == ["u1", "a1", "r1", "r2", "m1", "p1", "u9"]
    assert report(got) == [("s1.jsonl", "spawn_unknown", 8, 1)]


def test_an_edited_prompt_whose_parent_was_never_written(tmp_path):
    log = (
        Log().user("u1", parentUuid="ghost").assistant("a1").user("u2", parentUuid="ghost").user("u3", parentUuid="g2")
    )
    got = write(tmp_path, s1=log)
    assert surface(got) == ["u2", "u3"]
    assert report(got) == [("s1.jsonl", "broken_parent", 1, 3), ("s1.jsonl", "rewind", 3, 1)]


def test_an_edit_of_a_branch_between_others(tmp_path):
    """Only the run from the first to the last of the branch goes; what came before it stays."""
    log = Log().user("u1").assistant("a1").user("u2").assistant("a2")
    log.user("m1", parentUuid="u1", isMeta=True)  # on no branch of u2
    log.user("u3", parentUuid="a1").assistant("a3")
    got = write(tmp_path, s1=log)
    assert shape(got)[5] == ("u3", "user/message", (2, 3), [2, 3])
    assert surface(got) == ["u1", "a1", "u3", "a3", "m1"] or surface(got) == ["u1", "a1", "u3", "m1", "a3"]
    assert surface(got) == ["u1", "a1", "u3", "m1", "a3"]


def test_an_edit_after_a_compaction(tmp_path):
    """The summary stands for the abandoned branch and what was before it: it is what the edit replaces."""
    log = Log().user("u1").assistant("a1").user("u2").boundary("b1").summary("s").assistant("a2")
    log.user("u3", parentUuid="a1").assistant("a3")
    got = write(tmp_path, s1=log)
    assert shape(got)[6] == ("u3", "user/message", (4, 5), [4, 5])
    assert surface(got) == ["u3", "a3"]
    assert report(got) == [("s1.jsonl", "rewind", 7, 1)]


def test_an_edit_of_which_nothing_stands(tmp_path):
    log = Log().user("u1").assistant("a1").user("u2").boundary("b1").summary("s", parentUuid=None)
    log.user("u3", parentUuid="a1")
    got = write(tmp_path, s1=log)
    assert shape(got)[5] == ("u3", "user/message", APPEND, None)
    assert surface(got) == ["s", "u3"]
    assert report(got) == [("s1.jsonl", "empty_replacement", 6, 1), ("s1.jsonl", "rewind", 6, 1)]


def test_an_edit_across_rings_of_parents(tmp_path):
    log = Log().user("u1", parentUuid="u1").user("u2", parentUuid="u1").user("u3", parentUuid="u2")
    log.user("u4", parentUuid="u2").user("u5", parentUuid="u4")
    got = write(tmp_path, s1=log)
    assert surface(got) == ["u2", "u4", "u5"]


def test_many_edits_and_compactions_are_fast(tmp_path):
    log = Log()
    for turn in range(300):
        log.user(f"u{turn}").assistant(f"a{turn}").user(f"v{turn}", parentUuid=f"u{turn}").assistant(f"w{turn}")
        log.user(f"x{turn}", parentUuid=f"u{turn}")
        if turn % 50 == 49:
            log.boundary(f"b{turn}").summary(f"s{turn}")
    (tmp_path / "s1.jsonl").write_bytes(log.bytes())
    got = imported(tmp_path)
    assert got.report.filter(kind="rewind")["count"].to_list() == [300]
    assert surface(got) == ["s299"]


def test_a_compaction_in_a_resumed_log(tmp_path):
    """It replaces what is the log's own, and the report says what it could not cover."""
    one = Log("s1").user("u1").assistant("a1")
    two = Log("s2").user("u1").assistant("a1").user("u2").boundary("b1").summary("s").user("u3")
    got = write(tmp_path, s1=one, s2=two)
    assert shape(got, "s2") == [
        ("u2", "user/message", APPEND, None),
        ("b1", "system", None, None),
        ("s", "user/message", (0, 0), [0]),
        ("u3", "user/message", APPEND, None),
    ]
    assert surface(got, "s1") == ["u1", "a1"]
    example = got.report.filter(kind="inherited_records")["example"].to_list()
    assert example == ["from s1; a compaction in line 5 covers none of them"]


def test_an_edited_prompt_after_inherited_records(tmp_path):
    one = Log("s1").user("u1").assistant("a1")
    two = Log("s2").user("u1").assistant("a1").user("u2").assistant("a2").user("u3", parentUuid="a1")
    got = write(tmp_path, s1=one, s2=two)
    assert surface(got, "s2") == ["u3"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=40), st.data())
def test_descendants_are_told_in_two_ways(back, data):
    parents = np.array([max(place - step, 0) - 1 for place, step in enumerate(back)], np.int64)
    branches, tour = _Branches(parents), _Tour(parents)
    for _ in range(6 if back else 0):
        start = data.draw(st.integers(0, len(back) - 1))
        end = data.draw(st.integers(start, len(back)))
        inside = branches.within(start, end)
        assert [inside(seq) for seq in range(end)] == [tour.inside(start, seq) for seq in range(end)]
