"""Trace an agent's decision back to its premises, and see whether they still stand."""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lineage_kit.datasets import data_folder
from lineage_kit.errors import (
    CorruptSession,
    IndexUnusable,
    InvalidRequest,
    LineageKitError,
    SchemaError,
    SessionQueryError,
)
from lineage_kit.relations.audit.audit import Audit
from lineage_kit.relations.diff import LineageDiff
from lineage_kit.relations.path import Path
from lineage_kit.relations.reach import Reachabilities, Reachability
from lineage_kit.relations.request import Node
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import ImpactTrace, LineageTrace
from lineage_kit.relations.traces import ImpactTraces, LineageTraces
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.header import SessionHeader, SessionRecord
from lineage_kit.sessions.lineage import SessionLineageTrace, SessionNode
from lineage_kit.sessions.log import SessionLog
from lineage_kit.sessions.session_sources import MemorySessions, ParquetSessions, SessionSource
from lineage_kit.sessions.trace import EventWindow, SessionEventTrace
from lineage_kit.sql import connect

if TYPE_CHECKING:
    from lineage_kit.importers.adr.importer import read_adr
    from lineage_kit.importers.claude_code.importer import read_claude_code
    from lineage_kit.importers.codex.importer import read_codex
    from lineage_kit.importers.dbt.importer import read_dbt
    from lineage_kit.importers.dsh.importer import read_dsh
    from lineage_kit.importers.graphiti.importer import read_graphiti
    from lineage_kit.importers.live import JsonlSessions
    from lineage_kit.importers.openlineage.importer import read_openlineage
    from lineage_kit.importers.prov.importer import read_prov
    from lineage_kit.importers.relation_pipeline.result import ImportedRelations
    from lineage_kit.importers.result import Imported
    from lineage_kit.importers.smeldr.importer import read_smeldr
    from lineage_kit.view.widgets.lineage_explorer import LineageExplorer
    from lineage_kit.view.widgets.session_explorer import SessionExplorer

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "CorruptSession",
    "EventWindow",
    "ImpactTrace",
    "ImpactTraces",
    "Imported",
    "ImportedRelations",
    "IndexUnusable",
    "InvalidRequest",
    "JsonlSessions",
    "LineageDiff",
    "LineageExplorer",
    "LineageKitError",
    "LineageTrace",
    "LineageTraces",
    "MemorySessions",
    "Node",
    "ParquetSessions",
    "Path",
    "Reachabilities",
    "Reachability",
    "RelationStore",
    "SchemaError",
    "SessionCorpus",
    "SessionEventTrace",
    "SessionExplorer",
    "SessionHeader",
    "SessionLineageTrace",
    "SessionLog",
    "SessionNode",
    "SessionQueryError",
    "SessionRecord",
    "SessionSource",
    "SurfaceContract",
    "connect",
    "data_folder",
    "read_adr",
    "read_claude_code",
    "read_codex",
    "read_dbt",
    "read_dsh",
    "read_graphiti",
    "read_openlineage",
    "read_prov",
    "read_smeldr",
    "trace_lineage",
]

LAZY = {
    "Imported": "lineage_kit.importers.result",
    "ImportedRelations": "lineage_kit.importers.relation_pipeline.result",
    "JsonlSessions": "lineage_kit.importers.live",
    "LineageExplorer": "lineage_kit.view.widgets.lineage_explorer",
    "SessionExplorer": "lineage_kit.view.widgets.session_explorer",
    "read_adr": "lineage_kit.importers.adr",
    "read_claude_code": "lineage_kit.importers.claude_code",
    "read_codex": "lineage_kit.importers.codex",
    "read_dbt": "lineage_kit.importers.dbt",
    "read_dsh": "lineage_kit.importers.dsh",
    "read_graphiti": "lineage_kit.importers.graphiti",
    "read_openlineage": "lineage_kit.importers.openlineage",
    "read_prov": "lineage_kit.importers.prov",
    "read_smeldr": "lineage_kit.importers.smeldr",
}
"""Public names that are imported when they are first asked for: what does without them need not load what they need."""


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY})


def trace_lineage(
    source: Any,
    type: str,
    id: str,
    max_depth: int = 5,
    *,
    as_of: datetime | str | None = None,
    known_at: datetime | str | None = None,
    **options: Any,
) -> LineageTrace:
    """Open a source and trace one item: `RelationStore.open(source, **options).trace_lineage(...)` in a line.

    Raises:
        SchemaError: everything wrong with the table, at once.
        InvalidRequest: an empty anchor, a depth out of bounds, or a time without a zone.

    Example:
        >>> import polars as pl
        >>> trace_lineage(pl.DataFrame({
        ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
        ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
        LineageTrace(decision d1: 1 premise over 1 level, complete)
    """
    return RelationStore.open(source, **options).trace_lineage(type, id, max_depth, as_of=as_of, known_at=known_at)
