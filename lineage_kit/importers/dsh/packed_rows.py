"""Packed rows of a dsh log: many chunks of an answer on one line."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec

Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Texts(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The data of a packed row of texts; exactly these keys."""

    turn: Whole
    step: Whole
    index: Whole
    dt: list[Whole]
    texts: list[str]


class Arguments(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The data of a packed row of tool arguments; exactly these keys."""

    turn: Whole
    step: Whole
    index: Whole
    dt: list[Whole]
    id: str
    args: list[str]
    name: str | msgspec.UnsetType = msgspec.UNSET


class Packed(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", gc=False):
    """A packed row; newer recordings leave seq0 and time0 out."""

    seq0: Whole | None = None
    time0: Whole | None = None


class TextRow(Packed, tag="text-chunks", kw_only=True):
    """Pieces of an answer."""

    data: Texts


class ReasoningRow(Packed, tag="reasoning-chunks", kw_only=True):
    """Pieces of a reasoning."""

    data: Texts


class ToolRow(Packed, tag="tool-call-chunks", kw_only=True):
    """Pieces of the arguments of a tool call."""

    data: Arguments


class Row(NamedTuple):
    """A packed row, ready to be made into events."""

    tag: str
    seq: int | None
    """Of its first event, where it is said."""
    time: int | None
    """Of its first event."""
    gaps: list[int]
    """The milliseconds between the events."""
    begun: bytes
    """The JSON of each event's data up to its text."""
    texts: bytes
    """The texts of the events as JSON, a newline between two, of which JSON has none."""


END = b"}}"
"""The JSON of each event's data after its text."""
ROWS: dict[str, Any] = {
    "text-chunks": msgspec.json.Decoder(Texts).decode,
    "reasoning-chunks": msgspec.json.Decoder(Texts).decode,
    "tool-call-chunks": msgspec.json.Decoder(Arguments).decode,
}
"""By the tag of a packed row: how its data alone are read."""
KINDS = {"text-chunks": b"text-delta", "reasoning-chunks": b"reasoning-delta"}
decode = msgspec.json.Decoder(TextRow | ReasoningRow | ToolRow).decode
encode = msgspec.json.encode
encode_lines = msgspec.json.Encoder().encode_lines


def row_of(raw: bytes) -> Row:
    r"""The packed row of a line.

    Raises:
        msgspec.MsgspecError, RecursionError or ValueError: the line has not the exact shape of one.

    Example:
        >>> data = b'{"turn":1,"step":2,"index":0,"dt":[5],"texts":["a","b"]}'
        >>> row = row_of(b'{"type":"text-chunks","seq0":3,"data":' + data + b"}")
        >>> row.seq, row.texts
        (3, b'"a"\n"b"')
    """
    row = decode(raw)
    return row_with(row.__struct_config__.tag, row.seq0, row.time0, row.data)


def row_with(tag: Any, seq: Any, time: Any, data: Any) -> Row:
    """A packed row of its data.

    Raises:
        ValueError: they have not one gap less than texts.
    """
    if data.__class__ is Arguments:
        members = data.args
        name = b"" if data.name is msgspec.UNSET else b'"name":%b,' % encode(data.name)
        chunk = b'tool-call-delta","index":%d,"id":%b,%b"argumentsDelta":' % (data.index, encode(data.id), name)
    else:
        members = data.texts
        chunk = b'%b","index":%d,"text":' % (KINDS[tag], data.index)
    if len(data.dt) != len(members) - 1:
        raise ValueError(f"{len(data.dt)} gaps for {len(members)} members")
    begun = b'{"turn":%d,"step":%d,"chunk":{"type":"%b' % (data.turn, data.step, chunk)
    return Row(tag, seq, time, data.dt, begun, encode_lines(members)[:-1])
