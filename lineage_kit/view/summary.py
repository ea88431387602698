"""A result in words: what was asked, whether to trust it, and the first rows; HTML and text both show this."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.relations.request import Node
from lineage_kit.relations.trace import Origin
from lineage_kit.schema import NODE
from lineage_kit.view.text import FLAGS, moment, named, trust, visible
from lineage_kit.wording import counted

SHOWN = 20
"""Rows of a summary table."""


class Notice(NamedTuple):
    """Something a reader must know before the answer.

    Attributes:
        kind: what it is about, for code: a flag by its column (`invalidated`, `superseded`, `outdated_support`), or
            `unknown_anchor`, `truncated`, `anchor_superseded`, `shadowed`, `incomplete`, or one of a display's own.
        text: the sentence.
        brief: the same in a few words, for a line with others.
    """

    kind: str
    text: str
    brief: str = ""


@dataclass
class Summary:
    """What a display says of a result; notices come first.

    Attributes:
        title: what the result is.
        notices: what a reader must know first.
        facts: further sentences.
        columns, rows: a table of the first rows.
        rest: how many rows there are beyond those, or an empty text.
        sentences_only: whether the sentences are the whole answer, without a tree or table of all rows.
    """

    title: str
    notices: list[Notice] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    rest: str = ""
    sentences_only: bool = False


def labels_of(origin: Origin | None, nodes: pl.DataFrame) -> dict[tuple[str, str], str]:
    """The labels of these nodes, by (type, id)."""
    if origin is None or not nodes.height:
        return {}
    return {(type, id): label for type, id, label in origin.labels(nodes).iter_rows()}


def labels_with_anchor(origin: Origin | None, anchor: Node, nodes: pl.DataFrame) -> dict[tuple[str, str], str]:
    """The labels of an anchor and of these nodes, by (type, id)."""
    return labels_of(origin, pl.concat([NODE.frame([anchor]), nodes.select("type", "id")]))


def unknown_anchor(anchor: Node, origin: Origin | None) -> Notice:
    """That no relation mentions the anchor, and which names are close to it."""
    near = origin.near(*anchor) if origin is not None else []
    shown = "; ".join(named(*node) for node in near)
    hint = f"Close to it: {shown}." if near else "Nothing there has a name close to it."
    told = f"UNKNOWN ANCHOR: no relation mentions {named(*anchor)}. {hint if origin is not None else ''}".rstrip()
    return Notice("unknown_anchor", told, "UNKNOWN ANCHOR")


def supposed(origin: Origin | None) -> list[Notice]:
    """That what follows rests on a supposition, if it does."""
    told = () if origin is None else origin.supposing
    if not told:
        return []
    text = f"SUPPOSED: {'; then '.join(visible(one, 200) for one in told)}. The data does not say so."
    return [Notice("supposed", text, "SUPPOSED")]


def seen_at(as_of: datetime | None, known_at: datetime | None) -> str:
    """At which instant relations were seen, to follow other settings; empty where nothing was said.

    Example:
        >>> from datetime import UTC
        >>> seen_at(None, datetime(2026, 3, 1, 12, tzinfo=UTC))
        ', known at 2026-03-01T12:00:00Z'
    """
    clocks = (("as of", as_of), ("known at", known_at))
    return "".join(f", {clock} {moment(instant)}" for clock, instant in clocks if instant)


def flag_notices(nodes: pl.DataFrame) -> list[Notice]:
    """One notice a flag that any of these nodes has."""
    counts = [(flag, int(nodes[flag].sum())) for flag in FLAGS if flag in nodes.columns]
    briefs = [(flag, f"{counted(count, 'node')} {FLAGS[flag].word}") for flag, count in counts if count]
    return [Notice(flag, f"{brief}.", brief) for flag, brief in briefs]


def reached_by(row: dict[str, Any]) -> str:
    """The edge that reached a node: kind, class and confidence."""
    return f"{visible(row['relation_kind'], 30)}, {trust(row['edge_class'], row['confidence'])}"


def rows_beyond(frame: pl.DataFrame, where: str) -> str:
    """How many rows a summary table leaves out, or an empty text."""
    return f"{SHOWN} of {frame.height:,} rows shown; all are in {where}." if frame.height > SHOWN else ""
