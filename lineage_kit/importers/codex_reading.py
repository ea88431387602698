"""One Codex rollout read: every record made a draft, with notes on what it is to the surface."""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_kit.importers.codex_notes import (
    CALL,
    COMPACTED,
    META,
    NO_ORDINAL,
    OFF,
    PERSON,
    RESULT,
    ROLLBACK,
    SAID,
    SERVED,
    TURN,
    Header,
    Rollout,
)
from lineage_kit.importers.codex_records import ABSENT, RECORDS, Item, Line, decoded, own_name, surface_type
from lineage_kit.importers.codex_texts import (
    blocks_text,
    call_text,
    event_text,
    reasoning_text,
    result,
    spoken,
    title_of,
)
from lineage_kit.importers.drafts import unparsed
from lineage_kit.importers.files import LogFile
from lineage_kit.importers.reading import Import
from lineage_kit.importers.records import Unparsed
from lineage_kit.importers.times import moment

STARTED = {"task_started", "turn_started"}
SPAWNED = ("agent_id", "new_thread_id", "thread_id")
Row = tuple[Any, ...]


def noted(work: Import, file: LogFile) -> Rollout:
    """The notes on a file, whose drafts are added to those of the import."""
    return _Reader(work, file).rollout


class _Reader:
    """Reads one file; what a record may mean depends on those before it."""

    def __init__(self, work: Import, file: LogFile) -> None:
        self.rollout = Rollout(file, len(work.drafts))
        self._findings = work.findings
        self._keep = work.keep_text
        self._file = file.name
        self._model: str | None = None
        self._spent: Any = None
        self._spawns: set[str] = set()
        self._flat = self._first_flat = 0
        self._types: dict[tuple[str | None, str, Any], tuple[str | None, str]] = {}
        self._read(work, file)
        self._findings.add("legacy_shape", file.name, self._first_flat, "the flat form", count=self._flat)

    def _read(self, work: Import, file: LogFile) -> None:
        rollout, keep = self.rollout, self._keep
        add, lines, ordinals, digests = work.drafts.add, rollout.lines, rollout.ordinals, rollout.digests
        kinds = rollout.kinds
        latest = ""
        for found in work.records(file, decoded):
            value, raw, number, offset, _ = found
            if value.__class__ is Unparsed:
                add(unparsed(found), 100)
                kinds.append(OFF)
                lines.append(number)
                ordinals.append(NO_ORDINAL)
                digests.append(hash(("unparsed", value.size)))
                rollout.unparsed += 1
                continue
            line, item, payload = value
            stamp = line.timestamp
            if stamp.__class__ is not str:
                stamp = None
            own = line.type
            if own.__class__ is not str:
                own = line.record_type if line.record_type.__class__ is str else None
            if own == "session_meta" and rollout.header is None:
                rollout.header = Header(payload or raw, number, stamp)
                continue
            if payload is None:
                payload = raw
                if own is None and rollout.header is None and _is_flat_header(line):
                    self._flat_record(number)
                    rollout.header = Header(raw, number, None)
                    continue
                if own in RECORDS:
                    kind, row = self._other(own, item, number)
                else:
                    kind, row = self._flat_item(line, own, item, number)
            elif own == "response_item":
                kind, row = self._response(own, item, number)
            elif own == "event_msg":
                kind, row = self._event(item, number)
            else:
                kind, row = self._other(own, item, number)
            type, raw_type, text, is_error, record_id, model, tool, call, spent, gained = row
            digests.append(hash((own, payload)))
            said, size = None, 150
            if keep:
                said = payload if kind != ROLLBACK else b"{}"
                size += len(said) + len(text or "")
            add(
                (
                    type, number, offset, raw_type, stamp, said, text, is_error,
                    record_id, model, tool, call, spent, gained,
                ),
                size,
            )  # fmt: skip
            if stamp is not None and stamp > latest:
                latest = stamp if len(stamp) == 24 and stamp[-1] == "Z" else _later(latest, stamp)
            kinds.append(kind)
            lines.append(number)
            ordinal = line.ordinal
            if ordinal is None or ordinal.__class__ is not int or not -(2**62) < ordinal < 2**62:
                ordinal = NO_ORDINAL
            ordinals.append(ordinal)
        rollout.until = latest if latest and moment(latest) is not None else None

    def _flat_record(self, number: int) -> None:
        self._flat += 1
        self._first_flat = self._first_flat or number

    def _flat_item(self, line: Line, own: str | None, item: Item | None, number: int) -> tuple[int, Row]:
        """A line of the old form: an item without anything around it, or a state."""
        if line.type.__class__ is str and own is not None and surface_type(own, item and item.role) is not None:
            self._flat_record(number)
            return self._response(None, item, number)
        if own != "state":
            self._findings.add("unknown_type", self._file, number, own or "no type")
        record_id = line.id if line.id.__class__ is str else None
        return OFF, (own_name(own), own, None, None, record_id, None, None, None, None, None)

    def _response(self, own: str | None, item: Item | None, number: int) -> tuple[int, Row]:
        """A message, a reasoning, a call or an output."""
        if item is None:
            self._findings.add("no_message", self._file, number, own)
            return OFF, (own, own, None, None, None, None, None, None, None, None)
        name, role, keep = item.type, item.role, self._keep
        record_id = item.id if item.id.__class__ is str else None
        key = (own, name, role) if name.__class__ is str and (role is None or role.__class__ is str) else None
        known = self._types.get(key) if key else None
        if known is None:
            known = self._named(own, name, role)
            if key and len(self._types) < 1000:
                self._types[key] = known
        type, raw_type = known
        if type is None:
            self._findings.add("unknown_type", self._file, number, _told(raw_type, name, role))
            text = blocks_text(item.content) if keep else None
            return OFF, (own_name(own or raw_type), raw_type, text, None, record_id, None, None, None, None, None)
        if type == "tool/result":
            return self._output(raw_type, record_id, item)
        if name == "message":
            text = blocks_text(item.content) if keep else None
            if type == "assistant/message":
                return SAID, (type, raw_type, text, None, record_id, self._model, None, None, None, None)
            kind = SAID
            if role == "user" and (said := spoken(item.content)) is not None:
                kind = PERSON
                if self.rollout.title is None and keep and (title := title_of(said)):
                    self.rollout.title = (len(self.rollout), title)
            return kind, (type, raw_type, text, None, record_id, None, None, None, None, None)
        if name == "reasoning":
            text = reasoning_text(item) if keep else None
            return SAID, (type, raw_type, text, None, record_id, self._model, None, None, None, None)
        return self._call(name, raw_type, record_id, item)

    def _named(self, own: str | None, name: Any, role: Any) -> tuple[str | None, str]:
        if name.__class__ is not str:
            return None, own or "response_item"
        return surface_type(name, role), f"{own}:{name}" if own else name

    def _call(self, name: str, raw_type: str, record_id: str | None, item: Item) -> tuple[int, Row]:
        called = item.call_id if item.call_id.__class__ is str else None
        tool = item.name if item.name.__class__ is str else name.removesuffix("_call")
        # A shell call of the Responses API is answered by its own id; a search is carried out by the server.
        waits = called is not None or name == "local_shell_call"
        call = called or record_id
        if call is not None and tool.endswith("spawn_agent"):
            self._spawns.add(call)
        self.rollout.ids.append(call)
        text = call_text(tool, item) if self._keep else None
        kind = CALL if waits else SERVED
        return kind, ("assistant/message", raw_type, text, None, record_id, self._model, tool, call, None, None)

    def _output(self, raw_type: str, record_id: str | None, item: Item) -> tuple[int, Row]:
        call = item.call_id if item.call_id.__class__ is str else None
        text, is_error = result(item.output)
        if call in self._spawns:
            self._spawn(text)
        self.rollout.ids.append(call)
        tool = item.name if item.name.__class__ is str else None
        if not self._keep:
            text = None
        return RESULT, ("tool/result", raw_type, text, is_error, record_id, None, tool, call, None, None)

    def _spawn(self, text: str | None) -> None:
        """The output of a spawning call says which thread it started."""
        try:
            told = msgspec.json.decode(text or "")
        except (msgspec.DecodeError, RecursionError):
            return
        if isinstance(told, dict):
            for name in SPAWNED:
                if isinstance(told.get(name), str):
                    # The output of the call goes before an event that says the same.
                    self.rollout.spawned[told[name]] = len(self.rollout)

    def _other(self, own: str | None, item: Item | None, number: int) -> tuple[int, Row]:
        """Everything that is no response item; all but a compaction and a rollback stays off the surface."""
        if own == "event_msg":
            return self._event(item, number)
        if own == "response_item":
            return self._response(own, None, number)
        text: str | None = None
        model: str | None = None
        record_id = item.id if item is not None and item.id.__class__ is str else None
        if own == "compacted":
            text = blocks_text(item.message) if item is not None and self._keep else None
            return COMPACTED, ("user/message", own, text, None, record_id, None, None, None, None, None)
        if own == "turn_context":
            model = item.model if item is not None and item.model.__class__ is str else None
            self._model = model
        elif own == "session_meta":
            self.rollout.copied[len(self.rollout)] = record_id
            return META, (own, own, None, None, record_id, None, None, None, None, None)
        elif own not in RECORDS:
            self._findings.add("unknown_type", self._file, number, own or "no type")
        elif item is not None and self._keep:
            text = event_text(own, item)
        return OFF, (own_name(own), own, text, None, record_id, model, None, None, None, None)

    def _event(self, item: Item | None, number: int) -> tuple[int, Row]:
        if item is None:
            return OFF, ("event_msg", "event_msg", None, None, None, None, None, None, None, None)
        name = item.type if item.type.__class__ is str else None
        # A line without a payload is its own.
        raw_type = f"event_msg:{name}" if name and name != "event_msg" else "event_msg"
        record_id = item.id if item.id.__class__ is str else None
        kind, type, text = OFF, "event_msg", None
        spent: tuple[Any, Any] = (None, None)
        if name == "token_count":
            spent = self._tokens(item.info)
        elif name in STARTED:
            kind = TURN
        elif name == "thread_rolled_back":
            turns = item.num_turns
            if turns.__class__ is int and turns > 0:
                self.rollout.turns[len(self.rollout)] = turns
                kind, type = ROLLBACK, "user/message"
            elif turns != 0:
                self._findings.add("unknown_type", self._file, number, "thread_rolled_back without num_turns")
        else:
            if item.new_thread_id.__class__ is str:
                self.rollout.spawned.setdefault(item.new_thread_id, len(self.rollout))
            if self._keep:
                text = event_text(name, item)
        return kind, (type, raw_type, text, None, record_id, None, None, None, *spent)

    def _tokens(self, info: Any) -> tuple[int | None, int | None]:
        """What the last answer took, told once: the same count comes again when only the limits have changed."""
        last = info.get("last_token_usage") if isinstance(info, dict) else None
        if not isinstance(last, dict):
            return None, None
        total = info.get("total_token_usage")
        if total is not None and total == self._spent:
            return None, None
        self._spent = total
        return _count(last.get("input_tokens")), _count(last.get("output_tokens"))


def _is_flat_header(line: Line) -> bool:
    stated = line.id.__class__ is str and line.timestamp.__class__ is str
    return stated or line.instructions is not ABSENT or line.git is not ABSENT


def _count(value: Any) -> int | None:
    return value if value.__class__ is int and 0 <= value < 2**63 else None


def _later(latest: str, stamp: str) -> str:
    """The later of two times as text that sorts by time; the second is written in another way than the common one."""
    when = moment(stamp)
    if when is None:
        return latest
    return max(latest, when.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))


def _told(raw_type: str, name: Any, role: Any) -> str:
    return f"{raw_type} of role {role}" if name == "message" else raw_type
