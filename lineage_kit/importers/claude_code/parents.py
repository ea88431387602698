"""Whose child each session of Claude Code is, where it was spawned, and what it was forked or resumed from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lineage_kit.importers.claude_code.duplicates import EVENT, Records
from lineage_kit.importers.claude_code.file_index import FileIndex
from lineage_kit.importers.claude_code.sessions import (
    AGENT,
    MAIN,
    SIDECHAIN,
    Session,
    Sessions,
    agent_of,
    folder_session,
    named_session,
)
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import Link

FOUND = 0.9
"""The confidence of a parent that no record states."""


@dataclass
class Family:
    """What finding parents goes by."""

    records: Records
    sessions: Sessions
    findings: Findings
    mains: dict[int, Session]
    """The main log or agent of each file."""
    named: dict[str, Session]
    """By what a file says it is of; of several, the one that kept that id."""
    spawns: dict[str, list[tuple[str, int]]]
    """By agent: its results, and the session id they say."""


def find_parents(records: Records, sessions: Sessions, findings: Findings) -> None:
    """Whose child each session is, where it was spawned, and what it was forked or resumed from."""
    mains = {one.file: one for one in sessions.all if one.kind != SIDECHAIN}
    family = Family(records, sessions, findings, mains, {}, {})
    for one in sorted(mains.values(), key=lambda one: len(one.id)):
        family.named.setdefault(records.ids[one.file], one)
    for index in records.indexes:
        for at, agent in index.spawns:
            if records.status[index.base + at] == EVENT:
                family.spawns.setdefault(agent, []).append((index.sids[int(index.sid[at])], index.base + at))
    resumed: list[Session] = []
    for place, session in enumerate(sessions.all):
        index = records.indexes[session.file]
        if session.kind == AGENT:
            _spawned(session, place, index, family)
        elif session.kind == SIDECHAIN:
            session.origin, session.parent = SIDECHAIN, mains[session.file].id
            findings.add("spawn_unknown", index.file.name, int(index.line[session.records[0] - index.base]), session.id)
        else:
            session.origin = MAIN
            if not _forked(session, index, family) and records.shared.get(session.file):
                resumed.append(session)
            _count_missing(session, index, family)
    _resumed(resumed, family)


def _spawned(session: Session, place: int, index: FileIndex, family: Family) -> None:
    """An agent is the child of the session that holds its result, or else of the one that its records name."""
    sessions = family.sessions
    agent = agent_of(index)
    named = named_session(index)[0] or folder_session(index.file.path)
    results = [(sid, one) for sid, one in family.spawns.get(agent, []) if sessions.of[one] != place]
    alike = [one for sid, one in results if sid == named]
    chosen = alike[0] if alike else results[0][1] if len(results) == 1 else None
    if chosen is not None:
        session.parent = sessions.all[sessions.of[chosen]].id
        session.links.append(Link(None, "spawned_by", "event", sessions.ref(chosen), "observed"))
        return
    session.parent = (family.named[named].id if named in family.named else named) or None
    family.findings.add("spawn_unknown", index.file.name, None, agent)


def _forked(session: Session, index: FileIndex, family: Family) -> bool:
    """A fork's records say where they were copied from."""
    own = family.records.ids[session.file]
    sources = Counter(source for source in index.copied.values() if source != own)
    if not sources:
        return False
    source = max(sources, key=lambda one: sources[one])
    there = family.named.get(source)
    session.origin, session.parent = "fork", there.id if there else source
    session.links.append(Link(None, "forked_from", "session", session.parent, "asserted", 1.0 if there else 0.0))
    return True


def _resumed(resumed: list[Session], family: Family) -> None:
    """A resume is known by the records it repeats: its parent is the log that holds most of them."""
    by_id = {one.id: one for one in family.sessions.all}
    for session in resumed:
        shared, ranks = family.records.shared[session.file], family.records.ranks
        holders = [place for place in shared if family.mains[place].kind == MAIN]
        most = max((shared[place] for place in holders), default=0)
        place = min((one for one in holders if shared[one] == most), key=lambda one: ranks[one], default=None)
        if place is None or _leads_to(family.mains[place], session, by_id):
            continue
        session.origin, session.parent = "resume", family.mains[place].id
        session.links.append(Link(None, "resumed_from", "session", session.parent, "inferred", FOUND))
        family.findings.add("inferred_parent", family.records.indexes[session.file].file.name, None, session.parent)


def _leads_to(one: Session, other: Session, by_id: dict[str, Session]) -> bool:
    """Whether the parents found so far lead from one session to another."""
    seen: set[str] = set()
    at: Session | None = one
    while at is not None and at.id not in seen:
        if at is other:
            return True
        seen.add(at.id)
        at = by_id.get(at.parent) if at.parent is not None else None
    return False


def _count_missing(session: Session, index: FileIndex, family: Family) -> None:
    """Events that say they are of another session, which is not here."""
    own = family.records.ids[session.file]
    foreign = np.array([bool(name) and name != own and name not in family.named for name in index.sids])
    at = session.records - index.base
    missing = set(at[foreign[index.sid[at]]].tolist())
    for one in at.tolist() if index.copied else ():
        source = index.copied.get(one, own)
        if source != own and source not in family.named:
            missing.add(one)
    if missing:
        first = min(missing)
        example = index.copied.get(first) or index.sids[int(index.sid[first])]
        family.findings.add("missing_owner", index.file.name, int(index.line[first]), example, len(missing))
