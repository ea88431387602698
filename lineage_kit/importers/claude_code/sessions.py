"""Which sessions the files of Claude Code hold: main logs, agents, sidechains, and which is whose child."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lineage_kit.importers.claude_code.duplicates import EVENT, Records
from lineage_kit.importers.claude_code.file_index import NO_TIME, SIDE, Notes
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_ids import longer_id
from lineage_kit.importers.pipeline.session_plan import Link, ref
from lineage_kit.importers.pipeline.staging import StagedRows
from lineage_kit.importers.pipeline.timestamps import EPOCH

Ints = npt.NDArray[np.int64]
MAIN, AGENT, SIDECHAIN, WORKFLOW = "claude-code", "subagent", "sidechain", "workflow"
FOUND = 0.9
"""The confidence of a parent that no record states."""


@dataclass(eq=False)
class Session:
    """One session: a file, or the part of it that is a sidechain."""

    file: int
    """The place of its file among the notes."""
    kind: str
    records: Ints
    """The records that are its events, in order."""
    id: str = ""
    origin: str = ""
    parent: str | None = None
    links: list[Link] = field(default_factory=list)
    start: int = NO_TIME
    """Its first time, and its last, in microseconds."""
    until: int = NO_TIME


@dataclass
class Sessions:
    """All sessions, and where every record is."""

    all: list[Session]
    of: npt.NDArray[np.int32]
    """By record: the place of its session in `all`; -1 if it is no event."""
    seq: npt.NDArray[np.int32]

    def ref(self, record: int) -> str:
        """The id of the event that a record is."""
        return ref(self.all[self.of[record]].id, int(self.seq[record]))


def is_agent(note: Notes) -> bool:
    """Whether a file is the log of an agent: it is called so, or its records say so."""
    if note.file.stem.startswith("agent-"):
        return True
    return note.count > 0 and bool(note.agents) and note.sidechain_agents * 2 > note.count


def said_session(note: Notes) -> tuple[str, int]:
    """The session id that most of a file's records say, and how many do; the empty text where none does."""
    counts = np.bincount(note.sid, minlength=len(note.sids))
    counts[0] = 0
    most = int(counts.argmax())
    return note.sids[most], int(counts[most])


def agent_of(note: Notes) -> str:
    """The id of the agent whose log a file is."""
    return max(note.agents, key=lambda one: note.agents[one], default=note.file.stem.removeprefix("agent-"))


def file_ids(notes: Sequence[Notes]) -> list[str]:
    """What session each file is of, as its name and its records tell; two files may be of the same."""
    stems = Counter(note.file.stem for note in notes)
    ids = []
    for note in notes:
        said, count = said_session(note)
        stem = note.file.stem
        if is_agent(note):
            said = said or _folder_session(note.file.path)
            ids.append(f"{said}/agent-{agent_of(note)}" if said else stem)
        else:
            told = int((note.sid != 0).sum())
            renamed = said and said != stem and count * 2 > told and said not in stems
            ids.append(said if renamed else stem)
    return ids


def _folder_session(path: Path) -> str:
    """The session that a file in `<session>/subagents/` belongs to; the empty text for one that lies elsewhere."""
    below = _below_subagents(path)
    return path.parts[-len(below) - 1] if 0 < len(below) < len(path.parts) else ""


def _below_subagents(path: Path) -> tuple[str, ...]:
    parts = path.parts
    return parts[len(parts) - 1 - parts[::-1].index("subagents") :] if "subagents" in parts else ()


def without_copies(notes: list[Notes], findings: Findings) -> list[Notes]:
    """The files without those that hold, line by line, what another one of the same session holds."""
    ids = file_ids(notes)
    first: dict[tuple[str, int], list[Notes]] = {}
    kept: list[Notes] = []
    for note, name in zip(notes, ids, strict=True):
        others = first.setdefault((name, note.count), [])
        copy = next((one for one in others if _same(one, note)), None)
        if copy is None:
            others.append(note)
            kept.append(note)
        else:
            findings.add("duplicate_session_id", note.file.name, None, f"the same as {copy.file.name}")
            findings.add("inherited_records", note.file.name, 1, f"from {name}", note.count)
    return kept


