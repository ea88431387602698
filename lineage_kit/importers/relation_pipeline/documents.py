"""Files as JSON values: one value, or one a line, whatever the file is called (rules R10 and R11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from lineage_kit.importers.pipeline.files import Broken, Lines, LogFile, lines_of
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import SPACE, Unparsed, recovered

Advance = Callable[[int], object]
decode: Callable[[bytes], Any] = msgspec.json.Decoder().decode
"""A JSON value as Python has it."""


class Value(NamedTuple):
    """A JSON value of a file, and the line on which it begins; None where it is all of the file."""

    value: Any
    line: int | None


def values_of(
    file: LogFile, findings: Findings, advance: Advance | None = None, line_decode: Callable[[bytes], Any] = decode
) -> Iterator[Value]:
    """Every value of a file: the whole of it if that is one value, else one a line.

    1. If the first line is a value by itself, all lines are read so.  2. Otherwise the file is read as one value.
    3. If it is none, its lines are read one by one, and those that are no JSON are counted.
    """
    parts = _parts(file, findings, advance)
    first = next(parts, None)
    while first is not None and not any(line.strip() for line in first.lines):
        first = next(parts, None)
    if first is None:
        findings.add("empty_file", file.name)
        return
    lead = next(line for line in first.lines if line.strip())
    if _is_value(lead):
        yield from _line_by_line(first, file, findings, line_decode)
        for part in parts:
            yield from _line_by_line(part, file, findings, line_decode)
        return
    held = [first, *parts]
    whole = _whole(held)
    try:
        yield Value(decode(whole), None)
        return
    except Exception:  # whatever a parser raises; what it is good for is seen below
        pass
    if (value := _one(whole, file, findings)) is not None:
        yield value
        return
    for part in held:
        yield from _line_by_line(part, file, findings, line_decode)


def document_of(
    file: LogFile, findings: Findings, advance: Advance | None = None, whole_decode: Callable[[bytes], Any] = decode
) -> Value | None:
    """The one value that a file is; None, and counted, if it is none."""
    whole = _whole(list(_parts(file, findings, advance)))
    if not whole.strip():
        findings.add("empty_file", file.name)
        return None
    try:
        return Value(whole_decode(whole), None)
    except Exception:  # as above
        pass
    value = _one(whole, file, findings)
    if value is None:
        findings.add("unparsed_file", file.name)
    return value


def _parts(file: LogFile, findings: Findings, advance: Advance | None) -> Iterator[Lines]:
    try:
        yield from lines_of(file, advance)
    except Broken as error:
        findings.add("corrupt_log", file.name, None, str(error))


def _whole(parts: list[Lines]) -> bytes:
    """The bytes of all lines."""
    return b"\n".join(b"\n".join(part.lines) for part in parts)


def _is_value(line: bytes) -> bool:
    try:
        decode(line)
    except Exception:  # as above
        return False
    return True


def _one(whole: bytes, file: LogFile, findings: Findings) -> Value | None:
    """One value read with patience; None if there is none, or more than one."""
    aside = Findings(findings.kinds)
    found = list(recovered(whole, decode, file.name, 1, aside, False, any_value=True))
    if len(found) != 1 or isinstance(found[0][0], Unparsed):
        return None
    findings.take(aside)
    return Value(found[0][0], None)


def _line_by_line(part: Lines, file: LogFile, findings: Findings, decode: Callable[[bytes], Any]) -> Iterator[Value]:
    make = tuple.__new__
    for number, line in enumerate(part.lines, part.number):
        try:
            value = decode(line)
        except Exception:  # as above
            last = not part.ended and number == part.number + len(part.lines) - 1
            yield from _patiently(line, file, number, findings, torn=last)
        else:
            yield make(Value, (value, number))  # as Value(…) makes it, without the call of a Python function


def _patiently(line: bytes, file: LogFile, number: int, findings: Findings, *, torn: bool) -> Iterator[Value]:
    if not line.strip() or not line.decode(errors="replace").strip(SPACE):
        return
    for value, _ in recovered(line, decode, file.name, number, findings, False, any_value=True):
        if isinstance(value, Unparsed):
            findings.add("torn_tail" if torn else "unparsed_line", file.name, number, value.reason)
        else:
            yield Value(value, number)
