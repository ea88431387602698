"""The sessions that dsh kept in a SQLite database, for a time and for those who asked for it."""

from __future__ import annotations

import io
import json
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from lineage_kit.importers.dsh.packed_rows import ROWS
from lineage_kit.importers.dsh.reader import Log
from lineage_kit.importers.dsh.records import Header, Record
from lineage_kit.importers.dsh.row_buffer import RowBuffer
from lineage_kit.importers.pipeline.context import Import
from lineage_kit.importers.pipeline.files import ZSTD, LogFile

MAGIC = b"SQLite format 3\x00"
APPLICATION, VERSION = 0x44534850, 17
HEADERS = ("id", "version", "created_at", "cwd", "parent_session", "seed_length", "origin", "delegation_depth")
EVENTS = ("seq", "type", "time", "data", "source_event_seqs", "surface_op", "ignorable")
BAD = (ValueError, TypeError, RecursionError, OSError, pa.ArrowException, msgspec.MsgspecError)


def is_database(path: Path) -> bool:
    """Whether a file is a database of dsh, told by its first bytes."""
    try:
        with path.open("rb") as file:
            start = file.read(72)
    except OSError:
        return False
    return start[:16] == MAGIC and len(start) == 72 and struct.unpack(">I", start[68:72])[0] == APPLICATION


def read_database(work: Import, file: LogFile, buffer: RowBuffer) -> Iterator[Log]:
    """The sessions of a database, in the order of their ids; the file is never written."""
    buffer.begin(file)
    try:
        with closing(sqlite3.connect(f"{file.path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.text_factory = bytes
            version = database.execute("pragma user_version").fetchone()[0]
            if version != VERSION:
                work.findings.add("damaged_header", file.name, None, f"user_version {version}")
            for values in _select(database, "sessions", HEADERS, "order by id"):
                yield _session(work, file, buffer, database, values)
    except sqlite3.Error as error:
        work.findings.add("corrupt_log", file.name, None, str(error))
    work.advance(file.size)


def _select(database: sqlite3.Connection, table: str, wanted: tuple[str, ...], rest: str, *given: Any) -> Iterator[Any]:
    """Rows of a table; columns that it does not have are null."""
    there = {row[1].decode() for row in database.execute(f"pragma table_info({table})")}
    columns = ", ".join(name if name in there else "null" for name in wanted)
    yield from database.execute(f"select {columns} from {table} {rest}", given)


def _session(
    work: Import, file: LogFile, buffer: RowBuffer, database: sqlite3.Connection, values: tuple[Any, ...]
) -> Log:
    """One session: its rows in the order of seq; the first that cannot be read ends it."""
    log = Log(file, buffer, work.findings, work.keep_text)
    log.begin(Header("session", **{name: _text(value) for name, value in zip(HEADERS, values, strict=True)}))
    damaged, left, turn_ends = None, 0, False
    try:
        for event in _select(database, "events", EVENTS, "where session_id = ? order by seq", _key(values[0])):
            if damaged is not None:
                left += 1
                turn_ends = turn_ends or event[1] == b"turn/end"
                continue
            damaged = _event(log, event)
            if damaged is not None:
                work.findings.add("unparsed_line", file.name, None, f"{log.named}#{_text(event[0])}: {damaged}")
                _end(work, log, len(event[3]) if isinstance(event[3], bytes) else 0, damaged)
    except sqlite3.Error as error:  # the file is damaged in the middle
        work.findings.add("corrupt_log", file.name, None, f"{log.named}: {error}")
        if damaged is None:
            _end(work, log, 0, str(error))
    kind = "corrupt_log" if turn_ends else "unparsed_line"
    work.findings.add(kind, file.name, None, f"{log.named}: {damaged}", left)
    log.end()
    return log


def _end(work: Import, log: Log, size: int, reason: str) -> None:
    """The row that stands for where the session ends before its time."""
    if not work.live:
        log.damage(None, None, json.dumps({"bytes": size, "reason": reason}))


def _event(log: Log, row: tuple[Any, ...]) -> str | None:
    """Take a row of the events; gives the reason when it is none."""
    seq, type, time, data, cited, op, ignorable = row
    try:
        raw = _unpacked(data)
        kind = _text(type)
        if ignorable == 0 and kind in ROWS:
            return log.pack_data(kind, seq, time, raw)
        if raw:
            msgspec.json.decode(raw, type=msgspec.Raw)
        operation = None if op is None else msgspec.json.decode(op)
        numbers = None if cited is None else seqs_of(cited)
    except BAD as error:
        return " ".join(str(error).split())[:120] or error.__class__.__name__
    return log.take(Record(kind, seq, time, msgspec.Raw(raw), operation, numbers), None, None)


def _unpacked(data: Any) -> bytes:
    """Data as JSON: stored as text, or, when they are long, as a zstd blob."""
    if data is None:
        return b""
    if not isinstance(data, bytes):
        raise ValueError(f"data of type {data.__class__.__name__}")
    if data[:4] == ZSTD:
        with pa.CompressedInputStream(pa.PythonFile(io.BytesIO(data), "r"), "zstd") as stream:
            data = stream.read()
    whole = bytes(data)
    whole.decode()
    return whole


def seqs_of(blob: bytes) -> list[int]:
    """Citations as the database keeps them: varints, the first plain, each other the zigzag of its distance.

    Raises:
        ValueError: a blob that ends inside a number.

    Example:
        >>> seqs_of(bytes([19, 2, 31])), seqs_of(bytes([0x80, 0x01])), seqs_of(b"")
        ([19, 20, 4], [128], [])
    """
    seqs: list[int] = []
    number = shift = 0
    for byte in blob:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            seqs.append(seqs[-1] + (number >> 1 ^ -(number & 1)) if seqs else number)
            number = shift = 0
    if shift:
        raise ValueError("citations that end inside a number")
    return seqs


def _text(value: Any) -> Any:
    """A text of the database; everything is fetched as bytes, so that none can fail."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _key(value: Any) -> Any:
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
