"""The transform step's result for one session: which staged rows are its events, and how they hang together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lineage_kit.importers.pipeline.files import LogFile

NONE, APPEND = 0, 1
Numbers = np.ndarray | range
"""Numbers of staged rows."""


class Link(NamedTuple):
    """A relation that is not walked, from an event of the session (`seq`) or from the session itself (None)."""

    seq: int | None
    kind: str
    """`child_of`, `spawned_by`, `forked_from`, `resumed_from` or `refers_to`."""
    target_type: str
    """`event` or `session`."""
    target_id: str
    """A ref, a session id, or the raw id of something that was never found."""
    edge_class: str = "asserted"
    """`asserted` (the file states it), `observed` (machinery recorded it) or `inferred` (we found it)."""
    confidence: float | None = 1.0
    """0 for a link that leads nowhere, below 1 for an inferred one."""


@dataclass
class SessionPlan:
    """One session, ready to be made into rows. The place of an event in `rows` is its seq."""

    file: LogFile
    header: dict[str, Any]
    """The columns of the sessions table; created_at is ISO text, milliseconds, or null."""
    rows: Numbers
    """The numbers of the staged rows that are its events, in the order of seq (int64, or a range)."""
    on_surface: np.ndarray
    """For each event NONE or APPEND (int8)."""
    replaced: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """By seq: the first and the last seq of the range that the event replaces."""
    citations: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """By seq: the earlier events it cites, in the order to be written; never empty."""
    parents: np.ndarray | None = None
    """For each event the seq of its parent in this session, or -1 (int64): `child_of`, asserted."""
    links: list[Link] = field(default_factory=list)
    types: Mapping[int, str] = field(default_factory=dict)
    """By seq: the type, where it is not that of the staged row."""
    blank_payload: Sequence[int] = ()
    """Events whose payload is to be blank (`{}`): they replace, and say nothing themselves."""
    repeated_usage: Sequence[int] = ()
    """Events that repeat the tokens of an answer, which another event of it counts."""
    until: Any = None
    """The latest time of its events, as the format writes times; null if none has one."""


def ref(session_id: str, seq: int) -> str:
    """The id of an event as a node.

    Example:
        >>> ref("s1", 3)
        's1#3'
    """
    return f"{session_id}#{seq}"
