"""The two tables that a graph is made of, row by row: for results that are no walk over a table of edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.schema import LABEL, NODES, RELATIONS, ROLE
from lineage_kit.schema_forms import Column, Schema

NODE = Schema(
    "nodes of a graph",
    (
        Column("number", "integer", "the place of the node in the table, from 0"),
        *NODES.only("type", "id"),
        LABEL,
        *NODES.only("depth", "hop"),
        Column("via", "integer", "the number of the node it was reached from; -1 for the one asked about"),
        Column("flags", "texts", "names of `text.MARKS`"),
        Column("cut", "flag", "whether the walk stopped there"),
        *NODES.only("relation_kind", "edge_class", "confidence"),
    ),
    "number",
)
EDGE = Schema(
    "edges of a graph",
    (
        Column("source", "integer", "the number of a node"),
        Column("target", "integer", "the number of a node"),
        ROLE,
        Column("kind", "text", "the relation_kind"),
        Column("class", "text", "the edge_class"),
        *RELATIONS.only("confidence"),
        *NODES.only("invalidated"),
        Column("first", "flag", "whether it describes the node that it reached"),
    ),
)


class Row(NamedTuple):
    """A node; the columns of `NODE`."""

    number: int
    type: str
    id: str
    label: str | None
    depth: int
    hop: int
    via: int
    flags: list[str]
    cut: bool = False
    relation_kind: str | None = None
    edge_class: str | None = None
    confidence: float | None = None


def node_row(
    number: int, type: str, id: str, label: str | None, depth: int, via: int, flags: Iterable[str] = (), hop: int = 0
) -> Row:
    """A node that no edge of a table describes."""
    return Row(number, type, id, label, depth, hop, via, list(flags))


def edge_row(source: int, target: int, role: str, kind: str, edge_class: str | None = None) -> tuple[Any, ...]:
    """An edge that stands, and describes what it reaches."""
    return (source, target, role, kind, edge_class, None, False, True)


def node_table(rows: Sequence[Row]) -> pl.DataFrame:
    """Nodes as `graph_of` takes them.

    Example:
        >>> node_table([node_row(0, "session", "s1", None, 0, -1)]).select("type", "id", "via").rows()
        [('session', 's1', -1)]
    """
    return NODE.frame(rows)


def edge_table(rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """Edges as `graph_of` takes them."""
    return EDGE.frame(rows)
