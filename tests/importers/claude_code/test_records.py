"""Claude Code records one by one: types, texts, tokens, tools, attachments, titles, what cannot be read."""

import gzip
import json
import subprocess
import sys

import polars as pl
import pyarrow as pa
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


def test_texts_of_blocks(tmp_path):
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "see"},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "ä"}},
        {"type": "tool_use", "id": "t2", "name": "Now"},
        {"type": "redacted_thinking", "data": "x"},
        "loose",
        7,
    ]
    parts = [{"type": "text", "text": "line one"}, {"type": "image", "source": {"data": "AA"}}]
    log = Log().assistant("a1", blocks).result("r1", "t1", content=parts, is_error=True)
    log.user("u1", [{"type": "image", "source": {}}, {"type": "text", "text": "what is this?"}])
    log.assistant("a2", "overloaded", isApiErrorMessage=True)
    got = write(tmp_path, s1=log)
    assert events(got, "s1", "text", "is_error", "tool_name", "tool_call_id") == [
        ('hm\nsee\nRead {"path": "\\u00e4"}\nNow\nloose', None, "Read", "t1"),
        ("line one\n[image]", True, None, "t1"),
        ("[image]\nwhat is this?", None, None, None),
        ("overloaded", True, None, None),
    ]
    assert report(got) == [("s1.jsonl", "open_call", 1, 1)]


def test_types_are_an_open_set(tmp_path):
    log = Log().user("u1").record("queue-operation", operation="enqueue", timestamp="2026-01-02T03:00:01Z")
    log.record("hologram", "h1").record("system", "y1", subtype="turn_duration").record("user/message", "x1")
    log.record(..., "x2").record(7, "x3").record("user", "n1").record("assistant", "n2", message=None)
    log.record("user", "n3", message="a text")
    got = write(tmp_path, s1=log)
    rows = events(got, "s1", "record_id", "type", "raw_type", "surface_op")
    assert rows == [
        ("u1", "user/message", "user", APPEND),
        (None, "queue-operation", "queue-operation", None),
        ("h1", "hologram", "hologram", None),
        ("y1", "system", "system:turn_duration", None),
        ("x1", None, "user/message", None),
        ("x2", None, None, None),
        ("x3", None, None, None),
        ("n1", "user", "user", None),
        ("n2", "assistant", "assistant", None),
        ("n3", "user", "user", None),
    ]
    assert report(got) == [("s1.jsonl", "no_message", 8, 3), ("s1.jsonl", "unknown_type", 3, 4)]


def test_attachments(tmp_path):
    log = Log().user("u1")
    kinds = [
        {"type": "nested_memory", "content": {"content": "be brief"}},
        {"type": "file", "filename": "a.py", "content": {"type": "text", "file": {"content": "x = 1"}}},
        {"type": "hook_success", "content": "ok"},
        {"type": "queued_command", "prompt": "next"},
        {"type": "agent_progress"},
        {"type": "hologram", "content": "?"},
        "none",
    ]
    for place, attachment in enumerate(kinds):
        log.record("attachment", f"t{place}", attachment=attachment)
    got = write(tmp_path, s1=log)
    assert events(got, "s1", "type", "surface_op", "text", "raw_type")[1:] == [
        ("user/message", APPEND, "be brief", "attachment"),
        ("user/message", APPEND, "x = 1", "attachment"),
        ("attachment", None, "ok", "attachment"),
        ("attachment", None, "next", "attachment"),
        ("attachment", None, None, "attachment"),
        ("attachment", None, "?", "attachment"),
        ("attachment", None, "none", "attachment"),
    ]
    assert report(got) == [("s1.jsonl", "unknown_attachment", 7, 2)]


def test_a_message_in_several_records(tmp_path):
    """Each block cites the one before; what the answer cost is told once, where it is final."""
    log = Log().user("u1").assistant("a1", "first", "m1", (10, 1), requestId="q1")
    log.call("a2", "t1", message="m1", requestId="q1").result("r1", "t1")
    log.assistant("a3", "last", "m1", (10, 9), requestId="q1").assistant("a4", "other", "m2", (20, 5), requestId="q2")
    log.assistant("a5", "more", "m2", (21, 6))
    got = write(tmp_path, s1=log)
    assert events(got, "s1", "record_id", "source_event_seqs", "tokens_in", "tokens_out") == [
        ("u1", None, None, None),
        ("a1", None, None, None),
        ("a2", [1], None, None),
        ("r1", [2], None, None),
        ("a3", [2], 10, 9),
        ("a4", None, 20, 5),
        ("a5", [5], 21, 6),  # without a requestId it is another answer
    ]
    assert report(got) == []


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


