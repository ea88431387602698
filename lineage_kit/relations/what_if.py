"""`what_if`: a change that is supposed, checked, and laid over what a store stands on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from lineage_kit.door.changed import Change
from lineage_kit.door.in_memory import taken_in
from lineage_kit.door.sources import in_memory_frames, open_sources
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.door.tables import canonical
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import ALWAYS, Engine, Reader
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.request import checked_anchors, checked_time
from lineage_kit.relations.search import Search
from lineage_kit.schema import ENDS, NODE, RELATIONS, ROW, SUPERSEDES, WALKED
from lineage_kit.wording import counted

EDGE_KEY = (*ENDS, "relation_kind")
REPLACING = ("old_type", "old_id", "new_type", "new_id")
SHOWN = 10
"""How many of the things that were not found an error lists."""


def checked_change(
    engine: Engine, spec: TableSpec, rows: int, at: Any, withdraw: Any, invalidate: Any, supersede: Any, add: Any
) -> tuple[Change, pl.DataFrame]:
    """The change as it was understood, and the rows of `add` that were set aside; see `RelationStore.what_if`.

    `rows` is how many rows the source has; those that are added count on from there.

    Raises:
        InvalidRequest: a change that says nothing, names what is not there, or is not in the shape it should be.
        SchemaError: what `add` has wrong.
    """
    moment = checked_time("at", at)
    if moment is None:
        raise InvalidRequest("at is missing: say when the change is supposed to happen, e.g. at='2026-03-01T12:00:00Z'")
    if withdraw is None and invalidate is None and supersede is None and add is None:
        raise InvalidRequest("nothing is supposed. Hint: give withdraw=, invalidate=, supersede= or add=")
    items = NODE.empty() if withdraw is None else _told("withdraw", lambda: checked_anchors(withdraw))
    edges = _texts("invalidate", invalidate, EDGE_KEY)
    pairs = _texts("supersede", supersede, REPLACING)
    if (itself := pairs.filter(_same())).height:
        raise InvalidRequest(f"supersede says that {itself['old_type'][0]} {itself['old_id'][0]} supersedes itself")
    _expect_there(engine, items, edges, pairs.select(type="old_type", id="old_id").unique())
    added, rejected = _added(spec, add, rows)
    first = rows if add is None else rows + added.height + rejected.height
    added = pl.concat([added, _superseding(pairs, moment, first)], how="diagonal")
    return Change(moment, items, edges, added), rejected


def _told(name: str, read: Any) -> pl.DataFrame:
    try:
        frame: pl.DataFrame = read()
    except InvalidRequest as error:
        raise InvalidRequest(f"{name}: {error}") from None
    return frame


def _same() -> pl.Expr:
    return (pl.col("old_type") == pl.col("new_type")) & (pl.col("old_id") == pl.col("new_id"))


def _texts(name: str, given: Any, columns: Sequence[str]) -> pl.DataFrame:
    """A frame, or a list of tuples or mappings, of texts in these columns."""
    schema = dict.fromkeys(columns, pl.String)
    if given is None:
        return pl.DataFrame(schema=schema)
    wanted = ", ".join(columns)
    if isinstance(given, (list, tuple)):
        if given and all(isinstance(part, str) for part in given):
            given = [given]
        rows = [tuple(row.get(column) for column in columns) if isinstance(row, dict) else row for row in given]
        if not all(isinstance(row, (list, tuple)) and len(row) == len(columns) for row in rows):
            raise InvalidRequest(f"{name} must be a frame, or a list of ({wanted}); got {given!r:.100}")
        if not all(isinstance(text, str) for row in rows for text in row):
            raise InvalidRequest(f"{name} must hold texts: ({wanted}); got {given!r:.100}")
        frame = pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")
    else:
        frame = _told(name, lambda: taken_in(given).frame)
        if missing := [column for column in columns if column not in frame.columns]:
            there = ", ".join(frame.columns) or "none"
            lacks = f"{', '.join(missing)} missing, there are {there}"
            raise InvalidRequest(f"{name} must have the columns {wanted}; {lacks}")
        frame = frame.select(columns)
        if not all(dtype in (pl.String, pl.Null, pl.Categorical, pl.Enum) for dtype in frame.dtypes):
            raise InvalidRequest(f"{name} must hold texts in {wanted}")
        frame = frame.cast(pl.String)
    empty = pl.any_horizontal(pl.all().is_null(), *(pl.col(column) == "" for column in columns if "kind" not in column))
    if (bad := frame.filter(empty)).height:
        raise InvalidRequest(f"{name}: {bad.height} of {counted(frame.height, 'row')} hold a null or empty text")
    return frame.unique(maintain_order=True)


def _added(spec: TableSpec, add: Any, first: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of `add`, through the door that the store was opened by."""
    if add is None:
        empty = RELATIONS.empty().with_columns(pl.lit(None, pl.Int64).alias(ROW))
        return empty, empty
    opened = open_sources(in_memory_frames(add), columns=_that_apply(spec.columns, add))
    table = canonical(opened, RELATIONS, spec)
    rows = table.read().sort(ROW) if opened.connection is None else table.frame.collect("polars").to_native().sort(ROW)
    bad = table.frame.filter(table.bad()).collect("polars").to_native()
    rejected = rows.clear()
    if bad.height:
        if spec.strict:
            table.refuse()
        rejected = table.rejected()
        rows = rows.filter(~pl.col(ROW).is_in(bad[ROW].to_list()))
    return (frame.with_columns((pl.col(ROW) + first).cast(pl.Int64)) for frame in (rows, rejected))  # type: ignore[return-value]


