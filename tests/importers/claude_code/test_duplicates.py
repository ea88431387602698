"""Records of Claude Code that were written more than once: whose events they are."""

from support.claude_logs import Log, events, links, report, sessions, shape, write

APPEND = "append"


def test_two_logs_that_went_on_from_the_same_records(tmp_path):
    """Neither holds all of the other: the one whose own records are the earliest owns what they share."""
    one = Log("s1").user("u1").assistant("a1").user("v1", timestamp="2026-01-05T00:00:00Z")
    two = Log("s2").user("u1").assistant("a1").user("w1", timestamp="2026-01-04T00:00:00Z")
    got = write(tmp_path, s1=one, s2=two)
    assert sessions(got) == [("s1", "s2", "resume"), ("s2", None, "claude-code")]
    assert [row[0] for row in shape(got, "s1")] == ["v1"]


def test_the_same_record_again(tmp_path):
    """Another time or parent makes no other event; another message does, and no link means that one."""
    log = Log().user("u1").assistant("a1").user("u1", timestamp="2025-01-01T00:00:00Z").user("a1", "reused")
    log.user("u2", parentUuid="a1", isMeta=True)
    got = write(tmp_path, s1=log)
    assert shape(got) == [
        ("u1", "user/message", APPEND, None),
        ("a1", "assistant/message", APPEND, None),
        ("a1", "user/message", APPEND, None),
        ("u2", "user/message", APPEND, None),
    ]
    assert links(got, "child_of")[-1] == ("s1#3", "child_of", "s1#1", "asserted", 1.0)
    assert report(got) == [("s1.jsonl", "duplicate_record", 3, 1), ("s1.jsonl", "reused_id", 4, 1)]


def test_one_uuid_for_different_records_in_two_logs(tmp_path):
    """They are not the same: each log keeps its own, and its links lead to its own."""
    got = write(
        tmp_path, s1=Log("s1").user("u1", "one").user("u2", "x"), s2=Log("s2").user("u1", "two").user("u3", "y")
    )
    assert sessions(got) == [("s1", None, "claude-code"), ("s2", None, "claude-code")]
    assert events(got, "s2", "record_id", "text") == [("u1", "two"), ("u3", "y")]
    assert links(got, "child_of")[1] == ("s2#1", "child_of", "s2#0", "asserted", 1.0)
    assert report(got) == [("s2.jsonl", "reused_id", 1, 1)]