def test_parallel_calls_answered_out_of_order(tmp_path):
    log = Log().user("u1").call("a1", "t1", message="m1").call("a2", "t2", message="m1").call("a3", "t3", "t4")
    log.result("r2", "t2", parentUuid="a2").result("r1", "t1", parentUuid="a1").result("r4", "t4", "t3", "t4")
    got = write(tmp_path, s1=log)
    assert shape(got)[4:] == [
        ("r2", "tool/result", APPEND, [2]),
        ("r1", "tool/result", APPEND, [1]),
        ("r4", "tool/result", APPEND, [3]),
    ]
    assert ("s1#5", "child_of", "s1#1", "asserted", 1.0) in links(got, "child_of")
    assert report(got) == []


def test_results_without_their_calls(tmp_path):
    """One whose call was never written, one that comes before its call, one without an id; and a call without one."""
    log = Log().user("u1").result("r1", "t9").result("r2", "t1").call("a1", "t1").call("a2", "t2").result("r3", 7)
    got = write(tmp_path, s1=log)
    assert [cited for *_, cited in shape(got)] == [None] * 6
    assert links(got, "refers_to") == [
        ("s1#1", "refers_to", "t9", "observed", 0.0),
        ("s1#2", "refers_to", "s1#3", "observed", 1.0),
    ]
    assert report(got) == [
        ("s1.jsonl", "late_citation", 3, 1),
        ("s1.jsonl", "open_call", 5, 1),
        ("s1.jsonl", "orphan_result", 2, 2),
    ]
    examples = dict(got.report.select("kind", "example").rows())
    assert (examples["open_call"], examples["orphan_result"]) == ("t2", "t9")


def test_links_of_other_records(tmp_path):
    """Never citations: they lead anywhere, forward too, and a snapshot names the record that comes next."""
    log = Log().call("a1", "t1").record("progress", "p1", parentToolUseID="t1")
    log.record("progress", "p2", parentToolUseID="gone").record("file-history-snapshot", messageId="u1")
    log.user("u1", parentUuid="a1").record("last-prompt", leafUuid="u1", lastPrompt="hello")
    log.record("summary", leafUuid="elsewhere", summary="Another one").result("r1", "t1")
    got = write(tmp_path, s1=log)
    assert links(got, "refers_to") == [
        ("s1#1", "refers_to", "s1#0", "observed", 1.0),
        ("s1#2", "refers_to", "gone", "observed", 0.0),
        ("s1#3", "refers_to", "s1#4", "asserted", 1.0),
        ("s1#5", "refers_to", "s1#4", "asserted", 1.0),
        ("s1#6", "refers_to", "elsewhere", "asserted", 0.0),
    ]
    assert events(got, "s1", "text")[5:7] == [("hello",), ("Another one",)]


def test_parents(tmp_path):
    """A forward parent, one that was never written, and rings; history goes on whatever they are."""
    log = Log().user("u1", parentUuid="u2").user("u2", parentUuid="ghost", isMeta=True).assistant("a1")
    log.user("c1", parentUuid="c3", isMeta=True).user("c2", isMeta=True).user("c3", isMeta=True)
    log.user("self", parentUuid="self").user("u3", parentUuid=7)
    got = write(tmp_path, s1=log)
    assert links(got, "child_of") == [
        ("s1#0", "child_of", "s1#1", "asserted", 1.0),
        ("s1#1", "child_of", "ghost", "asserted", 0.0),
        ("s1#2", "child_of", "s1#1", "asserted", 1.0),
        ("s1#3", "child_of", "s1#5", "asserted", 1.0),
        ("s1#4", "child_of", "s1#3", "asserted", 1.0),
        ("s1#5", "child_of", "s1#4", "asserted", 1.0),
        ("s1#6", "child_of", "s1#6", "asserted", 1.0),
    ]
    assert [op for *_, op, _ in shape(got)] == [APPEND] * 8
    assert report(got) == [("s1.jsonl", "broken_parent", 2, 1), ("s1.jsonl", "parent_cycle", 4, 2)]
    assert got.report.filter(kind="broken_parent")["example"].to_list() == ["ghost"]


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


def test_one_text_as_the_id_of_a_record_and_of_a_call(tmp_path):
    """They are ids of different things: neither resolves to the other."""
    log = Log().user("u1", parentUuid="t1").call("a1", "t1", "u1").result("r1", "t1")
    got = write(tmp_path, s1=log)
    assert links(got, "child_of")[0] == ("s1#0", "child_of", "t1", "asserted", 0.0)
    assert report(got) == [("s1.jsonl", "broken_parent", 1, 1), ("s1.jsonl", "open_call", 2, 1)]
    assert got.report["example"].to_list() == ["t1", "u1"]
