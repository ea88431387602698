"""What a line of a dsh log may hold: decoders that read only what is needed, and never refuse what they skip."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lineage_kit.importers.pipeline.json_lines import PATIENT

CHUNK = "assistant/chunk"
SURFACE = frozenset({"user/message", "assistant/message", "tool/result"})
LATER_SURFACE = frozenset({"system/message", "developer/message"})
"""On the surface in later versions of dsh; the surface contract has three types only, so they stand off it."""
FAMILIES = frozenset(
    (
        "agent",
        "approval",
        "assistant",
        "compaction",
        "deliverables",
        "feedback",
        "hook",
        "image",
        "model",
        "request",
        "session",
        "step",
        "subagent",
        "tool",
        "turn",
        "workspace",
    )
)
"""The first words of the types that dsh is known to write; the set of types is open."""
QUIET = frozenset({"step/start", "step/end"})
"""Types that come often and say nothing but where a step begins and ends."""
TELLING = re.compile(b"text|content|message|isError|usage")
"""What a column would be made of nevertheless."""
REFERRING = ("root_call_id", "parent_call_id", "call_id")
LATEST = 253_402_300_799_999
EARLIEST = -62_135_596_800_000
"""The milliseconds that are times: of the years 1 to 9999."""

Scalar = str | int | float | bool | list[Any] | None


class Record(msgspec.Struct, rename="camel", gc=False):
    """A line: an event, or the first look at a packed row; the data are passed on as they stand."""

    type: Any = None
    seq: Any = None
    time: Any = None
    data: msgspec.Raw = msgspec.Raw()
    surface_op: Any = None
    source_event_seqs: Any = None


class Header(msgspec.Struct, rename="camel", gc=False):
    """The first line of a log."""

    type: Any = None
    version: Any = None
    id: Any = None
    created_at: Any = None
    cwd: Any = None
    parent_session: Any = None
    origin: Any = None
    seed_length: Any = None
    is_seeded: Any = None
    delegation_depth: Any = None


class Block(msgspec.Struct, rename="camel", gc=False):
    """A block of a message."""

    text: Any = None
    content: Content = None
    is_error: Any = None
    tool_call_id: Any = None


Content = list[Block | Scalar] | Block | str | int | float | bool | None


class Origin(msgspec.Struct, rename="camel", gc=False):
    """Where a message comes from, or what a request is sent to."""

    model: Any = None
    call_id: Any = None


class Usage(msgspec.Struct, rename="camel", gc=False):
    """The tokens of an answer."""

    input_tokens: Any = None
    output_tokens: Any = None


class Config(msgspec.Struct, gc=False):
    """What a request header says; its texts and tools are skipped."""

    config: Origin | Scalar = None


class Message(msgspec.Struct, rename="camel", gc=False):
    """A message inside the data of an event."""

    content: Content = None
    id: Any = None
    source: Origin | Scalar = None
    is_error: Any = None


class Data(msgspec.Struct, rename="camel", gc=False):
    """The data of an event, as far as any column or link is made of it."""

    text: Any = None
    content: Content | msgspec.UnsetType = msgspec.UNSET
    message: Message | Scalar = None
    id: Any = None
    source: Origin | Scalar = None
    provenance: Origin | Scalar = None
    is_error: Any = None
    usage: Usage | Scalar = None
    call_id: Any = None
    name: Any = None
    model: Any = None
    header: Config | Scalar = None
    title: Any = None
    message_seqs: Any = None
    shadowed_seqs: Any = None
    root_call_id: Any = None
    parent_call_id: Any = None
    reason: Any = None
    trigger: Any = None
    inherited: Any = None
    kind: Any = None
    tag: Any = None


decode_record = msgspec.json.Decoder(Record).decode
decode_header = msgspec.json.Decoder(Header).decode
_ANY_DATA = Data | Scalar
_decode_data = msgspec.json.Decoder(_ANY_DATA).decode
NO_DATA = Data()


def data_of(raw: bytes) -> Any:
    """The data of an event: `Data`, or what else they are. What only a patient parser reads (1e999) is read by one."""
    try:
        return _decode_data(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        try:
            return msgspec.convert(PATIENT.decode(raw.decode()), _ANY_DATA)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return NO_DATA


def text_of(data: Any) -> str | None:
    """What a person would read of an event: the text blocks of its message, one after the other."""
    if data.__class__ is not Data:
        return data if isinstance(data, str) else None
    text = data.text
    if text.__class__ is str:
        return text
    content = data.content
    if content is msgspec.UNSET:
        message = data.message
        content = message.content if message.__class__ is Message else None
    try:
        return _joined(content)
    except RecursionError:
        return None


def _joined(content: Any) -> str | None:
    if content.__class__ is str:
        return content
    if content.__class__ is not list:
        return None
    parts = []
    for block in content:
        if block.__class__ is Block:
            part = block.text
            if part.__class__ is not str:
                part = _joined(block.content)
            if part:
                parts.append(part)
    if len(parts) == 1:
        only: str = parts[0]
        return only
    return "\n".join(parts) if parts else None


def error_of(data: Any) -> bool | None:
    """Whether an event says that it is an error: of itself, of its message, or in a block of that."""
    if data.__class__ is not Data:
        return None
    message = data.message
    flag = data.is_error
    if flag.__class__ is not bool and message.__class__ is Message:
        flag = message.is_error
    if flag.__class__ is bool:
        failed: bool = flag
        return failed
    content = message.content if message.__class__ is Message else data.content
    if content.__class__ is not list:
        return None
    flags = [block.is_error for block in content if block.__class__ is Block and block.is_error.__class__ is bool]
    return any(flags) if flags else None


def call_of(data: Data) -> str | None:
    """The id of the tool call that a result is of: said by itself, by its message's source, or by its first block."""
    if data.call_id.__class__ is str:
        own: str = data.call_id
        return own
    message = data.message
    source = message.source if message.__class__ is Message else data.source
    if source.__class__ is Origin and source.call_id.__class__ is str:
        of_source: str = source.call_id
        return of_source
    content = message.content if message.__class__ is Message else data.content
    first = content[0] if content.__class__ is list and content else None
    if first.__class__ is Block and first.tool_call_id.__class__ is str:
        of_block: str = first.tool_call_id
        return of_block
    return None


def upgraded(raw: bytes, record_id: str | None) -> bytes:
    """The data of a tool result of July 2026 in the shape of today, in which alone a rewrite can be checked.

    Example:
        >>> upgraded(b'{"callId":"c","content":[]}', "m").decode()[:62]
        '{"message":{"source":{"kind":"tool","callId":"c"},"content":[{'
    """
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return raw
    call_id = data.pop("callId", None)
    block = {"type": "tool-result", "toolCallId": call_id, "content": data.pop("content")}
    if "isError" in data:
        block["isError"] = data.pop("isError")
    source = {"kind": "tool", "callId": call_id}
    data["message"] = {"source": source, "content": [block], "role": "user", "id": record_id}
    return msgspec.json.encode(data)


def model_of(data: Data) -> str | None:
    """The model that a message or a request names."""
    message, header = data.message, data.header
    for holder in (
        message.source if isinstance(message, Message) else data.source,
        data.provenance,
        header.config if isinstance(header, Config) else None,
        data,
    ):
        if isinstance(holder, (Origin, Data)) and isinstance(holder.model, str):
            return holder.model
    return None
