"""Small dsh logs for tests: records with the seq and time they would have, written as files."""

import json

import polars as pl
import pyarrow as pa

from lineage_kit.importers.dsh.importer import read_dsh

BEGAN = 1_783_352_050_000
MEMBERS = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
OLD = {"version": 0, "delegationDepth": 0}


def header(**more):
    """The first line; a value of None leaves its key out."""
    whole = {"type": "session", "version": 0, "id": "s1", "createdAt": BEGAN, "cwd": "/w", "delegationDepth": 0, **more}
    return {key: value for key, value in whole.items() if value is not None}


def event(type, data=None, **more):
    return {"type": type, "data": {"turn": 1} if data is None else data, **more}


def user(text="hi", **more):
    return (
        event("user/message", {"content": [{"type": "text", "text": text}], "id": f"u-{text}"}, surfaceOp="append")
        | more
    )


def answer(text="ok", cites=None, **more):
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "id": f"a-{text}"}
    cited = {} if cites is None else {"sourceEventSeqs": cites}
    return event("assistant/message", {"turn": 1, "message": message}, surfaceOp="append") | cited | more


def call(id="c1", name="bash"):
    return event("tool/call", {"callId": id, "name": name, "arguments": "{}"})


def result(id="c1", text="done", cites=None, error=None, **more):
    block = {"type": "tool-result", "toolCallId": id, "content": [{"type": "text", "text": text}]}
    block |= {} if error is None else {"isError": error}
    message = {"source": {"kind": "tool", "callId": id}, "content": [block], "role": "user", "id": f"r-{id}"}
    cited = {} if cites is None else {"sourceEventSeqs": cites}
    return event("tool/result", {"message": message}, surfaceOp="append") | cited | more


def packed(members, tag="text-chunks", gaps=None, **more):
    data = {"turn": 1, "step": 2, "index": 0, "dt": [1] * (len(members) - 1) if gaps is None else gaps}
    data |= {"id": "c1"} if tag == "tool-call-chunks" else {}
    return {"type": tag, "data": data | {MEMBERS[tag]: members} | more}


def chunk(text):
    return event("assistant/chunk", {"turn": 1, "step": 2, "chunk": {"type": "text-delta", "index": 0, "text": text}})


def replace(first, last):
    return {"op": "replace", "start": first, "end": last}


TURN_END = event("turn/end", {"turn": 1, "reason": {"kind": "completed"}})


def numbered(*records):
    """The records with the seq and time that dsh would write; those that have their own keep them."""
    seq, whole = 0, []
    for record in records:
        rest = {key: value for key, value in record.items() if key != "type"}
        if record["type"] in MEMBERS:
            whole.append({"type": record["type"], "seq0": seq, "time0": BEGAN + seq, **rest})
            seq += len(record["data"][MEMBERS[record["type"]]])
        else:
            whole.append({"type": record["type"], "seq": seq, "time": BEGAN + seq, **rest})
            seq += 1
    return whole


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def log(*records, head=None):
    """The bytes of a log."""
    return b"".join(map(line, [header() if head is None else head, *numbered(*records)]))


def imported(path, *records, head=None, **options):
    """A log written to `path` and read."""
    path.write_bytes(log(*records, head=head))
    return read(path, **options)


def read(path, **options):
    return read_dsh(path, progress=False, **options)


def rows(imported, *columns):
    return imported.events.select(*columns).collect().rows()


def told(imported, *columns):
    """The report without the times that logs without times lack."""
    columns = columns or ("kind", "line", "count")
    return imported.report.filter(pl.col("kind") != "missing_time").select(columns).rows()


def links(imported):
    names = ("source_id", "relation_kind", "target_type", "target_id", "edge_class", "confidence")
    return imported.relations.select(names).collect().rows()


MARKS = ("seq", "type", "surface_op", "source_event_seqs")


APPEND = {"op": "append", "start": None, "end": None}


def replaces(start, end):
    return {"op": "replace", "start": start, "end": end}


def frames(*parts):
    """Each part as a zstd frame of its own, as dsh appends them."""
    return b"".join(pa.compress(part, codec="zstd", asbytes=True) for part in parts)


def sessions(got, *columns):
    return got.sessions.select(columns or "session_id").collect().rows()
