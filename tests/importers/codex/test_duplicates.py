"""Codex rollouts that come from others: forks, subagents, and the records they share."""

import pytest

from support.codex_logs import (
    UUID,
    back,
    call,
    compacted,
    event,
    imported,
    item,
    line,
    links,
    message,
    meta,
    ops,
    output,
    report,
    sessions,
    started,
    write,
)

USER, SAID, RESULT = "user/message", "assistant/message", "tool/result"


def spawn(parent, **more):
    return {"subagent": {"thread_spawn": {"parent_thread_id": parent, **more}}}


def parent_log(id="p", *more):
    return [meta(id), started(1), message("user", "go", 2), call("c1", 3), output("c1", 4), *more]


def of(read, file):
    return list(read.report.filter(file=file).select("kind", "line", "count", "example").rows())


def places(read, session_id):
    return read.events.filter(session_id=session_id).collect()["line"].to_list()


@pytest.mark.parametrize("copied_header", [True, False])
@pytest.mark.parametrize("same_times", [True, False])
def test_a_fork_that_copies_the_head_of_its_parent(tmp_path, copied_header, same_times):
    head = parent_log()[0 if copied_header else 1 :]
    if not same_times:
        head = [one.replace("2025-09-01T12:00", "2025-09-01T13:00") for one in head]
    write(tmp_path / "p.jsonl", *parent_log("p", message("assistant", "done", 5)))
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id="p"), *head, message("user", "else", 10), output("c1", 11))
    read = imported(tmp_path)
    count = len(head)
    assert sessions(read, "session_id", "parent_session", "origin", "title") == [
        ("p", None, "codex", "go"),
        ("q", "p", "fork", "else"),
    ]
    assert places(read, "p") == [2, 3, 4, 5, 6]
    assert places(read, "q") == [count + 2, count + 3]
    assert ops(read, "q") == [(USER, "append", None), (RESULT, "append", None)]
    assert links(read) == [
        ("q", "forked_from", "p", "asserted", 1.0),
        ("q#0", "refers_to", "p#3", "observed", 1.0),
        ("q#1", "refers_to", "p#2", "observed", 1.0),
    ]
    assert of(read, "q.jsonl") == [
        ("inherited_records", 2, count, "p"),
        ("orphan_result", count + 3, 1, "c1"),
    ]


def test_a_fork_of_a_fork(tmp_path):
    first, second = message("user", "q", 6), message("user", "r", 7)
    write(tmp_path / "p.jsonl", *parent_log())
    write(tmp_path / "q.jsonl", meta("q", 8, forked_from_id="p"), *parent_log(), first)
    write(tmp_path / "r.jsonl", meta("r", 9, forked_from_id="q"), meta("q", 8, forked_from_id="p"), *parent_log(),
          first, second)  # fmt: skip
    write(tmp_path / "s.jsonl", meta("s", 9, forked_from_id="q"), meta("q", 8, forked_from_id="p"), *parent_log()[:3],
          second)  # fmt: skip
    read = imported(tmp_path)
    assert [places(read, one) for one in "pqrs"] == [[2, 3, 4, 5], [7], [9], [6]]
    assert [row for row in links(read) if row[1] == "refers_to"] == [
        ("q#0", "refers_to", "p#3", "observed", 1.0),
        ("r#0", "refers_to", "q#0", "observed", 1.0),
        ("s#0", "refers_to", "p#1", "observed", 1.0),
    ]
    assert [of(read, f"{one}.jsonl") for one in "qrs"] == [
        [("inherited_records", 2, 5, "p")],
        [("inherited_records", 2, 7, "q")],
        [("inherited_records", 2, 4, "q")],
    ]


def test_a_compaction_and_a_rollback_in_a_fork_stay_in_it(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log())
    tail = [message("user", "else", 10), compacted(second=11), started(12), message("user", "x", 13), back(3, 14)]
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id="p"), *parent_log(), *tail)
    read = imported(tmp_path)
    assert ops(read, "q") == [
        (USER, "append", None),
        (USER, (0, 0), [0]),
        ("event_msg", None, None),
        (USER, "append", None),
        (USER, (1, 3), [1, 3]),
    ]
    assert of(read, "q.jsonl") == [("inherited_records", 2, 5, "p"), ("rollback_past_start", 11, 1, None)]


def test_a_fork_whose_parent_is_not_there(tmp_path):
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id="p"), *parent_log(), message("user", "else", 10))
    read = imported(tmp_path)
    assert [row[:2] for row in ops(read, "q")] == [
        ("session_meta", None),
        ("event_msg", None),
        (USER, "append"),
        (SAID, "append"),
        (RESULT, "append"),
        (USER, "append"),
    ]
    assert sessions(read, "parent_session", "title") == [("p", "go")]
    assert links(read) == [("q", "forked_from", "p", "asserted", 0.0)]
    assert of(read, "q.jsonl") == [("missing_owner", 2, 1, "p")]


