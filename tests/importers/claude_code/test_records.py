"""Claude Code records one by one: types, texts, attachments."""

from support.claude_logs import Log, events, report, write

APPEND = "append"


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
