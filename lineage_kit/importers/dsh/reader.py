"""One dsh session while it is read: rows are staged for its events, and it is indexed how they hang together."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lineage_kit.importers.dsh.header import head_of
from lineage_kit.importers.dsh.packed_rows import ROWS, Row, row_of, row_with
from lineage_kit.importers.dsh.records import (
    CHUNK,
    EARLIEST,
    FAMILIES,
    LATER_SURFACE,
    LATEST,
    NO_DATA,
    QUIET,
    REFERRING,
    SURFACE,
    TELLING,
    Data,
    Header,
    Message,
    Record,
    Usage,
    call_of,
    data_of,
    error_of,
    model_of,
    text_of,
    upgraded,
)
from lineage_kit.importers.dsh.references import cited_by, replaced_by, run_of, whole
from lineage_kit.importers.dsh.row_buffer import NO_DETAILS, RowBuffer
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import APPEND, NONE


class Log:
    """A session's events so far. `take` and `pack` say why when a record cannot be the next event: the log ends there.

    Attributes:
        header: the columns of the sessions table, as far as the header says them; None for a log without one.
        seq: how many events there are, and the seq of the next one.
        appended: the events that the surface gets.
    """

    def __init__(self, file: LogFile, buffer: RowBuffer, findings: Findings, keep_text: bool) -> None:
        self.file = file
        self.header: dict[str, Any] | None = None
        self.seq = 0
        self._span = buffer.open()
        self.appended: list[int] = []
        self.replaced: dict[int, tuple[int, int]] = {}
        self.citations: dict[int, Any] = {}
        self.refers: list[tuple[int, int | str, str]] = []
        self.calls: dict[str, tuple[int, str | None]] = {}
        self.spawns: list[tuple[int, str]] = []
        self.title: str | None = None
        self.seeded = False
        self._buffer = buffer
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
            self._report("legacy_shape", 1, "a header without delegationDepth")
        if head.damaged:
            self._report("damaged_header", 1, head.damaged)

    def take(self, record: Record, line: int | None, offset: int | None) -> str | None:
        """The next event; gives the reason when it is none."""
        type, given, seq = record.type, record.seq, self.seq
        if type.__class__ is not str:
            return "a record without a type"
        if (
            given != seq
            and given is not None
            and (given.__class__ is int or (given.__class__ is float and given.is_integer()))
        ):
            return f"seq {given} where {seq} was expected"
        raw = bytes(record.data)
        payload = raw if self._keep_text else b""
        self.seq = seq + 1
        plain = record.surface_op is None and record.source_event_seqs is None
        if plain and (type == CHUNK or (type in QUIET and TELLING.search(raw) is None)):
            self._buffer.add(type, line, offset, record.time, payload)
            return None
        data = data_of(raw) if raw else NO_DATA
        said = data if data.__class__ is Data else NO_DATA
        own = type
        if type == "steering/message":
            self._report("legacy_shape", line, type)
            if record.surface_op is not None:
                own = "user/message"
        surface = own in SURFACE
        if not plain:
            self._mark(record, seq, line, surface, surface or self._known(type))
        record_id = model = tool_name = call_id = tokens_in = tokens_out = None
        if surface:
            record_id = self._identity(own, said, seq, line)
            if own == "tool/result":
                call_id = call_of(said)
                tool_name = self._answered(call_id, line)
                if self._legacy and self._keep_text and said.message is None and said.content.__class__ is list:
                    payload = upgraded(payload, record_id)
            elif own == "assistant/message":
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
        details = (text, error_of(data), record_id, model, tool_name, call_id, tokens_in, tokens_out)
        self._buffer.add_detailed(own, details, type, line, offset, record.time, payload)
        return None

    def pack_line(self, raw: bytes, line: int | None, offset: int | None) -> str | None:
        """The events of a packed row, all or none; gives the reason when there are none."""
        try:
            row = row_of(raw)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            return f"a malformed packed row: {error}"
        return self._pack(row, line, offset)

    def pack_data(self, tag: str, seq: Any, time: Any, raw: bytes) -> str | None:
        """The events of a packed row of which the data alone are given."""
        begin = time if time.__class__ is int and EARLIEST <= time <= LATEST else None
        try:
            row = row_with(tag, seq, begin, ROWS[tag](raw))
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            return f"a malformed packed row: {error}"
        return self._pack(row, None, None)

    def _pack(self, row: Row, line: int | None, offset: int | None) -> str | None:
        if row.seq is not None and row.seq != self.seq:
            return f"seq {row.seq} where {self.seq} was expected"
        self.seq += len(row.gaps) + 1
        self._buffer.pack(row, line, offset)
        return None

    def damage(self, line: int | None, offset: int | None, payload: str) -> None:
        """The row that stands for where the log ends before its time."""
        self.seq += 1
        self._buffer.add_detailed("unparsed", NO_DETAILS, None, line, offset, None, payload.encode())

    def end(self) -> None:
        """Everything is read: links to calls that may have come later, calls without a result, the seed."""
        for seq, call in self._referring:
            target = self.calls.get(call)
            self.refers.append((seq, call if target is None else target[0], "observed"))
        for call, line in self._open.items():
            self._report("open_call", line or None, call)
        if self.seeded and self.header is not None and self.header["seed_length"] is None:
            self.header["seed_length"] = self._seed_ends
            if self._seed_ends is None:
                self._report("damaged_header", 1, "isSeeded, and no session/end-seed says where the seed ends")
        self._open, self._referring, self._results = {}, [], {}

    @property
    def named(self) -> str:
        """The id that the header says, or nothing."""
        return str((self.header or {}).get("session_id") or "")

    def row_numbers(self) -> range:
        """The numbers of its staged rows."""
        return range(self._span.first, self._span.first + self.seq)

    def on_surface(self) -> np.ndarray:
        """For each event NONE or APPEND."""
        marks = np.full(self.seq, NONE, np.int8)
        marks[self.appended] = APPEND
        return marks

    @property
    def until(self) -> int | None:
        """The latest time of its events; only of those that are staged rows by now."""
        return self._span.until

    def _mark(self, record: Record, seq: int, line: int | None, surface: bool, counts: bool) -> None:
        """What an event does to the surface, and what it cites; off the surface, citations are links."""
        op = record.surface_op
        if op is not None and counts:
            if op == "append":
                self.appended.append(seq)
            elif (range_of := replaced_by(op)) is not None:
                self.replaced[seq] = range_of
        given = record.source_event_seqs
        if given.__class__ is not list:
            return
        if not given:
            self._report("empty_citations", line, None)
            return
        cited = cited_by(given, seq)
        if cited.late:
            self._report("late_citation", line, cited.example, cited.late)
        if cited.earlier and surface:
            self.citations[seq] = cited.earlier
        elif cited.earlier:
            self.refers += [(seq, one, "asserted") for one in cited.earlier]

    def _identity(self, type: str, data: Data, seq: int, line: int | None) -> str | None:
        """The id of a message; old logs have none, and a rewritten tool result is that which it rewrites."""
        message = data.message
        record_id: str | None = message.id if message.__class__ is Message else data.id
        if record_id.__class__ is not str:
            record_id = None
            if self._legacy:
                first, last = self.replaced.get(seq, (-1, -2))
                if type == "tool/result" and first == last and first in self._results:
                    record_id = self._results[first]
                else:
                    record_id = f"legacy-message:{self.named}:{seq}"
                self._report("legacy_shape", line, "a message without an id")
        if type == "tool/result" and self._legacy:
            self._results[seq] = record_id
        return record_id

    def _answered(self, call_id: str | None, line: int | None) -> str | None:
        """The name of the tool whose result came."""
        if call_id is None:
            return None
        self._open.pop(call_id, None)
        if call_id in self.calls:
            return self.calls[call_id][1]
        self._report("orphan_result", line, call_id)
        return None

    def _other(self, type: str, data: Data, seq: int, line: int | None) -> str | None:
        """What the events off the surface say of others, and of the session; gives the model they name."""
        if not self._known(type):
            self._report("unknown_type", line, type)
        if type in ("turn/start", "turn/end"):
            if data.trigger is not None or isinstance(data.reason, str):
                self._report("legacy_shape", line, type)
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

    def _report(self, kind: str, line: int | None, example: str | None, count: int = 1) -> None:
        self._findings.add(kind, self.file.name, line, example, count)
