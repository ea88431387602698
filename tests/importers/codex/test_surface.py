"""Codex rollouts: which output cites which call, and what compactions and rollbacks replace."""

import json

from support.codex_logs import (
    back,
    call,
    compacted,
    event,
    item,
    line,
    links,
    log,
    message,
    meta,
    ops,
    output,
    report,
    started,
)

USER, SAID, RESULT = "user/message", "assistant/message", "tool/result"


def surface(read):
    return read.corpus().surface("t1")["seq"].to_list()


# ---- citations


def test_parallel_calls_answered_out_of_order(tmp_path):
    read = log(tmp_path, meta(), call("c1"), call("c2"), call("c3"), output("c3"), output("c1"), output("c2"))
    assert [cited for _, _, cited in ops(read)] == [None, None, None, [2], [0], [1]]
    assert report(read) == []


def test_an_output_without_a_call_and_a_call_without_an_output(tmp_path):
    read = log(
        tmp_path,
        meta(),
        call("c1"),
        output("c0"),
        item("function_call_output", output="x"),
        call("c2"),
        item("web_search_call", id="ws"),
        item("local_shell_call", id="ls", action={}),
        item("local_shell_call", id="ls2", action={}),
        output("ls2"),
    )
    assert [(type, op) for type, op, _ in ops(read)][1:3] == [(RESULT, "append")] * 2
    assert [cited for _, _, cited in ops(read)] == [None] * 7 + [[6]]
    assert links(read) == [("t1#1", "refers_to", "c0", "observed", 0.0)]
    assert report(read) == [("open_call", 2, 3, "c1"), ("orphan_result", 3, 2, "c0")]


def test_an_output_before_its_call_is_a_link_and_no_citation(tmp_path):
    read = log(tmp_path, meta(), output("c1"), call("c1"), output("c1"))
    assert [cited for _, _, cited in ops(read)] == [None, None, [1]]
    assert links(read) == [("t1#0", "refers_to", "t1#1", "observed", 1.0)]
    assert report(read) == [("late_citation", 2, 1, "t1#1")]


def test_call_ids_that_are_counted_anew_in_every_turn(tmp_path):
    read = log(tmp_path, meta(), call("call_0"), output("call_0"), call("call_0"), output("call_0"), output("call_0"))
    assert [cited for _, _, cited in ops(read)] == [None, [0], None, [2], [2]]
    assert report(read) == []


def test_the_id_of_a_call_that_still_waits(tmp_path):
    read = log(tmp_path, meta(), call("c"), call("c"), output("c"), output("c"))
    assert [cited for _, _, cited in ops(read)] == [None, None, [0], [0]]
    assert report(read) == [("reused_id", 3, 1, "c")]


# ---- compactions


def test_a_compaction_replaces_everything_on_the_surface(tmp_path):
    history = [{"type": "message", "role": "user", "content": "kept"}, {"type": "function_call", "call_id": "c9"}]
    read = log(
        tmp_path,
        meta(),
        message("user", "one", 1),
        event("agent_message", 2, message="x"),
        call("c1", 3),
        compacted("", 4, replacement_history=history, window_number=1),
        message("user", "two", 5),
        compacted("short", 6),
        output("c1", 7),
        message("user", "three", 8),
    )
    assert ops(read) == [
        (USER, "append", None),
        ("event_msg", None, None),
        (SAID, "append", None),
        (USER, (0, 2), [0, 2]),
        (USER, "append", None),
        (USER, (3, 4), [3, 4]),
        (RESULT, "append", [2]),
        (USER, "append", None),
    ]
    events = read.events.collect()
    assert json.loads(events["payload"][3])["replacement_history"] == history
    assert events.select("raw_type", "text").rows()[3::2] == [
        ("compacted", None),
        ("compacted", "short"),
        ("response_item:message", "three"),
    ]
    assert surface(read) == [5, 6, 7]
    traces = read.corpus().event_traces("t1")
    assert traces.select("seq", "surface", "replaced_by", "final_replacement", "derived_event_seqs").rows() == [
        (0, "shadowed", 3, 5, [3]),
        (1, "log-only", None, None, []),
        (2, "shadowed", 3, 5, [3, 6]),
        (3, "shadowed", 5, 5, [5]),
        (4, "shadowed", 5, 5, [5]),
        (5, "current", None, None, []),
        (6, "current", None, None, []),
        (7, "current", None, None, []),
    ]
    assert report(read) == []


def test_an_orphan_after_two_compactions(tmp_path):
    read = log(tmp_path, meta(), message("user", "a"), compacted(), message("user", "b"), compacted(), output("gone"))
    assert ops(read)[-1] == (RESULT, "append", None)
    assert report(read) == [("orphan_result", 6, 1, "gone")]


def test_a_compaction_of_nothing(tmp_path):
    read = log(tmp_path, meta(), compacted("a"), started(), compacted("b"), line("compacted", None))
    assert ops(read) == [
        (USER, "append", None),
        ("event_msg", None, None),
        (USER, (0, 0), [0]),
        (USER, (2, 2), [2]),
    ]
    assert report(read) == [("empty_replacement", 2, 1, None)]


