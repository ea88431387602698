"""The page of an audit, for whoever is on call: what fell, what is new, and of each item the way, when, who and why."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

import polars as pl

from lineage_kit.relations.audit.audit import Audit
from lineage_kit.relations.trace import Origin, Trace
from lineage_kit.schema import FLAGS
from lineage_kit.view import generic
from lineage_kit.view.reasons import reasons_of
from lineage_kit.view.report import Section, data_of, page_of, versions
from lineage_kit.view.results.audit import MEANS, worst_first
from lineage_kit.view.text import FLAGS as WORDS
from lineage_kit.view.text import moment, named, visible
from lineage_kit.wording import counted

TOLD = 200
"""Items that do not stand of which the page tells; the others are counted."""
EACH = 20
"""Findings of an item that are listed."""


def report_of(
    audit: Audit, path: str | os.PathLike[str] | None, format: Literal["html", "md"] | None, new: pl.DataFrame | None
) -> str:
    """The page; see `Audit.report`."""
    return page_of(lambda: _sections(audit, new), path, format)


def _sections(audit: Audit, new: pl.DataFrame | None) -> Iterable[Section]:
    told = generic.summary(audit)
    yield Section(told.title, ["Which of these items still stand, and what of what they rest on does not?"])
    rows = [(word.upper(), f"{count:,}", MEANS[word]) for word, count in audit.verdicts().items()]
    notices = [notice.text for notice in told.notices if notice.kind == "supposed"]
    yield Section("In short", notices, columns=("verdict", "items", "what it says"), rows=rows)
    if new is not None:
        lines = [(row["verdict"].upper(), _name(row)) for row in worst_first(new).iter_rows(named=True)]
        none = [] if lines else ["Nothing got worse since the baseline."]
        yield Section("New since the baseline", none, columns=("verdict", "item"), rows=lines)
    yield from _fallen(audit, set() if new is None else set(new.select("type", "id").iter_rows()))
    asked = audit.question
    settings = [
        ("items", f"every {visible(asked.anchors, 40)}" if asked.anchors else "a set of them"),
        ("max_depth", str(asked.max_depth)),
        ("supersede_limit", str(asked.supersede_limit)),
        ("as_of", moment(asked.as_of) if asked.as_of else "not set: all relations, any invalidation counts"),
        ("known_at", moment(asked.known_at) if asked.known_at else "not set: whenever it came to be known"),
    ]
    yield Section("What was asked", columns=("setting", "value"), rows=settings)
    yield from data_of(audit)
    yield versions()


def _name(row: dict[str, object]) -> str:
    label = row["label"]
    return named(str(row["type"]), str(row["id"]), None if label is None else str(label))


def _fallen(audit: Audit, new: set[tuple[str, str]]) -> Iterable[Section]:
    """A section an item that does not stand, worst first."""
    fallen = worst_first(audit.summary.filter(pl.col("verdict") != "stands"))
    shown = fallen.head(TOLD)
    traces = _traces(audit, shown)
    for row in shown.iter_rows(named=True):
        key = (row["type"], row["id"])
        head = f"{row['verdict'].upper()}: {_name(row)}" + " (new)" * (key in new)
        sentences = [f"{MEANS[row['verdict']][0].upper()}{MEANS[row['verdict']][1:]}."]
        if row["anchor_superseded"]:
            sentences.append("It is SUPERSEDED itself.")
        mine = audit.findings.filter(pl.col("anchor_type") == key[0], pl.col("anchor_id") == key[1])
        reasons = reasons_of(traces[key]) if key in traces else {}
        lines = [
            (
                ", ".join(WORDS[flag].word for flag in FLAGS if found[flag]),
                named(found["type"], found["id"], found["label"]),
                visible(found["path"], 300),
                "; ".join(reasons.get((found["type"], found["id"]), ())),
            )
            for found in mine.head(EACH).iter_rows(named=True)
        ]
        if mine.height > EACH:
            sentences.append(f"{EACH} of {counted(mine.height, 'finding')} listed; all are in the audit's findings.")
        yield Section(head, sentences, columns=("flag", "node", "way", "when, by whom and why"), rows=lines)
    if fallen.height > TOLD:
        left = counted(fallen.height - TOLD, "more item")
        yield Section("And more", [f"{left} that do not stand are in the audit's summary, not on this page."])


def _traces(audit: Audit, rows: pl.DataFrame) -> dict[tuple[str, str], Trace]:
    """The lineages of these items once more, for what their edges say; none where the store is not at hand."""
    origin: Origin | None = audit.origin
    if origin is None or not rows.height:
        return {}
    asked = audit.question
    traces = origin.trace_lineage_many(
        rows.select("type", "id"), asked.max_depth, as_of=asked.as_of, known_at=asked.known_at
    )
    return {(type, id): traces[type, id] for type, id in rows.select("type", "id").iter_rows()}
