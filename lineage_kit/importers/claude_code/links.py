"""How the events of Claude Code sessions hang together: parents, citations, and links that are no citations."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from lineage_kit.importers.claude_code.duplicates import DUPLICATE, EVENT, INHERITED, Records, look_up
from lineage_kit.importers.claude_code.file_index import BOUNDARY, SUMMARY, WHAT, FileIndex, among, firsts
from lineage_kit.importers.claude_code.sessions import Session, Sessions
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import Link

Ints = npt.NDArray[np.int64]


class Links:
    """What connects the records, found file by file.

    Attributes:
        parents: by record, the record of its parent; -1 for none, -2 for one that was never written.
        cites: by session, by seq: the seqs of earlier events.
        others: by session: links that are no citations.
    """

    def __init__(self, records: Records, sessions: Sessions, findings: Findings) -> None:
        self._records, self._sessions, self._findings = records, sessions, findings
        self.parents = np.full(records.uuid.size, -1, np.int64)
        self.cites: defaultdict[int, dict[int, Any]] = defaultdict(dict)
        self.others: defaultdict[int, list[Link]] = defaultdict(list)
        self._unpaired = _tool_ends(records)
        for place, index in enumerate(records.indexes):
            self._find_parents(place, index)
            self._messages(index)
            self._tools(index)
            self._references(place, index)
            self._copies(place, index)

    def _report(self, kind: str, index: FileIndex, at: Iterable[int], example: str | None) -> None:
        lines = [int(index.line[one]) for one in at]
        if lines:
            self._findings.add(kind, index.file.name, min(lines), example, len(lines))

    def _resolve(self, place: int, keys: Ints) -> Ints:
        """The events that hashed uuids mean: in the file, or else in any."""
        found = self._records.find(keys, place)
        out = np.flatnonzero((found < 0) & (keys != 0))
        if out.size and len(self._records.indexes) > 1:
            found[out] = self._records.find(keys[out], None)
        there = found >= 0
        found[there] = self._records.canon[found[there]]
        return found

    def _find_parents(self, place: int, index: FileIndex) -> None:
        found = self._resolve(place, index.parent)
        found[(found < 0) & (index.parent != 0)] = -2
        part = slice(index.base, index.base + index.count)
        self.parents[part] = found
        own, session_of = self._records.status[part] == EVENT, self._sessions.of
        broken = np.flatnonzero(own & (found == -2))
        for one in broken.tolist():
            self._add(index.base + one, "child_of", index.names[int(index.parent[one])])
        if broken.size:
            self._report("broken_parent", index, broken.tolist(), index.names[int(index.parent[broken[0]])])
        inner = np.where((found >= index.base) & (found < index.base + index.count) & own, found - index.base, -1)
        if loops := cycles(inner):
            self._report(
                "parent_cycle", index, loops, f"{len(loops)} chains, the first from line {index.line[loops[0]]}"
            )
        across = np.flatnonzero(own & (found >= 0))
        across = across[session_of[found[across]] != session_of[index.base + across]]
        for one in across.tolist():
            self._add(index.base + one, "child_of", int(found[one]))

    def _add(self, record: int, kind: str, target: int | str, edge_class: str = "asserted") -> None:
        """A link from an event to another, or to an id that leads nowhere."""
        seq, place = int(self._sessions.seq[record]), int(self._sessions.of[record])
        if isinstance(target, str):
            self.others[place].append(Link(seq, kind, "event", target, edge_class, 0.0))
        else:
            self.others[place].append(Link(seq, kind, "event", self._sessions.ref(target), edge_class))

    def _cite(self, records: Ints, cited: Ints) -> None:
        """Events that cite one event each, of the same session."""
        of, seq = self._sessions.of[records], self._sessions.seq
        order = np.argsort(of, kind="stable")
        starts = np.flatnonzero(np.diff(of[order], prepend=-1))
        for part in np.split(order, starts[1:]) if order.size else ():
            self.cites[int(of[part[0]])].update(
                zip(seq[records[part]].tolist(), zip(seq[cited[part]].tolist()), strict=True)
            )

    def _messages(self, index: FileIndex) -> None:
        """A block of a message cites the block before it."""
        part = slice(index.base, index.base + index.count)
        status = self._records.status[part]
        parts = np.flatnonzero((index.message != 0) & (status != DUPLICATE))
        order = parts[np.argsort(index.message[parts], kind="stable")]
        follows = np.flatnonzero(index.message[order[1:]] == index.message[order[:-1]])
        blocks, before = order[1:][follows], order[:-1][follows]
        own = status[blocks] == EVENT
        blocks, before = blocks[own] + index.base, self._records.canon[before[own] + index.base]
        of, seq = self._sessions.of, self._sessions.seq
        plain = (of[blocks] == of[before]) & (seq[before] < seq[blocks])
        self._cite(blocks[plain], before[plain])
        late = np.flatnonzero(~plain).tolist()
        for one in late:
            self._add(int(blocks[one]), "refers_to", int(before[one]), "observed")
        self._report("late_citation", index, (blocks[late] - index.base).tolist(), "a block of an earlier message")

    def _tools(self, index: FileIndex) -> None:
        """A result cites its call, by the call's id only, wherever the two stand and whatever was replaced."""
        canon, of, seq = self._records.canon, self._sessions.of, self._sessions.seq
        base, use_at, use_id = index.base, index.use_at, index.use_id
        own = self._records.status[base : base + index.count] == EVENT
        order = np.argsort(use_id, kind="stable")
        known = use_id[order]
        first, last = np.searchsorted(known, index.result_id), np.searchsorted(known, index.result_id, side="right")
        # Nearly all results are alone in their record, of one call in the file, and after it.
        plain = own[index.result_at] & (last - first == 1) & (index.result_id != 0)
        plain &= np.bincount(index.result_at, minlength=index.count)[index.result_at] == 1
        chosen = np.flatnonzero(plain)
        results, calls = index.result_at[chosen] + base, canon[use_at[order[first[chosen]]] + base]
        alike = (calls >= base) & (calls < results) & (of[calls] == of[results])
        self._cite(results[alike], calls[alike])
        plain[chosen[~alike]] = False
        orphans, late = [], []
        for one in np.flatnonzero(own[index.result_at] & ~plain).tolist():
            at, key = int(index.result_at[one]), int(index.result_id[one])
            place = int(of[base + at])
            named = (use_at[order[first[one] : last[one]]] + base).tolist()
            if len(named) > 1:  # the last one before it in its session
                before = reversed(named[: bisect_left(named, base + at)])
                call = next((one for one in before if of[canon[one]] == place), named[0])
            else:
                call = named[0] if named else self._unpaired[0].get(key)
            if call is None or key == 0:
                orphans.append((at, key))
                continue
            call = int(canon[call])
            if base <= call < base + at and of[call] == place:
                self.cites[place].setdefault(int(seq[base + at]), []).append(int(seq[call]))
            else:
                self._add(base + at, "refers_to", call, "observed")
                late.append((at, key))
        for at, key in orphans:
            if key:
                self._add(base + at, "refers_to", index.tools[key], "observed")
        if orphans:
            self._report("orphan_result", index, [at for at, _ in orphans], index.tools.get(orphans[0][1]))
        self._report("late_citation", index, [at for at, _ in late], "a result before its call, or of another log")
        open_calls = own[use_at] & ~among(use_id, index.result_id)
        waiting = [
            (at, key)
            for at, key in zip(use_at[open_calls].tolist(), use_id[open_calls].tolist(), strict=True)
            if key not in self._unpaired[1]
        ]
        if waiting:
            self._report("open_call", index, [at for at, _ in waiting], index.tools[waiting[0][1]])

    def _references(self, place: int, index: FileIndex) -> None:
        """Links of records that are no messages: progress to its call, a snapshot or a title to a message."""
        if not index.refs:
            return
        own = [(at, tool, target) for at, tool, target in index.refs if self._sessions.of[index.base + at] >= 0]
        uuids = [(at, target) for at, tool, target in own if not tool]
        found = self._resolve(place, np.array([hash(target) for _, target in uuids], np.int64)).tolist()
        for (at, target), record in zip(uuids, found, strict=True):
            self._add(index.base + at, "refers_to", record if record >= 0 else target)
        tools = [(at, target) for at, tool, target in own if tool]
        calls = look_up(firsts(index.use_id), np.array([hash(target) for _, target in tools], np.int64)).tolist()
        for (at, target), call in zip(tools, calls, strict=True):
            known = int(self._records.canon[index.base + index.use_at[call]]) if call >= 0 else target
            self._add(index.base + at, "refers_to", known, "observed")

    def _copies(self, place: int, index: FileIndex) -> None:
        """Records that are no events are counted; the first own event after them refers to the last one."""
        part = slice(index.base, index.base + index.count)
        status, canon, sessions = self._records.status[part], self._records.canon, self._sessions
        for kind, wanted in (("duplicate_record", DUPLICATE), ("inherited_records", INHERITED)):
            found = np.flatnonzero(status == wanted)
            if not found.size:
                continue
            owner = sessions.all[sessions.of[canon[index.base + found[-1]]]]
            example = f"from {owner.id}" if wanted == INHERITED else None
            compacted = np.flatnonzero((status == EVENT) & np.isin(index.flags & WHAT, (SUMMARY, BOUNDARY)))
            if wanted == INHERITED and compacted.size:
                example = f"{example}; a compaction in line {index.line[compacted[-1]]} covers none of them"
            self._report(kind, index, found.tolist(), example)
            if wanted == INHERITED:
                own = np.flatnonzero(status == EVENT)
                after = own[own > found[-1]]
                if own.size:
                    first = int(after[0] if after.size else own[0])
                    self._add(index.base + first, "refers_to", int(canon[index.base + found[-1]]), "observed")

    def of_session(self, place: int, session: Session) -> tuple[Ints, dict[int, Any], list[Link]]:
        """The seq of each event's parent in the session or -1, its citations, and all its links."""
        of, seq = self._sessions.of, self._sessions.seq
        parents = self.parents[session.records]
        here = (parents >= 0) & (of[np.maximum(parents, 0)] == place)
        inner = np.where(here, seq[np.maximum(parents, 0)], -1).astype(np.int64)
        cites = self.cites.pop(place, {})
        for number, cited in cites.items():
            if len(cited) > 1:
                cites[number] = list(dict.fromkeys(cited))
        return inner, cites, list(dict.fromkeys(session.links + self.others.pop(place, [])))


