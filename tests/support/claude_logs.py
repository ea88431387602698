"""Small Claude Code logs: records with defaults, written as files, and what an import made of them."""

import json
from typing import Any

from lineage_kit.importers.claude_code.importer import read_claude_code


def stamp(second):
    return f"2026-01-02T03:{second // 60:02}:{second % 60:02}.000Z"


class Log:
    """Records of one file; each is the child of the one before unless it says otherwise."""

    def __init__(self, session="s1", start=0, **fields):
        self.lines = []
        self.last = None
        self.second = start
        self.fields = {"sessionId": session, **fields}

    def record(self, type, uuid=None, **fields):
        record = {"type": type, **self.fields}
        if uuid is not None:
            record |= {"uuid": uuid, "parentUuid": self.last, "timestamp": stamp(self.second)}
            self.second += 1
            self.last = uuid
        record |= fields
        self.lines.append({name: value for name, value in record.items() if value is not ...})
        return self

    def user(self, uuid, content="hello", **fields):
        return self.record("user", uuid, message={"role": "user", "content": content}, **fields)

    def assistant(self, uuid, content="well", message=None, usage=None, **fields):
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        said = {"role": "assistant", "model": "m1", "content": blocks}
        if message is not None:
            said["id"] = message
        if usage is not None:
            said["usage"] = {"input_tokens": usage[0], "output_tokens": usage[1]}
        return self.record("assistant", uuid, message=said, **fields)

    def call(self, uuid, *ids, message=None, **fields):
        blocks = [{"type": "tool_use", "id": one, "name": "Bash", "input": {"command": "ls"}} for one in ids]
        return self.assistant(uuid, blocks, message, **fields)

    def result(self, uuid, *ids, content="done", is_error=None, **fields):
        blocks = [{"type": "tool_result", "tool_use_id": one, "content": content} for one in ids]
        if is_error is not None:
            blocks[0]["is_error"] = is_error
        return self.user(uuid, blocks, **fields)

    def boundary(self, uuid, **fields):
        logical = self.last
        return self.record(
            "system",
            uuid,
            subtype="compact_boundary",
            content="Conversation compacted",
            **{"parentUuid": None, "logicalParentUuid": logical, **fields},
        )

    def summary(self, uuid, content="in short", **fields):
        return self.user(uuid, content, isCompactSummary=True, isVisibleInTranscriptOnly=True, **fields)

    def again(self, *places):
        """The same records once more."""
        self.lines += [dict(self.lines[place]) for place in places]
        return self

    def bytes(self):
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)


def write(folder, **logs):
    """Write logs by the names of their files (`__` is a slash) and import the folder."""
    for name, log in logs.items():
        path = folder / f"{name.replace('__', '/')}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.bytes() if isinstance(log, Log) else log)
    return imported(folder)


def imported(path, **options):
    """Import, and check what must hold of every import."""
    got = read_claude_code(path, progress=False, **options)
    faults = got.corpus().check()
    assert faults.is_empty(), faults.rows()
    assert not got.report["kind"].is_duplicated().any() or got.report.select("file", "kind").is_unique().all()
    return got


def events(got, session="s1", *columns):
    """Columns of a session's events; a surface_op as null, `append` or the two ends of a replacement."""
    frame = got.events.filter(session_id=session).collect()
    assert frame["seq"].to_list() == list(range(frame.height))
    rows = frame.select(*columns).to_dicts()
    for row in rows:
        op = row.get("surface_op")
        if op is not None:
            row["surface_op"] = (op["start"], op["end"]) if op["op"] == "replace" else op["op"]
    return [tuple(row.values()) for row in rows]


def shape(got, session="s1"):
    """Of each event: its uuid, type, surface_op and citations."""
    return events(got, session, "record_id", "type", "surface_op", "source_event_seqs")


def surface(got, session="s1"):
    """The uuids that stand on a session's surface."""
    seqs = got.corpus().surface(session)["seq"].to_list()
    ids = [row[0] for row in events(got, session, "record_id")]
    return [ids[seq] for seq in seqs]


def links(got, *kinds):
    """The links of some kinds: source, kind, target, class, confidence."""
    frame = got.relations.collect()
    rows = frame.select("source_id", "relation_kind", "target_id", "edge_class", "confidence").rows()
    return [row for row in rows if row[1] in kinds]


def report(got):
    """The findings: file name, kind, line, count."""
    rows = got.report.select("file", "kind", "line", "count").rows()
    return sorted((file.rsplit("/", 1)[-1], *rest) for file, *rest in rows)


PLAIN = {"type": "user", "sessionId": "s", "message": {"content": "hello"}}


def plain_logs(folder, count=3):
    """Some files of forty prompts each."""
    for session in range(count):
        with (folder / f"s{session}.jsonl").open("w") as file:
            for number in range(40):
                record: dict[str, Any] = {
                    **PLAIN,
                    "uuid": f"{session}-{number}",
                    "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
                }
                record |= {"sessionId": f"s{session}", "parentUuid": f"{session}-{number - 1}" if number else None}
                file.write(json.dumps(record) + "\n")
    return folder


def sessions(got):
    return got.sessions.select("session_id", "parent_session", "origin").collect().rows()


def agent(session, name, *uuids, **fields):
    log = Log(session, agentId=name, isSidechain=True, **fields)
    for uuid in uuids:
        log.user(uuid, f"task {uuid}")
    return log


def spawn(log, uuid, call, name):
    """An agent's result in the log that started it."""
    log.call(f"c-{uuid}", call).result(uuid, call, toolUseResult={"agentId": name, "status": "completed"})
    return log
