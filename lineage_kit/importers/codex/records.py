"""Codex records as they stand in a file: how a line is decoded, and what the types are called."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Union

import msgspec
from msgspec import UNSET

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


# The payloads that come again and again, each with no more fields than are used of it: their types are told apart
# while they are decoded, by `tag`. What does not fit into one of them is an `Item`.


class Message(msgspec.Struct, gc=False, tag="message", tag_field="type"):
    """A message."""

    id: Any = None
    role: Any = None
    content: Any = None


class Reasoning(msgspec.Struct, gc=False, tag="reasoning", tag_field="type"):
    """A reasoning."""

    id: Any = None
    summary: Any = None
    content: Any = None


class FunctionCall(msgspec.Struct, gc=False, tag="function_call", tag_field="type"):
    """A call of a tool that takes JSON."""

    id: Any = None
    name: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    call_id: Any = None


class CustomToolCall(FunctionCall, gc=False, tag="custom_tool_call", tag_field="type"):
    """A call of a tool that takes text."""


class FunctionCallOutput(msgspec.Struct, gc=False, tag="function_call_output", tag_field="type"):
    """The output of a function."""

    id: Any = None
    name: Any = None
    output: Any = None
    call_id: Any = None


class CustomToolCallOutput(FunctionCallOutput, gc=False, tag="custom_tool_call_output", tag_field="type"):
    """The output of a custom tool."""


class Usage(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """What an answer, or a session, took; equal where the JSON objects are."""

    input_tokens: Any = UNSET
    cached_input_tokens: Any = UNSET
    output_tokens: Any = UNSET
    reasoning_output_tokens: Any = UNSET
    total_tokens: Any = UNSET


class Info(msgspec.Struct, gc=False):
    """What a token count tells."""

    last_token_usage: Usage | None = None
    total_token_usage: Usage | None = None


class TokenCount(msgspec.Struct, gc=False, tag="token_count", tag_field="type"):
    """An event that tells what was spent."""

    id: Any = None
    info: Info | None = None


class TaskStarted(msgspec.Struct, gc=False, tag="task_started", tag_field="type"):
    """The start of a turn."""

    id: Any = None


class TaskComplete(msgspec.Struct, gc=False, tag="task_complete", tag_field="type"):
    """The end of a turn."""

    id: Any = None
    message: Any = None
    content: Any = None
    new_thread_id: Any = None


class AgentMessage(msgspec.Struct, gc=False, tag="agent_message", tag_field="type"):
    """An event that says again what a response item says."""

    id: Any = None
    new_thread_id: Any = None


class AgentReasoning(AgentMessage, gc=False, tag="agent_reasoning", tag_field="type"):
    """Another one that does."""


class UserMessage(AgentMessage, gc=False, tag="user_message", tag_field="type"):
    """Another one that does."""


RESPONSES = (Message, Reasoning, FunctionCall, CustomToolCall, FunctionCallOutput, CustomToolCallOutput)
REPEATS = (AgentMessage, AgentReasoning, UserMessage)
EVENTS = (TokenCount, TaskStarted, TaskComplete, *REPEATS)


class Record(NamedTuple):
    """A line with its content."""

    stamp: str | None
    ordinal: Any
    own: str | None
    """The type of the line."""
    item: Any
    """An `Item`, or one of the payloads that are decoded by themselves; None if the payload is no object."""
    payload: bytes | None
    """None if there is none: the line itself is the content."""
    line: Line | None
    """None for the common form, of which everything is told already."""


_line = msgspec.json.Decoder(Line).decode
_item = msgspec.json.Decoder(Item).decode
# A line as Codex writes it. Its payload is then what remains, and the line need not be gone through to find it.
_common = re.compile(
    rb'\{"timestamp":"([0-9TZ:.+-]+)",(?:"ordinal":(0|[1-9][0-9]{0,17}),)?"type":"(?:(response_item)|event_msg)",'
    rb'"payload":(?=\{)'
).match
_response = msgspec.json.Decoder(Union[RESPONSES]).decode  # noqa: UP007
_event = msgspec.json.Decoder(Union[EVENTS]).decode  # noqa: UP007


def decoded(data: bytes) -> tuple[str | None, Any, str | None, Any, bytes | None, Line | None]:
    """A `Record`, as the plain tuple that is quicker to make.

    Raises:
        msgspec.DecodeError: the bytes are no JSON object.

    Example:
        >>> Record(*decoded(b'{"type": "event_msg", "payload": {"type": "task_started"}}')).payload
        b'{"type": "task_started"}'
        >>> line = b'{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"user_message"}}'
        >>> Record(*decoded(line)).item
        UserMessage(id=None, new_thread_id=None)
    """
    common = _common(data)
    if common is not None and data[-2:] == b"}}":
        stamp, ordinal, response = common.groups()
        payload = data[common.end() : -1]
        try:
            # Not valid if anything else follows the payload: the line is then decoded as a whole.
            if response is not None:
                return stamp.decode(), ordinal and int(ordinal), "response_item", _response(payload), payload, None
            return stamp.decode(), ordinal and int(ordinal), "event_msg", _event(payload), payload, None
        except msgspec.DecodeError:
            pass
    return _as_a_whole(data)


def _as_a_whole(data: bytes) -> tuple[str | None, Any, str | None, Any, bytes | None, Line | None]:
    line = _line(data)
    stamp = line.timestamp if line.timestamp.__class__ is str else None
    own = line.type
    if own.__class__ is not str:
        own = line.record_type if line.record_type.__class__ is str else None
    payload = bytes(line.payload)
    if not payload:
        return stamp, line.ordinal, own, _item(data), None, line
    # A number that is too large is an error of the whole line, which is then read with patience.
    item = _item(payload) if payload[:1] == b"{" else None
    return stamp, line.ordinal, own, item, payload, line


def is_flat_header(line: Line) -> bool:
    """Whether a line without a type is the first one of the flat form."""
    named = line.id.__class__ is str and line.timestamp.__class__ is str
    return named or line.instructions is not ABSENT or line.git is not ABSENT


def content_of(payload: str) -> Any:
    """The content of a message."""
    return _item(payload).content


def usage_of(spent: Any) -> Any:
    """What was spent as a `Usage` where it can be one, so that it is compared alike however it was decoded."""
    try:
        return msgspec.convert(spent, Usage)
    except msgspec.ValidationError:
        return spent


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
