"""The questions of a store: checked before anything is read, then walked by the engine."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.engines.protocol import Engine
from lineage_kit.relations.reach import Reachabilities, reach
from lineage_kit.relations.request import (
    Direction,
    Limits,
    Node,
    checked_as_of,
    checked_depth,
    checked_direction,
    checked_kinds,
)
from lineage_kit.relations.walk.batching import in_parts
from lineage_kit.relations.walk.frames import Lineages, trace


class AnsweredLineages(NamedTuple):
    """A question for lineages as it was understood, and its answer."""

    max_depth: int
    as_of: datetime | None
    answer: Lineages


class AnsweredReach(NamedTuple):
    """A question for reachability as it was understood, and its answer."""

    kinds: tuple[str, ...] | None
    direction: Direction
    max_depth: int
    answer: Reachabilities


def lineages(engine: Engine, limits: Limits, anchors: pl.DataFrame, max_depth: Any, as_of: Any) -> AnsweredLineages:
    """The lineages of these distinct anchors; see `RelationStore.trace_lineage_many`."""
    depth, moment = checked_depth(max_depth, limits.max_depth), checked_as_of(as_of)

    def ask(part: pl.DataFrame) -> Lineages:
        return engine.ask(lambda reader: trace(reader, part, depth, limits.supersede), moment)

    return AnsweredLineages(depth, moment, in_parts(anchors, ask, chunked=engine.chunked))


def reached(
    engine: Engine, limits: Limits, anchors: pl.DataFrame, relation_kind: Any, direction: Any, max_depth: Any
) -> AnsweredReach:
    """What these distinct anchors reach; see `RelationStore.reachability_many`."""
    depth = checked_depth(max_depth, limits.max_depth)
    kinds, way = checked_kinds(relation_kind), checked_direction(direction)
    answer = engine.ask(lambda reader: reach(reader, anchors, kinds, way, depth), None)
    return AnsweredReach(kinds, way, depth, answer)


def only(node: Node) -> pl.DataFrame:
    """One anchor as a frame."""
    return pl.DataFrame([pl.Series("type", [node.type]), pl.Series("id", [node.id])])
