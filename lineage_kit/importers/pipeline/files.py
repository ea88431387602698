"""The files of an import: found in folders, opened plain, gzipped or as zstd, and cut into lines."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline.prefetch import Prefetch

PART = 1 << 20
"""Bytes read at a time."""
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ENDINGS = (".jsonl", ".ndjson", ".json")
PACKED = (".gz", ".zst", ".zstd")


class LogFile(NamedTuple):
    """A file to read; `name` is its path within what was given to import, and what tables and reports say."""

    path: Path
    name: str

    @property
    def stem(self) -> str:
        """The file's name without its endings.

        Example:
            >>> LogFile(Path("logs/s1.jsonl.zstd"), "logs/s1.jsonl.zstd").stem
            's1'
        """
        name = readable(self.path.name)
        for endings in (PACKED, ENDINGS):
            ending = next((one for one in endings if name.lower().endswith(one)), "")
            name = name[: len(name) - len(ending)]
        return name

    @property
    def size(self) -> int:
        """Bytes on disk; 0 where the file is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


class Lines(NamedTuple):
    """Some lines of a file, one after the other, without their newlines."""

    number: int
    """The number of the first one, from 1."""
    offset: int
    """Where it begins, in bytes of the unpacked file."""
    lines: list[bytes]
    ended: bool
    """Whether the last one ended in a newline; only the end of a file does not."""
    utf8: bool = False
    """Whether they are known to be UTF-8, all of them."""


class Part(NamedTuple):
    """Some bytes of an unpacked file."""

    data: bytes
    read: int
    """The bytes on disk that were read for it."""
    utf8: bool
    """Whether the lines that are whole within it are known to be UTF-8."""


class Broken(Exception):
    """A file that cannot be read, or not on to its end; what could be read has been given."""

    def __init__(self, error: Exception) -> None:
        unreadable = isinstance(error, OSError) and error.strerror
        super().__init__(str(unreadable or " ".join(str(error).split()) or type(error).__name__))
        self.damaged = not unreadable
        """Whether packed data are cut or damaged, rather than the file out of reach."""


def log_files(given: Any, is_log: Callable[[Path], bool] | None = None, skipped: Collection[str] = ()) -> list[LogFile]:
    """The files that paths and folders stand for, in sorted order, none twice.

    A file that is named is read whatever it is called; in folders, `is_log` chooses (else what is called like JSONL),
    and folders in them of these names are `skipped`.

    Raises:
        InvalidRequest: a path that is not there, or none given.
    """
    places = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    if not places:
        raise InvalidRequest("no path was given to import")
    chosen = is_log or is_jsonl
    found: dict[str, Path] = {}
    tops: list[str] = []
    for place in places:
        if not isinstance(place, (str, os.PathLike)):
            raise InvalidRequest(f"a path to import must be a text or a path, got {type(place).__name__}")
        path = Path(place).expanduser()
        if not path.exists():
            raise InvalidRequest(f"{path}: there is no such file or folder")
        inside = path.is_dir()
        tops.append(os.path.abspath(path if inside else path.parent))
        for one in filter(chosen, _within(path, skipped)) if inside else [path]:
            found.setdefault(os.path.realpath(one), one)
    # Names do not depend on where the logs lie, so that the same logs give the same tables anywhere.
    top = os.path.commonpath(tops)
    files = [LogFile(path, _name(path, top)) for path in found.values()]
    return sorted(files, key=lambda file: file.name)


def _name(path: Path, top: str) -> str:
    return readable(Path(os.path.relpath(os.path.abspath(path), top)).as_posix())


def readable(name: str) -> str:
    """A file name as text that any table can hold: what is no text in this system's encoding is replaced.

    Example:
        >>> readable("caf" + chr(0xDCE9)) == "caf" + chr(0xFFFD)
        True
    """
    return "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in name)


