"""Repeated records of Claude Code: what they say is looked at again, and only what they say counts."""

import gzip
import json

import pyarrow as pa
import pytest

from lineage_kit.importers.claude_code.importer import read_claude_code
from support.claude_logs import Log, events, report, shape, write

PACKED = {"plain": bytes, "gz": gzip.compress, "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True)}


def lines(*texts):
    """A record for each text, in turn with two uuids, and one of its own between them."""
    log = Log()
    for place, text in enumerate(texts):
        log.assistant("same", text).assistant(f"u{place}", "between")
    return log.bytes().splitlines()


def read(path, text):
    got = read_claude_code(path, text=text, progress=False)
    assert got.corpus().check().is_empty()
    return got


@pytest.mark.parametrize("text", ["keep", "drop"])
@pytest.mark.parametrize("packing", ["plain", "gz", "zst"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_what_a_repeated_record_says(tmp_path, text, packing, ending):
    pack = PACKED[packing]
    data = ending.join(lines("one", "two", "one", "žluť", "two", "žluť"))
    path = tmp_path / ("s1.jsonl" + ("" if packing == "plain" else f".{packing}"))
    path.write_bytes(pack(data))
    got = read(path, text)
    assert [row[0] for row in events(got, "s1", "line")] == [1, 2, 3, 4, 6, 7, 8, 10, 12]
    assert report(got) == [(path.name, "duplicate_record", 5, 3), (path.name, "reused_id", 3, 2)]


@pytest.mark.parametrize("text", ["keep", "drop"])
def test_repeated_records_that_only_patience_reads(tmp_path, text):
    """A byte order mark, two records on one line, bytes that are no UTF-8, NaN: the same, or not, as everywhere."""
    one, between, two, *rest = lines("one", "two", "one", "ab\xe9", "ab\xe9")
    assert json.loads(rest[1])["message"] == json.loads(one)["message"]
    odd = [b"\xef\xbb\xbf" + one, between, two + rest[1], *(line.replace(b"\\u00e9", b"\xe9") for line in rest[3::2])]
    odd.append(two.replace(b'"same"', b'"same", "x": NaN'))
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b"\n".join(odd) + b"\n")
    got = read(path, text)
    assert events(got, "s1", "line", "record_id") == [
        (1, "same"),
        (2, "u0"),
        (3, "same"),
        (4, "same"),
    ]
    assert [row for row in report(got) if row[1] in ("duplicate_record", "reused_id")] == [
        ("s1.jsonl", "duplicate_record", 3, 3),
        ("s1.jsonl", "reused_id", 3, 2),
    ]


@pytest.mark.parametrize("text", ["keep", "drop"])
def test_records_repeated_in_another_file(tmp_path, text):
    first, second = Log(), Log("s2")
    for log in (first, second):
        log.user("u1", "one").user("u2", "two" if log is first else "another")
    first.user("u3", "three")
    second.user("u4", "four")
    (tmp_path / "s1.jsonl").write_bytes(first.bytes())
    (tmp_path / "s2.jsonl.gz").write_bytes(gzip.compress(second.bytes()))
    got = read(tmp_path, text)
    assert events(got, "s1", "record_id") == [("u1",), ("u2",), ("u3",)]
    assert events(got, "s2", "record_id") == [("u2",), ("u4",)]


def test_keys_in_another_order_are_the_same_record(tmp_path):
    one = b'{"type": "user", "uuid": "u1", "message": {"role": "user", "content": "a"}}\n'
    two = b'{"uuid": "u1", "message": {"content": "a", "role": "user"}, "type": "user"}\n'
    got = write(tmp_path, s1=one + two)
    assert [row[0] for row in shape(got)] == ["u1"]
