"""Real samples of the relation formats with right answers, where they are at hand, and imports as they write them."""

import json
from datetime import UTC
from pathlib import Path

import polars as pl

from support.shared import SHARED

FOLDER = SHARED / "relation_samples"


def cases(format):
    """The names of the cases of a format; none where the samples are not at hand."""
    file = FOLDER / format / "EXPECTED.json"
    return sorted(json.loads(file.read_text())) if file.exists() else []


def expected(format, case):
    """The right answer of a case."""
    return json.loads((FOLDER / format / "EXPECTED.json").read_text())[case]


def place(format, case):
    """The input of a case."""
    return Path(FOLDER / format / case)


def summary(imported):
    """An import as `summary` of the right answers tells it."""
    relations, items = imported.relations.collect(), imported.items.collect()
    ends = [relations.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    kinds = imported.report.group_by("kind").agg(pl.col("count").sum())
    return {
        "relations": relations.height,
        "by_kind": counts(relations["relation_kind"]),
        "by_class": counts(relations["edge_class"]),
        "invalidated": relations["invalid_at"].count(),
        "nodes": pl.concat(ends).unique().height,
        "items": items.height,
        "items_by_type": counts(items["type"]),
        "findings": dict(sorted(kinds.rows())),
    }


def counts(column):
    return dict(sorted(column.value_counts().rows()))


def rows(imported, columns):
    """The relations in these columns, times as ISO texts in UTC, sorted."""
    found = []
    for row in imported.relations.collect().select(columns).rows():
        told = [one.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if hasattr(one, "year") else one for one in row]
        found.append(told)
    return sorted(found, key=repr)


def traces(imported, asked):
    """The answers to these traces: depth, type and id of every node."""
    store = imported.store()
    found = []
    for one in asked:
        nodes = store.trace_lineage(*one["anchor"], one["max_depth"]).nodes.select("depth", "type", "id")
        found.append({**one, "nodes": sorted(map(list, nodes.rows()))})
    return found
