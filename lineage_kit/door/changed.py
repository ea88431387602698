"""A change laid over a canonical table, still lazy: nothing of the table is written or copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import narwhals as nw
import polars as pl

from lineage_kit.door.faults import collected
from lineage_kit.door.tables import Table
from lineage_kit.schema import ENDS, RELATIONS, ROW, WALKED

ENDING = "time of ending"
"""The column that says when an edge comes to be invalid; no column of a source may be called so."""
Upload = Callable[[pl.DataFrame], nw.LazyFrame[Any]]


class Change(NamedTuple):
    """What is laid over a relations table.

    Attributes:
        at: when what is withdrawn or invalidated comes to be invalid.
        withdrawn: type and id of items: every walk edge into one of them becomes invalid.
        invalidated: the two ends and the kind of edges that become invalid.
        added: further rows, canonical, with row numbers of their own.
    """

    at: datetime
    withdrawn: pl.DataFrame
    invalidated: pl.DataFrame
    added: pl.DataFrame


def changed(table: Table, change: Change, upload: Upload) -> Table:
    """The table with the change; `upload` brings a small frame to where the table is."""
    frame, given = table.frame, table.given
    moment = pl.lit(change.at, pl.Datetime("us", "UTC")).alias(ENDING)
    if change.withdrawn.height:
        items = change.withdrawn.select(target_type="type", target_id="id").with_columns(moment)
        frame = _ending(frame, upload(items), ["target_type", "target_id"], walked=True)
        given |= {"invalid_at"}
    if change.invalidated.height:
        edges = change.invalidated.select(*ENDS, "relation_kind").unique().with_columns(moment)
        frame = _ending(frame, upload(edges), [*ENDS, "relation_kind"], walked=False)
        given |= {"invalid_at"}
    if change.added.height:
        frame = nw.concat([frame, upload(change.added)], how="diagonal")
        given |= {name for name in RELATIONS.names if change.added[name].null_count() < change.added.height}
    own = [name for name in frame.collect_schema().names() if name not in (*RELATIONS.names, ROW)]
    return replace(table, frame=frame.select(*RELATIONS.names, *own, ROW), given=given)


def with_ended_items(table: Table, items: Table | None) -> Table:
    """The relations with every walk edge into an item that has ended invalid from then on, unless it was before."""
    if items is None or "ended_at" not in items.given:
        return table
    ended = items.frame.filter(~nw.col("ended_at").is_null())
    if collected(ended.select("ended_at").head(1), items.name).is_empty():
        return table
    first = ended.group_by("type", "id").agg(nw.col("ended_at").min().alias(ENDING))
    first = first.rename({"type": "target_type", "id": "target_id"})
    frame = _ending(table.frame, first, ["target_type", "target_id"], walked=True)
    return replace(table, frame=frame, given=table.given | {"invalid_at"})


def _ending(
    frame: nw.LazyFrame[Any], endings: nw.LazyFrame[Any], keys: list[str], *, walked: bool
) -> nw.LazyFrame[Any]:
    """Edges that match an ending are invalid from its time on, unless they were at an earlier one already.

    When that was noticed is not known then.
    """
    names = frame.collect_schema().names()
    joined = frame.join(endings, on=keys, how="left")
    ending, invalid = nw.col(ENDING), nw.col("invalid_at")
    ends = ~ending.is_null() & (invalid.is_null() | (invalid >= ending))
    if walked:
        ends &= nw.col("relation_kind").is_in(WALKED)
    return joined.with_columns(
        invalid_at=nw.when(ends).then(ending).otherwise(invalid),
        expired_at=nw.when(~ends).then(nw.col("expired_at")),
    ).select(*names)
