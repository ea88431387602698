"""Codex rollouts as files: damage of every kind, packings, headers alone."""

import gzip
import json

import pyarrow as pa
import pytest

from support.codex_logs import (
    call,
    imported,
    log,
    message,
    meta,
    ops,
    output,
    report,
    sessions,
    write,
)


def test_a_last_line_cut_in_the_middle(tmp_path):
    cut = message("assistant", "done").encode()[:60]
    read = log(tmp_path, meta(), message("user", "a"), cut)
    assert ops(read) == [("user/message", "append", None), ("unparsed", None, None)]
    payload = json.loads(read.events.collect()["payload"][1])
    assert payload["bytes"] == 60
    assert [row[:3] for row in report(read)] == [("torn_tail", 3, 1)]


def test_a_last_line_that_is_no_json(tmp_path):
    read = log(tmp_path, meta(), message("user", "a"), "not json")
    assert ops(read)[1] == ("unparsed", None, None)
    assert [row[:3] for row in report(read)] == [("unparsed_line", 3, 1)]


def test_two_records_on_one_line(tmp_path):
    glued = message("user", "a", 1) + message("user", "b", 2)
    read = log(tmp_path, meta() + call("c1"), glued, message("user", "c", 3) + ' [1] "x"', output("c1", 4))
    assert read.events.collect().select("line", "type", "text").rows() == [
        (1, "assistant/message", "shell {}"),
        (2, "user/message", "a"),
        (2, "user/message", "b"),
        (3, "user/message", "c"),
        (3, "unparsed", None),
        (3, "unparsed", None),
        (4, "tool/result", "ok"),
    ]
    assert ops(read)[-1][2] == [0]
    assert [row[:3] for row in report(read)] == [("glued_records", 1, 2), ("unparsed_line", 3, 2)]


def test_marks_line_ends_blank_lines_and_separators(tmp_path):
    text = "a\u2028b\u2029c\u0085d"
    said = json.dumps(json.loads(message("user", text)), ensure_ascii=False)
    read = log(tmp_path, b"\xef\xbb\xbf" + meta().encode() + b"\r\n", "", "  \t", said.encode() + b"\r\n", "\r")
    assert read.events.collect().select("line", "text").rows() == [(4, text)]
    assert sessions(read, "session_id") == [("t1",)]
    assert json.loads(read.events.collect()["payload"][0])["content"][0]["text"] == text
    assert report(read) == []


def test_halves_of_pairs_bad_bytes_and_nul(tmp_path):
    lines = [message("user", "a\ud800b"), message("user", "XX").encode().replace(b"XX", b"\xff") + b"\n"]
    read = log(tmp_path, meta("t\udc00"), *lines, message("user", "\x00"))
    assert read.events.collect()["text"].to_list() == ["a\ufffdb", "\ufffd", "\x00"]
    assert sessions(read, "session_id") == [("t\ufffd",)]
    assert [row[:3] for row in report(read)] == [("replaced_surrogates", 1, 2), ("invalid_utf8", 3, 1)]


@pytest.mark.parametrize("content", [b"", b"\n\r\n"])
def test_a_file_without_a_record_is_no_session(tmp_path, content):
    read = log(tmp_path, content)
    assert read.counts == {"sessions": 0, "events": 0, "relations": 0, "files": 1}
    assert report(read) == [("empty_file", None, 1, None)]


def test_a_header_alone_is_a_session(tmp_path):
    read = log(tmp_path, meta())
    assert read.counts == {"sessions": 1, "events": 0, "relations": 0, "files": 1}
    assert report(read) == []


def zstd(data):
    return pa.compress(data, codec="zstd", asbytes=True)


def test_packed_files(tmp_path):
    lines = [one.encode() + b"\n" for one in (meta(), call("c1"), message("user", "é"), output("c1"))]
    plain = log(tmp_path / "a", *lines)
    packings = {
        "one.jsonl.gz": gzip.compress(b"".join(lines)),
        "many.jsonl.gz": b"".join(map(gzip.compress, lines)),
        "one.jsonl.zst": zstd(b"".join(lines)),
        "many.jsonl.zstd": b"".join(map(zstd, lines)),
    }
    for name, data in packings.items():
        read = imported(write(tmp_path / "b" / name, data))
        assert read.events.drop("file").collect().equals(plain.events.drop("file").collect())
        assert report(read) == []


def test_cut_packed_data_give_what_there_is(tmp_path):
    lines = [one.encode() + b"\n" for one in (meta(), *(message("user", f"{n}" * 50) for n in range(500)))]
    whole = gzip.compress(b"".join(lines), 1)
    read = imported(write(tmp_path / "a.jsonl.gz", whole[: len(whole) // 2]))
    types = read.events.collect()["type"]
    assert types[0] == "user/message"
    assert types[-1] == "unparsed"
    assert 1 < len(types) < 500
    assert "corrupt_log" in read.report["kind"].to_list()
