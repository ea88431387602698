"""Digests of what repeated records of Claude Code say, to tell those that are the same event from those that are not.

Few records are repeated, so what they say is not kept while reading: their payloads are taken from the staged
rows, or, where texts are dropped, their lines are read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.importers.claude_code.file_index import FileIndex
from lineage_kit.importers.claude_code.records import canonical_content, decode_content
from lineage_kit.importers.pipeline.context import Import
from lineage_kit.importers.pipeline.files import GZIP, ZSTD, Broken, lines_of
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import Unparsed, records_of

Ints = npt.NDArray[np.int64]
NEAR = 1_000
"""Staged rows among which records are taken together."""


def content_digests(indexes: list[tuple[FileIndex, Ints]], work: Import) -> Ints:
    """A number for what each of some records says, by file: equal for those that say the same, and only for them.

    Args:
        indexes: the files, and of each the numbers of records (those of their staged rows), in order.
        work: the import.
    """
    if work.keep_text:
        return _of_payloads(np.concatenate([records for _, records in indexes]), work)
    return np.concatenate([_of_lines(index, records, work) for index, records in indexes])


def _number(record: bytes) -> int:
    return _digest(canonical_content(decode_content(record)))


def _digest(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little", signed=True)


def _of_payloads(records: Ints, work: Import) -> Ints:
    numbers: list[int] = []
    # What is taken refers to all that lies between, on disk as well: only records that lie together are taken together.
    for part in np.split(records, np.flatnonzero(np.diff(records // NEAR)) + 1):
        numbers += map(_number, work.staged.take(part, ["payload"])["payload"].cast(pl.Binary))
    return np.array(numbers, np.int64)


def _of_lines(index: FileIndex, records: Ints, work: Import) -> Ints:
    at = records - index.base
    lines = index.line[at]
    # Of several records on one line each has to be found as it was when the file was read, as have those that only
    # the patient parser could read.
    before, after = index.line[np.maximum(at - 1, 0)], index.line[np.minimum(at + 1, index.count - 1)]
    alone = ((before != lines) | (at == 0)) & ((after != lines) | (at == index.count - 1))
    try:
        if alone.all():
            offsets = work.staged.take(records, ["byte_offset"])["byte_offset"].to_list()
            return np.array([_number(line) for line in _lines(index, lines.tolist(), offsets)], np.int64)
    except (OSError, ValueError, Broken):
        pass
    return _of_file(index, at, work.live)


def _lines(index: FileIndex, lines: list[int], offsets: list[int]) -> Iterator[bytes]:
    """Some lines of a file; raises ValueError for one that is no UTF-8, and if one is not there."""
    found = 0
    with index.file.path.open("rb") as raw:
        if not raw.read(4).startswith((GZIP, ZSTD)):
            for offset in offsets:
                raw.seek(offset)
                line = raw.readline()
                line.decode()
                yield line
            return
    for part in lines_of(index.file):
        while found < len(lines) and lines[found] < part.number + len(part.lines):
            line = part.lines[lines[found] - part.number]
            line.decode()
            yield line
            found += 1
        if found == len(lines):
            return
    raise ValueError("a line is gone")


def _of_file(index: FileIndex, wanted: Ints, live: bool) -> Ints:
    """The same, where the whole file has to be read again as it was read before."""
    numbers: dict[int, int] = dict.fromkeys(wanted.tolist(), 0)
    for at, found in enumerate(records_of(index.file, decode_content, Findings(), live=live)):
        if at in numbers and not isinstance(found.value, Unparsed):
            numbers[at] = _digest(canonical_content(found.value))
        if at >= index.count:
            break
    return np.fromiter(numbers.values(), np.int64, len(numbers))
