"""Codex's folders imported: which files are read, large ones, sessions since a time, texts left out, live."""

import os
from datetime import UTC, datetime

import pytest

import lineage_kit
from lineage_kit.importers.codex.importer import Codex, read_codex
from lineage_kit.importers.pipeline import batches, staging
from lineage_kit.importers.run import read_logs
from support.codex_logs import (
    FLAT,
    UUID,
    back,
    call,
    compacted,
    event,
    imported,
    line,
    log,
    message,
    meta,
    ops,
    output,
    sessions,
    started,
    write,
)


def test_text_can_be_left_out(tmp_path):
    lines = [meta(cwd="/x"), message("user", "fix"), call("c1"), output("c1", output={"success": False}), *FLAT[2:]]
    lines += [event("thread_rolled_back", num_turns=1), line("compacted", {"message": "s"}), b"{torn"]
    full, bare = log(tmp_path, *lines), log(tmp_path, *lines, text="drop")
    events = bare.events.collect()
    assert events.drop("payload", "text").equals(full.events.drop("payload", "text").collect())
    assert events["text"].null_count() == events.height
    told = events.filter(events["payload"].is_not_null())
    assert told.select("type", "payload").rows() == [
        ("unparsed", full.events.collect()["payload"][-1]),
    ]
    assert bare.sessions.drop("title").collect().equals(full.sessions.drop("title").collect())
    assert (sessions(full, "title"), sessions(bare, "title")) == ([("fix",)], [(None,)])
    assert bare.report.equals(full.report)


def test_a_live_source(tmp_path):
    path = write(tmp_path / "r.jsonl", meta(), message("user", "a", 1), b'{"type": "response_item", "payl')
    corpus = lineage_kit.SessionCorpus(live=lineage_kit.JsonlSessions(path, format="codex"))
    assert corpus.surface("t1")["text"].to_list() == ["a"]
    with path.open("ab") as growing:
        growing.write(b'oad": {"type": "message", "role": "assistant", "content": "b"}}\n')
    assert corpus.surface("t1")["text"].to_list() == ["a", "b"]
    assert corpus.check().height == 0


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