def test_a_fork_without_a_record_of_its_own(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log())
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id="p"), *parent_log()[1:])
    read = imported(tmp_path)
    assert ops(read, "q") == []
    assert sessions(read, "session_id", "title") == [("p", "go"), ("q", None)]
    assert links(read) == [("q", "forked_from", "p", "asserted", 1.0)]


def test_a_history_that_lies_in_another_file(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log())
    base = {"thread_id": "p", "end_ordinal_exclusive": 4, "end_byte_offset": 100}
    write(tmp_path / "q.jsonl", meta("q", 9, history_mode="paginated", history_base=base), message("user", "on", 10))
    read = imported(tmp_path)
    assert sessions(read, "session_id", "parent_session", "origin")[1] == ("q", "p", "fork")
    assert links(read) == [("q", "forked_from", "p", "asserted", 1.0)]
    assert places(read, "q") == [2]
    assert report(read) == []


# ---- subagents


@pytest.mark.parametrize("stated", ["parent_thread_id", "source", "both"])
def test_a_subagent_and_the_call_that_started_it(tmp_path, stated):
    told = '{"agent_id": "q", "nickname": "Ada"}'
    started_it = [call("s1", 5, "spawn_agent"), output("s1", 6, told), event("collab_agent_spawn_end", 7,
                  call_id="s1", new_thread_id="q")]  # fmt: skip
    fields = {"source": spawn("p", depth=1)} if stated != "parent_thread_id" else {}
    if stated != "source":
        fields["parent_thread_id"] = "p"
    write(tmp_path / "p.jsonl", *parent_log("p", *started_it))
    write(tmp_path / "q.jsonl", meta("q", 8, **fields), message("user", "look", 9))
    read = imported(tmp_path)
    depth = None if stated == "parent_thread_id" else 1
    assert sessions(read, "session_id", "parent_session", "origin", "delegation_depth")[1] == (
        "q",
        "p",
        "subagent",
        depth,
    )
    assert links(read) == [("q", "spawned_by", "p#5", "observed", 1.0)]
    assert report(read) == []
    assert imported(tmp_path, text="drop").relations.collect().equals(read.relations.collect())


def test_an_event_may_tell_of_the_start(tmp_path):
    told = event("collab_agent_spawn_end", 7, call_id="s1", new_thread_id="q")
    write(tmp_path / "p.jsonl", *parent_log("p", call("s1", 5, "spawn_agent"), output("s1", 6, "{torn"), told))
    write(tmp_path / "q.jsonl", meta("q", 8, parent_thread_id="p"), message("user", "look", 9))
    assert links(imported(tmp_path)) == [("q", "spawned_by", "p#6", "observed", 1.0)]


def test_a_start_that_no_record_tells(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log("p", output("c1", 5, '{"agent_id": "q"}')))  # no spawning call
    write(tmp_path / "q.jsonl", meta("q", 8, parent_thread_id="p"), message("user", "look", 9))
    write(tmp_path / "r.jsonl", meta("r", 8, source={"subagent": "review"}), message("user", "look", 9))
    write(tmp_path / "s.jsonl", meta("s", 8, parent_thread_id="gone"), message("user", "look", 9))
    read = imported(tmp_path)
    assert sessions(read, "session_id", "parent_session", "origin") == [
        ("p", None, "codex"),
        ("q", "p", "subagent"),
        ("r", None, "subagent"),
        ("s", "gone", "subagent"),
    ]
    assert links(read) == []
    assert report(read) == [
        ("spawn_unknown", 1, 1, "p"),
        ("spawn_unknown", 1, 1, None),
        ("spawn_unknown", 1, 1, "gone"),
    ]


def numbered(*lines, first=0):
    return [
        one.replace('{"timestamp"', f'{{"ordinal": {first + place}, "timestamp"', 1) for place, one in enumerate(lines)
    ]


