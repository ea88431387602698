"""The conformance cases of the sessions half, and results of the package in the words of those files."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
HEADER = {
    "session_id": "id",
    "parent_session": "parentSession",
    "created_at": "createdAt",
    "version": "version",
    "cwd": "cwd",
    "origin": "origin",
    "title": "title",
    "seed_length": "seedLength",
    "delegation_depth": "delegationDepth",
}


def load_cases(name):
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def moment(ms):
    """Epoch milliseconds as a time; None stays None."""
    return None if ms is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def header_columns(raw):
    """What the columns of the sessions table hold for a raw header."""
    columns = {name: raw.get(key) for name, key in HEADER.items()}
    columns["created_at"] = moment(columns["created_at"])
    if columns["version"] is not None:
        columns["version"] = str(columns["version"])
    return columns


def columns_of(header):
    """The same of a `SessionHeader` or `SessionRecord`."""
    return {name: getattr(header, name) for name in HEADER}


def record_of(record):
    """A `SessionRecord` as its columns and flags."""
    return columns_of(record) | {"live": record.live, "persisted": record.persisted}


def raw_record(entry):
    """A record of the files, {header, live, persisted}, in the same words."""
    return header_columns(entry["header"]) | {"live": entry["live"], "persisted": entry["persisted"]}


def event_row(session_id, event):
    """What the events table holds for one valid raw event; its data still an object."""
    op = event.get("surfaceOp")
    return {
        "session_id": session_id,
        "seq": event["seq"],
        "time": moment(event.get("time")),
        "type": event.get("type"),
        "surface_op": {"op": "append", "start": None, "end": None} if op == "append" else op,
        "source_event_seqs": event.get("sourceEventSeqs"),
        "payload": event.get("data"),
    }


def event_rows(frame):
    """The rows of `corpus.events` or `corpus.surface`, in the same words."""
    columns = ["session_id", "seq", "time", "type", "surface_op", "source_event_seqs", "payload"]
    rows = frame.select(columns).to_dicts()
    for row in rows:
        row["payload"] = None if row["payload"] is None else json.loads(row["payload"])
    return rows


def exact(value):
    """JSON text, in which true is not 1: what two equal raw events share."""
    return json.dumps(value, sort_keys=True)


TRACE = ("replaced_by", "replacement_chain", "replaced_event_seqs", "source_event_seqs", "derived_event_seqs")


def plain_trace(trace):
    """A `SessionEventTrace` with the keys of event_trace.jsonl."""
    plain = {name: getattr(trace, name) for name in TRACE}
    for name in TRACE[1:]:
        plain[name] = list(plain[name])
    return plain | {"surface": trace.target.surface}


def plain_tree(node):
    """A `SessionNode` and everything below it as nested pairs."""
    return record_of(node.session), [plain_tree(child) for child in node.descendants]


def raw_tree(entry):
    return raw_record(entry["session"]), [raw_tree(child) for child in entry["descendants"]]
