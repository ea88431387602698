"""Which sessions the files of Claude Code hold: main logs, agents, sidechains, and what they are called."""

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
from lineage_kit.importers.claude_code.file_index import NO_TIME, SIDE, FileIndex
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_ids import longer_id
from lineage_kit.importers.pipeline.session_plan import Link, ref
from lineage_kit.importers.pipeline.staging import StagedRows
from lineage_kit.importers.pipeline.timestamps import EPOCH

Ints = npt.NDArray[np.int64]
MAIN, AGENT, SIDECHAIN, WORKFLOW = "claude-code", "subagent", "sidechain", "workflow"


@dataclass(eq=False)
class Session:
    """One session: a file, or the part of it that is a sidechain."""

    file: int
    """The place of its file among the indexes."""
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


def is_agent(index: FileIndex) -> bool:
    """Whether a file is the log of an agent: it is called so, or its records say so."""
    if index.file.stem.startswith("agent-"):
        return True
    return index.count > 0 and bool(index.agents) and index.sidechain_agents * 2 > index.count


def named_session(index: FileIndex) -> tuple[str, int]:
    """The session id that most of a file's records say, and how many do; the empty text where none does."""
    counts = np.bincount(index.sid, minlength=len(index.sids))
    counts[0] = 0
    most = int(counts.argmax())
    return index.sids[most], int(counts[most])


def agent_of(index: FileIndex) -> str:
    """The id of the agent whose log a file is."""
    return max(index.agents, key=lambda one: index.agents[one], default=index.file.stem.removeprefix("agent-"))


def file_ids(indexes: Sequence[FileIndex]) -> list[str]:
    """What session each file is of, as its name and its records tell; two files may be of the same."""
    stems = Counter(index.file.stem for index in indexes)
    ids = []
    for index in indexes:
        named, count = named_session(index)
        stem = index.file.stem
        if is_agent(index):
            named = named or folder_session(index.file.path)
            ids.append(f"{named}/agent-{agent_of(index)}" if named else stem)
        else:
            naming = int((index.sid != 0).sum())
            renamed = named and named != stem and count * 2 > naming and named not in stems
            ids.append(named if renamed else stem)
    return ids


def folder_session(path: Path) -> str:
    """The session that a file in `<session>/subagents/` belongs to; the empty text for one that lies elsewhere."""
    below = _below_subagents(path)
    return path.parts[-len(below) - 1] if 0 < len(below) < len(path.parts) else ""


def _below_subagents(path: Path) -> tuple[str, ...]:
    parts = path.parts
    return parts[len(parts) - 1 - parts[::-1].index("subagents") :] if "subagents" in parts else ()


def without_copies(indexes: list[FileIndex], findings: Findings) -> list[FileIndex]:
    """The files without those that hold, line by line, what another one of the same session holds."""
    ids = file_ids(indexes)
    first: dict[tuple[str, int], list[FileIndex]] = {}
    kept: list[FileIndex] = []
    for index, name in zip(indexes, ids, strict=True):
        others = first.setdefault((name, index.count), [])
        copy = next((one for one in others if _same(one, index)), None)
        if copy is None:
            others.append(index)
            kept.append(index)
        else:
            findings.add("duplicate_session_id", index.file.name, None, f"the same as {copy.file.name}")
            findings.add("inherited_records", index.file.name, 1, f"from {name}", index.count)
    return kept


def _same(one: FileIndex, other: FileIndex) -> bool:
    if not (np.array_equal(one.uuid, other.uuid) and np.array_equal(one.flags, other.flags)):
        return False
    held = zip_longest(_every_line(one.file), _every_line(other.file))
    try:
        return all(line == other for line, other in held)
    except Broken:
        return False


def _every_line(file: LogFile) -> Any:
    for part in lines_of(file):
        yield from (line.rstrip(b"\r") for line in part.lines if line.strip())


def sessions_of(records: Records, staged: StagedRows, findings: Findings) -> Sessions:
    """The sessions of all files, in the order of files, each sidechain after its main log."""
    found = Sessions([], np.full(records.uuid.size, -1, np.int32), np.full(records.uuid.size, -1, np.int32))
    mains: list[tuple[Session, list[tuple[str, Session]]]] = []
    for place, index in enumerate(records.indexes):
        events = index.base + np.flatnonzero(records.status[index.base : index.base + index.count] == EVENT)
        if is_agent(index):
            session = Session(place, AGENT, events)
            session.origin = WORKFLOW if "workflows" in _below_subagents(index.file.path) else AGENT
            mains.append((session, []))
            continue
        on_side = (index.flags[events - index.base] & SIDE) != 0
        main = Session(place, MAIN, events[~on_side])
        mains.append((main, _sidechains(records, place, events[on_side], staged) if on_side.any() else []))
    for session, sidechains in mains:
        for one in (session, *(side for _, side in sidechains)):
            found.of[one.records] = len(found.all)
            found.seq[one.records] = np.arange(one.records.size)
            _set_times(one, records.indexes[one.file])
            found.all.append(one)
    _name(records, mains, findings)
    return found


def _set_times(session: Session, index: FileIndex) -> None:
    for part in (session.records - index.base, slice(None)):
        times = index.time[part]
        times = times[times != NO_TIME]
        if times.size:
            session.start, session.until = int(times[0]), int(times.max())
            return


def moment_of(time: int) -> datetime | None:
    """A time that was read."""
    return None if time == NO_TIME else EPOCH + timedelta(microseconds=time)


def _sidechains(records: Records, place: int, side: Ints, staged: StagedRows) -> list[tuple[str, Session]]:
    """The sidechains of a main log by the uuid of their roots: where a record's parents lead on the sidechain."""
    index = records.indexes[place]
    on_side = (index.flags & SIDE) != 0
    parents = records.find(index.parent, place)
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
            parent = int(parents[at - index.base])
            if parent < 0 or not on_side[parent - index.base]:
                root_of[at] = at
                break
            at = parent
        root = root_of[at]
        root_of.update(dict.fromkeys(path, root))
    nameless = [root for root in dict.fromkeys(root_of.values()) if not index.uuid[root - index.base]]
    chains: dict[int, list[int]] = {}
    for one in side.tolist():
        root = root_of[one]  # records of a sidechain without ids cannot be told apart: one session for all of these
        chains.setdefault(root if index.uuid[root - index.base] else nameless[0], []).append(one)
    roots = np.array(sorted(chains), np.int64)
    found = []
    for root, uuid in zip(roots.tolist(), staged.take(roots, ["record_id"])["record_id"].to_list(), strict=True):
        session = Session(place, SIDECHAIN, np.array(chains[root], np.int64))
        found.append((uuid or f"line-{index.line[root - index.base]}", session))
    return found


def _name(records: Records, mains: list[tuple[Session, list[tuple[str, Session]]]], findings: Findings) -> None:
    """Give every session its id; of two that claim one, the later is given a longer one."""
    taken: set[str] = set()
    last = np.iinfo(np.int64).max

    def order(one: tuple[Session, Any]) -> tuple[int, str]:
        start = one[0].start
        return (last if start == NO_TIME else start, records.indexes[one[0].file].file.name)

    for session, sidechains in sorted(mains, key=order):
        file = records.indexes[session.file].file
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
