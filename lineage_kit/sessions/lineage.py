"""What `trace_session` answers: a session's ancestors and descendants. No recursion, however long the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from lineage_kit.errors import SessionQueryError
from lineage_kit.pictured import Pictured
from lineage_kit.schema import SESSION_FRAME
from lineage_kit.sessions.header import EPOCH, SessionRecord
from lineage_kit.wording import counted


@dataclass(frozen=True)
class Forest:
    """Trees in preorder: the records, their depths from 0, and where each one's subtree ends."""

    records: tuple[SessionRecord, ...]
    depths: tuple[int, ...]
    ends: tuple[int, ...]

    def roots(self, start: int, end: int) -> tuple[SessionNode, ...]:
        """The nodes of a stretch that no other of the stretch is above."""
        found = []
        at = start
        while at < end:
            found.append(SessionNode(self, at))
            at = self.ends[at]
        return tuple(found)


class SessionNode:
    """A session and the trees of its children. Equality and hash are by content.

    Attributes:
        session: the `SessionRecord`.
        descendants: the children as nodes, by created_at (unknown last), then session_id.

    Example:
        >>> node = SessionNode(Forest((SessionRecord(session_id="s1"),), (0,), (1,)), 0)
        >>> node
        SessionNode(s1, 0 descendants)
    """

    __slots__ = ("_at", "_forest")

    def __init__(self, forest: Forest, at: int) -> None:
        self._forest = forest
        self._at = at

    @property
    def session(self) -> SessionRecord:
        """The session at this node.

        Example:
            >>> SessionNode(Forest((SessionRecord("s1"),), (0,), (1,)), 0).session.session_id
            's1'
        """
        return self._forest.records[self._at]

    @property
    def descendants(self) -> tuple[SessionNode, ...]:
        """The children, each with the trees of its own.

        Example:
            >>> SessionNode(Forest((SessionRecord("s1"), SessionRecord("s2", "s1")), (0, 1), (2, 2)), 0).descendants
            (SessionNode(s2, 0 descendants),)
        """
        return self._forest.roots(self._at + 1, self._forest.ends[self._at])

    def preorder(self) -> list[tuple[int, SessionRecord]]:
        """This session and everything below it, each with its depth from here.

        Example:
            >>> node = SessionNode(Forest((SessionRecord("s1"), SessionRecord("s2", "s1")), (0, 1), (2, 2)), 0)
            >>> [(depth, record.session_id) for depth, record in node.preorder()]
            [(0, 's1'), (1, 's2')]
        """
        forest, end = self._forest, self._forest.ends[self._at]
        base = forest.depths[self._at]
        stretch = range(self._at, end)
        return [(forest.depths[place] - base, forest.records[place]) for place in stretch]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SessionNode):
            return NotImplemented
        return self.preorder() == other.preorder()

    def __hash__(self) -> int:
        return hash(tuple(self.preorder()))

    def __repr__(self) -> str:
        below = self._forest.ends[self._at] - self._at - 1
        return f"SessionNode({self.session.session_id}, {counted(below, 'descendant')})"


