"""The questions of a store: checked before anything is read, then walked by the engine."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from lineage_kit.engines.protocol import Engine, Moment
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.audit.audit import Audit, audited
from lineage_kit.relations.audit.baseline import Question
from lineage_kit.relations.reach import Reachabilities, reach
from lineage_kit.relations.request import (
    Direction,
    Limits,
    Node,
    checked_anchors,
    checked_depth,
    checked_direction,
    checked_kinds,
    checked_moment,
)
from lineage_kit.relations.trace import Origin
from lineage_kit.relations.walk.batching import in_parts
from lineage_kit.relations.walk.frames import Walked, trace


class AnsweredTraces(NamedTuple):
    """A question for traces as it was understood, and its answer."""

    max_depth: int
    at: Moment
    answer: Walked


class AnsweredReach(NamedTuple):
    """A question for reachability as it was understood, and its answer."""

    kinds: tuple[str, ...] | None
    direction: Direction
    max_depth: int
    at: Moment
    answer: Reachabilities
    unknown_kinds: tuple[str, ...]
    kinds_there: tuple[str, ...]


def traced(
    engine: Engine, limits: Limits, anchors: pl.DataFrame, max_depth: Any, as_of: Any, known_at: Any, *, impact: bool
) -> AnsweredTraces:
    """The lineages, or impacts, of these distinct anchors; see `RelationStore.trace_lineage_many`."""
    depth, at = checked_depth(max_depth, limits.max_depth), checked_moment(as_of, known_at)

    def ask(part: pl.DataFrame) -> Walked:
        return engine.ask(lambda reader: trace(reader, part, depth, limits.supersede, impact=impact), at)

    return AnsweredTraces(depth, at, in_parts(anchors, ask, chunked=engine.chunked))


def audit(
    engine: Engine,
    limits: Limits,
    anchors: Any,
    max_depth: Any,
    as_of: Any,
    known_at: Any,
    origin: Origin,
    *,
    progress: bool,
) -> Audit:
    """Which of these anchors still stand; see `RelationStore.audit`."""
    depth, at = checked_depth(max_depth, limits.max_depth), checked_moment(as_of, known_at)
    called = anchors if isinstance(anchors, str) else None
    asked = checked_anchors(anchors) if called is None else _of_type(engine, called)

    def ask(part: pl.DataFrame) -> Walked:
        return engine.ask(lambda reader: trace(reader, part, depth, limits.supersede, impact=False), at)

    question = Question(called, depth, limits.supersede, at.as_of, at.known_at)
    return audited(asked, ask, question, origin, chunked=engine.chunked, progress=progress)


NOTHING_RESTS = (
    "no edge is depends_on or derives_from, so nothing here rests on anything. Whether an item was replaced says its "
    "trace, or an audit of a list of items"
)


def _of_type(engine: Engine, type: str) -> pl.DataFrame:
    """Every node of a type that rests on something, at whatever time.

    Raises:
        InvalidRequest: there is none.
    """
    found = engine.resting_of(type)
    if not found.height:
        types = engine.resting_types()
        hint = f"types that do: {', '.join(map(repr, types[:10]))}" if types else NOTHING_RESTS
        raise InvalidRequest(f"no item of type {type!r} rests on anything. Hint: {hint}")
    return found


def reached(
    engine: Engine,
    limits: Limits,
    anchors: pl.DataFrame,
    relation_kind: Any,
    direction: Any,
    max_depth: Any,
    as_of: Any,
    known_at: Any,
) -> AnsweredReach:
    """What these distinct anchors reach; see `RelationStore.reachability_many`."""
    depth, at = checked_depth(max_depth, limits.max_depth), checked_moment(as_of, known_at)
    kinds, way = checked_kinds(relation_kind), checked_direction(direction)
    answer = engine.ask(lambda reader: reach(reader, anchors, kinds, way, depth), at)
    known = engine.kinds() if kinds is not None else ()
    unknown = tuple(kind for kind in kinds or () if kind not in known)
    return AnsweredReach(kinds, way, depth, at, answer, unknown, known if unknown else ())


def only(node: Node) -> pl.DataFrame:
    """One anchor as a frame."""
    return pl.DataFrame([pl.Series("type", [node.type]), pl.Series("id", [node.id])])