def _same(one: Notes, other: Notes) -> bool:
    if not (np.array_equal(one.uuid, other.uuid) and np.array_equal(one.flags, other.flags)):
        return False
    held = zip_longest(_every_line(one.file), _every_line(other.file))
    try:
        return all(line == again for line, again in held)
    except Broken:
        return False


def _every_line(file: LogFile) -> Any:
    for part in lines_of(file):
        yield from (line.rstrip(b"\r") for line in part.lines if line.strip())


def sessions_of(records: Records, staged: StagedRows, findings: Findings) -> Sessions:
    """The sessions of all files, in the order of files, each sidechain after its main log."""
    found = Sessions([], np.full(records.uuid.size, -1, np.int32), np.full(records.uuid.size, -1, np.int32))
    mains: list[tuple[Session, list[tuple[str, Session]]]] = []
    for place, note in enumerate(records.notes):
        events = note.base + np.flatnonzero(records.status[note.base : note.base + note.count] == EVENT)
        if is_agent(note):
            session = Session(place, AGENT, events)
            session.origin = WORKFLOW if "workflows" in _below_subagents(note.file.path) else AGENT
            mains.append((session, []))
            continue
        on_side = (note.flags[events - note.base] & SIDE) != 0
        main = Session(place, MAIN, events[~on_side])
        mains.append((main, _sidechains(records, place, events[on_side], staged) if on_side.any() else []))
    for session, sidechains in mains:
        for one in (session, *(side for _, side in sidechains)):
            found.of[one.records] = len(found.all)
            found.seq[one.records] = np.arange(one.records.size)
            _set_times(one, records.notes[one.file])
            found.all.append(one)
    _name(records, mains, findings)
    return found


def _set_times(session: Session, note: Notes) -> None:
    for part in (session.records - note.base, slice(None)):
        times = note.time[part]
        times = times[times != NO_TIME]
        if times.size:
            session.start, session.until = int(times[0]), int(times.max())
            return


def moment_of(time: int) -> datetime | None:
    """A time that was noted."""
    return None if time == NO_TIME else EPOCH + timedelta(microseconds=time)


def _sidechains(records: Records, place: int, side: Ints, staged: StagedRows) -> list[tuple[str, Session]]:
    """The sidechains of a main log by the uuid of their roots: where a record's parents lead on the sidechain."""
    note = records.notes[place]
    on_side = (note.flags & SIDE) != 0
    parents = records.find(note.parent, place)
    root_of: dict[int, int] = {}
    for one in side.tolist():
        path: list[int] = []
        on_path: set[int] = set()
        at = one
        while at not in root_of:
            if at in on_path:  # parents that come back on themselves: the first written one counts as the root
                root_of[at] = min(path[path.index(at) :])
                break
            path.append(at)
            on_path.add(at)
            parent = int(parents[at - note.base])
            if parent < 0 or not on_side[parent - note.base]:
                root_of[at] = at
                break
            at = parent
        root = root_of[at]
        root_of.update(dict.fromkeys(path, root))
    nameless = [root for root in dict.fromkeys(root_of.values()) if not note.uuid[root - note.base]]
    chains: dict[int, list[int]] = {}
    for one in side.tolist():
        root = root_of[one]  # records of a sidechain without ids cannot be told apart: one session for all of these
        chains.setdefault(root if note.uuid[root - note.base] else nameless[0], []).append(one)
    roots = np.array(sorted(chains), np.int64)
    found = []
    for root, uuid in zip(roots.tolist(), staged.take(roots, ["record_id"])["record_id"].to_list(), strict=True):
        session = Session(place, SIDECHAIN, np.array(chains[root], np.int64))
        found.append((uuid or f"line-{note.line[root - note.base]}", session))
    return found