def _that_apply(columns: Any, add: Any) -> Any:
    """The renames of a store, but where what is added has the canonical names already."""
    names = set(getattr(add, "columns", ()))
    return {old: new for old, new in columns.items() if not names or old in names}


def _superseding(pairs: pl.DataFrame, at: datetime, first: int) -> pl.DataFrame:
    """One supersedes edge a pair, from the new item to the old one."""
    rows = pairs.select(
        source_type="new_type",
        source_id="new_id",
        target_type="old_type",
        target_id="old_id",
        relation_kind=pl.lit(SUPERSEDES),
        edge_class=pl.lit("asserted"),
        created_at=pl.lit(at, pl.Datetime("us", "UTC")),
    ).with_row_index(ROW, first)
    return pl.concat([RELATIONS.empty(), rows.with_columns(pl.col(ROW).cast(pl.Int64))], how="diagonal")


def _expect_there(engine: Engine, items: pl.DataFrame, edges: pl.DataFrame, replaced: pl.DataFrame) -> None:
    """Everything that a change names is there.

    Raises:
        InvalidRequest: all that is not.
    """

    def there(reader: Reader) -> tuple[Bools, Bools, Bools]:
        known = [reader.known(part) if part.height else np.empty(0, np.bool_) for part in (items, replaced)]
        return known[0], known[1], edges_there(reader, edges)[0]

    known, old, found = engine.ask(there, ALWAYS)
    absent = [
        part.filter(~pl.Series(there, dtype=pl.Boolean)).rows()
        for part, there in ((items, known), (edges, found), (replaced, old))
    ]
    missing = [f"item {type} {id} to withdraw" for type, id in absent[0]]
    missing += [f"edge {row[0]} {row[1]} {row[4]} {row[2]} {row[3]} to invalidate" for row in absent[1]]
    missing += [f"item {type} {id} to supersede" for type, id in absent[2]]
    if missing:
        more = f", and {len(missing) - SHOWN:,} more" if len(missing) > SHOWN else ""
        raise InvalidRequest(f"the relations have no {'; no '.join(missing[:SHOWN])}{more}")


def edges_there(reader: Reader, edges: pl.DataFrame) -> tuple[Bools, Ints]:
    """Which of these (ends and kind) any edge has, and the numbers of all edges that have them."""
    if not edges.height:
        return np.empty(0, np.bool_), np.empty(0, np.int64)
    ends = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    nodes = pl.concat(ends).unique().sort("type", "id")
    keys = reader.keys(nodes)
    numbered = nodes.with_columns(key=pl.Series(keys))
    source, target = (
        end.join(numbered, on=["type", "id"], how="left", maintain_order="left")["key"].to_numpy() for end in ends
    )
    sources = np.unique(source)
    batch = reader.out(sources, None)
    wanted = pl.DataFrame({"source": source, "target": target, "kind": edges["relation_kind"]}).with_row_index("asked")
    near = np.isin(batch.neighbour, target)
    edge, here, there = batch.edge[near], sources[batch.asked[near]], batch.neighbour[near]
    answer = reader.answer(np.concatenate([keys, here, there]), edge)
    kind = answer.attributes(np.arange(edge.size))["relation_kind"]
    read = pl.DataFrame({"edge": edge, "source": here, "target": there, "kind": kind})
    matched = read.join(wanted, on=["source", "target", "kind"], how="inner")
    found = np.zeros(edges.height, np.bool_)
    found[matched["asked"].to_numpy()] = True
    return found, matched["edge"].to_numpy()


def with_ended_targets(added: pl.DataFrame, search: Search) -> pl.DataFrame:
    """Added rows as the store reads its own: a walk edge into an item that has ended is invalid from then on."""
    items = search.items_table()
    walked = added.filter(pl.col("relation_kind").is_in(WALKED))
    if items is None or "ended_at" not in items.given or not walked.height:
        return added
    told = search.items(walked.select(type="target_type", id="target_id")).filter(pl.col("ended_at").is_not_null())
    ended = told.group_by(target_type="type", target_id="id").agg(ending=pl.col("ended_at").min())
    joined = added.join(ended, on=["target_type", "target_id"], how="left", maintain_order="left")
    ends = pl.col("ending").is_not_null() & pl.col("relation_kind").is_in(WALKED)
    ends &= pl.col("invalid_at").is_null() | (pl.col("invalid_at") >= pl.col("ending"))
    return joined.with_columns(
        invalid_at=pl.when(ends).then("ending").otherwise("invalid_at"),
        expired_at=pl.when(~ends).then("expired_at"),
    ).drop("ending")
