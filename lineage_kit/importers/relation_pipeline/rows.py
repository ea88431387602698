"""Rows of relations and items while they are collected, and the two tables made of them (rules R2, R3, R6 and R9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.schema import STATED_ITEMS, STATED_RELATIONS, WALKED
from lineage_kit.schema_forms import Column, Schema

EdgeClass = Literal["asserted", "observed", "inferred"]
SORTED_BY = ("source_type", "source_id", "relation_kind", "target_type", "target_id", "created_at", "invalid_at")
NodeKey = tuple[str, str]
TIME = pl.Datetime("us", "UTC")


class RelationRows:
    """Relations, each a life of one; times are microseconds since 1970."""

    def __init__(self, own: Sequence[Column]) -> None:
        self.schema = STATED_RELATIONS.then(*own).called("relations of an import", own=False)
        self._own = [column.name for column in own]
        self._rows: list[tuple[Any, ...]] = []

    def add(
        self,
        source: NodeKey,
        kind: str,
        target: NodeKey,
        edge_class: str | None,
        file: str,
        *,
        confidence: float | None = 1.0,
        created_at: int | None = None,
        valid_at: int | None = None,
        invalid_at: int | None = None,
        reason: str | None = None,
        stated_as: str | None = None,
        **own: Any,
    ) -> None:
        """One row; `own` are the format's own columns."""
        if invalid_at is None:
            reason = None
        times = (created_at, valid_at, invalid_at)
        extra = (own.get(name) for name in self._own)
        self._rows.append((*source, *target, kind, edge_class, confidence, *times, reason, stated_as, file, *extra))

    def nodes(self) -> set[NodeKey]:
        """Every node of them."""
        return {node for row in self._rows for node in (row[0:2], row[2:4])}

    def targets_of(self, kind: str) -> set[NodeKey]:
        """What relations of a kind lead to."""
        return {(row[2], row[3]) for row in self._rows if row[4] == kind}

    def frame(self) -> pl.DataFrame:
        """The rows in the order in which they came."""
        return _framed(self.schema, self._rows)


class ItemRows:
    """Items: of a node that is described more than once, the first description."""

    def __init__(self, own: Sequence[Column]) -> None:
        self.schema = STATED_ITEMS.then(*own).called("items of an import", own=False)
        self._own = [column.name for column in own]
        self._rows: dict[NodeKey, tuple[Any, ...]] = {}

    def add(
        self,
        node: NodeKey,
        *,
        label: str | None = None,
        text: str | None = None,
        created_at: int | None = None,
        state: str | None = None,
        ended_at: int | None = None,
        end_reason: str | None = None,
        **own: Any,
    ) -> None:
        """One node."""
        if node not in self._rows:
            extra = (own.get(name) for name in self._own)
            self._rows[node] = (*node, label, text, created_at, state, ended_at, end_reason, *extra)

    def __contains__(self, node: NodeKey) -> bool:
        return node in self._rows

    def frame(self) -> pl.DataFrame:
        """The table, sorted."""
        return _framed(self.schema, list(self._rows.values())).sort("type", "id")


def _framed(schema: Schema, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Rows as a frame; times come as microseconds."""
    times = [column.name for column in schema if column.holds == "time"]
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema.columns)
    stored = {name: pl.Int64() if name in times else dtype for name, dtype in schema.polars.items()}
    series = [
        pl.Series(name, values, dtype=dtype) for (name, dtype), values in zip(stored.items(), columns, strict=True)
    ]
    return pl.DataFrame(series).with_columns(pl.col(times).cast(TIME))


def tables_of(
    relations: RelationRows, items: ItemRows, findings: Findings, *, only_standing: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The two tables: relations into what has ended have ended too, equal rows are one, and all is sorted.

    `only_standing`: relations that have an end keep it, be it later than that of their target.
    """
    described = items.frame()
    edges = with_ends(relations.frame(), described, findings, only_standing=only_standing)
    same = [name for name in edges.columns if name != "file"]
    again = edges.filter(~pl.struct(same).is_first_distinct())
    for file, count in again.group_by("file").len().sort("file").iter_rows():
        findings.add("duplicate_record", file, None, None, count)
    if again.height:
        edges = edges.unique(same, keep="first", maintain_order=True)
    others = [name for name in edges.columns if name not in SORTED_BY]
    return edges.sort(*SORTED_BY, *others, nulls_last=False, maintain_order=True), described


def with_ends(
    edges: pl.DataFrame, items: pl.DataFrame, findings: Findings, *, only_standing: bool = False
) -> pl.DataFrame:
    """Relations that walk into what has ended end with it, unless they ended before (rule R6)."""
    ended = items.filter(pl.col("ended_at").is_not_null() | pl.col("end_reason").is_not_null())
    if not ended.height:
        return edges
    named = ended.select(target_type="type", target_id="id", ending="ended_at", word="end_reason", ends=pl.lit(True))
    joined = edges.join(named, on=["target_type", "target_id"], how="left", maintain_order="left")
    into = pl.col("ends").is_not_null() & pl.col("relation_kind").is_in(WALKED)
    moment = pl.coalesce("ending", "created_at", pl.lit(0).cast(TIME))
    standing = pl.col("invalid_at").is_null()
    ends = into & (standing if only_standing else standing | (pl.col("invalid_at") > moment))
    untimed = joined.filter(into & pl.col("ending").is_null())
    for file, id in (
        untimed.group_by("target_type", "target_id")
        .agg(pl.col("file").min())
        .select("file", "target_id")
        .sort("file", "target_id")
        .iter_rows()
    ):
        findings.add("untimed_invalidation", file, None, id)
    return joined.with_columns(
        invalid_at=pl.when(ends).then(moment).otherwise("invalid_at"),
        invalid_reason=pl.when(ends).then("word").otherwise("invalid_reason"),
    ).select(edges.columns)
