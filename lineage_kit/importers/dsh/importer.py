"""Sessions of deepseek-harness (dsh): logs of lines, packed or not, and its former database, as canonical tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lineage_kit.importers.dsh.header import named_after, outdated
from lineage_kit.importers.dsh.jsonl import read_lines
from lineage_kit.importers.dsh.reader import Log
from lineage_kit.importers.dsh.row_buffer import RowBuffer
from lineage_kit.importers.dsh.sqlite import is_database, read_database
from lineage_kit.importers.pipeline.context import Import, Text
from lineage_kit.importers.pipeline.files import Broken, LogFile, is_jsonl, lines_of
from lineage_kit.importers.pipeline.session_ids import longer_id
from lineage_kit.importers.pipeline.session_plan import Link, SessionPlan, ref
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs

LOCK = "session.lock"


def read_dsh(path: Any, *, text: Text = "keep", progress: bool = True) -> Imported:
    """Import sessions of deepseek-harness (dsh).

    Read are logs of lines (`session.jsonl`, `session.jsonl.zstd`, later generations `session.v2.jsonl` and so on, of
    which the last one counts, flat `*.jsonl` files), gzipped or not, and the SQLite database of former versions. A log
    is its own record of what happened, so events are taken as they stand, with their own types, citations and
    replacements; a packed row of chunks becomes the events that it stands for. A line that is damaged ends its log, as
    it does in dsh, and is the last event of it, of type `unparsed`; the report says what follows it. What the log
    itself got wrong about its surface is not mended: `check()` of the corpus names it.

    Args:
        path: one path, or several: files, or folders of them such as `~/.dsh/sessions`.
        text: `keep`, or `drop` to import neither texts, titles nor payloads.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The sessions, events (seq as in the log), relations and report; see `Imported` for columns, dtypes and sort
        order. `record_id` is the id of a message, `raw_type`
        the type as it is written, of a packed row the row's. Relations: session `forked_from` session for a seeded
        one, session `spawned_by` event, event `refers_to` event (the messages of a title, what a compaction covers,
        the call that another belongs to).

    Raises:
        InvalidRequest: a path that is not there, or another value of `text`.

    Example:
        >>> import json, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp()) / "s1.jsonl"
        >>> packed = {"turn": 1, "step": 1, "index": 0, "dt": [3], "texts": ["o", "k"]}
        >>> lines = [
        ...     {"type": "session", "version": 0, "id": "s1", "delegationDepth": 0},
        ...     {"type": "user/message", "seq": 0, "data": {"id": "m1", "content": "hello"}, "surfaceOp": "append"},
        ...     {"type": "text-chunks", "seq0": 1, "time0": 1783352050748, "data": packed},
        ... ]
        >>> _ = log.write_text("".join(json.dumps(line) + chr(10) for line in lines))
        >>> events = read_dsh(log).events.collect()
        >>> events.select("seq", "type", "raw_type", "text").rows()[:2]
        [(0, 'user/message', 'user/message', 'hello'), (1, 'assistant/chunk', 'text-chunks', None)]
        >>> print(events["payload"][2])
        {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"k"}}
    """
    return read_logs(Dsh, path, text=text, progress=progress)


class Dsh:
    """The importer of deepseek-harness.

    Example:
        >>> Dsh.is_log(Path("s1/session.jsonl.zstd")), Dsh.is_log(Path("s1/notes.txt"))
        (True, False)
    """

    milliseconds = True

    def __init__(self, work: Import) -> None:
        self._work = work
        self._buffer = RowBuffer(work.staged, work.keep_text)
        self._logs: list[Log] = []
        self._outdated = outdated(work.files)

    @staticmethod
    def is_log(path: Path) -> bool:
        """Whether a file in a folder is one of dsh: a log, a lock (reported as a side file), or a database."""
        return is_jsonl(path) or path.name == LOCK or is_database(path)

    def read(self, file: LogFile) -> None:
        """Read one file."""
        if file.path.name == LOCK or file.name in self._outdated:
            later = "a later generation is beside it" if file.name in self._outdated else None
            self._work.findings.add("side_file", file.name, None, later)
            self._work.advance(file.size)
        elif is_database(file.path):
            self._logs += read_database(self._work, file, self._buffer)
        elif (log := read_lines(self._work, file, self._buffer)) is not None:
            self._logs.append(log)

    def plan(self) -> Iterator[SessionPlan]:
        """The sessions, sorted by id."""
        self._buffer.flush()
        named = self._named()
        for session_id in sorted(named):
            yield _plan(session_id, named[session_id], named)

    def _named(self) -> dict[str, Log]:
        """The logs by the ids that their sessions get: of several that claim one, the later ones get longer ids."""
        claims: dict[str, list[Log]] = {}
        for log in self._logs:
            claimed = (log.header or {}).get("session_id")
            claims.setdefault(named_after(log.file) if claimed is None else claimed, []).append(log)
        named = {session_id: min(logs, key=_age) for session_id, logs in claims.items()}
        for session_id, logs in claims.items():
            kept: dict[Any, Log] = {}
            for log in sorted(logs, key=_age):
                content = _content(log) if len(logs) > 1 else None
                if content is not None and content in kept:
                    same = kept[content].file.name
                    self._work.findings.add("duplicate_record", log.file.name, 1, same, log.seq)
                    continue
                if kept:
                    self._work.findings.add("duplicate_session_id", log.file.name, 1, session_id)
                    named[longer_id(session_id, log.file, named)] = log
                kept[content or len(kept)] = log
        return named


def _plan(session_id: str, log: Log, named: dict[str, Log]) -> SessionPlan:
    header = {**(log.header or {}), "session_id": session_id, "title": log.title}
    parent = header.get("parent_session")
    links: list[Link] = []
    if parent and session_id and (header["seed_length"] or log.seeded):
        links.append(Link(None, "forked_from", "session", parent, "asserted", 1.0 if parent in named else 0.0))
    for seq, call in log.spawns:
        own, others = log.calls.get(call), named[parent].calls.get(call) if parent in named else None
        if own is None and others is not None and session_id:
            links.append(Link(None, "spawned_by", "event", ref(str(parent), others[0]), "observed"))
        else:
            log.refers.append((seq, call if own is None else own[0], "observed"))
    for seq, target, edge_class in log.refers:
        if isinstance(target, int):
            links.append(Link(seq, "refers_to", "event", ref(session_id, target), edge_class, float(target < log.seq)))
        else:
            links.append(Link(seq, "refers_to", "event", target, edge_class, 0.0))
    return SessionPlan(
        file=log.file,
        header=header,
        rows=log.row_numbers(),
        on_surface=log.on_surface(),
        replaced=log.replaced,
        citations=log.citations,
        links=links,
        until=log.until,
    )


def _age(log: Log) -> tuple[bool, float, str]:
    created = (log.header or {}).get("created_at")
    return created is None, created or 0, log.file.name


def _content(log: Log) -> bytes | None:
    """What two files have in common that hold the same bytes, packed or not; a database's sessions stay apart."""
    if is_database(log.file.path):
        return None
    digest = hashlib.blake2b()
    try:
        for part in lines_of(log.file):
            digest.update(b"\n".join(part.lines))
            digest.update(b"\n" if part.ended else b"")
    except Broken as error:
        digest.update(str(error).encode())
    return digest.digest()
