"""The formats that can be imported. A new one is a folder beside this file, and a line here."""

from __future__ import annotations

from lineage_kit.importers.claude_code.importer import ClaudeCode
from lineage_kit.importers.codex.importer import Codex
from lineage_kit.importers.dsh.importer import Dsh
from lineage_kit.importers.pipeline.context import Importer

FORMATS: dict[str, type[Importer]] = {
    "claude-code": ClaudeCode,
    "codex": Codex,
    "dsh": Dsh,
}
"""By the name of a format on the command line and in `JsonlSessions`: its importer, which reads it."""


def listed() -> str:
    """The names of the formats as a list to read.

    Example:
        >>> listed()
        'claude-code, codex or dsh'
    """
    *others, last = FORMATS
    return f"{', '.join(others)} or {last}"
