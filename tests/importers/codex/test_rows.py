"""What each record of a Codex rollout becomes, in the new form and in the old flat one."""

import json

import pytest

from support.codex_logs import (
    FLAT,
    at,
    call,
    event,
    item,
    line,
    log,
    message,
    meta,
    ops,
    output,
    report,
    sessions,
    started,
)


def test_a_rollout_of_the_new_form(tmp_path):
    read = log(
        tmp_path,
        meta(cwd="/home/ann", cli_version="0.40.0", originator="codex_cli_rs", source="cli", git={"branch": "main"}),
        started(1),
        line("turn_context", {"cwd": "/home/ann", "model": "gpt-5-codex"}, 2),
        message("developer", "be brief", 3),
        message("user", "fix it", 4),
        event("user_message", 5, message="fix it"),
        item("reasoning", 6, id="rs_1", summary=[{"type": "summary_text", "text": "look first"}], content=None),
        item("function_call", 7, id="fc_1", name="shell", arguments='{"command": ["ls"]}', call_id="c1"),
        output("c1", 8, output="a.py"),
        item("custom_tool_call", 9, name="apply_patch", input="*** Begin", call_id="c2", status="completed"),
        item("custom_tool_call_output", 10, call_id="c2", output='{"output": "no", "metadata": {"exit_code": 1}}'),
        item("local_shell_call", 11, call_id="c3", action={"type": "exec", "command": ["ls", "-l"]}),
        item("local_shell_call_output", 12, call_id="c3", output={"content": "list", "success": True}),
        item("web_search_call", 13, id="ws_1", action={"type": "search", "query": "why"}),
        message("assistant", "done", 14),
        line("world_state", {"files": []}, 15),
        line("inter_agent_communication", {"message": "hello"}, 16),
        line("inter_agent_communication_metadata", {}, 17),
        item("reasoning", 18, summary=[], encrypted_content="gAAA"),
    )
    none = None
    assert read.events.collect().select(
        "seq", "type", "raw_type", "text", "is_error", "record_id", "model", "tool_name", "tool_call_id"
    ).rows() == [
        (0, "event_msg", "event_msg:task_started", none, none, none, none, none, none),
        (1, "turn_context", "turn_context", none, none, none, "gpt-5-codex", none, none),
        (2, "user/message", "response_item:message", "be brief", none, none, none, none, none),
        (3, "user/message", "response_item:message", "fix it", none, none, none, none, none),
        (4, "event_msg", "event_msg:user_message", none, none, none, none, none, none),
        (5, "assistant/message", "response_item:reasoning", "look first", none, "rs_1", "gpt-5-codex", none, none),
        (
            6,
            "assistant/message",
            "response_item:function_call",
            'shell {"command": ["ls"]}',
            none,
            "fc_1",
            "gpt-5-codex",
            "shell",
            "c1",
        ),
        (7, "tool/result", "response_item:function_call_output", "a.py", none, none, none, none, "c1"),
        (
            8,
            "assistant/message",
            "response_item:custom_tool_call",
            "apply_patch *** Begin",
            none,
            none,
            "gpt-5-codex",
            "apply_patch",
            "c2",
        ),
        (9, "tool/result", "response_item:custom_tool_call_output", "no", True, none, none, none, "c2"),
        (
            10,
            "assistant/message",
            "response_item:local_shell_call",
            "local_shell ls -l",
            none,
            none,
            "gpt-5-codex",
            "local_shell",
            "c3",
        ),
        (11, "tool/result", "response_item:local_shell_call_output", "list", False, none, none, none, "c3"),
        (
            12,
            "assistant/message",
            "response_item:web_search_call",
            "web_search why",
            none,
            "ws_1",
            "gpt-5-codex",
            "web_search",
            "ws_1",
        ),
        (13, "assistant/message", "response_item:message", "done", none, none, "gpt-5-codex", none, none),
        (14, "world_state", "world_state", none, none, none, none, none, none),
        (15, "inter_agent_communication", "inter_agent_communication", "hello", none, none, none, none, none),
        (16, *("inter_agent_communication_metadata",) * 2, none, none, none, none, none, none),
        (17, "assistant/message", "response_item:reasoning", none, none, none, "gpt-5-codex", none, none),
    ]
    expected = [None, None, *["append"] * 2, None, *["append"] * 9, None, None, None, "append"]
    assert [op for _, op, _ in ops(read)] == expected
    assert [(seq, cited) for seq, (_, _, cited) in enumerate(ops(read)) if cited] == [(7, [6]), (9, [8]), (11, [10])]
    assert read.sessions.drop("created_at").collect().rows(named=True) == [
        {
            "session_id": "t1",
            "parent_session": None,
            "version": "0.40.0",
            "cwd": "/home/ann",
            "origin": "codex",
            "title": "fix it",
            "seed_length": None,
            "delegation_depth": None,
            "file": "rollout-t1.jsonl",
        }
    ]
    assert report(read) == []
    assert read.relations.collect().height == 0


