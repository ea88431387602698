"""Logs of deepseek-harness: events as they stand, packed rows, citations, replacements, old and later shapes."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from lineage_kit import InvalidRequest, SessionLog
from support.dsh_written import (
    BEGAN,
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
    result,
    rows,
    told,
    user,
)

MARKS = ("seq", "type", "surface_op", "source_event_seqs")
APPEND = {"op": "append", "start": None, "end": None}
BYE = {"content": "bye", "id": "z"}
SAID = ("text", "is_error", "record_id", "model", "tool_name", "tool_call_id", "tokens_in", "tokens_out")


def replaces(start, end):
    return {"op": "replace", "start": start, "end": end}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


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


def test_packed_rows_become_the_events_they_stand_for(path):
    got = imported(
        path,
        user(),
        packed(["a", ' "q"\n', "é\u2028"], gaps=[5, -2]),
        chunk("single"),
        packed(["why"], "reasoning-chunks"),
        packed(["", "{", "}"], "tool-call-chunks", name='ba"sh'),
        packed(["x", "y"], "tool-call-chunks"),
        answer("ok", list(range(1, 11))),
        TURN_END,
    )
    assert rows(got, *MARKS) == [
        (0, "user/message", APPEND, None),
        *((seq, "assistant/chunk", None, None) for seq in range(1, 11)),
        (11, "assistant/message", APPEND, list(range(1, 11))),
        (12, "turn/end", None, None),
    ]
    chunks = [json.loads(payload) for (payload,) in rows(got, "payload")[1:11]]
    text = {"type": "text-delta", "index": 0}
    tool = {"type": "tool-call-delta", "index": 0, "id": "c1"}
    assert chunks == [
        {"turn": 1, "step": 2, "chunk": one}
        for one in (
            text | {"text": "a"},
            text | {"text": ' "q"\n'},
            text | {"text": "é\u2028"},
            text | {"text": "single"},
            {"type": "reasoning-delta", "index": 0, "text": "why"},
            tool | {"name": 'ba"sh', "argumentsDelta": ""},
            tool | {"name": 'ba"sh', "argumentsDelta": "{"},
            tool | {"name": 'ba"sh', "argumentsDelta": "}"},
            tool | {"argumentsDelta": "x"},
            tool | {"argumentsDelta": "y"},
        )
    ]
    began = datetime(2026, 7, 6, 15, 34, 10, tzinfo=UTC)
    passed = [0, 1, 6, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert [time for (time,) in rows(got, "time")] == [began + timedelta(milliseconds=one) for one in passed]
    assert [number for (number,) in rows(got, "line")] == [2, 3, 3, 3, 4, 5, 6, 6, 6, 7, 7, 8, 9]
    assert [raw for (raw,) in rows(got, "raw_type")][1:11] == [
        *["text-chunks"] * 3, "assistant/chunk", "reasoning-chunks", *["tool-call-chunks"] * 5
    ]  # fmt: skip
    assert all(row == (None,) * 5 for row in rows(got, "text", "is_error", "record_id", "tool_name", "model")[1:11])
    assert told(got) == [("out_of_order_time", 3, 1)]
    assert got.corpus().check().rows() == []


def test_newer_recordings_without_seq_and_time(path):
    records = [user(), packed(["a", "b"]), answer("ok", [1, 2]), TURN_END]
    path.write_bytes(b"".join(map(line, [header(), *records])))
    got = read(path)
    assert rows(got, "seq", "type", "time", "source_event_seqs") == [
        (0, "user/message", None, None),
        (1, "assistant/chunk", None, None),
        (2, "assistant/chunk", None, None),
        (3, "assistant/message", None, [1, 2]),
        (4, "turn/end", None, None),
    ]
    assert got.report.select("kind", "line", "count").rows() == [("missing_time", 2, 5)]


@pytest.mark.parametrize(
    "damage",
    [
        {"extra": 1},
        {"seq0": "1"},
        {"seq0": 2},
        {"time0": 1.5},
        {"data": None},
        {"data": {"turn": 1, "step": 2, "index": 0, "dt": [1], "texts": ["a"]}},
        {"data": {"turn": 1, "step": 2, "index": 0, "dt": [], "texts": []}},
        {"data": {"turn": 1, "step": 2, "index": 0, "dt": ["1"], "texts": ["a", "b"]}},
        {"data": {"turn": 1, "step": 2, "index": 0, "dt": [1], "texts": ["a", None]}},
        {"data": {"turn": 1, "step": 2, "index": 0, "dt": [1], "texts": ["a", "b"], "id": "c1"}},
        {"data": {"turn": 1, "step": 2, "dt": [1], "texts": ["a", "b"]}},
        {"data": {"turn": True, "step": 2, "index": 0, "dt": [1], "texts": ["a", "b"]}},
        {"type": "tool-call-chunks"},
    ],
)
def test_a_malformed_row_is_a_damaged_line(path, damage):
    good = numbered(user(), packed(["a", "b"]))
    path.write_bytes(b"".join(map(line, [header(), good[0], good[1] | damage])))
    got = read(path)
    assert rows(got, "seq", "type") == [(0, "user/message"), (1, "unparsed")]
    assert told(got) == [("unparsed_line", 3, 1)]


def test_citations_that_no_log_can_hold(path):
    got = imported(
        path,
        user("a"),
        user("b"),
        answer("none", []),
        answer("runs", [[0, 2], 1]),
        answer("late", [0, 9, 4, -1, "x", [2, 6], True]),
        answer("all late", [5]),
        answer("no list", None, sourceEventSeqs=None),
        answer("backwards", [3, 2, 1.0]),
    )
    assert [cited for (cited,) in rows(got, "source_event_seqs")] == [
        None, None, None, [0, 1, 2, 1], [0, 2, 3], None, None, [3, 2, 1]
    ]  # fmt: skip
    # Of [2, 6], 4, 5 and 6 are late for event 4.
    assert told(got, "kind", "line", "count", "example") == [
        ("empty_citations", 4, 1, None),
        ("late_citation", 6, 9, "9"),
    ]
    # A citation said twice is what the log says: it is named, not mended.
    assert got.corpus().check().select("seq", "rule").rows() == [(3, "citations are distinct")]


@pytest.mark.parametrize(("version", "names"), [(0, ("start", "end")), (3, ("startSeq", "endSeq"))])
def test_a_replacement(path, version, names):
    op = {"op": "replace", **dict(zip(names, (1, 2), strict=True))}
    got = imported(
        path,
        user("a"),
        user("b"),
        answer("c"),
        event("compaction/summary", {"shadowedSeqs": [1, 2]}),
        user("in short", sourceEventSeqs=[3, 1, 2], surfaceOp=op),
        user("d"),
        head=header(version=version),
    )
    assert rows(got, *MARKS)[4] == (4, "user/message", replaces(1, 2), [3, 1, 2])
    corpus = got.corpus()
    assert corpus.check().rows() == []
    assert corpus.surface("s1")["seq"].to_list() == [0, 4, 5]
    assert corpus.trace_event("s1", 4).replaced_event_seqs == (1, 2)
    assert corpus.trace_event("s1", 1).replacement_chain == (4,)
    traces = corpus.event_traces().select("seq", "surface", "replaced_by").rows()
    assert traces[1:5] == [(1, "shadowed", 4), (2, "shadowed", 4), (3, "log-only", None), (4, "current", None)]
    refers = [("s1#3", "refers_to", "event", f"s1#{seq}", "asserted", 1.0) for seq in (1, 2)]
    assert links(got) == refers


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


def test_what_refers_to_what(path):
    got = imported(
        path,
        call("c1"),
        event("tool/code-dispatch", {"rootCallId": "c1", "parentCallId": "c1"}),
        event("tool/ptc-dispatch-end", {"rootCallId": "c1", "parentCallId": "c9"}),
        event("session/title", {"title": "early", "messageSeqs": [0, 99, "x", [0, 1]]}),
        event("subagent/descriptor", {"callId": "c1"}),
        event("step/end", sourceEventSeqs=[0]),
        result("c2"),
    )
    assert links(got) == [
        ("s1#1", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#2", "refers_to", "event", "c9", "observed", 0.0),
        ("s1#2", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#3", "refers_to", "event", "s1#0", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#0", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#1", "asserted", 1.0),
        ("s1#3", "refers_to", "event", "s1#99", "asserted", 0.0),
        ("s1#4", "refers_to", "event", "s1#0", "observed", 1.0),
        ("s1#5", "refers_to", "event", "s1#0", "asserted", 1.0),
    ]
    assert told(got, "kind", "line", "example") == [("open_call", 2, "c1"), ("orphan_result", 8, "c2")]
    assert got.corpus().check().rows() == []


def test_text_can_be_left_out(path):
    records = [
        event("session/title", {"title": "t", "messageSeqs": []}),
        user(),
        packed(["a", "b"]),
        call(),
        result(cites=[4]),
    ]
    got = imported(path, *records, text="drop")
    assert rows(got, "payload", "text") == [(None, None)] * 6
    assert rows(got, "type", "record_id", "tool_name")[5] == ("tool/result", "r-c1", "bash")
    assert got.sessions.collect()["title"].to_list() == [None]
    assert got.corpus().check().rows() == []


def test_every_value_may_be_of_any_type(path):
    odd = [None, True, 3, 2.5, 10**40, "x", [], [[]], {}, {"a": {"b": []}}]
    keys = (
        "content",
        "message",
        "id",
        "source",
        "callId",
        "usage",
        "header",
        "title",
        "messageSeqs",
        "shadowedSeqs",
        "reason",
    )
    kinds = (
        "user/message",
        "assistant/message",
        "tool/call",
        "tool/result",
        "session/title",
        "request/header",
        "turn/end",
    )
    records = [event(kind, {key: value}) for kind in kinds for key in keys for value in odd]
    records += [event(kind, value) for kind in kinds for value in odd]
    records += [event("user/message", {"message": {key: value}}) for key in keys for value in odd]
    records += [event("turn/start", surfaceOp=value, sourceEventSeqs=value, time=value) for value in odd]
    records += [event("turn/start", seq=None, time=10**18), event("turn/start", time=-(10**14))]
    got = imported(path, *records)
    assert got.counts["events"] == len(records)
    assert rows(got, "type") == [(record["type"],) for record in records]
    assert not {"unparsed_line", "corrupt_log"} & set(got.report["kind"])


def test_numbers_that_no_double_holds(path):
    first = line(numbered(user())[0]).replace(b'"hi"', b'"hi","n":1e999', 1)
    path.write_bytes(
        line(header()) + first + first.replace(b'"seq":0', b'"seq":1').replace(b'"id":', b'"usage":1e999,"id":')
    )
    got = read(path)
    assert rows(got, "seq", "text", "record_id") == [(0, "hi", "u-hi"), (1, "hi", "u-hi")]


def test_options_are_checked(path):
    path.write_bytes(log(user()))
    with pytest.raises(InvalidRequest, match="text must be"):
        read(path, text="some")
    with pytest.raises(InvalidRequest, match="no such file"):
        read(path.parent / "absent")


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