def is_jsonl(path: Path) -> bool:
    """Whether a file is called like JSON lines, packed or not.

    Example:
        >>> is_jsonl(Path("a.jsonl.gz")), is_jsonl(Path("a.meta.json"))
        (True, False)
    """
    name = path.name.lower()
    packing = next((one for one in PACKED if name.endswith(one)), "")
    return name[: len(name) - len(packing)].endswith((".jsonl", ".ndjson"))


def _within(folder: Path, skipped: Collection[str]) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in skipped)
        yield from (Path(root, name) for name in sorted(files))


def lines_of(file: LogFile, advance: Callable[[int], object] | None = None) -> Iterator[Lines]:
    """The lines of a file, some at a time; only a newline byte ends a line, and a line may have any length.

    `advance` is given the bytes read of the file on disk.

    Raises:
        Broken: the file cannot be opened, or its packed data are damaged; after the lines before that.
    """
    parts = partial(_parts, file)
    with ExitStack() as stack:
        # Reading and unpacking go on in a thread, which is not worth it for a small file.
        found = parts() if file.size < 4 * PART else stack.enter_context(closing(Prefetch(parts)))
        yield from _lines(found, advance or (lambda size: None))


def _lines(parts: Iterable[Part], advance: Callable[[int], object]) -> Iterator[Lines]:
    """The lines of the parts of a file, put together where a line goes on from one part into the next."""
    number, offset = 1, 0
    held: list[bytes] = []  # the pieces of a line that is not whole yet
    broken: Broken | None = None
    try:
        for part, read, utf8 in parts:
            advance(read)
            lines = part.split(b"\n")
            if len(lines) == 1:
                held.append(part)
                continue
            if held:
                lines[0] = b"".join((*held, lines[0]))
            last = lines.pop()
            held = [last] if last else []
            yield Lines(number, offset, lines, True, utf8 and is_utf8(lines[0]))
            number += len(lines)
            offset += sum(map(len, lines)) + len(lines)
    except Broken as error:
        broken = error
    if held:
        yield Lines(number, offset, [b"".join(held)], False)
    if broken is not None:
        raise broken


def is_utf8(data: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8, found out without making a text of them.

    Example:
        >>> is_utf8("é".encode()), is_utf8(bytes([0xE9]))
        (True, False)
    """
    offsets = pa.py_buffer(array("q", (0, len(data))))
    held = pa.LargeBinaryArray.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        held.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _parts(file: LogFile) -> Iterator[Part]:
    """The unpacked bytes of a file, a part at a time."""
    given = counted = 0
    try:
        with file.path.open("rb") as raw:
            stream = _unpacked(raw)
            while read := stream.read(PART):
                part = bytes(read)
                given += len(part)
                # What stands between the first newline and the last one is checked here; lines that go over the
                # edge of a part are not whole yet.
                inner = memoryview(part)[part.find(b"\n") + 1 : part.rfind(b"\n") + 1]
                yield Part(part, raw.tell() - counted, is_utf8(inner))
                counted = raw.tell()
    except (OSError, EOFError, ValueError) as error:
        if rest := _rest(file, given):
            yield Part(rest, 0, False)
        raise Broken(error) from error


def _rest(file: LogFile, given: int) -> bytes:
    """What can still be unpacked of damaged data: a large read fails as a whole, one byte at a time gives the most."""
    rest = bytearray()
    try:
        with file.path.open("rb") as raw:
            stream = _unpacked(raw)
            while given and (part := stream.read(min(PART, given))):
                given -= len(part)
            while byte := stream.read(1):
                rest += byte
    except (OSError, EOFError, ValueError):
        pass
    return bytes(rest)


def _unpacked(raw: Any) -> Any:
    """The file itself, or a stream that unpacks it; its first bytes say which."""
    start = raw.read(4)
    raw.seek(0)
    if start[:2] == GZIP:
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if start == ZSTD:
        return pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd")  # reads on over the end of a frame
    return raw
