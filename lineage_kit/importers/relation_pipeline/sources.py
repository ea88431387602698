"""Which files of a folder are called like something that can be read (rule R10)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lineage_kit.importers.pipeline.files import PACKED

JSON = (".json", ".jsonl", ".ndjson")


def called(path: Path, endings: Sequence[str]) -> bool:
    """Whether a file has one of these endings, packed or not.

    Example:
        >>> called(Path("a.md.gz"), (".md",)), called(Path("a.txt"), (".md",))
        (True, False)
    """
    name = path.name.lower()
    packing = next((one for one in PACKED if name.endswith(one)), "")
    return name[: len(name) - len(packing)].endswith(tuple(endings))


def is_json(path: Path) -> bool:
    """Whether a file is called like JSON, of one value or one a line.

    Example:
        >>> is_json(Path("manifest.json")), is_json(Path("events.ndjson.zst"))
        (True, True)
    """
    return called(path, JSON)