def test_places_times_and_payloads(tmp_path):
    lines = [meta(), message("user", "a", 1), '{"type": "compacted", "payload": {"message": ""} , "timestamp": 5}']
    events = log(tmp_path, *lines).events.collect()
    assert events["line"].to_list() == [2, 3]
    assert events["byte_offset"].to_list() == [len(lines[0]) + 1, len(lines[0]) + len(lines[1]) + 2]
    assert events["file"].unique().to_list() == ["rollout-t1.jsonl"]
    assert [time and time.isoformat() for time in events["time"]] == ["2025-09-01T12:00:01+00:00", None]
    assert events["payload"].to_list() == [json.dumps(json.loads(lines[1])["payload"]), '{"message": ""}']


def test_a_rollout_of_the_old_flat_form(tmp_path):
    read = log(tmp_path, *FLAT)
    events = read.events.collect()
    assert events.select("type", "raw_type", "text", "record_id", "time").rows() == [
        ("state", "state", None, None, None),
        ("user/message", "message", "fix it", None, None),
        ("state", "state", None, None, None),
        ("assistant/message", "reasoning", None, "rs_1", None),
        ("assistant/message", "function_call", "shell {}", "fc_1", None),
        ("tool/result", "function_call_output", "ok", None, None),
    ]
    assert events["payload"].to_list() == list(FLAT[1:])
    assert ops(read, "f1")[-1] == ("tool/result", "append", [4])
    assert sessions(read, "session_id", "origin", "title") == [("f1", "codex", "fix it")]
    assert read.sessions.collect()["created_at"][0].isoformat() == "2025-09-01T12:00:00+00:00"
    assert report(read) == [
        ("legacy_shape", 1, 5, "the flat form"),
        ("missing_time", 2, 6, None),
    ]


def test_both_forms_in_one_file(tmp_path):
    read = log(tmp_path, *FLAT, message("user", "more", 9), output("c1", 10), meta("other", 11))
    assert [row[:2] for row in ops(read, "f1")[-3:]] == [
        ("user/message", "append"),
        ("tool/result", "append"),
        ("session_meta", None),
    ]
    assert ops(read, "f1")[-2][2] == [4]
    read = log(tmp_path, meta("t1"), *FLAT[2:])
    assert [row[0] for row in ops(read)] == ["user/message", "state", *["assistant/message"] * 2, "tool/result"]
    assert report(read) == [("legacy_shape", 2, 4, "the flat form"), ("missing_time", 2, 5, None)]
    read = log(tmp_path, meta("t1"), FLAT[2], message("user", "more", 9), FLAT[2])
    assert read.events.collect()["raw_type"].to_list() == ["message", "response_item:message", "message"]


def test_what_is_not_known_is_kept_off_the_surface(tmp_path):
    read = log(
        tmp_path,
        meta(),
        line("future_codex_event", {"a": 1}),
        line("future_codex_event", [1]),
        item("ghost_snapshot", ghost_commit={}),
        item("message", role="tool", content="x"),
        item("message", content=[]),
        line("response_item", 5),
        line("response_item", {"role": "user"}),
        line("event_msg", {"type": "future_event", "message": "new"}),
        line("event_msg", "x"),
        line("user/message", {}),
        json.dumps({"type": "tool/result", "timestamp": at(0)}),
        json.dumps({"type": 5, "timestamp": at(0)}),
        json.dumps({"record_type": "other", "timestamp": at(0)}),
        json.dumps({"type": "message", "payload": {}, "timestamp": at(0)}),
        json.dumps({"type": "turn_context", "timestamp": at(0)}),
        json.dumps({"type": "event_msg", "timestamp": at(0), "message": "flat"}),
        json.dumps({"type": "response_item", "timestamp": at(0)}),
        "{}",
    )
    events = read.events.collect()
    assert events.select("type", "raw_type", "text").rows() == [
        ("future_codex_event", "future_codex_event", None),
        ("future_codex_event", "future_codex_event", None),
        ("response_item", "response_item:ghost_snapshot", None),
        ("response_item", "response_item:message", "x"),
        ("response_item", "response_item:message", None),
        ("response_item", "response_item", None),
        ("response_item", "response_item", None),
        ("event_msg", "event_msg:future_event", "new"),
        ("event_msg", "event_msg", None),
        ("codex:user/message", "user/message", None),
        ("codex:tool/result", "tool/result", None),
        (None, None, None),
        ("other", "other", None),
        ("message", "message", None),
        ("turn_context", "turn_context", None),
        ("event_msg", "event_msg", "flat"),
        ("response_item", "response_item", None),
        (None, None, None),
    ]
    assert events["payload"][:3].to_list() == ['{"a": 1}', "[1]", '{"type": "ghost_snapshot", "ghost_commit": {}}']
    assert events["surface_op"].null_count() == 18
    assert report(read) == [
        ("unknown_type", 2, 12, "future_codex_event"),
        ("no_message", 7, 2, "response_item"),
        ("missing_time", 19, 1, None),
    ]


