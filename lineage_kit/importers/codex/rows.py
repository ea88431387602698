"""What one record of a Codex rollout says as a row: what it is to the surface, and the columns that are made of it.

What a record may mean depends on those before it: the model of the last `turn_context`, calls that start threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lineage_kit.importers.codex.file_index import (
    CALL,
    COMPACTED,
    META,
    OFF,
    PERSON,
    RESULT,
    ROLLBACK,
    SAID,
    SERVED,
    TURN,
    Rollout,
)
from lineage_kit.importers.codex.records import (
    EVENTS,
    RECORDS,
    REPEATS,
    ROLES,
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Line,
    Message,
    Reasoning,
    TaskComplete,
    TaskStarted,
    TokenCount,
    is_flat_header,
    own_name,
    surface_type,
    usage_of,
)
from lineage_kit.importers.codex.text import (
    blocks_text,
    call_text,
    event_text,
    reasoning_text,
    result,
    spoken,
    threads_in,
    title_of,
)
from lineage_kit.importers.pipeline.findings import Findings

STARTED = {"task_started", "turn_started"}


class Row(NamedTuple):
    """What a record is to the surface, and what the columns of its staged row are to hold."""

    kind: int
    type: str | None
    text: str | None = None
    is_error: bool | None = None
    record_id: str | None = None
    model: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tokens_in: Any = None
    tokens_out: Any = None


PlainRow = tuple[int, str | None, str | None, bool | None, str | None, str | None, str | None, str | None, Any, Any]
"""A `Row`, or for records that come a million times a tuple in its order, which is quicker to make."""
Maker = Callable[[Any, str, int], PlainRow]


class RowMaker:
    """Makes the rows of one rollout, in the order of its records."""

    def __init__(self, rollout: Rollout, findings: Findings, keep_text: bool) -> None:
        self._rollout = rollout
        self._findings = findings
        self._file = rollout.file.name
        self._keep = keep_text
        self._model: str | None = None
        self._spent: Any = None
        self._spawns: set[str] = set()
        self._flat = self._first_flat = 0

    def close(self) -> None:
        """Count what only the whole file tells."""
        self._findings.add("legacy_shape", self._file, self._first_flat, "the flat form", count=self._flat)

    def common(self) -> dict[type, tuple[Maker, str, str]]:
        """For each kind of payload that is decoded by itself: what makes its row, and what it is called."""
        makers: dict[Any, Maker] = {
            Message: self._message,
            Reasoning: self._reasoning,
            FunctionCall: self._call,
            CustomToolCall: self._call,
            FunctionCallOutput: self._output,
            CustomToolCallOutput: self._output,
            TokenCount: self._token_count,
            TaskStarted: self._task_started,
            TaskComplete: self._told_event,
            **dict.fromkeys(REPEATS, self._repeat),
        }
        names = {one: one.__struct_config__.tag for one in makers}
        owns = {one: "event_msg" if one in EVENTS else "response_item" for one in makers}
        return {one: (make, names[one], f"{owns[one]}:{names[one]}") for one, make in makers.items()}

    def is_header(self, own: str | None, payload: bytes | None, line: Line, number: int) -> bool:
        """Whether the first record of a file is its header; that of the flat form has no type."""
        if own is None and payload is None and is_flat_header(line):
            self._flat_record(number)
            return True
        return own == "session_meta"

    def _flat_record(self, number: int) -> None:
        self._flat += 1
        self._first_flat = self._first_flat or number

    def uncommon(
        self, own: str | None, item: Item | None, payload: bytes | None, line: Line, number: int
    ) -> tuple[str | None, PlainRow]:
        """What a record is called, and what it says, if it is not of the common form or not of a common kind."""
        if payload is None and item is not None and own not in RECORDS:
            return own, self._flat_item(line, own, item, number)
        if own == "response_item":
            return self._response(item if payload is not None else None, number)
        if own == "event_msg":
            return self._event(item, number)
        return own, self._other(own, item, number)

    def _flat_item(self, line: Line, own: str | None, item: Item, number: int) -> PlainRow:
        """A line of the old form: an item without anything around it, or a state."""
        if line.type.__class__ is str and own is not None and surface_type(own, item.role) is not None:
            self._flat_record(number)
            return self._surfaced(item, own, number)
        if own != "state":
            self._findings.add("unknown_type", self._file, number, own or "no type")
        return Row(OFF, own_name(own), record_id=_text(line.id))

    def _response(self, item: Item | None, number: int) -> tuple[str, PlainRow]:
        if item is None:
            self._findings.add("no_message", self._file, number, "response_item")
            return "response_item", Row(OFF, "response_item")
        name = item.type
        raw_type = f"response_item:{name}" if name.__class__ is str else "response_item"
        if name.__class__ is str and (name == "message" or surface_type(name, None) is not None):
            return raw_type, self._surfaced(item, name, number)
        return raw_type, self._unknown(item, raw_type, number)

    def _surfaced(self, item: Item, name: str, number: int) -> PlainRow:
        if name == "message":
            return self._message(item, name, number)
        if name == "reasoning":
            return self._reasoning(item, name, number)
        return self._output(item, name, number) if name.endswith("_output") else self._call(item, name, number)

    def _unknown(self, item: Any, example: str, number: int) -> PlainRow:
        self._findings.add("unknown_type", self._file, number, example)
        text = blocks_text(item.content) if self._keep else None
        return Row(OFF, "response_item", text, record_id=_text(item.id))

    def _message(self, item: Any, name: str, number: int) -> PlainRow:
        role, record_id, keep = item.role, item.id, self._keep
        if record_id.__class__ is not str:
            record_id = None
        text = blocks_text(item.content) if keep else None
        if role == "assistant":
            return SAID, "assistant/message", text, None, record_id, self._model, None, None, None, None
        if role.__class__ is not str or role not in ROLES:
            return self._unknown(item, f"response_item:message of role {role}", number)
        kind = SAID
        if role == "user" and (words := spoken(item.content)) is not None:
            kind = PERSON
            if self._rollout.title is None and keep and (title := title_of(words)):
                self._rollout.title = (len(self._rollout), title)
        return kind, "user/message", text, None, record_id, None, None, None, None, None

    def _reasoning(self, item: Any, name: str, number: int) -> PlainRow:
        text = reasoning_text(item) if self._keep else None
        return SAID, "assistant/message", text, None, _text(item.id), self._model, None, None, None, None

    def _call(self, item: Any, name: str, number: int) -> PlainRow:
        call, tool, record_id = item.call_id, item.name, item.id
        if record_id.__class__ is not str:
            record_id = None
        if tool.__class__ is not str:
            tool = name.removesuffix("_call")
        kind = CALL
        if call.__class__ is not str:
            # A shell call of the Responses API is answered by its own id; a search is carried out by the server.
            call, kind = None, CALL if name == "local_shell_call" else SERVED
        call = call or record_id
        if call is not None and tool.endswith("spawn_agent"):
            self._spawns.add(call)
        self._rollout.ids.append(call)
        text = call_text(tool, item) if self._keep else None
        return kind, "assistant/message", text, None, record_id, self._model, tool, call, None, None

    def _output(self, item: Any, name: str, number: int) -> PlainRow:
        call, tool, record_id = item.call_id, item.name, item.id
        if call.__class__ is not str:
            call = None
        text, is_error = result(item.output)
        if call in self._spawns:
            # The output of the call goes before an event that says the same.
            self._rollout.spawned.update(dict.fromkeys(threads_in(text), len(self._rollout)))
        self._rollout.ids.append(call)
        if record_id.__class__ is not str:
            record_id = None
        if tool.__class__ is not str:
            tool = None
        return RESULT, "tool/result", text if self._keep else None, is_error, record_id, None, tool, call, None, None

    def _other(self, own: str | None, item: Item | None, number: int) -> PlainRow:
        """Everything that is no response item and no event; all but a compaction stays off the surface."""
        kind, type = OFF, own_name(own)
        text = model = None
        record_id = _text(item.id) if item is not None else None
        if own == "compacted":
            kind, type = COMPACTED, "user/message"
            text = blocks_text(item.message) if item is not None and self._keep else None
        elif own == "turn_context":
            self._model = model = _text(item.model) if item is not None else None
        elif own == "session_meta":
            kind = META
            self._rollout.copied[len(self._rollout)] = record_id
        elif own not in RECORDS:
            self._findings.add("unknown_type", self._file, number, own or "no type")
        elif item is not None and self._keep:
            text = event_text(own, item)
        return Row(kind, type, text, record_id=record_id, model=model)

    def _task_started(self, item: Any, name: str, number: int) -> PlainRow:
        return TURN, "event_msg", None, None, _text(item.id), None, None, None, None, None

    def _repeat(self, item: Any, name: str, number: int) -> PlainRow:
        """An event that says again what a response item says: its text stands there."""
        if item.new_thread_id is not None:
            self._started_thread(item)
        return OFF, "event_msg", None, None, _text(item.id), None, None, None, None, None

    def _told_event(self, item: Any, name: str | None, number: int) -> PlainRow:
        self._started_thread(item)
        text = event_text(name, item) if self._keep else None
        return OFF, "event_msg", text, None, _text(item.id), None, None, None, None, None

    def _token_count(self, item: Any, name: str, number: int) -> PlainRow:
        """What the last answer took, told once: the same count comes again when only the limits have changed."""
        spent = gained = None
        info = item.info
        if info is not None and (last := info.last_token_usage) is not None:
            total = info.total_token_usage
            if total is None or total != self._spent:
                self._spent = total
                spent, gained = _count(last.input_tokens), _count(last.output_tokens)
        return OFF, "event_msg", None, None, _text(item.id), None, None, None, spent, gained

    def _event(self, item: Item | None, number: int) -> tuple[str, PlainRow]:
        if item is None:
            return "event_msg", Row(OFF, "event_msg")
        name = _text(item.type)
        # A line without a payload is its own.
        raw_type = f"event_msg:{name}" if name and name != "event_msg" else "event_msg"
        kind, type = OFF, "event_msg"
        spent = gained = None
        if name == "token_count":
            spent, gained = self._tokens(item.info)
        elif name in STARTED:
            kind = TURN
        elif name == "thread_rolled_back":
            turns = item.num_turns
            if turns.__class__ is int and turns > 0:
                self._rollout.turns[len(self._rollout)] = turns
                kind, type = ROLLBACK, "user/message"
            elif turns != 0:
                self._findings.add("unknown_type", self._file, number, "thread_rolled_back without num_turns")
        else:
            return raw_type, self._told_event(item, name, number)
        return raw_type, Row(kind, type, record_id=_text(item.id), tokens_in=spent, tokens_out=gained)

    def _tokens(self, info: Any) -> tuple[int | None, int | None]:
        """As `_token_count`, of a count that has another shape than the common one."""
        last = info.get("last_token_usage") if isinstance(info, dict) else None
        if not isinstance(last, dict):
            return None, None
        total = usage_of(info.get("total_token_usage"))
        if total is not None and total == self._spent:
            return None, None
        self._spent = total
        return _count(last.get("input_tokens")), _count(last.get("output_tokens"))

    def _started_thread(self, item: Any) -> None:
        if item.new_thread_id.__class__ is str:
            self._rollout.spawned.setdefault(item.new_thread_id, len(self._rollout))


def _text(value: Any) -> str | None:
    return value if value.__class__ is str else None


def _count(value: Any) -> int | None:
    return value if value.__class__ is int and 0 <= value < 2**63 else None
