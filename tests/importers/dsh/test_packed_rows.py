"""Packed rows of dsh logs: the events they stand for, and rows that are malformed."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from support.dsh_written import (
    APPEND,
    MARKS,
    TURN_END,
    answer,
    chunk,
    header,
    imported,
    line,
    numbered,
    packed,
    read,
    rows,
    told,
    user,
)


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