def _tool_ends(records: Records) -> tuple[dict[int, int], set[int]]:
    """What has no counterpart of its own in its file, but may have one in another: calls by id, and results."""
    open_calls: dict[int, int] = {}
    orphans: set[int] = set()
    for index in records.indexes:
        lonely = ~among(index.use_id, index.result_id)
        for at, key in zip(index.use_at[lonely].tolist(), index.use_id[lonely].tolist(), strict=True):
            open_calls.setdefault(key, index.base + at)
        own = index.use_id[records.status[index.base + index.use_at] == EVENT]
        orphans.update(index.result_id[~among(index.result_id, own)].tolist())
    return open_calls, orphans


def cycles(parents: Ints) -> list[int]:
    """Of every chain of parents that comes back on itself: the place of the first of it.

    Example:
        >>> cycles(np.array([2, 0, 1, -1, 4]))
        [0, 4]
    """
    forward = np.flatnonzero(parents >= np.arange(parents.size)).tolist()
    if not forward:
        return []
    found: list[int] = []
    listed = parents.tolist()
    walk_of: dict[int, int] = {}
    for walk, start in enumerate(forward):
        at, path = start, []
        while at >= 0 and at not in walk_of:
            walk_of[at] = walk
            path.append(at)
            at = listed[at]
        if at >= 0 and walk_of[at] == walk:
            found.append(min(path[path.index(at) :]))
    return sorted(found)
