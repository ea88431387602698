"""Small Codex rollouts, written line by line, and the tables made of them as plain rows."""

import json

from lineage_kit.importers.codex.importer import read_codex

UUID = "0199a213-81c0-7800-8aa1-bbab2a035a53"


def at(second):
    """A time of a rollout."""
    return f"2025-09-01T12:{second // 60:02}:{second % 60:02}.000Z"


def line(type, payload, second=0, **more):
    """A line of the new form."""
    return json.dumps({"timestamp": at(second), **more, "type": type, "payload": payload})


def meta(id="t1", second=0, **more):
    return line("session_meta", {"id": id, "timestamp": at(second), **more}, second)


def item(type, second=0, ordinal=None, **fields):
    more = {} if ordinal is None else {"ordinal": ordinal}
    return line("response_item", {"type": type, **fields}, second, **more)


def message(role, text, second=0, **more):
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", second, role=role, content=[{"type": kind, "text": text}], **more)


def call(id, second=0, name="shell", **more):
    return item("function_call", second, name=name, arguments="{}", call_id=id, **more)


def output(id, second=0, output="ok", **more):
    return item("function_call_output", second, call_id=id, output=output, **more)


def event(type, second=0, **fields):
    return line("event_msg", {"type": type, **fields}, second)


def started(second=0):
    return event("task_started", second, turn_id=str(second))


def compacted(text="summary", second=0, **more):
    return line("compacted", {"message": text, **more}, second)


def back(turns, second=0):
    return event("thread_rolled_back", second, num_turns=turns)


def write(path, *lines):
    """A file of lines; those given as bytes stand as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(one if isinstance(one, bytes) else one.encode() + b"\n" for one in lines))
    return path


def imported(path, **options):
    """What a path holds; the sessions must be sound."""
    read = read_codex(path, progress=False, **options)
    assert read.corpus().check().rows() == []
    return read


def log(tmp_path, *lines, **options):
    """What these lines are as one rollout."""
    return imported(write(tmp_path / "rollout-t1.jsonl", *lines), **options)


def ops(read, session_id="t1"):
    """By event: type, surface_op (None, `append`, or the replaced range), citations."""
    rows = read.events.filter(session_id=session_id).collect().select("type", "surface_op", "source_event_seqs").rows()
    return [(type, _op(op), cited) for type, op, cited in rows]


def _op(op):
    if op is None or op["op"] == "append":
        return op and "append"
    return op["start"], op["end"]


def links(read):
    """The stated relations: source, kind, target, class, confidence."""
    columns = ("source_id", "relation_kind", "target_id", "edge_class", "confidence")
    return read.relations.select(columns).collect().rows()


def report(read, *without):
    """Kind, line, count and example of every finding, sorted by file and line."""
    return read.report.filter(~read.report["kind"].is_in(without)).select("kind", "line", "count", "example").rows()


def sessions(read, *columns):
    return read.sessions.select(columns).collect().rows()


FLAT = (
    json.dumps({"id": "f1", "timestamp": at(0), "instructions": None, "git": {}}),
    '{"record_type":"state"}',
    json.dumps({"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}),
    '{"record_type":"state"}',
    json.dumps({"type": "reasoning", "id": "rs_1", "summary": []}),
    json.dumps({"type": "function_call", "id": "fc_1", "name": "shell", "arguments": "{}", "call_id": "c1"}),
    json.dumps({"type": "function_call_output", "call_id": "c1", "output": "ok"}),
)
