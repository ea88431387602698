"""Logs of deepseek-harness: events as they stand, faults of the log itself, old and later shapes."""

import json
from datetime import UTC, datetime

import polars as pl

from lineage_kit import SessionLog
from support.dsh_written import (
    APPEND,
    BEGAN,
    MARKS,
    TURN_END,
    answer,
    call,
    chunk,
    event,
    header,
    imported,
    line,
    links,
    log,
    numbered,
    packed,
    read,
    replace,
    replaces,
    result,
    rows,
    told,
    user,
)

BYE = {"content": "bye", "id": "z"}
SAID = ("text", "is_error", "record_id", "model", "tool_name", "tool_call_id", "tokens_in", "tokens_out")


def test_a_log_as_it_stands(path):
    got = imported(
        path,
        event("turn/start"),
        user("hi"),
        event("request/header", {"header": {"config": {"model": "m1"}, "system": "…"}}),
        answer("one moment"),
        call(),
        result(cites=[4], error=True),
        event("session/title", {"title": "A greeting", "messageSeqs": [1]}),
        answer(
            "bye", [5], data={"usage": {"inputTokens": 7, "outputTokens": 3}, "message": {"content": "bye", "id": "z"}}
        ),
        TURN_END,
    )
    assert rows(got, *MARKS) == [
        (0, "turn/start", None, None),
        (1, "user/message", APPEND, None),
        (2, "request/header", None, None),
        (3, "assistant/message", APPEND, None),
        (4, "tool/call", None, None),
        (5, "tool/result", APPEND, [4]),
        (6, "session/title", None, None),
        (7, "assistant/message", APPEND, [5]),
        (8, "turn/end", None, None),
    ]
    assert rows(
        got, "text", "is_error", "record_id", "model", "tool_name", "tool_call_id", "tokens_in", "tokens_out"
    ) == [
        (None,) * 8,
        ("hi", None, "u-hi", None, None, None, None, None),
        (None, None, None, "m1", None, None, None, None),
        ("one moment", None, "a-one moment", "m1", None, None, None, None),
        (None, None, None, None, "bash", "c1", None, None),
        ("done", True, "r-c1", None, "bash", "c1", None, None),
        (None,) * 8,
        ("bye", None, "z", "m1", None, None, 7, 3),
        (None,) * 8,
    ]
    assert got.sessions.collect().row(0, named=True) == {
        "session_id": "s1",
        "parent_session": None,
        "created_at": datetime(2026, 7, 6, 15, 34, 10, tzinfo=UTC),
        "version": "0",
        "cwd": "/w",
        "origin": None,
        "title": "A greeting",
        "seed_length": None,
        "delegation_depth": 0,
        "file": got.sessions.collect()["file"][0],
    }
    assert links(got) == [("s1#6", "refers_to", "event", "s1#1", "asserted", 1.0)]
    assert told(got) == []
    assert got.corpus().check().rows() == []
    lines = log(event("turn/start"), user("hi")).split(b"\n")
    assert rows(got, "line", "byte_offset", "raw_type")[:2] == [
        (2, len(lines[0]) + 1, "turn/start"),
        (3, len(lines[0]) + len(lines[1]) + 2, "user/message"),
    ]


def test_the_same_as_a_log_of_raw_records(path):
    records = numbered(
        event("turn/start", {"turn": 1, "big": 10**30, "deep": [{"a": [None, 1.5, "é\u2028"]}]}),
        user("hi"),
        event("hook/result", "a text alone"),
        event("hook/result", None) | {"data": None},
        user(
            "parts", data={"content": [{"text": "a"}, {"content": "b"}, {"content": [{"text": "c"}, 5]}, {"text": ""}]}
        ),
        user("said", data={"text": "of itself", "content": "not this", "isError": False}),
        user("null", data={"content": None, "message": {"content": "not this"}}),
        answer("ok", [1, 4]),
        call(),
        result("c1", cites=[8]),
        user("short", surfaceOp=replace(4, 5), sourceEventSeqs=[4, 5, 1]),
        chunk('a "quoted" \\ text'),
    )
    del records[3]["data"], records[0]["time"]
    path.write_bytes(b"".join(map(line, [header(version=3), *records])))
    got = read(path)
    columns = ["seq", "time", "type", "surface_op", "source_event_seqs", "payload", "text", "is_error"]
    theirs = got.events.select(columns).collect().to_dicts()
    ours = SessionLog.from_records(header(version=3), records).events.select(columns).to_dicts()
    for row in (*theirs, *ours):
        row["payload"] = row["payload"] and json.loads(row["payload"])
    assert theirs == ours
    head = SessionLog.from_records(header(version=3), []).header
    assert got.sessions.drop("file").collect().row(0) == head.fixed()


