"""An audit in words, worst first, as a table, as JSON and as frames."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.table import Table

from lineage_kit.relations.audit.audit import WORST_FIRST, Audit
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.summary import SHOWN, Notice, Summary, rows_beyond, seen_at, supposed
from lineage_kit.view.tables import table_of
from lineage_kit.view.text import FLAGS, named, visible
from lineage_kit.wording import counted

MEANS = {
    "withdrawn": "no live route is left to a premise",
    "stale": "something it rests on was replaced or invalidated",
    "unknown": "no relation mentions it",
    "cut": "nothing fell as far as the walk went, but it was cut",
    "stands": "all it rests on stands",
}
"""What a verdict says."""


def worst_first(summary: pl.DataFrame) -> pl.DataFrame:
    """The rows of a summary with what to look at first in front."""
    rank = pl.col("verdict").replace_strict({word: at for at, word in enumerate(WORST_FIRST)}, return_dtype=pl.Int64)
    return summary.sort(rank, "type", "id")


def title_of(audit: Audit) -> str:
    """What was audited, and how many do not stand."""
    fallen = audit.summary.filter(pl.col("verdict") != "stands").height
    what = visible(audit.question.anchors, 40) if audit.question.anchors else "items"
    verb = "does" if fallen == 1 else "do"
    return f"Audit of {what}: {fallen:,} of {audit.summary.height:,} {verb} not stand"


@generic.summary.register(Audit)
def summary(audit: Audit) -> Summary:
    """How many have each verdict, and the worst of them."""
    told = Summary(title_of(audit))
    told.notices += supposed(audit.origin)
    for word, count in audit.verdicts().items():
        if word != "stands":
            brief = f"{count:,} {word.upper()}"
            told.notices.append(Notice(word, f"{brief}: {MEANS[word]}.", brief))
    asked = audit.question
    standing = audit.verdicts().get("stands", 0)
    told.facts.append(f"{counted(standing, 'item')} {'stands' if standing == 1 else 'stand'}.")
    told.facts.append(f"Asked to max_depth {asked.max_depth}{seen_at(asked.as_of, asked.known_at)}.")
    told.columns = ("verdict", "item", "nearest", "flag", "depth", "premises", "flagged")
    ordered = worst_first(audit.summary)
    told.rows = [_row(row) for row in ordered.head(SHOWN).iter_rows(named=True)]
    told.rest = rows_beyond(ordered, "audit.summary")
    return told


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    nearest = named(row["nearest_type"], row["nearest_id"]) if row["nearest_flag"] else ""
    flag = FLAGS[row["nearest_flag"]].word if row["nearest_flag"] else ""
    if not flag and row["anchor_superseded"]:
        flag = "it is SUPERSEDED itself"
    counts = [f"{row[name]:,} {words.tag}" for name, words in FLAGS.items() if row[name]]
    depth = "" if row["nearest_depth"] is None else str(row["nearest_depth"])
    item = named(row["type"], row["id"], row["label"])
    return (row["verdict"].upper(), item, nearest, flag, depth, f"{row['premises']:,}", ", ".join(counts))


@generic.tree.register(Audit)
def tree(audit: Audit, limit: int | None = None) -> Table:
    """A row an item, worst first."""
    told = summary(audit)
    rows = [_row(row) for row in worst_first(audit.summary).iter_rows(named=True)]
    schema = dict.fromkeys(told.columns, pl.String)
    return table_of(pl.DataFrame(rows, schema=schema, orient="row"), limit)


@generic.to_json.register(Audit)
def to_json(audit: Audit) -> str:
    """The question, and the rows of summary and findings."""
    told = {"question": audit.question.told(), "verdicts": audit.verdicts()}
    return json_text(told | {name: getattr(audit, name).to_dicts() for name in ("summary", "findings")})


@generic.csv_frame.register(Audit)
def csv_frame(audit: Audit, frame_name: str | None = None) -> pl.DataFrame:
    """`summary` or `findings`."""
    return frame_called({"summary": audit.summary, "findings": audit.findings}, frame_name)
