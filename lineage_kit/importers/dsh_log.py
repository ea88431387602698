"""One dsh session while it is read: its events as drafts, and notes on how they hang together."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lineage_kit.importers.drafts import TYPES
from lineage_kit.importers.dsh_header import head_of
from lineage_kit.importers.dsh_marks import cited_by, highest, replaced_by, run_of, whole
from lineage_kit.importers.dsh_records import (
    CHUNK,
    EARLIEST,
    FAMILIES,
    LATER_SURFACE,
    LATEST,
    NO_DATA,
    QUIET,
    REFERRING,
    ROWS,
    SURFACE,
    TELLING,
    Data,
    Header,
    Message,
    Record,
    Usage,
    call_of,
    data_of,
    decode_row,
    error_of,
    model_of,
    text_of,
    upgraded,
)
from lineage_kit.importers.dsh_rows import Rows
from lineage_kit.importers.files import LogFile
from lineage_kit.importers.planned import APPEND, NONE
from lineage_kit.importers.report import Findings

WIDTH = len(TYPES)
NOTHING_MORE = (None,) * (WIDTH - 6)
STREAMED = {"text-chunks": "text-delta", "reasoning-chunks": "reasoning-delta"}
encode = msgspec.json.encode


class Log:
    """A session's events so far. `take` and `pack` say why when a record cannot be the next event: the log ends there.

    Attributes:
        header: the columns of the sessions table, as far as the header says them; None for a log without one.
        seq: how many events there are, and the seq of the next one.
        first: the number of its first draft; the others follow.
    """

    def __init__(self, file: LogFile, rows: Rows, findings: Findings, keep_text: bool) -> None:
        self.file = file
        self.header: dict[str, Any] | None = None
        self.seq = 0
        self.first = rows.number
        self.marks = bytearray()
        self.replaced: dict[int, tuple[int, int]] = {}
        self.citations: dict[int, Any] = {}
        self.refers: list[tuple[int, int | str, str]] = []
        self.calls: dict[str, tuple[int, str | None]] = {}
        self.spawns: list[tuple[int, str]] = []
        self.until: int | None = None
        self.title: str | None = None
        self.seeded = False
        self._rows = rows
        self._findings = findings
        self._keep_text = keep_text
        self._legacy = False
        self._open: dict[str, int] = {}
        self._referring: list[tuple[int, str]] = []
        self._results: dict[int, str | None] = {}
        self._ask_model: str | None = None
        self._seed_ends: int | None = None
        self._unknown: dict[str, bool] = {}

    def begin(self, header: Header) -> None:
        """Take the header."""
        head = head_of(header)
        self.header, self.seeded, self._legacy = head.columns, head.seeded, head.legacy
        if head.depth_missing:
            self._told("legacy_shape", 1, "a header without delegationDepth")
        if head.damaged:
            self._told("damaged_header", 1, head.damaged)

    def take(self, record: Record, size: int, line: int | None, offset: int | None) -> str | None:
        """The next event; gives the reason when it is none."""
        type, seq, given = record.type, self.seq, record.seq
        if type.__class__ is not str:
            return "a record without a type"
        if (
            given is not None
            and given != seq
            and (given.__class__ is int or (given.__class__ is float and given.is_integer()))
        ):
            return f"seq {given} where {seq} was expected"
        time = record.time
        if time is not None:
            if time.__class__ is float and time.is_integer():
                time = int(time)
            if time.__class__ is not int or not EARLIEST <= time <= LATEST:
                time = None
            elif self.until is None or time > self.until:
                self.until = time
        raw = bytes(record.data)
        payload = raw if raw and self._keep_text else None
        self.seq = seq + 1
        plain = record.surface_op is None and record.source_event_seqs is None
        if plain and (type == CHUNK or (type in QUIET and TELLING.search(raw) is None)):
            self.marks.append(NONE)
            self._rows.add((type, line, offset, type, time, payload, *NOTHING_MORE), size)
            return None
        data = data_of(raw) if raw else NO_DATA
        said = data if data.__class__ is Data else NO_DATA
        told = type
        if type == "steering/message":
            self._told("legacy_shape", line, type)
            if record.surface_op is not None:
                told = "user/message"
        surface = told in SURFACE
        self.marks.append(NONE)
        if not plain:
            self._mark(record, seq, line, surface, surface or self._known(type))
        record_id = model = tool_name = call_id = tokens_in = tokens_out = None
        if surface:
            record_id = self._identity(told, said, seq, line)
            if told == "tool/result":
                call_id = call_of(said)
                tool_name = self._answered(call_id, line)
                if payload and self._legacy and said.message is None and said.content.__class__ is list:
                    payload = upgraded(payload, record_id)
            elif told == "assistant/message":
                model = model_of(said) or self._ask_model
        elif type == "tool/call":
            call_id = said.call_id if isinstance(said.call_id, str) else None
            tool_name = said.name if isinstance(said.name, str) else None
            if call_id is not None:
                self.calls.setdefault(call_id, (seq, tool_name))
                self._open[call_id] = line or 0
        else:
            model = self._other(type, said, seq, line)
        usage = said.usage
        if usage.__class__ is Usage and type in ("assistant/message", "assistant/attempt"):
            tokens_in, tokens_out = whole(usage.input_tokens), whole(usage.output_tokens)
        text = text_of(data) if self._keep_text else None
        row = (
            told,
            line,
            offset,
            type,
            time,
            payload,
            text,
            error_of(data),
            record_id,
            model,
            tool_name,
            call_id,
            tokens_in,
            tokens_out,
        )
        self._rows.add(row, size)
        return None

    def pack_line(self, raw: bytes, line: int | None, offset: int | None) -> str | None:
        """The events of a packed row, all or none; gives the reason when there are none."""
        try:
            row = decode_row(raw)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            return f"a malformed packed row: {error}"
        seq0 = row.seq0 if row.seq0 is not msgspec.UNSET else None
        time0 = row.time0 if row.time0 is not msgspec.UNSET else None
        return self.pack(row.__struct_config__.tag, seq0, time0, row.data, len(raw), line, offset)

    def pack_data(self, tag: str, seq0: Any, time0: Any, raw: bytes) -> str | None:
        """The events of a packed row of which the data alone are given."""
        try:
            data = ROWS[tag](raw)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            return f"a malformed packed row: {error}"
        time = time0 if time0.__class__ is int and EARLIEST <= time0 <= LATEST else None
        return self.pack(tag, seq0, time, data, len(raw), None, None)

    def pack(
        self, tag: Any, seq0: Any, time0: Any, data: Any, size: int, line: int | None, offset: int | None
    ) -> str | None:
        """The events of a packed row that has its exact shape but for the number of its gaps."""
        streamed = STREAMED.get(tag)
        members = data.texts if streamed else data.args
        count, gaps = len(members), data.dt
        if len(gaps) != count - 1:
            return f"a malformed packed row: {len(gaps)} gaps for {count} members"
        if seq0 is not None and seq0 != self.seq:
            return f"seq {seq0} where {self.seq} was expected"
        begun = f'{{"turn":{data.turn},"step":{data.step},"chunk":{{"type":'
        if streamed:
            begun += f'"{streamed}","index":{data.index},"text":'
        else:
            name = "" if data.name is msgspec.UNSET else f'"name":{encode(data.name).decode()},'
            begun += f'"tool-call-delta","index":{data.index},"id":{encode(data.id).decode()},{name}"argumentsDelta":'
        if time0 is not None:
            latest = time0 + (sum(gaps) if not gaps or min(gaps) >= 0 else highest(gaps))
            if EARLIEST <= latest <= LATEST and (self.until is None or latest > self.until):
                self.until = latest
        self.seq += count
        self.marks += bytes(count)
        self._rows.pack((line, offset, tag, time0, begun), members, gaps, size)
        return None

    def damage(self, row: tuple[Any, ...]) -> None:
        """The row that stands for where the log ends before its time."""
        self.seq += 1
        self.marks.append(NONE)
        self._rows.add((*row, *(None,) * (WIDTH - len(row))), 100)

    def end(self) -> None:
        """Everything is read: links to calls that may have come later, calls without a result, the seed."""
        for seq, call in self._referring:
            target = self.calls.get(call)
            self.refers.append((seq, call if target is None else target[0], "observed"))
        for call, line in self._open.items():
            self._told("open_call", line or None, call)
        if self.seeded and self.header is not None and self.header["seed_length"] is None:
            self.header["seed_length"] = self._seed_ends
            if self._seed_ends is None:
                self._told("damaged_header", 1, "isSeeded, and no session/end-seed says where the seed ends")
        self._open, self._referring, self._results = {}, [], {}

    @property
    def named(self) -> str:
        """The id that the header says, or nothing."""
        return str((self.header or {}).get("session_id") or "")

    def drafts(self) -> np.ndarray:
        """The numbers of its drafts."""
        return np.arange(self.first, self.first + self.seq)

    def _mark(self, record: Record, seq: int, line: int | None, surface: bool, stated: bool) -> None:
        """What an event does to the surface, and what it cites; off the surface, citations are links."""
        op = record.surface_op
        if op is not None and stated:
            if op == "append":
                self.marks[-1] = APPEND
            elif (range_of := replaced_by(op)) is not None:
                self.replaced[seq] = range_of
        given = record.source_event_seqs
        if given.__class__ is not list:
            return
        if not given:
            self._told("empty_citations", line, None)
            return
        cited = cited_by(given, seq)
        self._told("late_citation", line, cited.example, cited.late)
        if cited.earlier and surface:
            self.citations[seq] = cited.earlier
        elif cited.earlier:
            self.refers += [(seq, one, "asserted") for one in cited.earlier]

    def _identity(self, type: str, data: Data, seq: int, line: int | None) -> str | None:
        """The id of a message; old logs have none, and a rewritten tool result is that which it rewrites."""
        message = data.message
        told: str | None = message.id if message.__class__ is Message else data.id
        if told.__class__ is not str:
            told = None
            if self._legacy:
                first, last = self.replaced.get(seq, (-1, -2))
                if type == "tool/result" and first == last and first in self._results:
                    told = self._results[first]
                else:
                    told = f"legacy-message:{self.named}:{seq}"
                self._told("legacy_shape", line, "a message without an id")
        if type == "tool/result" and self._legacy:
            self._results[seq] = told
        return told

    def _answered(self, call_id: str | None, line: int | None) -> str | None:
        """The name of the tool whose result came."""
        if call_id is None:
            return None
        self._open.pop(call_id, None)
        if call_id in self.calls:
            return self.calls[call_id][1]
        self._told("orphan_result", line, call_id)
        return None

    def _other(self, type: str, data: Data, seq: int, line: int | None) -> str | None:
        """What the events off the surface say of others, and of the session; gives the model they name."""
        if not self._known(type):
            self._told("unknown_type", line, type)
        if type in ("turn/start", "turn/end"):
            if data.trigger is not None or isinstance(data.reason, str):
                self._told("legacy_shape", line, type)
        elif type == "session/title":
            if isinstance(data.title, str) and self._keep_text:
                self.title = data.title
            self._refer(seq, data.message_seqs)
        elif type == "session/end-seed":
            if data.inherited is True or "inherited" in (data.kind, data.tag):
                self._seed_ends = seq
        elif type.startswith("compaction/"):
            self._refer(seq, data.shadowed_seqs)
        elif type.startswith(("tool/", "subagent/")):
            calls = dict.fromkeys(
                value for name in REFERRING if isinstance(value := getattr(data, name), str) and value
            )
            (self.spawns if type == "subagent/descriptor" else self._referring).extend((seq, one) for one in calls)
        elif type.startswith("request/"):
            model = model_of(data)
            if type == "request/header" and model is not None:
                self._ask_model = model
            return model
        elif type == "assistant/attempt":
            return model_of(data) or self._ask_model
        return None

    def _refer(self, seq: int, given: Any) -> None:
        """Links to events of this log that are named by their seqs."""
        for one in given if isinstance(given, list) else ():
            run = run_of(one)
            if run is not None and (run[0] == run[1] or run[1] < seq):
                self.refers += [(seq, named, "asserted") for named in range(run[0], run[1] + 1)]

    def _known(self, type: str) -> bool:
        """Whether dsh is known to write this type, and no type of a later surface."""
        known = self._unknown.get(type)
        if known is None:
            legacy = type == "steering/message"
            known = legacy or (type.split("/", 1)[0] in FAMILIES and "/" in type and type not in LATER_SURFACE)
            self._unknown[type] = known
        return known

    def _told(self, kind: str, line: int | None, example: str | None, count: int = 1) -> None:
        self._findings.add(kind, self.file.name, line, example, count)
