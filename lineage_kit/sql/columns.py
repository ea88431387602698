"""The columns of every view and macro, once: a view that has nothing to show still has all of them."""

from __future__ import annotations

from typing import Any

import polars as pl

from lineage_kit.sessions import header, records, surface_frames, tree

TIME = pl.Datetime("us", "UTC")
Schema = dict[str, Any]

RELATIONS: Schema = {
    "source_type": pl.String,
    "source_id": pl.String,
    "target_type": pl.String,
    "target_id": pl.String,
    "relation_kind": pl.String,
    "edge_class": pl.String,
    "confidence": pl.Float64,
    "created_at": TIME,
    "valid_at": TIME,
    "invalid_at": TIME,
    "edge": pl.Int64,
}
ITEMS: Schema = {"type": pl.String, "id": pl.String, "label": pl.String, "text": pl.String, "created_at": TIME}
ANCHOR: Schema = {"anchor_type": pl.String, "anchor_id": pl.String}
NODES: Schema = {
    "depth": pl.Int64,
    "hop": pl.Int64,
    "type": pl.String,
    "id": pl.String,
    "relation_kind": pl.String,
    "edge_class": pl.String,
    "confidence": pl.Float64,
    "invalidated": pl.Boolean,
    "superseded": pl.Boolean,
    "outdated_support": pl.Boolean,
    "via_type": pl.String,
    "via_id": pl.String,
}
FRONTIER: Schema = {"type": pl.String, "id": pl.String}
SCALARS: Schema = {
    **ANCHOR,
    "anchor_known": pl.Boolean,
    "anchor_superseded": pl.Boolean,
    "max_depth": pl.Int64,
    "as_of": TIME,
    "truncated": pl.Boolean,
    "truncated_by": pl.List(pl.String),
    "nodes": pl.Int64,
    "edges": pl.Int64,
}
SUMMARY: Schema = {
    **SCALARS,
    "frontier": pl.Int64,
    "invalidated": pl.Int64,
    "superseded": pl.Int64,
    "outdated_support": pl.Int64,
}
REACHED: Schema = {
    "depth": pl.Int64,
    "type": pl.String,
    "id": pl.String,
    "relation_kind": pl.String,
    "edge_class": pl.String,
    "confidence": pl.Float64,
    "invalidated": pl.Boolean,
    "direction": pl.String,
    "via_type": pl.String,
    "via_id": pl.String,
}
FINDINGS: Schema = {
    "origin": pl.String,
    "finding": pl.String,
    "count": pl.Int64,
    "message": pl.String,
    "examples": pl.List(pl.String),
}

SESSIONS: Schema = {**header.SCHEMA, "live": pl.Boolean, "persisted": pl.Boolean}
EVENTS: Schema = {"ref": pl.String, "session_id": pl.String, **records.SCHEMA}
EVENT_TRACES: Schema = surface_frames.TRACES
SESSION_TREE: Schema = tree.TREE
ONE_EVENT: Schema = {
    "ref": pl.String,
    "session_id": pl.String,
    "seq": pl.Int64,
    "type": pl.String,
    "time": TIME,
    "surface": pl.String,
    "replaced_by": pl.Int64,
    "replacement_chain": pl.List(pl.Int64),
    "replaced_event_seqs": pl.List(pl.Int64),
    "source_event_seqs": pl.List(pl.Int64),
    "derived_event_seqs": pl.List(pl.Int64),
}

SQL_NAMES = {
    pl.String: "varchar",
    pl.Int64: "bigint",
    pl.Float64: "double",
    pl.Boolean: "boolean",
    TIME: "timestamptz",
    pl.List(pl.String): "varchar[]",
    pl.List(pl.Int64): "bigint[]",
    records.OP: 'struct(op varchar, "start" bigint, "end" bigint)',
}


def struct_list(schema: Schema) -> str:
    """The SQL type of a list of rows of this schema.

    Example:
        >>> struct_list(FRONTIER)
        'struct("type" varchar, "id" varchar)[]'
    """
    fields = ", ".join(f'"{name}" {SQL_NAMES[dtype]}' for name, dtype in schema.items())
    return f"struct({fields})[]"