@pytest.mark.parametrize("with_parent", [True, False])
def test_a_subagent_that_says_where_its_own_history_begins(tmp_path, with_parent):
    head = [message("user", "only here", 1), message("user", "go", 2), call("c1", 3)]
    own = [message("user", "look", 10), output("c1", 11)]
    child = meta("q", 9, parent_thread_id="p", subagent_history_start_ordinal=4)
    reused = numbered(message("assistant", "again", 12), first=2)
    write(tmp_path / "q.jsonl", *numbered(child, *head, *own), *reused)
    if with_parent:
        write(tmp_path / "p.jsonl", *numbered(*parent_log()))
    read = imported(tmp_path)
    if with_parent:
        assert places(read, "q") == [5, 6, 7]
        assert ops(read, "q")[1] == (RESULT, "append", None)
        assert links(read) == [
            ("q#0", "refers_to", "p#2", "observed", 1.0),
            ("q#1", "refers_to", "p#2", "observed", 1.0),
        ]
        assert of(read, "q.jsonl") == [
            ("spawn_unknown", 1, 1, "p"),
            ("inherited_records", 2, 3, "p"),
            ("orphan_result", 6, 1, "c1"),
        ]
    else:
        assert places(read, "q") == [2, 3, 4, 5, 6, 7]
        assert ops(read, "q")[4] == (RESULT, "append", [2])
        assert of(read, "q.jsonl") == [("spawn_unknown", 1, 1, "p"), ("missing_owner", 2, 3, "p")]


def test_ordinals_below_the_start_without_any_that_is_not(tmp_path):
    write(tmp_path / "p.jsonl", *numbered(*parent_log()))
    child = meta("q", 9, parent_thread_id="p", subagent_history_start_ordinal=9)
    write(tmp_path / "q.jsonl", *numbered(child, message("user", "go", 2)), message("user", "no ordinal", 3), b"[")
    assert places(imported(tmp_path), "q") == [3, 4]


def test_a_subagent_that_begins_like_its_parent_wrote_that_itself(tmp_path):
    rules = [message("developer", "rules", 1), message("user", "<environment_context>x</environment_context>", 2)]
    later = [one.replace("12:00", "12:30") for one in rules]
    write(tmp_path / "p.jsonl", meta("p"), *rules, message("user", "go", 3))
    write(tmp_path / "q.jsonl", meta("q", 8, parent_thread_id="p"), *later, message("user", "look", 9))
    write(tmp_path / "r.jsonl", meta("r", 8, parent_thread_id="p"), rules[0], later[1], message("user", "look", 9))
    read = imported(tmp_path)
    assert places(read, "q") == [2, 3, 4]
    assert places(read, "r") == [3, 4]  # a byte copy
    assert [row for row in links(read) if row[1] == "refers_to"] == [("r#0", "refers_to", "p#0", "observed", 1.0)]


def test_a_subagent_that_is_a_fork_too(tmp_path):
    told = [call("s1", 5, "spawn_agent"), output("s1", 6, '{"agent_id": "q"}')]
    write(tmp_path / "p.jsonl", *parent_log("p", *told))
    child = meta("q", 9, parent_thread_id="p", forked_from_id="p")
    write(tmp_path / "q.jsonl", child, *parent_log(), message("user", "look", 10))
    read = imported(tmp_path)
    assert sessions(read, "session_id", "parent_session", "origin")[1] == ("q", "p", "subagent")
    assert links(read) == [
        ("q", "forked_from", "p", "asserted", 1.0),
        ("q", "spawned_by", "p#5", "observed", 1.0),
        ("q#0", "refers_to", "p#3", "observed", 1.0),
    ]


# ---- what may go wrong


def test_two_that_name_each_other(tmp_path):
    same = [message("user", "a", 1), message("user", "b", 2)]
    write(tmp_path / "p.jsonl", meta("p", forked_from_id="q"), *same)
    write(tmp_path / "q.jsonl", meta("q", forked_from_id="p"), *same)
    write(tmp_path / "r.jsonl", meta("r", forked_from_id="r"), *same)
    read = imported(tmp_path)
    assert [len(places(read, one)) for one in "pqr"] == [0, 2, 2]
    assert report(read) == [
        ("inherited_records", 2, 2, "q"),
        ("missing_owner", 1, 1, "p"),
        ("parent_cycle", 1, 1, "p"),
        ("missing_owner", 1, 1, "r"),
        ("parent_cycle", 1, 1, "r"),
    ]


def test_two_files_that_claim_one_id(tmp_path):
    write(tmp_path / "b/two.jsonl", meta("t", 1), message("user", "first", 2))
    write(tmp_path / "a/one.jsonl", meta("t", 3), message("user", "second", 4))
    write(tmp_path / "c/one.jsonl", meta("t", 5), message("user", "third", 6))
    write(tmp_path / "d/copy.jsonl", meta("t", 1), message("user", "first", 2))
    write(tmp_path / "e/times.jsonl", meta("t", 1), message("user", "first", 3))
    write(tmp_path / "f/child.jsonl", meta("q", 9, forked_from_id="t"), message("user", "first", 2))
    read = imported(tmp_path)
    assert sessions(read, "session_id", "title", "file") == [
        ("q", None, "f/child.jsonl"),
        ("t", "first", "b/two.jsonl"),
        ("t@c/one", "third", "c/one.jsonl"),
        ("t@one", "second", "a/one.jsonl"),
        ("t@times", "first", "e/times.jsonl"),
    ]
    assert read.report.select("file", "kind", "line", "count", "example").rows() == [
        ("a/one.jsonl", "duplicate_session_id", 1, 1, "t"),
        ("c/one.jsonl", "duplicate_session_id", 1, 1, "t"),
        ("d/copy.jsonl", "duplicate_record", None, 2, "t"),
        ("e/times.jsonl", "duplicate_session_id", 1, 1, "t"),
        ("f/child.jsonl", "inherited_records", 2, 1, "t"),
    ]


