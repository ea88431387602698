"""How the events of Claude Code sessions hang together: parents, citations, links that are none."""

from support.claude_logs import Log, events, links, report, shape, write

APPEND = "append"


def test_a_message_in_several_records(tmp_path):
    """Each block cites the one before; what the answer cost is told once, where it is final."""
    log = Log().user("u1").assistant("a1", "first", "m1", (10, 1), requestId="q1")
    log.call("a2", "t1", message="m1", requestId="q1").result("r1", "t1")
    log.assistant("a3", "last", "m1", (10, 9), requestId="q1").assistant("a4", "other", "m2", (20, 5), requestId="q2")
    log.assistant("a5", "more", "m2", (21, 6))
    got = write(tmp_path, s1=log)
    assert events(got, "s1", "record_id", "source_event_seqs", "tokens_in", "tokens_out") == [
        ("u1", None, None, None),
        ("a1", None, None, None),
        ("a2", [1], None, None),
        ("r1", [2], None, None),
        ("a3", [2], 10, 9),
        ("a4", None, 20, 5),
        ("a5", [5], 21, 6),  # without a requestId it is another answer
    ]
    assert report(got) == []


def test_parallel_calls_answered_out_of_order(tmp_path):
    log = Log().user("u1").call("a1", "t1", message="m1").call("a2", "t2", message="m1").call("a3", "t3", "t4")
    log.result("r2", "t2", parentUuid="a2").result("r1", "t1", parentUuid="a1").result("r4", "t4", "t3", "t4")
    got = write(tmp_path, s1=log)
    assert shape(got)[4:] == [
        ("r2", "tool/result", APPEND, [2]),
        ("r1", "tool/result", APPEND, [1]),
        ("r4", "tool/result", APPEND, [3]),
    ]
    assert ("s1#5", "child_of", "s1#1", "asserted", 1.0) in links(got, "child_of")
    assert report(got) == []


def test_results_without_their_calls(tmp_path):
    """One whose call was never written, one that comes before its call, one without an id; and a call without one."""
    log = Log().user("u1").result("r1", "t9").result("r2", "t1").call("a1", "t1").call("a2", "t2").result("r3", 7)
    got = write(tmp_path, s1=log)
    assert [cited for *_, cited in shape(got)] == [None] * 6
    assert links(got, "refers_to") == [
        ("s1#1", "refers_to", "t9", "observed", 0.0),
        ("s1#2", "refers_to", "s1#3", "observed", 1.0),
    ]
    assert report(got) == [
        ("s1.jsonl", "late_citation", 3, 1),
        ("s1.jsonl", "open_call", 5, 1),
        ("s1.jsonl", "orphan_result", 2, 2),
    ]
    examples = dict(got.report.select("kind", "example").rows())
    assert (examples["open_call"], examples["orphan_result"]) == ("t2", "t9")


def test_links_of_other_records(tmp_path):
    """Never citations: they lead anywhere, forward too, and a snapshot names the record that comes next."""
    log = Log().call("a1", "t1").record("progress", "p1", parentToolUseID="t1")
    log.record("progress", "p2", parentToolUseID="gone").record("file-history-snapshot", messageId="u1")
    log.user("u1", parentUuid="a1").record("last-prompt", leafUuid="u1", lastPrompt="hello")
    log.record("summary", leafUuid="elsewhere", summary="Another one").result("r1", "t1")
    got = write(tmp_path, s1=log)
    assert links(got, "refers_to") == [
        ("s1#1", "refers_to", "s1#0", "observed", 1.0),
        ("s1#2", "refers_to", "gone", "observed", 0.0),
        ("s1#3", "refers_to", "s1#4", "asserted", 1.0),
        ("s1#5", "refers_to", "s1#4", "asserted", 1.0),
        ("s1#6", "refers_to", "elsewhere", "asserted", 0.0),
    ]
    assert events(got, "s1", "text")[5:7] == [("hello",), ("Another one",)]


def test_parents(tmp_path):
    """A forward parent, one that was never written, and rings; history goes on whatever they are."""
    log = Log().user("u1", parentUuid="u2").user("u2", parentUuid="ghost", isMeta=True).assistant("a1")
    log.user("c1", parentUuid="c3", isMeta=True).user("c2", isMeta=True).user("c3", isMeta=True)
    log.user("self", parentUuid="self").user("u3", parentUuid=7)
    got = write(tmp_path, s1=log)
    assert links(got, "child_of") == [
        ("s1#0", "child_of", "s1#1", "asserted", 1.0),
        ("s1#1", "child_of", "ghost", "asserted", 0.0),
        ("s1#2", "child_of", "s1#1", "asserted", 1.0),
        ("s1#3", "child_of", "s1#5", "asserted", 1.0),
        ("s1#4", "child_of", "s1#3", "asserted", 1.0),
        ("s1#5", "child_of", "s1#4", "asserted", 1.0),
        ("s1#6", "child_of", "s1#6", "asserted", 1.0),
    ]
    assert [op for *_, op, _ in shape(got)] == [APPEND] * 8
    assert report(got) == [("s1.jsonl", "broken_parent", 2, 1), ("s1.jsonl", "parent_cycle", 4, 2)]
    assert got.report.filter(kind="broken_parent")["example"].to_list() == ["ghost"]


def test_one_text_as_the_id_of_a_record_and_of_a_call(tmp_path):
    """They are ids of different things: neither resolves to the other."""
    log = Log().user("u1", parentUuid="t1").call("a1", "t1", "u1").result("r1", "t1")
    got = write(tmp_path, s1=log)
    assert links(got, "child_of")[0] == ("s1#0", "child_of", "t1", "asserted", 0.0)
    assert report(got) == [("s1.jsonl", "broken_parent", 1, 1), ("s1.jsonl", "open_call", 2, 1)]
    assert got.report["example"].to_list() == ["t1", "u1"]


def test_a_parent_in_another_log(tmp_path):
    """Newer logs go on without copying: the link leads into the other one."""
    got = write(tmp_path, s1=Log("s1").user("u1"), s2=Log("s2").user("v1", parentUuid="u1"))
    assert links(got, "child_of") == [("s2#0", "child_of", "s1#0", "asserted", 1.0)]
    assert report(got) == []
