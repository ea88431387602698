"""The relations that a folded log holds: what cites what, and what replaced what."""

from __future__ import annotations

import numpy as np
import polars as pl

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


def _edges(named: pl.DataFrame, source: Ints, target: Ints, kind: str) -> pl.DataFrame:
    ref = named["ref"]
    return pl.DataFrame(
        {"source_id": ref.gather(source), "target_id": ref.gather(target), "created_at": named["time"].gather(source)}
    ).select(
        source_type=pl.lit("event"),
        source_id="source_id",
        target_type=pl.lit("event"),
        target_id="target_id",
        relation_kind=pl.lit(kind),
        edge_class=pl.lit("observed"),
        confidence=pl.lit(None, pl.Float64),
        created_at="created_at",
    )
