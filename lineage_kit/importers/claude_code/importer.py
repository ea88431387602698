"""Claude Code's session logs: JSON lines, a file a session, a file an agent, in a folder a project.

1. Read every file: a staged row a record, and an index of how they hang together (`reader`, `file_index`).
2. Find out which records are copies, and who owns them (`duplicates`).
3. Find the sessions, and whose children they are (`sessions`, `parents`).
4. Connect the records: parents, citations, links (`links`).
5. Replay each session's compactions and edited prompts (`surface`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lineage_kit.importers.claude_code.duplicates import EVENT, Records, records_of_all
from lineage_kit.importers.claude_code.file_index import PROMPT, USAGE, WHAT, FileIndex, Times
from lineage_kit.importers.claude_code.links import Links
from lineage_kit.importers.claude_code.parents import find_parents
from lineage_kit.importers.claude_code.reader import index_file
from lineage_kit.importers.claude_code.records import TITLE
from lineage_kit.importers.claude_code.sessions import (
    SIDECHAIN,
    Session,
    Sessions,
    file_ids,
    moment_of,
    sessions_of,
    without_copies,
)
from lineage_kit.importers.claude_code.surface import Surface, surface_of
from lineage_kit.importers.pipeline.context import Import, Text
from lineage_kit.importers.pipeline.files import LogFile, is_jsonl
from lineage_kit.importers.pipeline.session_plan import SessionPlan
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs

Ints = npt.NDArray[np.int64]
TITLES = 500
"""Prompts looked up at once."""


def read_claude_code(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, text: Text = "keep", progress: bool = True
) -> Imported:
    r"""Import Claude Code's session logs: files, or folders of them such as `~/.claude/projects`.

    Args:
        path: a file, a folder, or a list of these; files may be packed (gzip, zstd).
        text: `keep`, or `drop` to import neither texts, titles nor payloads.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The sessions (origin `claude-code`, `subagent`, `sidechain`, `workflow`, `fork` or `resume`), their events
        (type `user/message`, `assistant/message` or `tool/result` for what the model saw, the record's own type for
        all else), the links between them, and the report; see `Imported` for columns, dtypes and sort order.

    Raises:
        InvalidRequest: a path that is not there, or another value of `text`.

    Example:
        >>> import pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp()) / "s1.jsonl"
        >>> _ = log.write_text(
        ...     '{"type": "user", "uuid": "u1", "sessionId": "s1", "message": {"content": "list the files"}}\n'
        ...     '{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "message": '
        ...     '{"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}}\n'
        ...     '{"type": "user", "uuid": "u2", "parentUuid": "a1", "sessionId": "s1", "message": '
        ...     '{"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]}}\n'
        ... )
        >>> imported = read_claude_code(log)
        >>> for row in imported.events.select("type", "source_event_seqs", "text").collect().rows():
        ...     print(row)
        ('user/message', None, 'list the files')
        ('assistant/message', None, 'Bash {"command": "ls"}')
        ('tool/result', [1], 'a.py')
    """
    return read_logs(ClaudeCode, path, text=text, progress=progress)


class ClaudeCode:
    """The importer of this format; a new one for every import."""

    milliseconds = False

    def __init__(self, work: Import) -> None:
        self._work = work
        self._indexes: list[FileIndex] = []
        self._times = Times()

    @staticmethod
    def is_log(path: Path) -> bool:
        """Whether a file found in a folder is a log, or a side file that is worth telling of."""
        return is_jsonl(path) or path.name.endswith(".meta.json")

    def read(self, file: LogFile) -> None:
        """Read one file; what is written beside the logs of agents is reported only."""
        if file.stem == "journal" or file.stem.endswith(".meta"):
            self._work.findings.add("side_file", file.name)
            self._work.advance(file.size)
            return
        indexes = index_file(file, self._work, self._times)
        if indexes.count:
            self._indexes.append(indexes)

    def plan(self) -> Iterator[SessionPlan]:
        """The sessions of all files, sorted by id."""
        work = self._work
        times = self._times.all()
        for index in self._indexes:
            index.time = times[index.base : index.base + index.count]
        indexes = without_copies(self._indexes, work.findings)
        records = records_of_all(indexes, file_ids(indexes), work)
        sessions = sessions_of(records, work.staged, work.findings)
        find_parents(records, sessions, work.findings)
        links = Links(records, sessions, work.findings)
        for one in records.reused:
            if records.status[one] == EVENT:
                index = indexes[records.file[one]]
                work.findings.add("reused_id", index.file.name, int(index.line[one - index.base]))
        repeated = _repeated_usage(indexes, records)
        titles = self._titles(records, sessions) if work.keep_text else {}
        for place in sorted(range(len(sessions.all)), key=lambda place: sessions.all[place].id):
            yield self._plan(place, records, sessions, links, repeated, titles.get(place))

    def _plan(
        self,
        place: int,
        records: Records,
        sessions: Sessions,
        links: Links,
        repeated: npt.NDArray[np.bool_],
        title: str | None,
    ) -> SessionPlan:
        session = sessions.all[place]
        index = records.indexes[session.file]
        at = session.records - index.base
        parents, cites, others = links.of_session(place, session)
        named = links.parents[session.records]
        # A parent that was never written is told from others by its own number, below all of theirs.
        keys = np.where(named >= 0, named + 1, np.where(named == -2, index.parent[at], 0))
        preserved = {
            int(sessions.seq[index.base + one]): value
            for one, value in index.preserved.items()
            if sessions.of[index.base + one] == place
        }

        def seq_of(uuid: str) -> int:
            record = int(records.find(np.array([hash(uuid)], np.int64), session.file)[0])
            record = int(records.canon[record]) if record >= 0 else -1
            return int(sessions.seq[record]) if record >= 0 and sessions.of[record] == place else -1

        surface = surface_of(index.flags[at], parents, keys, preserved, seq_of, self._work.live)
        for seq, removed in surface.removed.items():
            cites[seq] = [*removed, *(one for one in cites.get(seq, ()) if one not in set(removed))]
        self._report(surface, session, index)
        return SessionPlan(
            file=index.file,
            header={
                "session_id": session.id,
                "parent_session": session.parent,
                "created_at": moment_of(session.start),
                "version": index.version,
                "cwd": index.cwd,
                "origin": session.origin,
                "title": title,
            },
            rows=session.records,
            on_surface=surface.on_surface,
            replaced=surface.replaced,
            citations=cites,
            parents=parents,
            links=others,
            types=dict.fromkeys(surface.bare, "user/message"),
            blank_payload=surface.bare if self._work.keep_text else (),
            repeated_usage=np.flatnonzero(repeated[session.records]).tolist(),
            until=moment_of(session.until),
        )

    def _report(self, surface: Surface, session: Session, index: FileIndex) -> None:
        for kind, seq, count in surface.findings:
            line = int(index.line[session.records[seq] - index.base])
            self._work.findings.add(kind, index.file.name, line, f"{session.id}#{seq}", count)

    def _titles(self, records: Records, sessions: Sessions) -> dict[int, str]:
        """The title of each session: one that was given, or else its first prompt."""
        given: dict[int, tuple[int, str]] = {}
        mains = {one.file: at for at, one in enumerate(sessions.all) if one.kind != SIDECHAIN}
        for file, index in enumerate(records.indexes):
            for rank, leaf, title in index.titles:
                place = mains[file] if leaf is None else _session_of(leaf, file, records, sessions)
                if place >= 0 and rank <= given.get(place, (rank, ""))[0]:
                    given[place] = rank, title
        titles = {place: title for place, (_, title) in given.items()}
        prompts = []
        for place, session in enumerate(sessions.all):
            if place not in titles:
                index = records.indexes[session.file]
                found = np.flatnonzero((index.flags[session.records - index.base] & WHAT) == PROMPT)
                if found.size:
                    prompts.append((int(session.records[found[0]]), place))
        prompts.sort()
        for begin in range(0, len(prompts), TITLES):
            part = prompts[begin : begin + TITLES]
            texts = self._work.staged.take(np.array([one for one, _ in part], np.int64), ["text"])["text"].to_list()
            titles |= {place: text for (_, place), text in zip(part, texts, strict=True) if text}
        return {place: " ".join(title.split())[:TITLE] for place, title in titles.items() if title.strip()}


def _session_of(uuid: str, file: int, records: Records, sessions: Sessions) -> int:
    """The place of the session that holds a uuid, looked for in one file first; -1 if none does."""
    keys = np.array([hash(uuid)], np.int64)
    found = int(records.find(keys, file)[0])
    found = found if found >= 0 else int(records.find(keys, None)[0])
    return int(sessions.of[records.canon[found]]) if found >= 0 else -1


def _repeated_usage(indexes: list[FileIndex], records: Records) -> npt.NDArray[np.bool_]:
    """The records whose tokens a later record of the same answer tells, as all records of an answer repeat them."""
    repeated = np.zeros(records.uuid.size, np.bool_)
    request = np.zeros(records.uuid.size, np.int64)
    for index in indexes:
        request[index.base : index.base + index.count] = np.where(index.flags & USAGE, index.request, 0)
    counted = np.flatnonzero((request != 0) & (records.status == EVENT))
    order = counted[np.argsort(request[counted], kind="stable")]
    later = request[order[1:]] == request[order[:-1]]
    repeated[order[:-1][later]] = True
    return repeated
