"""Where each session of a corpus stands: whose child it is, its root, its depth, how many descend from it."""

from __future__ import annotations

import polars as pl

from lineage_kit.schema import SESSION_TREE, STATED
from lineage_kit.sessions.fold.citations import observed
from lineage_kit.sessions.header import SessionRecord


def session_tree(records: dict[str, SessionRecord]) -> pl.DataFrame:
    """One row a session, sorted by session_id; without recursion.

    depth counts the ancestors that are there; root_session is null and complete false where the chain of parents
    leads to a session that is not there, or back on itself (then depth and descendants count up to there).
    """
    depth: dict[str, int] = {}
    root: dict[str, str | None] = {}
    below = dict.fromkeys(records, 0)
    order: list[str] = []  # ancestors before descendants
    for name in records:
        path: list[str] = []
        on_path: set[str] = set()
        at: str | None = name
        while at is not None and at in records and at not in depth and at not in on_path:
            path.append(at)
            on_path.add(at)
            at = records[at].parent_session
        if at is None:
            above, top = -1, path[-1] if path else None
        elif at in depth:
            above, top = depth[at], root[at]
        else:  # a parent that is not there, or a cycle
            above, top = -1, None
        for step in reversed(path):
            above += 1
            depth[step], root[step] = above, top
            order.append(step)
    for name in reversed(order):
        parent = records[name].parent_session
        if parent is not None and parent in below and depth[parent] < depth[name]:
            below[parent] += below[name] + 1
    rows = [
        (name, record.parent_session, root[name], depth[name], below[name], root[name] is not None)
        for name, record in sorted(records.items())
    ]
    return SESSION_TREE.frame(rows)


def child_relations(records: dict[str, SessionRecord]) -> pl.DataFrame:
    """A session is `child_of` its parent, since it began; as a relations table."""
    kin = [(record.session_id, record.parent_session, record.created_at) for record in records.values()]
    ends = STATED.only("source_id", "target_id", "created_at").frame(kin)
    return observed(ends.drop_nulls("target_id"), "session", "child_of")
