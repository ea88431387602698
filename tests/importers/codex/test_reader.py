"""Codex rollouts as files: damage of every kind, packings, folders, large ones."""

import gzip
import json
import os
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import lineage_kit
from lineage_kit.importers.codex.importer import Codex, read_codex
from lineage_kit.importers.pipeline import batches, staging
from lineage_kit.importers.run import read_logs
from support.codex_logs import (
    UUID,
    back,
    call,
    compacted,
    imported,
    line,
    log,
    message,
    meta,
    ops,
    output,
    report,
    sessions,
    started,
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


def test_the_folders_of_codex(tmp_path):
    name = f"rollout-2025-09-01T12-00-00-{UUID}.jsonl"
    write(tmp_path / "sessions/2025/09/01" / name, meta(UUID), message("user", "a"))
    write(tmp_path / "sessions/2025/08/31/rollout-old.jsonl", '{"id": "old", "timestamp": "2025-08-31T00:00:00Z"}')
    write(tmp_path / "history.jsonl", '{"session_id": "old", "ts": 1, "text": "hello"}')
    write(tmp_path / "session_index.jsonl", '{"id": "old", "thread_name": "x"}')
    write(tmp_path / "config.toml", "x")
    read = imported(tmp_path)
    assert sessions(read, "session_id", "file") == [
        (UUID, f"sessions/2025/09/01/{name}"),
        ("old", "sessions/2025/08/31/rollout-old.jsonl"),
    ]
    assert read.report.select("file", "kind", "example").rows() == [
        ("history.jsonl", "side_file", "history"),
        ("session_index.jsonl", "side_file", "session_index"),
        ("sessions/2025/08/31/rollout-old.jsonl", "legacy_shape", "the flat form"),
    ]


def long_log():
    lines = [meta(cwd="/x")]
    for turn in range(60):
        lines += [started(turn), message("user", f"turn {turn} " + "x" * 200, turn), call(f"c{turn}", turn)]
        if turn % 7 == 6:
            lines.append(compacted("s" * 3000, turn, replacement_history=[{"n": turn}] * 50))
        lines.append(output(f"c{turn}", turn))
        if turn % 5 == 4:
            lines.append(back(2, turn))
    return lines


def test_a_large_import_gives_the_same_tables(tmp_path, monkeypatch):
    write(tmp_path / "p.jsonl", *long_log())
    write(tmp_path / "q.jsonl", meta("q", forked_from_id="t1"), *long_log()[1:100], message("user", "own"))
    write(tmp_path / "r.jsonl", meta("r", parent_thread_id="t1"), *long_log()[1:50], message("user", "own"))
    small = imported(tmp_path)
    monkeypatch.setattr(staging, "ROWS", 40)
    monkeypatch.setattr(staging, "BYTES", 5000)
    monkeypatch.setattr(staging.StagedRows.__init__, "__kwdefaults__", {"milliseconds": False, "keep": 10_000})
    monkeypatch.setattr(batches, "ROWS", 30)
    large = imported(tmp_path)
    assert large.folder is not None
    for name in ("sessions", "events", "relations"):
        assert getattr(large, name).collect().equals(getattr(small, name).collect())
    assert large.report.equals(small.report)
    assert sessions(small, "session_id", "title")[:2] == [("q", "own"), ("r", "own")]
    large.close()


def test_what_is_written_opens(tmp_path):
    write(tmp_path / "in/p.jsonl", *long_log())
    read = imported(tmp_path / "in")
    folder = read.write_parquet(tmp_path / "out")
    corpus = lineage_kit.SessionCorpus.open(folder)
    assert corpus.event_traces().equals(read.corpus().event_traces())
    assert corpus.check().height == 0
    store = lineage_kit.RelationStore.open([folder / "relations.parquet", corpus.relations()])
    at = next(seq for seq, (type, _, _) in enumerate(ops(read)) if type == "tool/result")
    trace = store.trace_lineage("event", f"t1#{at}")
    assert ("event", f"t1#{at - 1}") in trace.nodes.select("type", "id").rows()


def test_sessions_since(tmp_path):
    write(tmp_path / "a.jsonl", meta("a"), message("user", "x", 10), message("user", "x", 5))
    write(tmp_path / "b.jsonl", meta("b"), message("user", "x", 20))
    odd = message("user", "x").replace("2025-09-01T12:00:00.000Z", "2025-09-01T14:00:15+02:00")
    write(tmp_path / "c.jsonl", meta("c"), odd)
    write(tmp_path / "d.jsonl", meta("d"), line("event_msg", {}).replace("2025-09-01T12:00:00.000Z", "yesterday"))
    write(tmp_path / "e.jsonl", meta("e", forked_from_id="b"), message("user", "x", 20), message("user", "y", 3))
    for second, expected in ((10, "abcd"), (11, "bcd"), (16, "bd"), (21, "d")):
        since = datetime(2025, 9, 1, 12, 0, second, tzinfo=UTC)
        read = read_logs(Codex, tmp_path, progress=False, since=since)
        assert [row[0] for row in sessions(read, "session_id")] == list(expected)


def test_options_are_checked(tmp_path):
    with pytest.raises(lineage_kit.errors.InvalidRequest, match="text must be"):
        read_codex(write(tmp_path / "a.jsonl", meta()), text="some")
    with pytest.raises(lineage_kit.errors.InvalidRequest, match="no such file"):
        read_codex(tmp_path / "gone")


def test_a_folder_that_has_no_log(tmp_path):
    assert imported(tmp_path).counts == {"sessions": 0, "events": 0, "relations": 0, "files": 0}


def test_a_file_name_that_is_no_text(tmp_path):
    try:
        write(tmp_path / os.fsdecode(b"caf\xe9.jsonl"), message("user", "a"))
        write(tmp_path / os.fsdecode(b"b\xff") / os.fsdecode(b"caf\xe9.jsonl"), message("user", "b"))
    except OSError:
        pytest.skip("this file system takes only names that are text")
    read = imported(tmp_path)
    assert sessions(read, "session_id", "file") == [
        ("caf\ufffd", "b\ufffd/caf\ufffd.jsonl"),
        ("caf\ufffd@caf\ufffd", "caf\ufffd.jsonl"),
    ]


def test_copies_that_are_not_quite_the_same_are_kept(tmp_path):
    numbered = message("user", "first", 2, ordinal=5)
    write(tmp_path / "a.jsonl", meta("t"), message("user", "first", 2))
    write(tmp_path / "b.jsonl", meta("t"), numbered)
    write(tmp_path / "c.jsonl", meta("t"), numbered, b"{torn")
    write(tmp_path / "d.jsonl", meta("t"), numbered, b"{cut.")
    write(tmp_path / "e.jsonl", meta("t", cwd="/x"), numbered)
    read = imported(tmp_path)
    assert sessions(read, "session_id") == [("t",), ("t@b",), ("t@c",), ("t@d",), ("t@e",)]
    assert read.counts["events"] == 7
