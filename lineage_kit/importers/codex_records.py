"""Codex records as they stand in a file: how a line is decoded, and what the types are called."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

RECORDS = {
    "session_meta",
    "response_item",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "compacted",
    "turn_context",
    "world_state",
    "event_msg",
}
"""What a line of the new form may be; its payload says the rest."""
ROLES = {
    "assistant": "assistant/message",
    "user": "user/message",
    "developer": "user/message",
    "system": "user/message",
}
SURFACE = ("user/message", "assistant/message", "tool/result")
ABSENT = msgspec.Raw(b"")


class Line(msgspec.Struct, gc=False):
    """A line: `payload` is its content in the new form; the old flat form has the content on the line itself."""

    timestamp: Any = None
    ordinal: Any = None
    type: Any = None
    payload: msgspec.Raw = ABSENT
    record_type: Any = None
    id: Any = None
    instructions: msgspec.Raw = ABSENT
    git: msgspec.Raw = ABSENT


class Item(msgspec.Struct, gc=False):
    """What is used of a payload, or of a flat line. Every field may hold anything."""

    type: Any = None
    id: Any = None
    role: Any = None
    content: Any = None
    name: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    output: Any = None
    summary: Any = None
    action: Any = None
    execution: Any = None
    message: Any = None
    info: Any = None
    num_turns: Any = None
    new_thread_id: Any = None
    model: Any = None


class Record(NamedTuple):
    """A line with its content."""

    line: Line
    item: Item | None
    """None if the payload is no object."""
    payload: bytes | None
    """None if there is none: the line itself is the content."""


_line = msgspec.json.Decoder(Line).decode
_item = msgspec.json.Decoder(Item).decode


def decoded(data: bytes) -> tuple[Line, Item | None, bytes | None]:
    """A `Record`, as the plain tuple that is quicker to make.

    Raises:
        msgspec.DecodeError: the bytes are no JSON object.

    Example:
        >>> line, item, payload = decoded(b'{"type": "event_msg", "payload": {"type": "task_started"}}')
        >>> line.type, item.type, payload
        ('event_msg', 'task_started', b'{"type": "task_started"}')
    """
    line = _line(data)
    payload = bytes(line.payload)
    if not payload:
        return line, _item(data), None
    # A number that is too large is an error of the whole line, which is then read with patience.
    return line, _item(payload) if payload[:1] == b"{" else None, payload


def surface_type(kind: str, role: Any) -> str | None:
    """The canonical type of a response item; None for one that no model sees, or that is not known.

    Example:
        >>> surface_type("message", "developer"), surface_type("custom_tool_call", None)
        ('user/message', 'assistant/message')
        >>> surface_type("function_call_output", None), surface_type("ghost_snapshot", None)
        ('tool/result', None)
    """
    if kind == "message":
        return ROLES.get(role) if role.__class__ is str else None
    if kind == "reasoning" or kind.endswith("_call"):
        return "assistant/message"
    return "tool/result" if kind.endswith("_output") else None


def own_name(name: str | None) -> str | None:
    """The type of a record that stays off the surface: its own name, unless that is one of the surface types."""
    return f"codex:{name}" if name in SURFACE else name
