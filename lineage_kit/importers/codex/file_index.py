"""The index of a Codex rollout, kept until all files are known: its header, and some bytes a record."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.json_lines import PATIENT
from lineage_kit.importers.pipeline.timestamps import moment

OFF, TURN, SAID, PERSON, CALL, SERVED, RESULT, COMPACTED, ROLLBACK, META = range(10)
"""What a record is to the surface: nothing, the start of a turn, a message, one that a person wrote, a call that
waits for its output, a call that needs none, an output, a compaction, a rollback, the header of another file."""
ON_SURFACE = (SAID, PERSON, CALL, SERVED, RESULT, COMPACTED, ROLLBACK)
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


class Header:
    """The first `session_meta` of a file, or the first line of the flat form."""

    def __init__(self, raw: bytes, line: int, stamp: str | None) -> None:
        try:
            fields = PATIENT.decode(raw.decode())
        except RecursionError:
            fields = None
        self.line = line
        self.digest = hash(raw)
        self.damage: list[str] = [] if isinstance(fields, dict) else ["payload"]
        self._fields: dict[str, Any] = fields if isinstance(fields, dict) else {}
        self.id = self._text("id") or None
        if self.id is None and "id" not in self.damage:
            self.damage.append("id")
        self.created_at = self._text("timestamp") or stamp
        self.cwd = self._text("cwd")
        self.version = self._text("cli_version")
        self.forked_from = self._text("forked_from_id") or None
        self.start_ordinal = self._number("subagent_history_start_ordinal")
        base = self._part(self._fields, "history_base")
        self.base = base.get("thread_id") if isinstance(base.get("thread_id"), str) else None
        source = self._fields.get("source")
        spawn: dict[str, Any] = {}
        self.is_subagent = self._fields.get("thread_source") == "subagent"
        if isinstance(source, dict) and "subagent" in source:
            self.is_subagent = True
            if isinstance(source["subagent"], dict):
                spawn = self._part(source["subagent"], "thread_spawn")
        spawner = spawn.get("parent_thread_id")
        self.spawner = self._text("parent_thread_id") or (spawner if isinstance(spawner, str) else None) or None
        self.is_subagent = self.is_subagent or self.spawner is not None
        self.depth = _int64(spawn.get("depth"))
        self.parent = self.spawner or self.forked_from or self.base
        del self._fields  # instructions may be long

    def _text(self, name: str) -> str | None:
        value = self._fields.get(name)
        if value is None or isinstance(value, str):
            return value
        self.damage.append(name)
        return None

    def _number(self, name: str) -> int | None:
        value = self._fields.get(name)
        if value is not None and _int64(value) is None:
            self.damage.append(name)
        return _int64(value)

    def _part(self, fields: dict[str, Any], name: str) -> dict[str, Any]:
        value = fields.get(name)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.damage.append(name)
        return {}

    @property
    def origin(self) -> str:
        """Where the session comes from."""
        if self.is_subagent:
            return "subagent"
        return "fork" if self.parent else "codex"

    @property
    def histories(self) -> list[str]:
        """The sessions whose records this file may begin with, the likeliest first."""
        return list(dict.fromkeys(one for one in (self.forked_from, self.base, self.spawner) if one))


class Rollout:
    """The index of one file. Every record but the header has a staged row, and an entry in `kinds` and `lines`."""

    def __init__(self, file: LogFile, first: int) -> None:
        self.file = file
        self.first = first
        """The staged row of the first record."""
        self.header: Header | None = None
        self.kinds = array("b")
        self.lines = array("q")
        self.numbered = array("q")
        self.ordinals = array("q")
        """The records that have an ordinal, and these."""
        self.digests = array("q")
        """By record, of type and payload: equal for copies, whatever time and ordinal they were given. Empty where no
        other file was read that could hold copies."""
        self.ids: list[str | None] = []
        """The call id of every record that is a CALL, SERVED or RESULT, in order."""
        self.turns: dict[int, int] = {}
        """By record: how many turns a rollback takes back."""
        self.copied: dict[int, str | None] = {}
        """By record: the id in a header that is not the first."""
        self.spawned: dict[str, int] = {}
        """By thread id: the record that tells of its start."""
        self.title: tuple[int, str] | None = None
        """The first record with words of a person, and these."""
        self.unparsed = 0
        self.until: str | None = None
        self.session_id = ""

    def __len__(self) -> int:
        return len(self.kinds)

    def calls(self) -> Iterator[tuple[str, int]]:
        """The ids of calls, and the records that are these, in order."""
        places = (at for at, kind in enumerate(self.kinds) if kind in (CALL, SERVED, RESULT))
        for at, call in zip(places, self.ids, strict=True):
            if call is not None and self.kinds[at] != RESULT:
                yield call, at

    @property
    def claimed(self) -> str:
        """The id that the header states, else the one in the file's name, else that name."""
        if self.header is not None and self.header.id is not None:
            return self.header.id
        named = UUID.findall(self.file.stem)
        return named[-1] if named else self.file.stem


def _int64(value: Any) -> int | None:
    return value if value.__class__ is int and -(2**62) < value < 2**62 else None


def later(latest: str, stamp: str) -> str:
    """The later of two times as text that sorts by time; the second is written in another way than the common one."""
    when = moment(stamp)
    if when is None:
        return latest
    return max(latest, when.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
