"""The header of a dsh log as columns of the sessions table, and what the place of a file says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from lineage_kit.importers.dsh.records import Header
from lineage_kit.importers.dsh.references import LARGEST
from lineage_kit.importers.pipeline.files import LogFile

NEWEST = 4
"""The newest version of a log whose shape is known."""
GENERATION = re.compile(r"session(?:\.v(\d+))?\.jsonl(?:\.(?:zstd|zst|gz))?", re.IGNORECASE)
WRITTEN = dict(zip(Header.__struct_fields__, Header.__struct_encode_fields__, strict=True))
UNIT = re.compile("~([0-9A-Fa-f]{4})")


class Head(NamedTuple):
    """What a header says."""

    columns: dict[str, Any]
    """Of the sessions table; session_id may be None."""
    legacy: bool
    """Whether messages may have the shape of the first versions."""
    seeded: bool
    """Whether a marker among the events says where the seed ends."""
    depth_missing: bool
    """Whether a log of the first version does not say its delegation depth, as those of July 2026."""
    damaged: str | None
    """What could not be used."""


def head_of(header: Header) -> Head:
    """The columns of a header; its version is looked at before its shape.

    Example:
        >>> head_of(Header(version=0, id="s1", created_at=5)).columns["delegation_depth"]
        0
    """
    damaged: list[str] = []

    def number(name: str, *, least: int | None = None) -> Any:
        value = getattr(header, name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        right = value.__class__ is int and abs(value) <= LARGEST and (least is None or value >= least)
        return value if right else refused(name, value)

    def text(name: str) -> Any:
        value = getattr(header, name)
        return value if isinstance(value, str) else refused(name, value)

    def refused(name: str, value: Any) -> None:
        if value is not None:
            damaged.append(f"{WRITTEN[name]} is {value!r}"[:100])

    version = number("version")
    if header.version is None or (version is not None and not 0 <= version <= NEWEST):
        damaged.append("no version" if version is None else f"version {version}")
    session_id = text("id")
    if header.id is None:
        damaged.append("no id")
    depth = number("delegation_depth", least=0)
    depth_missing = version == 0 and header.delegation_depth is None
    columns = {
        "session_id": session_id,
        "parent_session": text("parent_session"),
        "created_at": number("created_at"),
        "version": None if version is None else f"{version}",
        "cwd": text("cwd"),
        "origin": text("origin"),
        "seed_length": number("seed_length", least=0),
        "delegation_depth": 0 if depth is None and version == 0 else depth,
    }
    legacy = version in (0, 1)
    return Head(columns, legacy, header.is_seeded is True, depth_missing, ", ".join(damaged) or None)


def named_after(file: LogFile) -> str:
    """The id of a session whose log does not say it: the name of the file, or of the folder that dsh gave the session.

    Example:
        >>> from pathlib import Path
        >>> named_after(LogFile(Path("a/s~002F1/session.jsonl"), "")), named_after(LogFile(Path("a/s1.jsonl"), ""))
        ('s/1', 's1')
    """
    if GENERATION.fullmatch(file.path.name) is None:
        return file.stem
    name = UNIT.sub(lambda unit: chr(int(unit[1], 16)), file.path.resolve().parent.name)
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or file.stem


def outdated(files: Sequence[LogFile]) -> set[str]:
    """The names of the files of which a later generation stands in the same folder.

    Example:
        >>> from pathlib import Path
        >>> names = ["a/session.jsonl.zstd", "a/session.v2.jsonl", "a/session.v10.jsonl", "b/session.jsonl"]
        >>> sorted(outdated([LogFile(Path(name), name) for name in names]))
        ['a/session.jsonl.zstd', 'a/session.v2.jsonl']
    """
    generations: dict[Any, dict[str, int]] = {}
    for file in files:
        found = GENERATION.fullmatch(file.path.name)
        if found is not None:
            generations.setdefault(file.path.parent, {})[file.name] = int(found[1] or 0)
    return {name for beside in generations.values() for name, number in beside.items() if number < max(beside.values())}
