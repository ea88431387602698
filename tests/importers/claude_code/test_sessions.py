"""Which sessions Claude Code files hold: agents, sidechains, renamed files, and what they are called."""

import shutil

from support.claude_logs import Log, imported, links, report, sessions, shape, surface, write

APPEND = "append"


def test_an_agent_that_says_no_session(tmp_path):
    """Then the folder tells it, or nothing does."""
    log = Log(..., agentId="aa", isSidechain=True).user("x1")
    got = write(tmp_path, s1__subagents__work=log, **{"agent-bb": Log(...).user("y1")})
    assert sessions(got) == [("agent-bb", None, "subagent"), ("s1/agent-aa", "s1", "subagent")]


def test_sidechains_in_a_main_log(tmp_path):
    side = {"isSidechain": True}
    log = Log().user("u1").call("a1", "t1").user("x1", "find it", parentUuid=None, **side).assistant("x2", **side)
    log.result("r1", "t1", parentUuid="a1").user("y1", parentUuid=None, **side).assistant("x3", parentUuid="x2", **side)
    log.user("z1", parentUuid="a1", **side).record("user", message={"content": "no ids"}, **side)
    got = write(tmp_path, s1=log)
    assert sessions(got) == [
        ("s1", None, "claude-code"),
        ("s1#line-9", "s1", "sidechain"),
        ("s1#x1", "s1", "sidechain"),
        ("s1#y1", "s1", "sidechain"),
        ("s1#z1", "s1", "sidechain"),
    ]
    assert [row[0] for row in shape(got, "s1")] == ["u1", "a1", "r1"]
    assert [row[0] for row in shape(got, "s1#x1")] == ["x1", "x2", "x3"]
    assert surface(got, "s1#x1") == ["x1", "x2", "x3"]
    assert ("s1#z1#0", "child_of", "s1#1", "asserted", 1.0) in links(got, "child_of")
    assert report(got) == [("s1.jsonl", "missing_time", 9, 1), ("s1.jsonl", "spawn_unknown", 3, 4)]
    assert got.sessions.filter(session_id="s1#x1").collect()["title"].to_list() == ["find it"]


def test_a_sidechain_whose_parents_are_a_ring(tmp_path):
    side = {"isSidechain": True}
    log = Log().user("u1").user("x1", parentUuid="x3", **side).user("x2", **side).user("x3", **side)
    got = write(tmp_path, s1=log)
    assert sessions(got) == [("s1", None, "claude-code"), ("s1#x1", "s1", "sidechain")]
    assert ("s1.jsonl", "parent_cycle", 2, 1) in report(got)


def test_a_renamed_file(tmp_path):
    """Its records tell the session, unless another file is called that."""
    got = write(tmp_path, backup=Log("s1").user("u1").user("u2"), s2=Log("s2").user("v1"), other=Log("s2").user("w1"))
    assert [row[0] for row in sessions(got)] == ["other", "s1", "s2"]
    assert report(got) == []


def test_two_files_of_one_session(tmp_path):
    """The later one is called by its folder too; the very same file again is told, and no session."""
    first, second = Log("s1", start=9).user("u1"), Log("s1", start=5).user("v1").record("mode")
    got = write(tmp_path, a__s1=first, b__s1=second)
    assert [row[0] for row in sessions(got)] == ["s1", "s1@a/s1"]
    assert shape(got, "s1")[0][0] == "v1"
    assert ("s1.jsonl", "duplicate_session_id", None, 1) in report(got)
    (tmp_path / "c").mkdir()
    shutil.copy(tmp_path / "b" / "s1.jsonl", tmp_path / "c" / "s1.jsonl")
    again = imported(tmp_path)
    assert again.events.collect().equals(got.events.collect())
    assert again.report.filter(file="c/s1.jsonl").select("kind", "line", "count").rows() == [
        ("duplicate_session_id", None, 1),
        ("inherited_records", 1, 2),
    ]


def test_ids_do_not_depend_on_the_order_of_arguments(tmp_path):
    one, two = tmp_path / "a" / "s1.jsonl", tmp_path / "b" / "s1.jsonl"
    write(tmp_path, a__s1=Log("s1").user("u1"), b__s1=Log("s1").user("v1"))
    forward, backward = imported([one, two]), imported([two, one])
    assert forward.events.collect().equals(backward.events.collect())
