"""A dsh log in a file of lines, read as far as it is sound."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from lineage_kit.importers.dsh.packed_rows import ROWS
from lineage_kit.importers.dsh.reader import Log
from lineage_kit.importers.dsh.records import Header, decode_header, decode_record
from lineage_kit.importers.dsh.row_buffer import RowBuffer
from lineage_kit.importers.pipeline.context import Import
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of
from lineage_kit.importers.pipeline.json_lines import PATIENT, Found, Unparsed
from lineage_kit.importers.pipeline.staging import unparsed

TURN_END = "turn/end"
WRITTEN = re.compile(rb'"type"\s*:\s*"turn/end"')
UNENDED = "the last line does not end in a newline"


class Rest(NamedTuple):
    """What follows a damaged line."""

    lines: int
    """Complete lines."""
    turn_ends: bool
    """Whether one of them ends a turn: then the log was written on, and the damage is none of its end."""
    torn: int | None
    """The line number of text after the last newline."""
    torn_size: int
    """The bytes of that text."""
    broken: str | None
    """Why packed data could not be read to their end."""


def read_lines(work: Import, file: LogFile, buffer: RowBuffer) -> Log | None:
    """The session of a file, or None where there is nothing of one.

    A damaged line ends the log: one that is no record, a blank one, a malformed packed row, a seq that is not the next.
    """
    log = Log(file, buffer, work.findings, work.keep_text)
    records = work.records(file, decode_record, blank_is_fault=True)
    named = False
    for found in records:
        value, raw, line, offset, ended = found
        if value.__class__ is not Unparsed:
            kind = value.type
            if not named and kind == "session" and (ended or not work.live):
                named = True
                log.begin(_header_of(raw))
                continue
            if not ended:
                found = found._replace(value=Unparsed(len(raw), UNENDED, torn=True))
            else:
                if not named:
                    named = True
                    work.findings.add("missing_header", file.name, line, None)
                if kind.__class__ is str and kind in ROWS:
                    reason = log.pack_line(raw, line, offset)
                else:
                    reason = log.take(value, line, offset)
                if reason is None:
                    continue
                work.findings.add("unparsed_line", file.name, line, reason)
                found = found._replace(value=Unparsed(len(raw), reason))
        if not named and not work.live:
            work.findings.add("missing_header", file.name, line, None)
        _ended(work, log, found, records)
        break
    if log.header is None and not log.seq:
        return None
    log.end()
    return log


def _ended(work: Import, log: Log, found: Found, records: Any) -> None:
    """The log ends here before its time: the row that says so, and what of the file is left."""
    piece, name = found.value, log.file.name
    records.close()  # what else is on the line is part of the damage, and not told for itself
    if piece.torn:
        if not found.ended and not work.live:
            rest = rest_of(log.file, found.line - 1)
            found = found._replace(value=piece._replace(size=rest.torn_size))
            if not work.findings.count("torn_tail", name):
                work.findings.add("torn_tail", name, found.line, piece.reason)
            if rest.broken is not None:
                work.findings.add("corrupt_log", name, found.line, rest.broken)
    else:
        rest = rest_of(log.file, found.line)
        kind = "corrupt_log" if rest.turn_ends else "unparsed_line"
        work.findings.add(kind, name, found.line, piece.reason, rest.lines)
        if not work.live:
            work.findings.add("torn_tail", name, rest.torn, None, int(rest.torn is not None))
            if rest.broken is not None and not rest.turn_ends:
                work.findings.add("corrupt_log", name, found.line, rest.broken)
    if not work.live:
        damage = unparsed(found)
        log.damage(damage.line, damage.byte_offset, str(damage.payload))


def rest_of(file: LogFile, line: int) -> Rest:
    """What follows a line of a file."""
    lines, turn_ends, torn, torn_size, broken = 0, False, None, 0, None
    try:
        for part in lines_of(file):
            for number, data in enumerate(part.lines, part.number):
                if number <= line:
                    continue
                if not part.ended:
                    torn, torn_size = number, len(data)
                    continue
                lines += 1
                turn_ends = turn_ends or _ends_turn(data)
    except Broken as error:
        broken = str(error)
    return Rest(lines, turn_ends, torn, torn_size, broken)


def _ends_turn(data: bytes) -> bool:
    if WRITTEN.search(data) is None:
        return False
    try:
        return bool(decode_record(data).type == TURN_END)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return True  # damaged itself, or one of several records on the line


def _header_of(raw: bytes) -> Header:
    try:
        return decode_header(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError):  # a number that no double can hold
        return msgspec.convert(PATIENT.decode(raw.decode()), Header)
