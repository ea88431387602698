"""The load step for links, which logs state and no lineage walks: rows of the relations table."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lineage_kit.importers.pipeline.batches import Segment
from lineage_kit.importers.pipeline.session_plan import ref
from lineage_kit.importers.pipeline.timestamps import moment
from lineage_kit.schema import STATED
from lineage_kit.schema_forms import Column


def links_of(segments: list[Segment], events: pl.DataFrame) -> pl.DataFrame:
    """The links of these segments, whose events are `events`: of each session its own, then those of its events.

    Sorted by session, seq (the session's own first), relation_kind, target_type, target_id.
    """
    parts = [STATED.after(Column("order", "number")).empty()]
    rows: list[tuple[Any, ...]] = []
    start = 0
    for one in segments:
        for link in one.links:
            own = link.seq is None
            place = start + (link.seq or 0) - one.first
            source = ("session", one.session_id) if link.seq is None else ("event", ref(one.session_id, link.seq))
            when = moment(one.plan.header.get("created_at")) if own else events["time"][place]
            row = (*source, link.target_type, link.target_id, link.kind, link.edge_class, link.confidence, when)
            # A session's own links stand before those of its events.
            rows.append((place - 0.5 if own else place, *row))
        start += len(one)
    if rows:
        parts.append(pl.DataFrame(rows, schema=parts[0].schema, orient="row"))
    if any(len(one) and one.plan.parents is not None for one in segments):
        parts.append(_parents(segments, events))
    return pl.concat(parts).sort("order", "relation_kind", "target_type", "target_id").drop("order")


def _parents(segments: list[Segment], events: pl.DataFrame) -> pl.DataFrame:
    """Each event `child_of` the parent its record names, where that is an event of the same session."""
    named = [
        np.full(len(one), -1, np.int64)
        if one.plan.parents is None
        else np.asarray(one.plan.parents[one.first : one.end], np.int64)
        for one in segments
    ]
    children = events.select("session_id", "seq", "time", parent=pl.Series(np.concatenate(named)))
    return (
        children.with_row_index("order")
        .filter(pl.col("parent") >= 0)
        .select(
            pl.col("order").cast(pl.Float64),
            source_type=pl.lit("event"),
            source_id=pl.format("{}#{}", "session_id", "seq"),
            target_type=pl.lit("event"),
            target_id=pl.format("{}#{}", "session_id", "parent"),
            relation_kind=pl.lit("child_of"),
            edge_class=pl.lit("asserted"),
            confidence=pl.lit(1.0),
            created_at="time",
        )
    )
