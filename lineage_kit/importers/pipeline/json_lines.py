"""Lines as records: what a line holds, or why nothing could be made of it.

A line is decoded by the fast parser of its format. One that this refuses is read again with patience: byte order
marks, blank lines, several records on one line, bytes that are no UTF-8, halves of surrogate pairs, NaN. What then
still is no record is given as `Unparsed`, so that nothing of a file is lost without a row.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lineage_kit.errors import LineageKitError
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.json_values import clean

SPACE = " \t\r\n\ufeff"


class Unparsed(NamedTuple):
    """A piece of a file that is no record."""

    size: int
    reason: str
    torn: bool = False
    """Whether it is the end of a file that was cut in the middle."""
    blank: bool = False
    """Whether it is an empty line; given only where the format calls that a fault."""


class Found(NamedTuple):
    """A record of a file, or a piece that is none."""

    value: Any
    raw: bytes
    """The record as JSON in UTF-8; what an `Unparsed` piece said is not kept."""
    line: int
    offset: int
    """Where its line begins, in bytes of the unpacked file."""
    ended: bool = True
    """Whether its line ended in a newline, as all but the last must."""


def records_of(
    file: LogFile,
    decode: Callable[[bytes], Any],
    findings: Findings,
    *,
    live: bool = False,
    blank_is_fault: bool = False,
    advance: Callable[[int], object] | None = None,
) -> Iterator[Found]:
    """Every record of a file in order, and every piece that is none; faults of lines are counted in `findings`.

    Args:
        file: the file.
        decode: makes a record of the bytes of one, and raises for anything that is no JSON object.
        findings: where faults are counted.
        live: the file is being written: a torn last line is not there yet, and not given.
        blank_is_fault: whether a blank line is a fault rather than nothing.
        advance: given the bytes read of the file on disk.

    Raises:
        LineageKitError: a live file that cannot be opened.
    """
    number, offset, empty = 1, 0, True
    make = tuple.__new__
    try:
        for part in lines_of(file, advance):
            number, offset, utf8, ended = part.number, part.offset, part.utf8, part.ended
            for data in part.lines:
                try:
                    value = decode(data)
                    if not utf8 and not data.isascii():
                        data.decode()  # parsers do not look at the bytes of what they skip
                except Exception:  # whatever a parser raises; MemoryError and interrupts are no Exception here
                    pieces = recovered(data, decode, file.name, number, findings, blank_is_fault)
                    for value, raw in pieces:
                        if isinstance(value, Unparsed):
                            value = value._replace(torn=not ended)
                            if value.torn and live:
                                continue
                            _count(value, file.name, number, findings)
                        empty = False
                        yield Found(value, raw, number, offset, ended)
                else:
                    empty = False
                    raw = data[:-1] if data[-1:] == b"\r" else data
                    # As Found(…) makes it, without the call of a Python function for each record.
                    yield make(Found, (value, raw, number, offset, ended))
                number += 1
                offset += len(data) + 1
    except Broken as error:
        if live and not error.damaged:
            raise LineageKitError(f"{file.name}: {error}") from error
        if live:  # the end of packed data is not there yet
            return
        findings.add("corrupt_log", file.name, number, str(error))
        yield Found(Unparsed(0, str(error), torn=True), b"", number, offset)
        return
    if empty:
        findings.add("empty_file", file.name, None, None)


def _count(piece: Unparsed, file: str, line: int, findings: Findings) -> None:
    findings.add("torn_tail" if piece.torn else "unparsed_line", file, line, piece.reason)


def recovered(
    data: bytes,
    decode: Callable[[bytes], Any],
    file: str,
    line: int,
    findings: Findings,
    blank_is_fault: bool,
    *,
    any_value: bool = False,
) -> Iterator[tuple[Any, bytes]]:
    """What can be made of a line that the fast parser refused: each record (or `any_value`), and what is none."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        findings.add("invalid_utf8", file, line, f"{len(data):,} bytes")
    text = text.strip(SPACE)
    if not text:
        if blank_is_fault:
            yield Unparsed(len(data), "a blank line", blank=True), b""
        return
    place, records = 0, 0
    while place < len(text):
        try:
            value, end = PATIENT.raw_decode(text, place)
            cleaned, replaced = _clean(value)
            raw = json.dumps(cleaned, ensure_ascii=False).encode()
            wanted = any_value or isinstance(cleaned, dict)
            made = decode(raw) if wanted else None
        except (ValueError, RecursionError) as error:
            rest = len(text[place:].encode(errors="replace"))
            yield Unparsed(rest, _why(error)), b""
            break
        except Exception as error:  # the parser of the format has exceptions of its own
            yield Unparsed(end - place, _why(error)), b""
        else:
            if not wanted:
                yield Unparsed(end - place, f"no record but {_name(value)}"), b""
            else:
                records += 1
                findings.add("replaced_surrogates", file, line, None, count=replaced)
                yield made, raw
        place = end
        while place < len(text) and text[place] in SPACE:
            place += 1
    findings.add("glued_records", file, line, f"{records} records", count=records - 1)


def _number(text: str) -> Any:
    """A number with a point; one that no double can hold stays text."""
    number = float(text)
    return number if math.isfinite(number) else text


def _integer(text: str) -> Any:
    """A number without a point; one of more digits than Python takes stays text."""
    try:
        return int(text)
    except ValueError:
        return text


PATIENT = json.JSONDecoder(strict=False, parse_constant=str, parse_float=_number, parse_int=_integer)
"""Takes raw control characters in texts, and NaN and infinities as texts."""


def _clean(value: Any) -> tuple[Any, int]:
    """JSON data whose texts UTF-8 can hold, and how many texts had to be changed for that."""
    changed = 0

    def text(held: str) -> str:
        nonlocal changed
        try:
            held.encode()
        except UnicodeEncodeError:
            changed += 1
            return str(clean(held))
        return held

    holder: list[Any] = [value]
    work: list[tuple[Any, Any]] = [(holder, 0)]
    while work:
        place, key = work.pop()
        held = place[key]
        if isinstance(held, str):
            place[key] = text(held)
        elif isinstance(held, dict):
            place[key] = fresh = {text(name): inner for name, inner in held.items()}
            work += [(fresh, name) for name in fresh]
        elif isinstance(held, list):
            work += [(held, index) for index in range(len(held))]
    return holder[0], changed


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return " ".join(str(error).split())[:120] or type(error).__name__


def _name(value: Any) -> str:
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "null")