def test_a_parent_known_by_its_file_name(tmp_path):
    write(tmp_path / f"rollout-2025-09-01T12-00-00-{UUID}.jsonl", message("user", "go", 1))
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id=UUID), message("user", "go", 1), message("user", "on", 10))
    assert links(imported(tmp_path))[1] == ("q#0", "refers_to", f"{UUID}#0", "observed", 1.0)


def test_times_before_the_header_and_the_latest_of_a_fork(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log("p", message("user", "later", 50)))
    write(tmp_path / "q.jsonl", meta("q", 40, forked_from_id="p"), *parent_log()[1:], message("user", "x", 3))
    read = imported(tmp_path)
    assert read.sessions.collect()["created_at"].dt.second().to_list() == [0, 40]
    assert of(read, "q.jsonl") == [("inherited_records", 2, 4, "p")]


def test_a_long_chain_of_forks(tmp_path):
    write(tmp_path / "s0000.jsonl", meta("s0000"), message("user", "a", 1))
    for number in range(1, 300):
        write(tmp_path / f"s{number:04}.jsonl", meta(f"s{number:04}", forked_from_id=f"s{number - 1:04}"),
              message("user", "a", 1))  # fmt: skip
    read = imported(tmp_path)
    assert read.counts["events"] == 1
    assert read.report["count"].sum() == 299


def test_items_of_calls_that_stand_in_the_inherited_part_of_a_grandparent(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log())
    write(tmp_path / "q.jsonl", meta("q", 8, forked_from_id="p"), *parent_log()[1:], message("user", "q", 6))
    write(tmp_path / "r.jsonl", meta("r", 9, forked_from_id="q"), *parent_log()[1:], message("user", "q", 6),
          item("custom_tool_call_output", 10, call_id="c1", output="x"), line("world_state", {}, 11))  # fmt: skip
    assert links(imported(tmp_path))[-2:] == [
        ("r#0", "refers_to", "p#2", "observed", 1.0),
        ("r#0", "refers_to", "q#0", "observed", 1.0),
    ]


def test_calls_of_a_fork_are_its_own(tmp_path):
    write(tmp_path / "p.jsonl", *parent_log())
    own = [call("c2", 10), call("c3", 11), output("c3", 12), output("c2", 13)]
    write(tmp_path / "q.jsonl", meta("q", 9, forked_from_id="p"), *parent_log()[1:], *own)
    read = imported(tmp_path)
    assert [cited for _, _, cited in ops(read, "q")] == [None, None, [1], [0]]
    assert of(read, "q.jsonl") == [("inherited_records", 2, 4, "p")]


def test_a_copy_of_what_the_parent_said_twice_is_not_told_apart(tmp_path):
    twice = [message("user", "go", 1), message("assistant", "once", 2), message("user", "go", 3)]
    write(tmp_path / "p.jsonl", *numbered(meta("p"), *twice))
    child = meta("q", 9, parent_thread_id="p", subagent_history_start_ordinal=3)
    write(tmp_path / "q.jsonl", *numbered(child, twice[0], twice[1], message("user", "look", 10)))
    assert links(imported(tmp_path)) == [("q#0", "refers_to", "p#1", "observed", 1.0)]
    write(tmp_path / "q.jsonl", *numbered(child, twice[1], twice[2], message("user", "look", 10)))
    assert links(imported(tmp_path)) == []


def test_copies_that_are_not_quite_the_same_are_kept(tmp_path):
    numbered = message("user", "first", 2, ordinal=5)
    write(tmp_path / "a.jsonl", meta("t"), message("user", "first", 2))
    write(tmp_path / "b.jsonl", meta("t"), numbered)
    write(tmp_path / "c.jsonl", meta("t"), numbered, b"{torn")
    write(tmp_path / "d.jsonl", meta("t"), numbered, b"{cut.")
    write(tmp_path / "e.jsonl", meta("t", cwd="/x"), numbered)
    read = imported(tmp_path)
    assert sessions(read, "session_id") == [("t",), ("t@b",), ("t@c",), ("t@d",), ("t@e",)]
    assert read.counts["events"] == 7
