"""Questions, checked before anything is read (rule L1)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

import polars as pl

from lineage_kit.door.in_memory import taken_in
from lineage_kit.engines.protocol import Moment
from lineage_kit.errors import InvalidRequest
from lineage_kit.wording import is_unicode

Direction = Literal["outgoing", "incoming", "both"]


class Limits(NamedTuple):
    """How far the questions to a store may go: the largest max_depth, and replacement hops per level."""

    max_depth: int = 10
    supersede: int = 10

    @classmethod
    def checked(cls, max_depth_limit: Any, supersede_limit: Any) -> Limits:
        """From what a person gives; both must be positive."""
        return cls(
            checked_count("max_depth_limit", max_depth_limit, None),
            checked_count("supersede_limit", supersede_limit, None),
        )


class Node(NamedTuple):
    """A node: its type and its id, compared exactly.

    Attributes:
        type: what sort of thing it is.
        id: which one of that type.

    Example:
        >>> Node("decision", "d42")
        Node(type='decision', id='d42')
    """

    type: str
    id: str


def checked_node(type: Any, id: Any) -> Node:
    """The anchor asked for."""
    for name, value in (("type", type), ("id", id)):
        if not isinstance(value, str) or not value:
            raise InvalidRequest(f"{name} must be a non-empty text, got {value!r}")
        if not is_unicode(value):
            raise InvalidRequest(f"{name} holds half a character, which no table can: {value!a:.80}")
    return Node(type, id)


def checked_depth(max_depth: Any, limit: int) -> int:
    """An integer from 1 to `limit`; NumPy integers pass, bools and floats do not."""
    return checked_count(
        "max_depth", max_depth, limit, "raise max_depth_limit (--max-depth-limit) when opening the store"
    )


def checked_count(name: str, value: Any, limit: int | None, fix: str = "") -> int:
    """A positive integer, at most `limit`."""
    bounds = f"an integer from 1 to {limit}" if limit is not None else "a positive integer"
    hint = f". Hint: {fix}" if fix else ""
    if isinstance(value, bool):
        raise InvalidRequest(f"{name} must be {bounds}, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidRequest(f"{name} must be {bounds}, got {value!r} ({type(value).__name__})") from None
    if number < 1 or (limit is not None and number > limit):
        raise InvalidRequest(f"{name} must be {bounds}, got {number}{hint if number > 1 else ''}")
    return number


def checked_moment(as_of: Any, known_at: Any) -> Moment:
    """The moment asked about, in UTC."""
    return Moment(checked_time("as_of", as_of), checked_time("known_at", known_at))


def checked_time(name: str, given: Any) -> datetime | None:
    """A time with a zone, as a datetime or an ISO 8601 text; returned in UTC."""
    if given is None:
        return None
    moment = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise InvalidRequest(
                f"{name}={given!r} is not an ISO 8601 time. Hint: write it like 2026-03-01T12:00:00Z"
            ) from None
    if not isinstance(moment, datetime):
        raise InvalidRequest(f"{name} must be a datetime or an ISO 8601 text, got {type(given).__name__}")
    if moment.tzinfo is None:
        raise InvalidRequest(
            f"{name}={given!s} has no time zone. Hint: say which, e.g. 2026-03-01T12:00:00Z "
            "or datetime(2026, 3, 1, 12, tzinfo=UTC)"
        )
    return moment.astimezone(UTC).replace(tzinfo=UTC)


def checked_direction(direction: Any) -> Direction:
    """One of the three directions."""
    if direction not in get_args(Direction):
        raise InvalidRequest(f"direction must be one of {', '.join(get_args(Direction))}; got {direction!r}")
    checked: Direction = direction
    return checked


def checked_kinds(relation_kind: Any) -> tuple[str, ...] | None:
    """One kind, several kinds, or None for all; sorted, without duplicates."""
    if relation_kind is None:
        return None
    kinds = [relation_kind] if isinstance(relation_kind, str) else relation_kind
    if not isinstance(kinds, Sequence) or not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise InvalidRequest(f"relation_kind must be a text, a list of texts, or None; got {relation_kind!r}")
    return tuple(sorted(set(kinds)))


def checked_anchors(anchors: Any) -> pl.DataFrame:
    """A frame of distinct (type, id), sorted; any dataframe, or a list of pairs."""
    if isinstance(anchors, (list, tuple)):
        nodes = [checked_node(*pair) if _is_pair(pair) else _not_a_pair(pair) for pair in anchors]
        frame = pl.DataFrame(nodes, schema={"type": pl.String, "id": pl.String}, orient="row")
    else:
        frame = taken_in(anchors).frame
        for name in ("type", "id"):
            if name not in frame.columns:
                raise InvalidRequest(
                    f"anchors must have the columns type and id; there are {', '.join(frame.columns) or 'none'}"
                )
        frame = frame.select("type", "id")
        if not all(dtype in (pl.String, pl.Null, pl.Categorical, pl.Enum) for dtype in frame.dtypes):
            raise InvalidRequest(f"anchors must hold texts; type is {frame.dtypes[0]}, id is {frame.dtypes[1]}")
        frame = frame.cast(pl.String)
        bad = frame.filter(pl.any_horizontal(pl.all().is_null() | (pl.all() == "")))
        if bad.height:
            raise InvalidRequest(
                f"{bad.height} of {frame.height} anchors have a null or empty type or id, e.g. {bad.row(0)}"
            )
    return frame.unique().sort("type", "id")


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2


def _not_a_pair(pair: Any) -> Node:
    raise InvalidRequest(f"an anchor is a pair (type, id), got {pair!r}")
