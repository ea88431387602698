"""When, by whom and why what is flagged does not stand: from the rows of its edges, and from its item (rule L14)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import polars as pl

from lineage_kit.relations.trace import Trace
from lineage_kit.schema import FLAGS, RELATIONS, ROW
from lineage_kit.view.text import moment, named, visible

NODE_KEY = tuple[str, str]
REASON = ("invalid_reason", "reason")
"""Columns of one's own that say why, told before the others."""
LONG = 200


def reasons_of(trace: Trace) -> dict[NODE_KEY, list[str]]:
    """For each flagged node sentences that say when, by whom and why, as far as the rows know.

    Example:
        >>> reasons_of(store.trace_lineage("decision", "d1"))
        {('evidence', 'e1'): ['superseded by evidence e2 (asserted)']}
    """
    flagged = trace.nodes.with_columns(describing=trace.describing).filter(pl.any_horizontal(*FLAGS))
    keys = flagged.select("type", "id")
    told: dict[NODE_KEY, list[str]] = {(type, id): [] for type, id in keys.iter_rows()}
    wanted = flagged.filter("invalidated").select("type", "id", edge="describing")
    invalidated = wanted.join(trace.edges, on=ROW, how="inner", maintain_order="left")
    # What ended is what an edge leads to: in an impact not the node, but what it rests on.
    ended = invalidated.select(type="target_type", id="target_id")
    items = _items(trace, pl.concat([keys, ended]).unique())
    for row in invalidated.iter_rows(named=True):
        told[row["type"], row["id"]] += _invalidated(row, items.get((row["target_type"], row["target_id"]), {}))
    for row in _replacing(trace, keys).iter_rows(named=True):
        told[row["target_type"], row["target_id"]].append(_superseded(row))
    for row in flagged.filter("outdated_support").iter_rows(named=True):
        told[row["type"], row["id"]].append("supports only a revision that has been replaced")
    for key, sentences in told.items():
        if text := items.get(key, {}).get("text"):
            sentences.append(f"it says: {visible(text, LONG)}")
    return told


def _items(trace: Trace, keys: pl.DataFrame) -> dict[NODE_KEY, dict[str, Any]]:
    """What the items say of these nodes; of several rows the first."""
    if trace.origin is None or not keys.height:
        return {}
    rows = trace.origin.items(keys).unique(["type", "id"], keep="first", maintain_order=True)
    return {(row["type"], row["id"]): row for row in rows.iter_rows(named=True)}


def _invalidated(row: dict[str, Any], item: dict[str, Any]) -> Iterable[str]:
    when = moment(row["invalid_at"]) if row["invalid_at"] is not None else "an unknown time"
    ended = item.get("ended_at")
    what = "ended" if ended is not None and ended == row["invalid_at"] else "invalidated"
    sentence = f"{what} at {when}"
    if row["expired_at"] is not None:
        sentence += f", noticed at {moment(row['expired_at'])}"
    if what == "ended" and item.get("end_reason"):
        sentence += f": {visible(item['end_reason'], LONG)}"
    yield sentence + _own(row)


def _replacing(trace: Trace, keys: pl.DataFrame) -> pl.DataFrame:
    """The supersedes edges into these nodes, in the trace and from beyond it."""
    met = trace.edges.filter(pl.col("role") == "replacement").drop("role")
    if met.width == 0 or not keys.height:
        return met.clear()
    rows = pl.concat([met, trace.superseding], how="diagonal_relaxed")
    wanted = keys.rename({"type": "target_type", "id": "target_id"})
    return rows.join(wanted, on=["target_type", "target_id"], how="semi", maintain_order="left")


def _superseded(row: dict[str, Any]) -> str:
    when = f" at {moment(row['created_at'])}" if row["created_at"] is not None else ""
    live = f", itself invalidated at {moment(row['invalid_at'])}" if row["invalid_at"] is not None else ""
    by = named(row["source_type"], row["source_id"])
    return f"superseded by {by} ({visible(row['edge_class'], 30)}){when}{live}{_own(row)}"


def _own(row: dict[str, Any]) -> str:
    """What the columns of one's own say, the reason first."""
    names = [name for name in row if name not in {*RELATIONS.names, ROW, "role", "type", "id"}]
    told = [visible(str(row[name]), LONG) for name in REASON if name in names and row[name]]
    others = [name for name in names if name not in REASON and row[name] is not None]
    told += [f"{visible(name, 30)} {_value(row[name])}" for name in others]
    return f": {'; '.join(told)}" if told else ""


def _value(value: Any) -> str:
    return moment(value) if isinstance(value, datetime) and value.tzinfo else visible(str(value), 80)
