"""The views: relations and items where they lie, replacements as a recursive query, traces as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.duckdb_connection import stored
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import ImpactTrace, LineageTrace
from lineage_kit.relations.traces import ImpactTraces, LineageTraces
from lineage_kit.schema import EDGE, EDGES, FRONTIER, ITEMS, NODES, RELATIONS, ROW, TRACES
from lineage_kit.schema_forms import Schema

# Every item and each item that came to stand in its place, with the fewest steps between them. The recursion keeps
# one row a pair, and only ever adds pairs, so that cycles end.
REPLACEMENTS = """
create view replacements as
with recursive
    replaced_by as (
        select distinct target_type as type, target_id as id, source_type as by_type, source_id as by_id
        from relations
        where relation_kind = 'supersedes' and (source_type, source_id) <> (target_type, target_id)
    ),
    pairs(type, id, replacement_type, replacement_id, steps) using key (type, id, replacement_type, replacement_id) as (
        select type, id, by_type, by_id, 1::bigint from replaced_by
        union
        select pairs.type, pairs.id, further.by_type, further.by_id, min(pairs.steps) + 1
        from pairs
        join replaced_by as further
            on further.type = pairs.replacement_type and further.id = pairs.replacement_id
        where (further.by_type, further.by_id) <> (pairs.type, pairs.id)
            and not exists (
                select 1 from recurring.pairs as known
                where known.type = pairs.type and known.id = pairs.id
                    and known.replacement_type = further.by_type and known.replacement_id = further.by_id
            )
        group by all
    )
select
    pairs.*,
    not exists (
        select 1 from replaced_by as newer
        where newer.type = pairs.replacement_type and newer.id = pairs.replacement_id
    ) as is_current
from pairs
"""

NO_IMPACTS = (
    "the views lineage_* show lineages. "
    "Hint: ask trace_impact(type, id) in SQL, or give a frame of it by a name of your own, impact=trace.nodes"
)


def add_relations(connection: duckdb.DuckDBPyConnection, store: RelationStore | None) -> None:
    """The views `relations`, `items` and `replacements`."""
    relations: Table | None = None
    items: Table | None = None
    if store is not None:
        relations, items = store.tables_on(connection)
    _view(connection, "relations", relations, RELATIONS.then(EDGE), keep_row=True)
    _view(connection, "items", items, ITEMS, keep_row=False)
    connection.execute(REPLACEMENTS)


def _view(
    connection: duckdb.DuckDBPyConnection, name: str, table: Table | None, schema: Schema, *, keep_row: bool
) -> None:
    if table is None:
        relation = stored(schema.empty(), connection)
    else:
        frame = table.frame if keep_row else table.frame.drop(ROW)
        native = nw.to_native(frame)
        relation = native if isinstance(native, duckdb.DuckDBPyRelation) else stored(native.collect(), connection)
    relation.create_view(name)


def add_traces(
    connection: duckdb.DuckDBPyConnection, traces: Mapping[str, LineageTrace] | LineageTraces | None
) -> None:
    """The views `lineage_traces`, `lineage_nodes`, `lineage_edges` and `lineage_frontier`."""
    if isinstance(traces, LineageTraces):
        frames = _of_batch(traces)
    elif traces is None or isinstance(traces, Mapping):
        named: Any = traces or {}
        frames = _of_mapping(named)
    elif isinstance(traces, ImpactTraces):
        raise InvalidRequest(f"traces={traces!r} are impacts, and {NO_IMPACTS}")
    else:
        raise InvalidRequest(
            f"traces must be a mapping of names to traces, or the answer of trace_lineage_many; "
            f"got {type(traces).__name__}. Hint: traces={{'doubted': trace}}"
        )
    for part, frame in frames.items():
        stored(frame, connection).create_view(f"lineage_{part}")


def _of_batch(traces: LineageTraces) -> dict[str, pl.DataFrame]:
    """The traces of a batch are called `<type> <id>`."""
    name = pl.concat_str("anchor_type", "anchor_id", separator=" ").alias("trace")
    summary = traces.summary.select(name, *TRACES.without("trace").names)
    if summary["trace"].is_duplicated().any():
        twice = summary.filter(pl.col("trace").is_duplicated())["trace"][0]
        raise InvalidRequest(f"two traces would be called {twice!r}. Hint: give a mapping with names of your own")
    parts = {"nodes": traces.nodes, "edges": traces.edges, "frontier": traces.frontier}
    named = {
        part: frame.select(name, pl.exclude("anchor_type", "anchor_id")).sort("trace", maintain_order=True)
        for part, frame in parts.items()
    }
    return {"traces": summary.sort("trace"), **named}


def _of_mapping(traces: Mapping[str, LineageTrace]) -> dict[str, pl.DataFrame]:
    for name, trace in traces.items():
        if isinstance(trace, ImpactTrace):
            raise InvalidRequest(f"traces[{name!r}] is an impact, and {NO_IMPACTS}")
        if not isinstance(name, str) or not isinstance(trace, LineageTrace):
            raise InvalidRequest(f"traces[{name!r}] is no LineageTrace by a text name, but {type(trace).__name__}")
    ordered = sorted(traces.items())
    rows = [
        (
            name,
            trace.anchor.type,
            trace.anchor.id,
            trace.anchor_known,
            trace.anchor_superseded,
            trace.max_depth,
            trace.as_of,
            trace.known_at,
            trace.truncated,
            list(trace.truncated_by),
            trace.nodes.height,
            trace.edges.height,
        )
        for name, trace in ordered
    ]
    name_column = TRACES.columns[0]
    frames = {"traces": TRACES.frame(rows)}
    for part, schema in {"nodes": NODES, "edges": EDGES, "frontier": FRONTIER}.items():
        parts = [schema.after(name_column).empty()]
        parts += [getattr(trace, part).select(pl.lit(name).alias("trace"), pl.all()) for name, trace in ordered]
        frames[part] = _union(part, parts)
    return frames


def _union(part: str, frames: list[pl.DataFrame]) -> pl.DataFrame:
    spelt: dict[str, str] = {}
    for name in (name for frame in frames for name in frame.columns):
        if (other := spelt.setdefault(name.casefold(), name)) != name:
            raise InvalidRequest(
                f"the {part} of these traces have columns {other!r} and {name!r}, which SQL cannot tell apart. "
                "Hint: connect them apart, or rename the column at open"
            )
    try:
        return pl.concat(frames, how="diagonal")
    except pl.exceptions.PolarsError as error:
        raise InvalidRequest(
            f"the {part} of these traces have columns of one name and different types: {error}. "
            "Hint: connect them apart, or rename the column at open"
        ) from error
