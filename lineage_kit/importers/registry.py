"""The formats that can be imported. A new one is a folder beside this file, and a line here."""

from __future__ import annotations

from collections.abc import Iterable

from lineage_kit.importers.adr.importer import Adr
from lineage_kit.importers.claude_code.importer import ClaudeCode
from lineage_kit.importers.codex.importer import Codex
from lineage_kit.importers.dbt.importer import Dbt
from lineage_kit.importers.dsh.importer import Dsh
from lineage_kit.importers.graphiti.importer import Graphiti
from lineage_kit.importers.openlineage.importer import OpenLineage
from lineage_kit.importers.pipeline.context import Importer
from lineage_kit.importers.prov.importer import Prov
from lineage_kit.importers.relation_pipeline.context import RelationImporter
from lineage_kit.importers.smeldr.importer import Smeldr

FORMATS: dict[str, type[Importer]] = {
    "claude-code": ClaudeCode,
    "codex": Codex,
    "dsh": Dsh,
}
"""Formats of transcripts, by their name on the command line and in `JsonlSessions`: the importer of each."""
RELATION_FORMATS: dict[str, type[RelationImporter]] = {
    "smeldr": Smeldr,
    "adr": Adr,
    "openlineage": OpenLineage,
    "dbt": Dbt,
    "graphiti": Graphiti,
    "prov": Prov,
}
"""Formats of relations, by their name on the command line: the importer of each."""


def listed(formats: Iterable[str]) -> str:
    """The names of formats as a list to read.

    Example:
        >>> listed(FORMATS)
        'claude-code, codex or dsh'
    """
    *others, last = formats
    return f"{', '.join(others)} or {last}"