def test_what_a_log_got_wrong_is_named_not_mended(path, tmp_path):
    wrong = {
        "start is on the surface now": [user("a"), user("b", surfaceOp=replace(7, 7))],
        "a replacement cites every event it removes": [user("a"), user("b", surfaceOp=replace(0, 0))],
        "a surface type carries a surface_op": [user("a", surfaceOp={"op": "replace", "start": 0})],
        "only surface types carry surface_op": [event("turn/start", surfaceOp="append")],
        "a tool/result is rewritten in its content only": [
            call(), result(), result("c2", surfaceOp=replace(1, 1), sourceEventSeqs=[1]),
        ],
    }  # fmt: skip
    for number, (rule, records) in enumerate(wrong.items()):
        got = imported(tmp_path / f"{number}.jsonl", *records)
        assert got.corpus().check()["rule"].to_list() == [rule]
        assert got.counts["events"] == len(records)


def test_surface_types_of_later_versions_stay_off_the_surface(path):
    got = imported(
        path,
        event("system/message", {"content": "be kind"}, surfaceOp="append"),
        event("developer/message", {"content": "be brief"}, surfaceOp="append"),
        user("a"),
        event("system/message", {"content": "be kinder"}, surfaceOp={"op": "replace", "startSeq": 0, "endSeq": 0}),
        event("plugin/thing", {"x": 1}, surfaceOp={"op": "merge"}, sourceEventSeqs=[2], ignorable=True),
        event("assistant/attempt", {"stream": [{"type": "chunk"}], "usage": {"inputTokens": 4}}),
        event("context/message", {"content": "old"}, surfaceOp="append"),
        head=header(version=4),
    )
    assert rows(got, "type", "surface_op", "source_event_seqs") == [
        ("system/message", None, None),
        ("developer/message", None, None),
        ("user/message", APPEND, None),
        ("system/message", None, None),
        ("plugin/thing", None, None),
        ("assistant/attempt", None, None),
        ("context/message", None, None),
    ]
    assert rows(got, "text", "tokens_in")[0] == ("be kind", None)
    assert told(got, "kind", "count", "example") == [("unknown_type", 5, "system/message")]
    assert links(got) == [("s1#4", "refers_to", "event", "s1#2", "asserted", 1.0)]
    assert got.corpus().surface("s1")["seq"].to_list() == [2]
    assert got.corpus().check().rows() == []


def test_shapes_of_july_2026(path):
    result_data = {"callId": "c1", "content": [{"type": "text", "text": "seen"}], "isError": True}
    got = imported(
        path,
        event("turn/start", {"turn": 1, "trigger": {"kind": "message"}}),
        user("a", data={"content": [{"text": "a"}]}),
        event("steering/message", {"content": "wait"}, surfaceOp="append"),
        event("steering/message", {"content": "no marker"}),
        answer("b", data={"content": [{"text": "b"}], "provenance": {"model": "m2"}}),
        call(),
        event("tool/result", result_data, surfaceOp="append", sourceEventSeqs=[5]),
        event("tool/result", result_data | {"content": []}, surfaceOp=replace(6, 6), sourceEventSeqs=[6]),
        event("turn/end", {"turn": 1, "reason": "completed"}),
        head=header(delegationDepth=None),
    )
    assert rows(got, "type", "raw_type", "record_id", "surface_op", "model", "tool_call_id", "is_error")[1:8] == [
        ("user/message", "user/message", "legacy-message:s1:1", APPEND, None, None, None),
        ("user/message", "steering/message", "legacy-message:s1:2", APPEND, None, None, None),
        ("steering/message", "steering/message", None, None, None, None, None),
        ("assistant/message", "assistant/message", "legacy-message:s1:4", APPEND, "m2", None, None),
        ("tool/call", "tool/call", None, None, None, "c1", None),
        ("tool/result", "tool/result", "legacy-message:s1:6", APPEND, None, "c1", True),
        ("tool/result", "tool/result", "legacy-message:s1:6", replaces(6, 6), None, "c1", True),
    ]
    # The header, both ends of the turn, two steering messages, five messages without an id.
    assert told(got, "kind", "line", "count") == [("legacy_shape", 1, 10)]
    assert got.sessions.collect()["delegation_depth"].to_list() == [0]
    # The result has the shape of today's, or its rewrite could not be told from another result.
    block = {"type": "tool-result", "toolCallId": "c1", "content": [{"type": "text", "text": "seen"}], "isError": True}
    source = {"kind": "tool", "callId": "c1"}
    message = {"source": source, "content": [block], "role": "user", "id": "legacy-message:s1:6"}
    assert json.loads(rows(got, "payload")[6][0]) == {"message": message}
    assert got.corpus().check().rows() == []
    assert got.corpus().surface("s1")["seq"].to_list() == [1, 2, 4, 7]


def test_a_long_log_is_read_in_parts(path):
    """More events than one table of staged rows, and than one part of the events, holds."""
    part = [packed(["a"] * 70, gaps=[1] * 69), answer("ok")]
    records = numbered(*(part * 2_000))
    path.write_bytes(b"".join(map(line, [header(), *records])))
    got = read(path)
    events = got.events.select("seq", "type", "line", "time").collect()
    assert events["seq"].to_list() == list(range(142_000))
    where = pl.Series(range(142_000))
    assert (events["type"] == "assistant/message").to_list() == (where % 71 == 70).to_list()
    assert events["line"].to_list() == (2 + where // 71 * 2 + (where % 71 == 70)).to_list()
    passed = events["time"].dt.epoch("ms") - BEGAN
    assert passed.to_list() == where.to_list()
