"""The relations that a folded log holds: what cites what, and what replaced what."""

from __future__ import annotations

import numpy as np
import polars as pl

from lineage_kit.schema import STATED
from lineage_kit.sessions.fold.faults import Ints
from lineage_kit.sessions.fold.surface import Fold, Logs
from lineage_kit.sessions.fold.surface_frames import REF


def relations_of(logs: Logs, folded: Fold) -> pl.DataFrame:
    """An event `derives_from` each event it cites and `supersedes` each event it replaced; since its own time."""
    seq = np.arange(logs.events.height) - logs.starts[:-1][logs.number]
    named = logs.events.select("session_id", pl.Series("seq", seq), "time").select(REF, "time")
    replaced = np.flatnonzero(folded.replaced_by >= 0)
    return pl.concat(
        [
            _edges(named, folded.citing, folded.cited, "derives_from"),
            _edges(named, folded.replaced_by[replaced], replaced, "supersedes"),
        ]
    )


def observed(ends: pl.DataFrame, type: str, kind: str) -> pl.DataFrame:
    """Edges of one kind between nodes of one type; `ends` has source_id, target_id and created_at."""
    return ends.with_columns(
        source_type=pl.lit(type),
        target_type=pl.lit(type),
        relation_kind=pl.lit(kind),
        edge_class=pl.lit("observed"),
        confidence=pl.lit(None, STATED.polars["confidence"]),
    ).select(STATED.names)


def _edges(named: pl.DataFrame, source: Ints, target: Ints, kind: str) -> pl.DataFrame:
    ref = named["ref"]
    ends = {"source_id": ref.gather(source), "target_id": ref.gather(target)}
    return observed(pl.DataFrame(ends | {"created_at": named["time"].gather(source)}), "event", kind)
