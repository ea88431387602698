"""Rows of dsh logs made many at a time: exact bytes of packed texts, times of any kind, the latest time of a log."""

import json

import pytest

from lineage_kit.importers.dsh.packed_rows import row_of
from lineage_kit.importers.dsh.row_buffer import BYTES, EVENT, RowBuffer
from lineage_kit.importers.pipeline.staging import StagedRows
from support.dsh_written import BEGAN, answer, event, imported, packed, read, rows, user

TEXTS = ["", ",", '","', '",', "\\", '\\","', "\\u", "/", "\n", "\x00\x1b", "é", "\u2028", "𝄞", '"text":"}}', "\x7f"]


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_texts_of_a_packed_row(tmp_path, ascii, separators):
    """However the row is written, the payload of each event is that of an unpacked one."""
    path = tmp_path / "s1.jsonl"
    written = [user(), packed(TEXTS, gaps=[0] * (len(TEXTS) - 1)), user("end")]
    head = {"type": "session", "version": 0, "id": "s1", "delegationDepth": 0}
    lines = [json.dumps(one, ensure_ascii=ascii, separators=separators) for one in (head, *written)]
    path.write_text("".join(one + "\n" for one in lines))
    payloads = [payload for (payload,) in rows(read(path), "payload")][1:-1]
    assert payloads == [
        json.dumps(
            {"turn": 1, "step": 2, "chunk": {"type": "text-delta", "index": 0, "text": text}},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for text in TEXTS
    ]


def test_times_of_any_kind(tmp_path):
    times = [5, 6.0, 6.5, True, "7", None, 2**63, 10**400, -(10**15), {"at": 1}, [], 8]
    got = imported(tmp_path / "s1.jsonl", *(event("turn/start", time=time) for time in times[:7]))
    assert [time and time.timestamp() * 1000 for (time,) in rows(got, "time")] == [5, 6, *[None] * 5]
    odd = imported(tmp_path / "s1.jsonl", *(event("turn/start", time=time) for time in times[7:]))
    assert [time and time.timestamp() * 1000 for (time,) in rows(odd, "time")] == [*[None] * 4, 8]


def test_payloads_that_are_absent(tmp_path):
    bare = {"type": "turn/start"}
    got = imported(tmp_path / "s1.jsonl", bare, packed(["a", "b"]), bare, answer("ok"), bare)
    assert [payload is None for (payload,) in rows(got, "payload")] == [True, False, False, True, False, True]
    dropped = imported(tmp_path / "s1.jsonl", bare, packed(["a", "b"]), answer("ok"), text="drop")
    assert rows(dropped, "type", "payload", "text") == [
        ("turn/start", None, None),
        ("assistant/chunk", None, None),
        ("assistant/chunk", None, None),
        ("assistant/message", None, None),
    ]


def test_damage_is_told_without_texts_too(tmp_path):
    got = imported(tmp_path / "s1.jsonl", packed(["a", "b"], gaps=[]), answer("ok"), text="drop")
    reason = "a malformed packed row: 0 gaps for 2 members"
    (row,) = rows(got, "type", "raw_type", "payload")
    assert (row[:2], json.loads(row[2])["reason"]) == (("unparsed", None), reason)


def test_the_latest_time_of_each_log():
    staged = StagedRows(None, milliseconds=True)
    waiting = RowBuffer(staged, True)
    gaps = [1] * (BYTES // EVENT)
    row = row_of(json.dumps(packed(["a"] * (len(gaps) + 1), gaps=gaps) | {"time0": BEGAN}).encode())
    empty, long, without = waiting.open(), waiting.open(), waiting.open()
    assert (empty.first, long.first, without.first) == (0, 0, 0)
    waiting.add("turn/start", 1, 0, "noon", b"{}")
    long = waiting.open()
    waiting.add("turn/start", 1, 0, BEGAN + 7, b"{}")
    waiting.pack(row, 2, 3)  # a piece is full
    assert long.until == BEGAN + len(gaps)
    waiting.add("turn/end", 3, 4, BEGAN + 5, b"{}")
    last = waiting.open()
    waiting.add("turn/start", 1, 0, BEGAN - 9, b"{}")
    waiting.flush()
    assert (long.first, last.first, len(staged)) == (1, 4 + len(gaps), 5 + len(gaps))
    assert (empty.until, without.until, long.until, last.until) == (None, None, BEGAN + len(gaps), BEGAN - 9)
