"""The sessions of a corpus as a person picks among them: by words, by kinship, by a name that is nearly right."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.sessions.header import EPOCH
from lineage_kit.view.text import moment, visible

KIN = 200
"""Sessions told of one family."""
POOL = 2_000
"""Sessions that a misspelt id is compared with in full."""


class Known(NamedTuple):
    """A session as it is picked."""

    id: str
    parent: str | None
    title: str | None
    origin: str | None
    created: datetime | None


class Sessions:
    """The sessions of a corpus, in the order of `SessionCorpus.sessions` (newest first).

    Example:
        >>> import lineage_kit
        >>> logs = [lineage_kit.SessionLog.from_records(header, []) for header in (
        ...     {"id": "main", "createdAt": 1}, {"id": "sub", "createdAt": 2, "parentSession": "main"})]
        >>> known = Sessions(lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions(logs)).sessions())
        >>> known.newest
        'sub'
        >>> [(row["id"], row["depth"], row["relation"]) for row in known.family("sub")["rows"]]
        [('main', 0, 'ancestor'), ('sub', 1, 'this session')]
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        rows = frame.select("session_id", "parent_session", "title", "origin", "created_at").iter_rows()
        self._all = [Known(id, parent, title, origin, created) for id, parent, title, origin, created in rows]
        self._by_id = {known.id: known for known in self._all}
        self._searched = [(known.id.casefold(), (known.title or "").casefold()) for known in self._all]

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, session_id: object) -> bool:
        return session_id in self._by_id

    @property
    def newest(self) -> str | None:
        """The session created last, or None where there is none."""
        return self._all[0].id if self._all else None

    def find(self, text: str, limit: int = 50) -> dict[str, Any]:
        """Sessions whose id or title holds a text, whatever the case, best match first: sessions and total.

        The id itself comes first, then ids that begin with the text, then titles that do, then the rest; among
        equals the newest.
        """
        wanted = text.casefold()
        ranked = []
        for place, (id, title) in enumerate(self._searched):
            if wanted in id or wanted in title:
                rank = 0 if id == wanted else 1 if id.startswith(wanted) else 2 if title.startswith(wanted) else 3
                ranked.append((rank, place))
        ranked.sort()
        return {"sessions": [self._told(self._all[place]) for _, place in ranked[:limit]], "total": len(ranked)}

    def near(self, session_id: str, limit: int = 5) -> list[dict[str, Any]]:
        """Sessions whose id is close to one that is not there, closest first."""
        folded = session_id.casefold()[:200]
        half = max(1, len(folded) // 2)
        pool = [
            known.id
            for known, (id, _) in zip(self._all, self._searched, strict=True)
            if folded[:half] in id or folded[-half:] in id
        ]
        pool = (pool or [known.id for known in self._all])[:POOL]
        close = difflib.get_close_matches(session_id[:200], pool, n=limit, cutoff=0.4)
        return [self._told(self._by_id[id]) for id in close]

    def family(self, session_id: str) -> dict[str, Any]:
        """A session's ancestors, siblings and descendants, parents before their children: rows, total, note.

        A row has the keys of a session that was found, and depth, relation (`ancestor`, `sibling`, `this session`,
        `descendant`) and missing (the corpus does not hold it). Of a large family the `KIN` rows around the session
        are told. note: what is wrong with the chain of parents, or an empty text.
        """
        target = self._by_id.get(session_id)
        if target is None:
            return {"rows": [], "total": 0, "note": ""}
        above: list[Known] = []
        note = ""
        lost: str | None = None
        met = {session_id}
        parent = target.parent
        while parent is not None and not note:
            if parent in met:
                note = f"The chain of parents comes back to {visible(parent)}."
            elif parent not in self._by_id:
                lost = parent
                note = f"Parent {visible(parent)} is NOT THERE."
            else:
                met.add(parent)
                above.append(self._by_id[parent])
                parent = above[-1].parent
        rows = [self._told(Known(lost, None, None, None, None), 0, "ancestor", missing=True)] if lost else []
        rows += [self._told(known, depth, "ancestor") for depth, known in enumerate(reversed(above), start=len(rows))]
        children = self._children()
        depth = len(rows)
        siblings = children[target.parent] if target.parent is not None and target.parent != session_id else [target]
        for known in siblings:
            if known is target:
                anchor = len(rows)
                rows.append(self._told(known, depth, "this session"))
                rows += self._below(target, depth, children, met)
            elif known.id not in met:
                rows.append(self._told(known, depth, "sibling"))
        start = max(0, min(anchor - KIN // 4, len(rows) - KIN))
        return {"rows": rows[start : start + KIN], "total": len(rows), "note": note}

    def _below(
        self, target: Known, depth: int, children: dict[str, list[Known]], met: set[str]
    ) -> Iterable[dict[str, Any]]:
        """The descendants in preorder, with a stack of our own; a ring is walked once."""
        seen = set(met)
        stack = [(known, depth + 1) for known in reversed(children.get(target.id, []))]
        while stack:
            known, level = stack.pop()
            if known.id in seen:
                continue
            seen.add(known.id)
            yield self._told(known, level, "descendant")
            stack += [(child, level + 1) for child in reversed(children.get(known.id, []))]

    def _children(self) -> dict[str, list[Known]]:
        """The children of each session, oldest first, those of unknown age last."""
        children: dict[str, list[Known]] = defaultdict(list)
        for known in sorted(self._all, key=lambda one: (one.created is None, one.created or EPOCH, one.id)):
            if known.parent is not None:
                children[known.parent].append(known)
        return children

    def _told(self, known: Known, depth: int = 0, relation: str = "", *, missing: bool = False) -> dict[str, Any]:
        """A session as data: id (as it is), shown, title, origin, created, orphan, depth, relation, missing."""
        return {
            "id": known.id,
            "shown": visible(known.id, 80),
            "title": visible(known.title or "", 120),
            "origin": visible(known.origin or "", 30),
            "created": None if known.created is None else moment(known.created),
            "orphan": known.parent is not None and known.parent not in self._by_id,
            "depth": depth,
            "relation": relation,
            "missing": missing,
        }
