"""Raw event records, checked exactly (rule S8): JSON types, extra and missing keys, markers that are null.

Converting a record never raises. What cannot be represented in the events table becomes a fault of that record; a
trace of the log reports it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from lineage_kit.json_values import LARGEST, clean, column_integer, integral
from lineage_kit.schema import EVENTS
from lineage_kit.sessions.fold.faults import Fault
from lineage_kit.sessions.header import from_ms, to_ms
from lineage_kit.wording import shown

LOGGED = EVENTS.without("session_id")
"""The columns of the events of one log."""
KEYS = ("seq", "time", "type", "data", "surfaceOp", "sourceEventSeqs")


class Row(NamedTuple):
    """One event as a row of the events table, with what is wrong with its record."""

    values: dict[str, Any]
    faults: list[Fault]


def row_of(record: Any, position: int) -> Row:
    """A record as a row; what does not fit is left out of the row and becomes a fault."""
    faults: list[Fault] = []
    if not isinstance(record, Mapping):
        wrong = Fault(position, None, "an event is an object", shown(record), "an object with seq, type, …")
        return Row(dict.fromkeys(LOGGED.names), [wrong])
    seq = integral(record.get("seq"))

    def fault(rule: str, found: Any, expected: str) -> None:
        faults.append(Fault(position, seq, rule, shown(found), expected))

    if seq != position:
        fault("seq equals its position in the log", record.get("seq"), str(position))
    type = record.get("type")
    more = {key: value for key, value in record.items() if key not in KEYS}
    values: dict[str, Any] = {
        "seq": seq if seq is not None and abs(seq) <= LARGEST else None,
        "time": from_ms(record.get("time")),
        "type": clean(type) if isinstance(type, str) else None,
        "surface_op": None,
        "source_event_seqs": None,
        "payload": _payload(record["data"], fault) if "data" in record else None,
        "text": clean(record["text"] if isinstance(record.get("text"), str) else text_of(record.get("data"))),
        "is_error": record["isError"] if isinstance(record.get("isError"), bool) else error_of(record.get("data")),
    }
    if more:
        values["extra"] = _payload(more, fault)
    if "surfaceOp" in record:
        values["surface_op"] = _op(record["surfaceOp"], fault)
    if "sourceEventSeqs" in record:
        values["source_event_seqs"] = _sources(record["sourceEventSeqs"], fault)
    return Row(values, faults)


def _op(given: Any, fault: Any) -> dict[str, Any] | None:
    expected = '"append" or {"op": "replace", "start": integer, "end": integer}'
    if given == "append" and isinstance(given, str):
        return {"op": "append", "start": None, "end": None}
    if isinstance(given, Mapping) and set(given) == {"op", "start", "end"} and given["op"] == "replace":
        start, end = column_integer(given["start"]), column_integer(given["end"])
        if start is not None and end is not None:
            return {"op": "replace", "start": start, "end": end}
    fault("surfaceOp has its exact shape", given, expected)
    return None


def _sources(given: Any, fault: Any) -> list[int] | None:
    expected = "a non-empty list of integers"
    if isinstance(given, (list, tuple)) and given:
        numbers = [column_integer(item) for item in given]
        if all(number is not None for number in numbers):
            return [number for number in numbers if number is not None]
    fault("sourceEventSeqs is a non-empty list of integers", given, expected)
    return None


def record_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the events table as a raw record; absent markers stay absent."""
    record: dict[str, Any] = {"type": row["type"], "seq": row["seq"]}
    if row["time"] is not None:
        record["time"] = to_ms(row["time"])
    if row["payload"] is not None:
        record["data"] = json.loads(row["payload"])
    op = row["surface_op"]
    if op is not None:
        record["surfaceOp"] = "append" if op["op"] == "append" else dict(op)
    if row["source_event_seqs"] is not None:
        record["sourceEventSeqs"] = list(row["source_event_seqs"])
    if row.get("extra") is not None:
        record |= json.loads(row["extra"])
    return record


def text_of(data: Any) -> str | None:
    """What a person would read of an event: the text blocks of its message, one after the other."""
    if isinstance(data, str):
        return data
    if not isinstance(data, Mapping):
        return None
    if isinstance(data.get("text"), str):
        text: str = data["text"]
        return text
    message = data.get("message")
    content = data.get("content", message.get("content") if isinstance(message, Mapping) else None)
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return None
    parts = [part for block in content if (part := _block_text(block))]
    return "\n".join(parts) if parts else None


def _block_text(block: Any) -> str | None:
    if not isinstance(block, Mapping):
        return None
    if isinstance(block.get("text"), str):
        text: str = block["text"]
        return text
    inner = block.get("content")
    if isinstance(inner, str):
        return inner
    return text_of({"content": inner}) if isinstance(inner, (list, tuple)) else None


def error_of(data: Any) -> bool | None:
    """Whether an event says that it is an error."""
    if not isinstance(data, Mapping):
        return None
    for holder in (data, data.get("message")):
        if isinstance(holder, Mapping) and isinstance(holder.get("isError"), bool):
            error: bool = holder["isError"]
            return error
    return None


def _payload(value: Any, fault: Any) -> str | None:
    try:
        return json.dumps(value, default=str)
    except (RecursionError, ValueError, TypeError) as error:
        fault("data can be written as JSON", type(error).__name__, "JSON of reasonable depth, without circles")
        return None
