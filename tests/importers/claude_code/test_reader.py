"""One Claude Code file read: tokens, lines of every kind, packed files."""

import gzip
import json

import pyarrow as pa

from support.claude_logs import Log, events, imported, report, shape, write

APPEND = "append"


def test_all_that_went_in_is_counted(tmp_path):
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": True,
    }
    log = Log().assistant("a1", message="m1")
    log.lines[0]["message"]["usage"] = usage
    assert events(write(tmp_path, s1=log), "s1", "tokens_in", "tokens_out") == [(123, None)]


def test_lines(tmp_path):
    """Byte order marks, carriage returns, blank lines, U+2028, two records on a line, a line cut in the middle."""
    one, two, three, four = (json.dumps(line) for line in Log().user("u1").user("u2").user("u3").user("u4").lines)
    odd = '{"type": "user", "uuid": "u5", "message": {"content": "a\u2028b\x85c"}}'
    body = "\ufeff" + one + "\r\n\r\n\n" + two + three + "\n" + odd + '\nnull\n"massive"\n[1]\n' + four[:40]
    got = write(tmp_path, s1=body.encode())
    assert events(got, "s1", "record_id", "type", "line", "text") == [
        ("u1", "user/message", 1, "hello"),
        ("u2", "user/message", 4, "hello"),
        ("u3", "user/message", 4, "hello"),
        ("u5", "user/message", 5, "a\u2028b\x85c"),
        (None, "unparsed", 6, None),
        (None, "unparsed", 7, None),
        (None, "unparsed", 8, None),
        (None, "unparsed", 9, None),
    ]
    assert json.loads(events(got, "s1", "payload")[-1][0])["bytes"] == 40
    assert report(got) == [
        ("s1.jsonl", "glued_records", 4, 1),
        ("s1.jsonl", "missing_time", 5, 1),
        ("s1.jsonl", "torn_tail", 9, 1),
        ("s1.jsonl", "unparsed_line", 6, 3),
    ]


def test_surrogates_and_bytes_that_are_no_utf8(tmp_path):
    body = b'{"type": "user", "uuid": "u1", "message": {"content": "\\ud800 half"}}\n'
    body += b'{"type": "user", "uuid": "u2", "message": {"content": "\xff bad"}}\n'
    got = write(tmp_path, s1=body)
    assert events(got, "s1", "record_id", "text") == [("u1", "\ufffd half"), ("u2", "\ufffd bad")]
    kinds = [(kind, line) for _, kind, line, _ in report(got)]
    assert kinds == [("invalid_utf8", 2), ("missing_time", 1), ("replaced_surrogates", 1)]


def test_packed_files(tmp_path):
    """One gzip file of two members, one zstd file of two frames."""
    first, second = Log("g").user("u1"), Log("g").user("u2", parentUuid="u1")
    (tmp_path / "g.jsonl.gz").write_bytes(gzip.compress(first.bytes()) + gzip.compress(second.bytes()))
    codec = pa.Codec("zstd")
    frames = [codec.compress(Log("z").user(f"z{place}").bytes(), asbytes=True) for place in range(2)]
    (tmp_path / "z.jsonl.zst").write_bytes(b"".join(frames))
    got = imported(tmp_path)
    assert shape(got, "g") == [("u1", "user/message", APPEND, None), ("u2", "user/message", APPEND, None)]
    assert [row[0] for row in shape(got, "z")] == ["z0", "z1"]
    assert report(got) == []
