"""The walk inside SQL: a whole vector of anchors goes through one batched walk, on the store's own connection.

Each macro is an Arrow function that returns a list of rows for each row asked, unnested. Arguments are values, never
part of a statement. A null anchor gives no rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.traces import Traces
from lineage_kit.schema import AUDIT_SUMMARY, EDGES, FRONTIER, NODES, PATH_NODES, RINGS, SUMMARY
from lineage_kit.schema_forms import Schema
from lineage_kit.sql.paths import paths_of

Answer = Callable[[pl.DataFrame, dict[str, Any]], pl.DataFrame]
"""From distinct keys and the other arguments to rows with the keys, an anchor's as anchor_type and anchor_id."""
Walk = Callable[[RelationStore, pl.DataFrame, dict[str, Any]], Traces[Any]]
"""From anchors and the other arguments to their traces."""

CLOCKS = {"as_of": ("null", "timestamptz"), "known_at": ("null", "timestamptz")}
WALK_ARGUMENTS = {"max_depth": ("5", "bigint"), **CLOCKS}
REACH_ARGUMENTS = {
    "relation_kind": ("null", "json"),
    "direction": ("'outgoing'", "varchar"),
    "max_depth": ("3", "bigint"),
    **CLOCKS,
}
ANCHOR = {"type": "anchor_type", "id": "anchor_id"}
"""What a macro is asked about, and how its answer calls that."""
ENDS = {**ANCHOR, "to_type": "to_type", "to_id": "to_id"}
"""The same for a way: from the anchor to a node."""


def add_macros(connection: duckdb.DuckDBPyConnection, store: RelationStore | None) -> None:
    """The table macros that walk."""

    def reached(anchors: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
        kinds = None if more["relation_kind"] is None else json.loads(more["relation_kind"])
        return _given(store).reachability_many(anchors, **{**more, "relation_kind": kinds}).nodes

    def audited(types: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
        asked = types["type"].to_list()
        return pl.concat(_given(store).audit(type, **more, progress=False).summary for type in asked)

    # A macro is called after its walk and its frame, but for the frames of a lineage: trace_edges, not lineage_edges,
    # which is a view.
    for walked, called, walk in (("lineage", "trace", _lineages), ("impact", "impact", _impacts)):
        _macro(connection, f"trace_{walked}", NODES, _part(store, walk, "nodes"), WALK_ARGUMENTS)
        _macro(connection, f"{called}_edges", EDGES, _part(store, walk, "edges"), WALK_ARGUMENTS)
        _macro(connection, f"{called}_frontier", FRONTIER, _part(store, walk, "frontier"), WALK_ARGUMENTS)
        _macro(connection, f"{called}_summary", SUMMARY, _part(store, walk, "summary"), WALK_ARGUMENTS)
        _macro(connection, f"{walked}_path", PATH_NODES, _paths(store, walk), WALK_ARGUMENTS, ENDS)
    _macro(connection, "reachability", RINGS, reached, REACH_ARGUMENTS)
    _macro(connection, "audit", AUDIT_SUMMARY, audited, WALK_ARGUMENTS, {"type": "type"})


def _lineages(store: RelationStore, anchors: pl.DataFrame, more: dict[str, Any]) -> Traces[Any]:
    return store.trace_lineage_many(anchors, **more)


def _impacts(store: RelationStore, anchors: pl.DataFrame, more: dict[str, Any]) -> Traces[Any]:
    return store.impact_many(anchors, **more)


def _part(store: RelationStore | None, walk: Walk, part: str) -> Answer:
    """One frame of the traces."""

    def answer(anchors: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
        frame: pl.DataFrame = getattr(walk(_given(store), anchors, more), part)
        return frame

    return answer


def _paths(store: RelationStore | None, walk: Walk) -> Answer:
    """The paths to nodes; every anchor is walked once, however many nodes are asked for."""

    def answer(asked: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
        return paths_of(walk(_given(store), asked.select(*ANCHOR).unique(), more), asked.rename(ANCHOR))

    return answer


def _given(store: RelationStore | None) -> RelationStore:
    if store is None:
        raise InvalidRequest("this connection has no store to trace in. Hint: connect(store, …)")
    return store


def _macro(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    schema: Schema,
    answer: Answer,
    arguments: dict[str, tuple[str, str]],
    keys: dict[str, str] = ANCHOR,
) -> None:
    kinds = ["varchar" if kind == "json" else kind for _, kind in arguments.values()]
    types = [*("varchar" for _ in keys), *kinds]

    def rows_of(*vectors: pa.ChunkedArray) -> pa.Array:
        asked = pl.DataFrame(
            {key: pl.from_arrow(vector) for key, vector in zip((*keys, *arguments), vectors, strict=True)}
        )
        return _answered(asked, schema, answer, keys)

    function = add_function(connection, name, rows_of, types, schema)
    named = ", ".join([*keys, *(f"{argument} := {default}" for argument, (default, _) in arguments.items())])
    values = [f"{key}::varchar" for key in keys]
    values += [
        f"to_json({argument})::varchar" if kind == "json" else f"{argument}::{kind}"
        for argument, (_, kind) in arguments.items()
    ]
    connection.execute(
        f"create macro {name}({named}) as table select unnest({function}({', '.join(values)}), recursive := true)"
    )


def add_function(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    rows_of: Callable[..., pa.Array],
    types: list[str],
    schema: Schema,
    *,
    fresh: bool = False,
) -> str:
    """An Arrow function that returns a list of rows of this schema; `fresh` asks it anew in every query."""
    # DuckDB counts the parameters of a function, so the number of them is spelt out.
    by_arity: dict[int, Callable[..., Any]] = {
        1: lambda a: rows_of(a),
        2: lambda a, b: rows_of(a, b),
        4: lambda a, b, c, d: rows_of(a, b, c, d),
        5: lambda a, b, c, d, e: rows_of(a, b, c, d, e),
        7: lambda a, b, c, d, e, f, g: rows_of(a, b, c, d, e, f, g),
    }
    parameters: list[Any] = list(types)
    connection.create_function(
        f"{name}_rows",
        by_arity[len(types)],
        parameters,
        schema.sql_rows,
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=fresh,
    )
    return f"{name}_rows"


def _answered(asked: pl.DataFrame, schema: Schema, answer: Answer, keys: dict[str, str]) -> pa.Array:
    """A list of rows for each row asked: one batched walk for every distinct set of the other arguments."""
    asked = asked.with_row_index("asked")
    others = [name for name in asked.columns if name not in ("asked", *keys)]
    parts = [pl.DataFrame(schema={"asked": pl.UInt32, "rows": pl.List(schema.row)})]
    for group in asked.drop_nulls(list(keys)).partition_by(others, maintain_order=True):
        more = {name: _plain(value) for name, value in group.select(others).row(0, named=True).items()}
        found = answer(group.select(*keys).unique(), more)
        grouped = found.group_by(*keys.values(), maintain_order=True).agg(rows=pl.struct(schema.names))
        matched = group.select("asked", *keys).join(grouped, left_on=list(keys), right_on=list(keys.values()))
        parts.append(matched.select(pl.col("asked"), pl.col("rows").cast(pl.List(schema.row))))
    whole = asked.select("asked").join(pl.concat(parts), on="asked", how="left").sort("asked")
    return whole["rows"].to_arrow()


def _plain(value: Any) -> Any:
    return value.astimezone() if isinstance(value, datetime) else value