def test_values_of_any_type_do_no_harm(tmp_path):
    odd = [None, True, 5, 1.5, "x", [], [1, "x", None, {"text": 5}], {}, {"text": 5}, 10**400, {"type": [1]}]
    fields = ("type", "id", "role", "content", "name", "arguments", "input", "call_id", "output", "summary", "action")
    lines = [meta()]
    for value in odd:
        for field in fields:
            kinds = ("message", "reasoning", "function_call", "function_call_output", "local_shell_call")
            told = {"role": "user", field: value} if field != "type" else {"role": value}
            lines += [item(type, **told) for type in kinds]
        for field in ("timestamp", "ordinal", "type", "payload", "record_type", "id"):
            lines.append(json.dumps({"type": "event_msg", "payload": {"type": "token_count"}, field: value}))
            lines.append(json.dumps({"type": "message", "role": "user", field: value}))
        for field in ("type", "message", "info", "num_turns", "new_thread_id", "content", "model"):
            kinds = ("token_count", "thread_rolled_back", "error", "task_started")
            lines += [line("event_msg", {"type": type, field: value}) for type in kinds]
            lines.append(line("compacted", {field: value}))
            lines.append(line("turn_context", {field: value}))
        lines.append(line("event_msg", {"type": "token_count", "info": {"last_token_usage": value}}))
        lines.append(line("event_msg", {"type": "token_count", "info": {"last_token_usage": {"input_tokens": value}}}))
    read = log(tmp_path, *lines)
    assert read.counts["events"] == len(lines) - 1
    assert log(tmp_path, *lines, text="drop").counts["events"] == len(lines) - 1


@pytest.mark.parametrize("number", ["1e999", "9" * 5000])
def test_numbers_that_python_does_not_hold(tmp_path, number):
    called = item("function_call", name="shell", arguments=7)
    lines = [meta(git={"n": 7}), item("message", role="user", content=[{"text": 7}]), called]
    read = log(tmp_path, *(one.replace(": 7", f": {number}") for one in lines))
    assert ops(read) == [("user/message", "append", None), ("assistant/message", "append", None)]
    assert json.loads(read.events.collect()["payload"][0])["content"][0]["text"] == number
    assert read.events.collect()["text"][1] == f"shell {number}"
    assert report(read) == []


def test_models_come_from_the_latest_turn_context(tmp_path):
    read = log(
        tmp_path,
        meta(),
        message("assistant", "a"),
        line("turn_context", {"model": "m1"}),
        message("assistant", "b"),
        line("turn_context", {"model": "m2"}),
        call("c1"),
        output("c1"),
        line("turn_context", {"model": None}),
        message("assistant", "c"),
    )
    assert read.events.collect()["model"].to_list() == [None, "m1", "m1", "m2", "m2", None, None, None]


def test_tokens_stand_where_they_are_told_and_only_once(tmp_path):
    def count(total, taken):
        return event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": taken})

    read = log(
        tmp_path,
        meta(),
        event("token_count", info=None),
        count(12, {"input_tokens": 10, "output_tokens": 2}),
        count(12, {"input_tokens": 10, "output_tokens": 2}),  # the limits changed
        count(24, {"input_tokens": 10, "output_tokens": 2}),
        event("token_count", info={"last_token_usage": {"input_tokens": 2**70, "output_tokens": -1}}),
        event("token_count", info={"last_token_usage": {"input_tokens": 3}}),
    )
    assert read.events.collect().select("tokens_in", "tokens_out").rows() == [
        (None, None),
        (10, 2),
        (None, None),
        (10, 2),
        (None, None),
        (3, None),
    ]
