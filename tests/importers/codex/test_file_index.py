"""Headers of Codex rollouts: what they say, and what is wrong with them."""

import json

import pytest

from support.codex_logs import (
    UUID,
    at,
    imported,
    line,
    log,
    message,
    meta,
    report,
    sessions,
    write,
)


def test_a_file_without_a_header_is_named_after_itself(tmp_path):
    write(tmp_path / f"rollout-2025-09-01T12-00-00-{UUID}.jsonl", message("user", "a"))
    write(tmp_path / "plain.jsonl", message("user", "b"))
    read = imported(tmp_path)
    assert sessions(read, "session_id", "created_at", "origin", "title") == [
        (UUID, None, "codex", "a"),
        ("plain", None, "codex", "b"),
    ]
    assert report(read) == [("missing_header", None, 1, "plain"), ("missing_header", None, 1, UUID)]


@pytest.mark.parametrize(
    ("payload", "damage", "cwd"),
    [
        ({"cwd": "/x"}, "id", "/x"),
        ({"id": 5, "cwd": "/x"}, "id", "/x"),
        ({"id": "", "cwd": 7}, "id, cwd", None),
        ([1], "payload, id", None),
        (None, "payload, id", None),
        ({"id": "t1", "cwd": "/x", "timestamp": 5, "history_base": 1, "source": {"subagent": {"thread_spawn": 7}}},
         "timestamp, history_base, thread_spawn", "/x"),
        ({"id": "t1", "forked_from_id": {}, "parent_thread_id": [], "subagent_history_start_ordinal": "5"},
         "forked_from_id, subagent_history_start_ordinal, parent_thread_id", None),
    ],
)  # fmt: skip
def test_a_damaged_header(tmp_path, payload, damage, cwd):
    read = log(tmp_path, line("session_meta", payload), message("user", "a"))
    has_id = isinstance(payload, dict) and payload.get("id") == "t1"
    assert sessions(read, "session_id", "cwd") == [("t1" if has_id else "rollout-t1", cwd)]
    assert report(read, "spawn_unknown") == [("damaged_header", 1, 1, damage)]
    assert read.events.collect()["type"].to_list() == ["user/message"]


def test_the_first_header_counts_wherever_it_stands(tmp_path):
    read = log(tmp_path, message("user", "a", 1), meta("t1", 2), meta("t2", 3), message("user", "b", 4))
    assert sessions(read, "session_id") == [("t1",)]
    assert read.events.collect().select("line", "type").rows() == [
        (1, "user/message"),
        (3, "session_meta"),
        (4, "user/message"),
    ]
    assert report(read) == []


def test_a_header_without_payload_and_a_flat_one_without_id(tmp_path):
    read = log(tmp_path, json.dumps({"type": "session_meta", "id": "t9", "timestamp": at(0)}), message("user", "a"))
    assert sessions(read, "session_id") == [("t9",)]
    read = log(tmp_path, json.dumps({"timestamp": at(0), "instructions": "x", "git": None}), message("user", "a"))
    assert sessions(read, "session_id") == [("rollout-t1",)]
    assert report(read) == [("damaged_header", 1, 1, "id"), ("legacy_shape", 1, 1, "the flat form")]