# ---- rollbacks


def turns(*numbers):
    lines = []
    for number in numbers:
        lines += [started(number), message("user", f"u{number}", number), message("assistant", f"a{number}", number)]
    return lines


def test_a_rollback_replaces_the_last_turns(tmp_path):
    read = log(tmp_path, meta(), message("developer", "rules"), *turns(1, 2, 3), back(2, 4), message("user", "new", 5))
    rolled = 10
    assert ops(read)[rolled] == (USER, (5, 9), [5, 6, 8, 9])
    assert surface(read) == [0, 2, 3, rolled, rolled + 1]
    events = read.events.collect()
    assert events.select("payload", "raw_type", "text").row(rolled) == ("{}", "event_msg:thread_rolled_back", None)
    assert report(read) == []


def test_turns_begin_at_messages_of_a_person_where_no_turn_is_marked(tmp_path):
    injected = message("user", "<environment_context>x</environment_context>")
    said = [message("user", "a"), message("assistant", "b"), message("user", "c"), call("c1"), output("c1")]
    noted = message("user", "<turn_aborted>x</turn_aborted>")
    read = log(tmp_path, meta(), injected, *said, noted, back(1))
    assert ops(read)[-1] == (USER, (3, 6), [3, 4, 5, 6])
    read = log(tmp_path, meta(), injected, *said, noted, back(2))
    assert ops(read)[-1] == (USER, (1, 6), [1, 2, 3, 4, 5, 6])
    assert surface(read) == [0, 7]
    # The same without any text.
    assert ops(log(tmp_path, meta(), injected, *said, noted, back(1), text="drop"))[-1][1] == (3, 6)


def test_a_log_that_an_older_version_began(tmp_path):
    read = log(tmp_path, meta(), message("user", "a"), message("user", "b"), *turns(1), back(2))
    assert ops(read)[-1] == (USER, (1, 4), [1, 3, 4])


def test_a_rollback_of_more_turns_than_there_are(tmp_path):
    read = log(tmp_path, meta(), message("developer", "rules"), *turns(1, 2), back(3, 4), message("user", "new", 5))
    assert ops(read)[7] == (USER, (0, 6), [0, 2, 3, 5, 6])
    assert surface(read) == [7, 8]
    assert report(read) == [("rollback_past_start", 9, 1, None)]
    read = log(tmp_path, meta(), back(10**30))
    assert ops(read) == [(USER, "append", None)]
    assert report(read) == [("empty_replacement", 2, 1, None), ("rollback_past_start", 2, 1, None)]


def test_rollbacks_after_rollbacks(tmp_path):
    read = log(tmp_path, meta(), *turns(1, 2), back(1, 3), back(1, 4), *turns(5), back(1, 6))
    assert [op for _, op, _ in ops(read)][6:] == [(4, 5), (1, 6), None, "append", "append", (9, 10)]
    assert surface(read) == [7, 11]
    assert report(read) == []
    read = log(tmp_path, meta(), *turns(1, 2), back(1, 3), back(1, 4), back(1, 5))
    assert ops(read)[8] == (USER, (7, 7), [7])
    assert report(read) == [("rollback_past_start", 10, 1, None)]


def test_a_rollback_after_a_compaction(tmp_path):
    read = log(tmp_path, meta(), *turns(1), compacted(second=2), *turns(3), back(1, 4))
    assert ops(read)[7] == (USER, (5, 6), [5, 6])
    assert surface(read) == [3, 7]
    # What the compaction stands for cannot be taken apart.
    read = log(tmp_path, meta(), *turns(1), compacted(second=2), *turns(3), back(2, 4))
    assert ops(read)[7] == (USER, (3, 6), [3, 5, 6])
    assert report(read) == [("rollback_past_start", 9, 1, None)]


def test_a_compaction_in_the_middle_of_a_turn(tmp_path):
    read = log(tmp_path, meta(), *turns(1), compacted(second=2), message("assistant", "on", 3), back(1, 4))
    assert ops(read)[5] == (USER, (4, 4), [4])
    assert surface(read) == [3, 5]


def test_a_turn_that_left_nothing_does_not_count(tmp_path):
    read = log(tmp_path, meta(), *turns(1), started(2), event("turn_aborted", 3), back(1, 4))
    assert ops(read)[5] == (USER, (1, 2), [1, 2])


def test_rollbacks_that_say_nothing(tmp_path):
    read = log(tmp_path, meta(), *turns(1), *(back(n, 2) for n in (0, None, "2", True, -1)))
    assert [type for type, op, _ in ops(read)[3:] if op is None] == ["event_msg"] * 5
    assert report(read) == [("unknown_type", 6, 4, "thread_rolled_back without num_turns")]


def test_what_a_person_adds_in_the_middle_of_a_turn_is_no_turn(tmp_path):
    read = log(tmp_path, meta(), *turns(1, 2), message("user", "also", 2), message("assistant", "yes", 2), back(1, 3))
    assert ops(read)[-1] == (USER, (4, 7), [4, 5, 6, 7])
