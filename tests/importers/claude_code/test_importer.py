"""Claude Code's logs imported: a plain session, titles, texts left out, side files, the same in every process."""

import subprocess
import sys

import polars as pl
import pytest

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.claude_code.importer import read_claude_code
from support.claude_logs import Log, events, imported, links, report, shape, write

APPEND = "append"


def test_a_plain_session(tmp_path):
    log = Log(cwd="/home/dev", version="2.1.0").user("u1", "list\n the files").call("a1", "t1", message="m1")
    log.result("r1", "t1", content="a.py", is_error=False).assistant("a2", "one file")
    got = write(tmp_path, s1=log)
    assert shape(got) == [
        ("u1", "user/message", APPEND, None),
        ("a1", "assistant/message", APPEND, None),
        ("r1", "tool/result", APPEND, [1]),
        ("a2", "assistant/message", APPEND, None),
    ]
    assert links(got, "child_of") == [
        ("s1#1", "child_of", "s1#0", "asserted", 1.0),
        ("s1#2", "child_of", "s1#1", "asserted", 1.0),
        ("s1#3", "child_of", "s1#2", "asserted", 1.0),
    ]
    session = got.sessions.collect().row(0, named=True)
    assert (session["session_id"], session["parent_session"], session["origin"]) == ("s1", None, "claude-code")
    assert (session["title"], session["cwd"], session["version"]) == ("list the files", "/home/dev", "2.1.0")
    assert session["created_at"].isoformat() == "2026-01-02T03:00:00+00:00"
    assert session["file"] == "s1.jsonl"
    assert events(got, "s1", "text", "is_error", "tool_name", "tool_call_id", "model", "line", "raw_type") == [
        ("list\n the files", None, None, None, None, 1, "user"),
        ('Bash {"command": "ls"}', None, "Bash", "t1", "m1", 2, "assistant"),
        ("a.py", False, None, "t1", None, 3, "user"),
        ("one file", None, None, None, "m1", 4, "assistant"),
    ]
    lines = log.bytes().splitlines()
    assert [row[0] for row in events(got, "s1", "payload")] == [line.decode() for line in lines]
    assert [row[0] for row in events(got, "s1", "byte_offset")] == [
        sum(len(line) + 1 for line in lines[:place]) for place in range(4)
    ]
    assert report(got) == []


def test_titles(tmp_path):
    one = Log("s1").user("u1", "first prompt").record("custom-title", customTitle="given").user("u2", isMeta=True)
    one.record("ai-title", aiTitle="made up").record("custom-title", customTitle="given again")
    two = Log("s2").user("v0", "a rule", isMeta=True).user("v1", "x" * 300)
    three = (
        Log("s3").record("summary", summary="of s1", leafUuid="u2").record("summary", summary="of s4", leafUuid="w1")
    )
    four = Log("s4").user("w1", "prompt")
    got = write(tmp_path, s1=one, s2=two, s3=three, s4=four)
    assert got.sessions.select("session_id", "title").collect().rows() == [
        ("s1", "given again"),
        ("s2", "x" * 200),
        ("s3", None),
        ("s4", "of s4"),
    ]


def test_text_dropped(tmp_path):
    log = Log().user("u1").call("a1", "t1", message="m1").result("r1", "t1", is_error=True).boundary("b1").user("u2")
    log.record("attachment", "x1", attachment={"type": "file", "content": "secret"})
    (tmp_path / "s1.jsonl").write_bytes(log.bytes())
    got, kept = imported(tmp_path, text="drop"), imported(tmp_path)
    assert got.events.collect().drop("payload", "text").equals(kept.events.collect().drop("payload", "text"))
    assert got.events.select(pl.col("payload", "text").is_null().all()).collect().row(0) == (True, True)
    assert got.sessions.collect()["title"].to_list() == [None]
    assert got.relations.collect().equals(kept.relations.collect())
    assert got.report.equals(kept.report)


def test_side_files_and_empty_ones(tmp_path):
    folder = tmp_path / "s1" / "subagents" / "workflows" / "wf_1"
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_text('{"type": "started"}\n')
    (folder / "agent-x.meta.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not read")
    got = write(tmp_path, s1=Log().user("u1"), s2=b"", s3=b"\n\n")
    assert got.sessions.collect()["session_id"].to_list() == ["s1"]
    assert report(got) == [
        ("agent-x.meta.json", "side_file", None, 1),
        ("journal.jsonl", "side_file", None, 1),
        ("s2.jsonl", "empty_file", None, 1),
        ("s3.jsonl", "empty_file", None, 1),
    ]


def test_what_cannot_be_asked(tmp_path):
    with pytest.raises(InvalidRequest, match="no such file"):
        read_claude_code(tmp_path / "none.jsonl")
    with pytest.raises(InvalidRequest, match="text must be"):
        read_claude_code(tmp_path, text="some")
    assert read_claude_code(tmp_path).sessions.collect().is_empty()


def test_the_same_answer_in_every_process(tmp_path):
    """Ids are held as hashes, whose key every process chooses anew; nothing of that shows."""
    log = Log().user("u1").call("a1", "t1", "t2", message="m1").result("r1", "t2", "t1").user("u2", parentUuid="u1")
    log.assistant("a2", usage=(1, 2), message="m2").assistant("a3", usage=(1, 2), message="m2").again(0, 2)
    (tmp_path / "s1.jsonl").write_bytes(log.bytes())
    code = (
        "import sys; from lineage_kit.importers.claude_code import read_claude_code as read; got = read(sys.argv[1]);"
        "print(got.events.collect().rows(), got.relations.collect().rows(), got.report.rows())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert b"u1" in runs[0]
