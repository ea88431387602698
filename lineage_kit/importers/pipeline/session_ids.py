"""Ids of sessions where several logs claim the same one."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path

from lineage_kit.importers.pipeline.files import LogFile, readable


def longer_id(session_id: str, file: LogFile, taken: Container[str], *, by_stem: bool = True) -> str:
    """An id with the file's name behind it, with as much of its path as makes it the only one.

    `by_stem` tries the name of the file alone first, in formats whose files are not named after their sessions.

    Example:
        >>> from pathlib import Path
        >>> file = LogFile(Path("/logs/a/s1.jsonl"), "a/s1.jsonl")
        >>> longer_id("s1", file, {"s1"}), longer_id("s1", file, {"s1", "s1@s1"})
        ('s1@s1', 's1@a/s1')
        >>> longer_id("s1", file, {"s1@s1", "s1@a/s1", "s1@a/s1.jsonl"})
        's1@a/s1.jsonl~2'
    """
    parent = readable(Path(os.path.abspath(file.path)).parent.name)
    for name in (*([file.stem] if by_stem else []), f"{parent}/{file.stem}", file.name):
        if (longer := f"{session_id}@{name}") not in taken:
            return longer
    number = 2
    while (longer := f"{session_id}@{file.name}~{number}") in taken:
        number += 1
    return longer