@dataclass(frozen=True, repr=False)
class SessionLineageTrace(Pictured):
    """A session between its ancestors and its descendants.

    Attributes:
        target: the session asked about.
        ancestors: its parent first, then the parent's parent, and on.
        descendants: the trees of its children.
        complete: whether the chain of parents ends at a root.
        root: the last ancestor (the target itself when it has no parent), or None when not complete.
        unresolved_parent_id: the first parent that is not there, or None.

    Example:
        >>> logs = [lineage_kit.SessionLog.from_records(header, []) for header in (
        ...     {"id": "main"}, {"id": "sub", "parentSession": "main"})]
        >>> corpus = lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions(logs))
        >>> corpus.trace_session("sub")
        SessionLineageTrace(sub: 1 ancestor, 0 descendants, root main)
    """

    target: SessionRecord
    ancestors: tuple[SessionRecord, ...]
    descendants: tuple[SessionNode, ...]
    complete: bool
    root: SessionRecord | None
    unresolved_parent_id: str | None

    @property
    def frame(self) -> pl.DataFrame:
        """The flat form, a row a session, from the farthest ancestor down.

        Columns: relation (String: `ancestor`, `target`, `descendant`), depth (Int64, negative upward), session_id,
        parent_session (String), created_at (Datetime us UTC), version, cwd, origin, title (String), seed_length,
        delegation_depth (Int64), live, persisted (Boolean), position (Int64: preorder). Sorted by position.

        Example:
            >>> corpus.trace_session("s1").frame.select("relation", "depth", "session_id").rows()
            [('target', 0, 's1')]
        """
        kin: list[tuple[str, int, SessionRecord]] = [
            ("ancestor", depth - len(self.ancestors), record) for depth, record in enumerate(reversed(self.ancestors))
        ]
        kin.append(("target", 0, self.target))
        kin += [("descendant", depth + 1, record) for node in self.descendants for depth, record in node.preorder()]
        rows = [
            (relation, depth, *record.fixed(), record.live, record.persisted, position)
            for position, (relation, depth, record) in enumerate(kin)
        ]
        return SESSION_FRAME.frame(rows)

    def __repr__(self) -> str:
        below = sum(len(node.preorder()) for node in self.descendants)
        if self.root is not None:
            end = f"root {self.root.session_id}"
        else:
            end = f"INCOMPLETE: parent {self.unresolved_parent_id} is not there"
        ancestors = counted(len(self.ancestors), "ancestor")
        descendants = counted(below, "descendant")
        return f"SessionLineageTrace({self.target.session_id}: {ancestors}, {descendants}, {end})"


def lineage_of(records: dict[str, SessionRecord], session_id: str) -> SessionLineageTrace:
    """The lineage of one session among all of them.

    Raises:
        SessionQueryError: SESSION_NOT_FOUND; INVALID_LINEAGE when the chain of parents comes back on itself.
    """
    target = records.get(session_id) if isinstance(session_id, str) else None
    if target is None:
        raise SessionQueryError.of(
            "SESSION_NOT_FOUND", f"there is no session {session_id!r} among {len(records):,} sessions"
        )
    ancestors: list[SessionRecord] = []
    seen = {session_id}
    unresolved: str | None = None
    parent = target.parent_session
    while parent is not None:
        if parent in seen:
            raise SessionQueryError.of(
                "INVALID_LINEAGE",
                f"session {session_id!r}: its chain of parents comes back to {parent!r} after "
                f"{len(ancestors):,} steps; expected a chain that ends",
            )
        record = records.get(parent)
        if record is None:
            unresolved = parent
            break
        seen.add(parent)
        ancestors.append(record)
        parent = record.parent_session
    root = None if unresolved is not None else (ancestors[-1] if ancestors else target)
    forest = _below(target, children_of(records))
    return SessionLineageTrace(
        target=target,
        ancestors=tuple(ancestors),
        descendants=forest.roots(0, len(forest.records)),
        complete=unresolved is None,
        root=root,
        unresolved_parent_id=unresolved,
    )


def children_of(records: dict[str, SessionRecord]) -> dict[str, list[SessionRecord]]:
    """The children of each session, in order."""
    children: dict[str, list[SessionRecord]] = {}
    for record in records.values():
        if record.parent_session is not None:
            children.setdefault(record.parent_session, []).append(record)
    for siblings in children.values():
        siblings.sort(key=_order)
    return children


def _order(record: SessionRecord) -> tuple[bool, datetime, str]:
    return record.created_at is None, record.created_at or EPOCH, record.session_id


def _below(target: SessionRecord, children: dict[str, list[SessionRecord]]) -> Forest:
    """Everything below a session in preorder, with a stack of our own."""
    records: list[SessionRecord] = []
    depths: list[int] = []
    stack = [(record, 0) for record in reversed(children.get(target.session_id, []))]
    while stack:
        record, depth = stack.pop()
        records.append(record)
        depths.append(depth)
        stack += [(child, depth + 1) for child in reversed(children.get(record.session_id, []))]
    return Forest(tuple(records), tuple(depths), tuple(_ends(depths)))


def _ends(depths: Sequence[int]) -> list[int]:
    """Where the subtree of each place of a preorder ends."""
    ends = [len(depths)] * len(depths)
    open_places: list[int] = []
    for place, depth in enumerate(depths):
        while open_places and depths[open_places[-1]] >= depth:
            ends[open_places.pop()] = place
        open_places.append(place)
    return ends
