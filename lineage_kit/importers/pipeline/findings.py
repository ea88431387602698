"""What an import could not take as it stood: a closed list of kinds, counted by file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lineage_kit.schema import REPORT

KINDS: dict[str, str] = {
    "unparsed_line": "no record could be read here; stands in the log as an event of type unparsed",
    "torn_tail": "the last line was cut short; stands in the log as an event of type unparsed",
    "glued_records": "several records stood on one line and were separated",
    "replaced_surrogates": "halves of surrogate pairs, which no UTF-8 text can hold, were replaced",
    "invalid_utf8": "bytes that are no UTF-8 were replaced",
    "unknown_type": "a record of a type this version does not know; kept, off the surface",
    "unknown_attachment": "an attachment of a kind this version does not know; kept, off the surface",
    "no_message": "a user or assistant record without a message; kept, off the surface",
    "duplicate_record": "the same record again in one file; the first copy was kept",
    "reused_id": "an id used again for other content; an event of its own that no link resolves to",
    "broken_parent": "a parent that was never written; the link is kept, and history goes on",
    "parent_cycle": "a chain of parents that comes back on itself",
    "orphan_result": "a tool result whose call is not in the log",
    "open_call": "a tool call without a result",
    "late_citation": "a link to something that is not earlier in the log, which no citation may be",
    "empty_citations": "an empty list of citations; written as none",
    "summary_missing": "a compaction without its summary; its boundary carries the replacement",
    "empty_replacement": "a replacement of which nothing stood on the surface any more; appended instead",
    "preserved_inside": "preserved records inside a replaced range; replaced too, a range spares none",
    "rewind": "a prompt that was edited; the later branch replaces the abandoned one",
    "rollback_past_start": "a rollback of more turns than there were; everything was replaced",
    "out_of_order_time": "a time before that of the record in front of it; the order of the file counts",
    "missing_time": "a record without a time that can be read",
    "missing_header": "a log without its header; the session was named after its file",
    "damaged_header": "a header with fields that could not be used",
    "inherited_records": "records copied from another session, which owns them; no events of this one",
    "missing_owner": "records copied from a session that is not among the logs read",
    "inferred_parent": "a parent session that no record states, found by the records both share",
    "spawn_unknown": "a child session whose spawning event is not among the logs read",
    "duplicate_session_id": "two logs that claim one session id; the later one was given a longer id",
    "empty_file": "a file without any record",
    "side_file": "a file that is no log of a session",
    "legacy_shape": "the shape of an older version, read as what it is called today",
    "corrupt_log": "a log that could not be read to its end; imported up to the damage",
}
"""Every kind of finding, with what was found and what the import made of it."""


class Findings:
    """Findings while an import runs, one row a kind and file."""

    def __init__(self, kinds: Mapping[str, str] = KINDS) -> None:
        self.kinds = kinds
        self._rows: dict[tuple[str, str], list[Any]] = {}

    def add(self, kind: str, file: str, line: int | None = None, example: str | None = None, count: int = 1) -> None:
        """Count a finding; the row tells the first line, and the example found there."""
        if count < 1:
            return
        assert kind in self.kinds, kind
        row = self._rows.get((file, kind))
        if row is None:
            self._rows[file, kind] = [line, count, example]
            return
        row[1] += count
        if line is not None and (row[0] is None or line < row[0]):
            row[0], row[2] = line, example

    def take(self, other: Findings) -> None:
        """Count what another counted."""
        for (file, kind), (line, count, example) in other._rows.items():
            self.add(kind, file, line, example, count)

    def count(self, kind: str, file: str | None = None) -> int:
        """How often a kind was found, in one file or in all."""
        return sum(row[1] for (name, found), row in self._rows.items() if found == kind and file in (None, name))

    def frame(self) -> pl.DataFrame:
        """The report.

        Columns: file, kind (String), line (Int64: where it was found first, null for the file as a whole), count
        (Int64), example (String: an id, or what was found there), meaning (String). Sorted by file, line (nulls
        first), kind.
        """
        rows = [(file, kind, *row, self.kinds[kind]) for (file, kind), row in self._rows.items()]
        return REPORT.frame(rows).sort("file", "line", "kind", nulls_last=False)
