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
from lineage_kit.schema import EDGES, FRONTIER, NODES, RINGS, SUMMARY
from lineage_kit.schema_forms import Schema

Answer = Callable[[pl.DataFrame, dict[str, Any]], pl.DataFrame]
"""From distinct anchors (type, id) and the other arguments to rows with anchor_type and anchor_id in front."""

LINEAGE_ARGUMENTS = {"max_depth": ("5", "bigint"), "as_of": ("null", "timestamptz")}
REACH_ARGUMENTS = {
    "relation_kind": ("null", "json"),
    "direction": ("'outgoing'", "varchar"),
    "max_depth": ("3", "bigint"),
}


def add_macros(connection: duckdb.DuckDBPyConnection, store: RelationStore | None) -> None:
    """The table macros that walk."""

    def lineage(part: str) -> Answer:
        def answer(anchors: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
            traces = _given(store).trace_lineage_many(anchors, more["max_depth"], as_of=more["as_of"])
            frame: pl.DataFrame = getattr(traces, part)
            return frame

        return answer

    def reached(part: str) -> Answer:
        def answer(anchors: pl.DataFrame, more: dict[str, Any]) -> pl.DataFrame:
            kinds = None if more["relation_kind"] is None else json.loads(more["relation_kind"])
            way, depth = more["direction"], more["max_depth"]
            batch = _given(store).reachability_many(anchors, relation_kind=kinds, direction=way, max_depth=depth)
            frame: pl.DataFrame = getattr(batch, part)
            return frame

        return answer

    _macro(connection, "trace_lineage", NODES, lineage("nodes"), LINEAGE_ARGUMENTS)
    _macro(connection, "trace_edges", EDGES, lineage("edges"), LINEAGE_ARGUMENTS)
    _macro(connection, "trace_frontier", FRONTIER, lineage("frontier"), LINEAGE_ARGUMENTS)
    _macro(connection, "trace_summary", SUMMARY, lineage("summary"), LINEAGE_ARGUMENTS)
    _macro(connection, "reachability", RINGS, reached("nodes"), REACH_ARGUMENTS)


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
) -> None:
    kinds = ["varchar" if kind == "json" else kind for _, kind in arguments.values()]
    types = ["varchar", "varchar", *kinds]

    def rows_of(*vectors: pa.ChunkedArray) -> pa.Array:
        asked = pl.DataFrame(
            {key: pl.from_arrow(vector) for key, vector in zip(("type", "id", *arguments), vectors, strict=True)}
        )
        return _answered(asked, schema, answer)

    function = add_function(connection, name, rows_of, types, schema)
    named = "".join(f", {argument} := {default}" for argument, (default, _) in arguments.items())
    passed = "".join(
        f", to_json({argument})::varchar" if kind == "json" else f", {argument}::{kind}"
        for argument, (_, kind) in arguments.items()
    )
    connection.execute(
        f"create macro {name}(type, id{named}) as table "
        f"select unnest({function}(type::varchar, id::varchar{passed}), recursive := true)"
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


def _answered(asked: pl.DataFrame, schema: Schema, answer: Answer) -> pa.Array:
    """A list of rows for each row asked: one batched walk for every distinct set of the other arguments."""
    asked = asked.with_row_index("asked")
    others = [name for name in asked.columns if name not in ("asked", "type", "id")]
    parts = [pl.DataFrame(schema={"asked": pl.UInt32, "rows": pl.List(schema.row)})]
    for group in asked.drop_nulls(["type", "id"]).partition_by(others, maintain_order=True):
        more = {name: _plain(value) for name, value in group.select(others).row(0, named=True).items()}
        found = answer(group.select("type", "id"), more)
        grouped = found.group_by("anchor_type", "anchor_id", maintain_order=True).agg(rows=pl.struct(schema.names))
        matched = group.select("asked", "type", "id").join(
            grouped, left_on=["type", "id"], right_on=["anchor_type", "anchor_id"]
        )
        parts.append(matched.select(pl.col("asked"), pl.col("rows").cast(pl.List(schema.row))))
    whole = asked.select("asked").join(pl.concat(parts), on="asked", how="left").sort("asked")
    return whole["rows"].to_arrow()


def _plain(value: Any) -> Any:
    return value.astimezone() if isinstance(value, datetime) else value