def _name(records: Records, mains: list[tuple[Session, list[tuple[str, Session]]]], findings: Findings) -> None:
    """Give every session its id; of two that claim one, the later is given a longer one."""
    taken: set[str] = set()
    last = np.iinfo(np.int64).max

    def order(one: tuple[Session, Any]) -> tuple[int, str]:
        start = one[0].start
        return (last if start == NO_TIME else start, records.notes[one[0].file].file.name)

    for session, sidechains in sorted(mains, key=order):
        file = records.notes[session.file].file
        name = records.ids[session.file]
        if name in taken:
            session.id = longer_id(name, file, taken, by_stem=False)
            findings.add("duplicate_session_id", file.name, None, f"{name}, here {session.id}")
        else:
            session.id = name
        taken.add(session.id)
        for root, side in sidechains:
            side.id = f"{session.id}#{root}"
            if side.id in taken:
                side.id = longer_id(side.id, file, taken, by_stem=False)
            taken.add(side.id)


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
    for note in records.notes:
        for at, agent in note.spawns:
            if records.status[note.base + at] == EVENT:
                family.spawns.setdefault(agent, []).append((note.sids[int(note.sid[at])], note.base + at))
    resumed: list[Session] = []
    for place, session in enumerate(sessions.all):
        note = records.notes[session.file]
        if session.kind == AGENT:
            _spawned(session, place, note, family)
        elif session.kind == SIDECHAIN:
            session.origin, session.parent = SIDECHAIN, mains[session.file].id
            findings.add("spawn_unknown", note.file.name, int(note.line[session.records[0] - note.base]), session.id)
        else:
            session.origin = MAIN
            if not _forked(session, note, family) and records.shared.get(session.file):
                resumed.append(session)
            _count_missing(session, note, family)
    _resumed(resumed, family)


def _spawned(session: Session, place: int, note: Notes, family: Family) -> None:
    """An agent is the child of the session that holds its result, or else of the one that its records name."""
    sessions = family.sessions
    agent = agent_of(note)
    said = said_session(note)[0] or _folder_session(note.file.path)
    results = [(sid, one) for sid, one in family.spawns.get(agent, []) if sessions.of[one] != place]
    alike = [one for sid, one in results if sid == said]
    chosen = alike[0] if alike else results[0][1] if len(results) == 1 else None
    if chosen is not None:
        session.parent = sessions.all[sessions.of[chosen]].id
        session.links.append(Link(None, "spawned_by", "event", sessions.ref(chosen), "observed"))
        return
    session.parent = (family.named[said].id if said in family.named else said) or None
    family.findings.add("spawn_unknown", note.file.name, None, agent)


def _forked(session: Session, note: Notes, family: Family) -> bool:
    """A fork's records say where they were copied from."""
    own = family.records.ids[session.file]
    stated = Counter(source for source in note.copied.values() if source != own)
    if not stated:
        return False
    source = max(stated, key=lambda one: stated[one])
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
        family.findings.add("inferred_parent", family.records.notes[session.file].file.name, None, session.parent)


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


def _count_missing(session: Session, note: Notes, family: Family) -> None:
    """Events that say they are of another session, which is not here."""
    own = family.records.ids[session.file]
    foreign = np.array([bool(name) and name != own and name not in family.named for name in note.sids])
    at = session.records - note.base
    told = set(at[foreign[note.sid[at]]].tolist())
    for one in at.tolist() if note.copied else ():
        source = note.copied.get(one, own)
        if source != own and source not in family.named:
            told.add(one)
    if told:
        first = min(told)
        example = note.copied.get(first) or note.sids[int(note.sid[first])]
        family.findings.add("missing_owner", note.file.name, int(note.line[first]), example, len(told))
