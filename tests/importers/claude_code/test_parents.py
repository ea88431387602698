"""Whose child a Claude Code session is: agents, resumes, forks, and what is not here."""

from support.claude_logs import Log, agent, links, report, sessions, shape, spawn, write

APPEND = "append"


def test_agents(tmp_path):
    """They repeat their parent's session id; beside it, in its folder, in a workflow, and one that started another."""
    main = spawn(Log("s1").user("u1"), "r1", "t1", "aa")
    inner = spawn(agent("s1", "aa", "x1"), "xr", "xt", "bb")
    got = write(
        tmp_path,
        s1=main,
        **{
            "agent-aa": inner,
            "s1__subagents__agent-bb": agent("s1", "bb", "y1"),
            "s1__subagents__workflows__wf_1__agent-cc": agent("s1", "cc", "z1"),
            "agent-dd": agent("gone", "dd", "v1"),
        },
    )
    assert sessions(got) == [
        ("gone/agent-dd", "gone", "subagent"),
        ("s1", None, "claude-code"),
        ("s1/agent-aa", "s1", "subagent"),
        ("s1/agent-bb", "s1/agent-aa", "subagent"),
        ("s1/agent-cc", "s1", "workflow"),
    ]
    assert links(got, "spawned_by") == [
        ("s1/agent-aa", "spawned_by", "s1#2", "observed", 1.0),
        ("s1/agent-bb", "spawned_by", "s1/agent-aa#2", "observed", 1.0),
    ]
    assert shape(got, "s1/agent-bb") == [("y1", "user/message", APPEND, None)]
    assert report(got) == [("agent-cc.jsonl", "spawn_unknown", None, 1), ("agent-dd.jsonl", "spawn_unknown", None, 1)]
    trace = got.corpus().trace_session("s1/agent-bb")
    assert [one.session_id for one in trace.ancestors] == ["s1/agent-aa", "s1"]
    assert got.sessions.filter(session_id="s1/agent-bb").collect()["title"].to_list() == ["task y1"]


def test_agents_of_one_name_in_two_sessions(tmp_path):
    """The result that says the agent's own session is its; where none does, one alone can be meant."""
    one = spawn(Log("s1").user("u1"), "r1", "t1", "aa")
    two = spawn(Log("s2").user("v1"), "w1", "t2", "aa")
    got = write(
        tmp_path,
        s1=one,
        s2=two,
        **{"s2__subagents__agent-aa": agent("s2", "aa", "x1"), "agent-aa": agent("s3", "aa", "y1")},
    )
    assert sessions(got)[2:] == [("s2/agent-aa", "s2", "subagent"), ("s3/agent-aa", "s3", "subagent")]
    assert links(got, "spawned_by") == [("s2/agent-aa", "spawned_by", "s2#2", "observed", 1.0)]
    assert report(got) == [("agent-aa.jsonl", "spawn_unknown", None, 1)]


def test_a_resume(tmp_path):
    """The copies belong to the first log; they are neither events nor citations of the second."""
    old = Log("s1").user("u1").call("a1", "t1", message="m1")
    new = Log("s2").user("u1").call("a1", "t1", message="m1").record("mode").result("r1", "t1")
    new.assistant("a2", message="m1")
    got = write(tmp_path, s1=old, s2=new)
    assert sessions(got) == [("s1", None, "claude-code"), ("s2", "s1", "resume")]
    assert shape(got, "s2") == [
        (None, "mode", None, None),
        ("r1", "tool/result", APPEND, None),
        ("a2", "assistant/message", APPEND, None),
    ]
    assert links(got, "child_of", "refers_to", "resumed_from") == [
        ("s1#1", "child_of", "s1#0", "asserted", 1.0),
        ("s2", "resumed_from", "s1", "inferred", 0.9),
        ("s2#0", "refers_to", "s1#1", "observed", 1.0),
        ("s2#1", "child_of", "s1#1", "asserted", 1.0),
        ("s2#1", "refers_to", "s1#1", "observed", 1.0),
        ("s2#2", "child_of", "s2#1", "asserted", 1.0),
        ("s2#2", "refers_to", "s1#1", "observed", 1.0),
    ]
    assert report(got) == [
        ("s2.jsonl", "inferred_parent", None, 1),
        ("s2.jsonl", "inherited_records", 1, 2),
        ("s2.jsonl", "late_citation", 4, 2),
        ("s2.jsonl", "missing_time", 3, 1),
    ]


def test_resumes_of_resumes(tmp_path):
    """Each is the child of the log it holds most of; the records belong to the first."""
    one = Log("z").user("u1").assistant("a1")
    two = Log("y").user("u1").assistant("a1").user("u2").assistant("a2")
    three = Log("x").user("u1").assistant("a1").user("u2").assistant("a2").user("u3")
    got = write(tmp_path, z=one, y=two, x=three)
    assert sessions(got) == [("x", "y", "resume"), ("y", "z", "resume"), ("z", None, "claude-code")]
    assert [len(shape(got, name)) for name in "zyx"] == [2, 2, 1]
    assert links(got, "child_of")[0] == ("x#0", "child_of", "y#1", "asserted", 1.0)


def test_copies_that_say_whose_they_are(tmp_path):
    """A log that was resumed and holds nothing new yet is no parent: its records say which is."""
    one = Log("s1").user("u1").assistant("a1").user("u2")
    two = Log("s1").user("u1").assistant("a1")
    got = write(tmp_path, s1=one, s2=two)
    assert sessions(got) == [("s1", None, "claude-code"), ("s2", "s1", "resume")]
    assert shape(got, "s2") == []


def test_forks(tmp_path):
    old = Log("s1").user("u1").assistant("a1").user("u2")
    new = Log("s2").user("u1").assistant("a1")
    for line in new.lines:
        line["forkedFrom"] = {"sessionId": "s1", "messageUuid": line["uuid"]}
    new.user("v1").user("v2", forkedFrom={"sessionId": "s1", "messageUuid": "u2"})
    lost = Log("s3").user("w1", forkedFrom={"sessionId": "gone", "messageUuid": "w1"}).user("w2")
    got = write(tmp_path, s1=old, s2=new, s3=lost)
    assert sessions(got) == [("s1", None, "claude-code"), ("s2", "s1", "fork"), ("s3", "gone", "fork")]
    assert [row[0] for row in shape(got, "s2")] == ["v1", "v2"]
    assert links(got, "forked_from", "refers_to") == [
        ("s2", "forked_from", "s1", "asserted", 1.0),
        ("s2#0", "refers_to", "s1#1", "observed", 1.0),
        ("s2#1", "refers_to", "s1#2", "asserted", 1.0),
        ("s3", "forked_from", "gone", "asserted", 0.0),
    ]
    assert report(got) == [("s2.jsonl", "inherited_records", 1, 2), ("s3.jsonl", "missing_owner", 1, 1)]


def test_missing_owner(tmp_path):
    """Records that say another session, which is not here, stay where they are."""
    log = Log("s1").user("u1", sessionId="gone").user("u2").user("u3")
    got = write(tmp_path, s1=log)
    assert [row[0] for row in shape(got)] == ["u1", "u2", "u3"]
    assert report(got) == [("s1.jsonl", "missing_owner", 1, 1)]
