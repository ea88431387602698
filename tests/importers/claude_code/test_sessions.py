"""Which sessions Claude Code files hold: agents, sidechains, forks, resumes, copies, and what they are called."""

import shutil

from support.claude_logs import Log, events, imported, links, report, shape, surface, write

APPEND = "append"


def sessions(got):
    return got.sessions.select("session_id", "parent_session", "origin").collect().rows()


def agent(session, name, *uuids, **fields):
    log = Log(session, agentId=name, isSidechain=True, **fields)
    for uuid in uuids:
        log.user(uuid, f"task {uuid}")
    return log


def spawn(log, uuid, call, name):
    """An agent's result in the log that started it."""
    log.call(f"c-{uuid}", call).result(uuid, call, toolUseResult={"agentId": name, "status": "completed"})
    return log


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


def test_an_agent_that_says_no_session(tmp_path):
    """Then the folder tells it, or nothing does."""
    log = Log(..., agentId="aa", isSidechain=True).user("x1")
    got = write(tmp_path, s1__subagents__work=log, **{"agent-bb": Log(...).user("y1")})
    assert sessions(got) == [("agent-bb", None, "subagent"), ("s1/agent-aa", "s1", "subagent")]


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


def test_two_logs_that_went_on_from_the_same_records(tmp_path):
    """Neither holds all of the other: the one whose own records are the earliest owns what they share."""
    one = Log("s1").user("u1").assistant("a1").user("v1", timestamp="2026-01-05T00:00:00Z")
    two = Log("s2").user("u1").assistant("a1").user("w1", timestamp="2026-01-04T00:00:00Z")
    got = write(tmp_path, s1=one, s2=two)
    assert sessions(got) == [("s1", "s2", "resume"), ("s2", None, "claude-code")]
    assert [row[0] for row in shape(got, "s1")] == ["v1"]


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


def test_a_parent_in_another_log(tmp_path):
    """Newer logs go on without copying: the link leads into the other one."""
    got = write(tmp_path, s1=Log("s1").user("u1"), s2=Log("s2").user("v1", parentUuid="u1"))
    assert links(got, "child_of") == [("s2#0", "child_of", "s1#0", "asserted", 1.0)]
    assert report(got) == []


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


def test_keys_in_another_order_are_the_same_record(tmp_path):
    one = b'{"type": "user", "uuid": "u1", "message": {"role": "user", "content": "a"}}\n'
    two = b'{"uuid": "u1", "message": {"content": "a", "role": "user"}, "type": "user"}\n'
    got = write(tmp_path, s1=one + two)
    assert [row[0] for row in shape(got)] == ["u1"]


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


def test_missing_owner(tmp_path):
    """Records that say another session, which is not here, stay where they are."""
    log = Log("s1").user("u1", sessionId="gone").user("u2").user("u3")
    got = write(tmp_path, s1=log)
    assert [row[0] for row in shape(got)] == ["u1", "u2", "u3"]
    assert report(got) == [("s1.jsonl", "missing_owner", 1, 1)]


def test_ids_do_not_depend_on_the_order_of_arguments(tmp_path):
    one, two = tmp_path / "a" / "s1.jsonl", tmp_path / "b" / "s1.jsonl"
    write(tmp_path, a__s1=Log("s1").user("u1"), b__s1=Log("s1").user("v1"))
    forward, backward = imported([one, two]), imported([two, one])
    assert forward.events.collect().equals(backward.events.collect())
