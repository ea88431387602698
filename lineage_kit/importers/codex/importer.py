"""Sessions of OpenAI Codex: rollouts of the new form and of the old flat one, as canonical tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from lineage_kit.importers.codex.duplicates import Histories, first_of_each
from lineage_kit.importers.codex.file_index import PERSON, Rollout
from lineage_kit.importers.codex.reader import read_rollout
from lineage_kit.importers.codex.records import content_of
from lineage_kit.importers.codex.surface import Surface, replay
from lineage_kit.importers.codex.text import spoken, title_of
from lineage_kit.importers.pipeline.context import Import, Text
from lineage_kit.importers.pipeline.files import LogFile, is_jsonl
from lineage_kit.importers.pipeline.session_ids import longer_id
from lineage_kit.importers.pipeline.session_plan import Link, SessionPlan, ref
from lineage_kit.importers.pipeline.timestamps import EPOCH, moment, times_of
from lineage_kit.importers.result import Imported
from lineage_kit.importers.run import read_logs

SIDE_FILES = {"history", "session_index"}
"""Files beside the rollouts that list what was typed, or which sessions there are."""


def read_codex(path: Any, *, text: Text = "keep", progress: bool = True) -> Imported:
    r"""Import rollouts of OpenAI Codex: a file, a folder such as `~/.codex/sessions`, or a list of them.

    Messages, reasonings, calls and outputs become `user/message`, `assistant/message` and `tool/result`; an output
    cites its call. A `compacted` record replaces everything that stood on the surface, and its replacement history is
    the payload of that one event; a rollback replaces the last turns. All other records stay in the log, off the
    surface. Records that a fork or a subagent copied from another rollout of the import are events of that one only.

    Times are those of the lines (the flat form has none), the model is that of the latest `turn_context`, and tokens
    stand on the `token_count` events that tell them. The title is the first message that a person wrote.

    Args:
        path: one path, or several. In folders, files called `.jsonl` or `.ndjson` are read, packed ones too.
        text: `keep`, or `drop` to import neither texts, titles nor payloads.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The sessions (origin `codex`, `subagent` or `fork`), their events, the links between them, and the report; see
        `Imported` for columns, dtypes and sort order.

    Raises:
        InvalidRequest: a path that is not there, or another value of `text`.

    Example:
        >>> import pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp()) / "rollout-1.jsonl"
        >>> said = '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}'
        >>> _ = log.write_text(
        ...     '{"type": "session_meta", "payload": {"id": "t1", "cwd": "/home/ann"}}\n'
        ...     f'{{"timestamp": "2025-09-01T12:00:00.000Z", "type": "response_item", "payload": {said}}}\n'
        ... )
        >>> imported = read_codex(log, progress=False)
        >>> imported.sessions.select("session_id", "cwd", "origin", "title").collect().rows()
        [('t1', '/home/ann', 'codex', 'fix it')]
        >>> imported.corpus().surface("t1").select("ref", "type", "text").rows()
        [('t1#0', 'user/message', 'fix it')]
    """
    return read_logs(Codex, path, text=text, progress=progress)


class Codex:
    """The importer of Codex rollouts.

    Args:
        work: what the import gives it to work with.
    """

    milliseconds = False

    def __init__(self, work: Import) -> None:
        self._work = work
        self._rollouts: list[Rollout] = []

    @staticmethod
    def is_log(path: Path) -> bool:
        """Whether a file in a folder is called like JSON lines."""
        return is_jsonl(path)

    def read(self, file: LogFile) -> None:
        """Read one file."""
        if file.stem in SIDE_FILES:
            self._work.findings.add("side_file", file.name, None, file.stem)
            return
        rollout = read_rollout(self._work, file)
        if len(rollout) or rollout.header is not None:
            self._rollouts.append(rollout)

    def plan(self) -> Iterator[SessionPlan]:
        """The sessions, sorted by session_id."""
        rollouts = self._named()
        histories = Histories(rollouts, self._work.staged, self._work.findings)
        for rollout in rollouts:
            yield self._session(rollout, histories)

    def _named(self) -> list[Rollout]:
        """Rollouts with their session ids, sorted by these; a second file of the same content is left out."""
        findings = self._work.findings
        kept: list[Rollout] = []
        longer: list[Rollout] = []
        for claim, claimants in first_of_each(sorted(self._rollouts, key=_began)).items():
            claimants[0].session_id = claim
            kept.append(claimants[0])
            different = claimants[:1]
            for rollout in claimants[1:]:
                if any(self._same(rollout, one) for one in different):
                    records = len(rollout) + (rollout.header is not None)
                    findings.add("duplicate_record", rollout.file.name, None, claim, records)
                else:
                    different.append(rollout)
                    longer.append(rollout)
        taken = {rollout.session_id for rollout in kept}
        for rollout in longer:
            file = rollout.file
            rollout.session_id = longer_id(rollout.claimed, file, taken)
            taken.add(rollout.session_id)
            kept.append(rollout)
            line = rollout.header.line if rollout.header is not None else None
            findings.add("duplicate_session_id", file.name, line, rollout.claimed)
        return sorted(kept, key=lambda rollout: rollout.session_id)

    def _same(self, one: Rollout, other: Rollout) -> bool:
        """Whether two files hold the same; of what could not be read, it cannot be said."""
        if one.unparsed or other.unparsed or one.digests != other.digests:
            return False
        if one.ordinals != other.ordinals or one.numbered != other.numbered:
            return False
        if (one.header and one.header.digest) != (other.header and other.header.digest):
            return False
        if not len(one):
            return True
        here, there = (
            self._work.staged.take(np.arange(len(one)) + rollout.first, ["time"])["time"] for rollout in (one, other)
        )
        return bool(here.eq_missing(there).all())

    def _session(self, rollout: Rollout, histories: Histories) -> SessionPlan:
        history = histories.of[rollout.session_id]
        own = history.own
        surface = replay(rollout, own)
        plan = SessionPlan(
            file=rollout.file,
            header=self._header(rollout, own),
            rows=own + rollout.first,
            on_surface=surface.on_surface,
            replaced=surface.replaced,
            citations=surface.citations,
            until=rollout.until,
        )
        if len(history.inherited):
            plan.until = self._until(own + rollout.first)
            if len(own) and (last := histories.last_inherited(rollout)) is not None:
                plan.links.append(Link(0, "refers_to", "event", last, "observed"))
        self._origin(rollout, histories, plan)
        self._loose_ends(rollout, histories, surface, plan)
        return plan

    def _header(self, rollout: Rollout, own: np.ndarray) -> dict[str, Any]:
        """The row of the sessions table."""
        header, findings, name = rollout.header, self._work.findings, rollout.file.name
        title = self._title(rollout, own) if self._work.keep_text else None
        if header is None:
            findings.add("missing_header", name, None, rollout.session_id)
            return {"session_id": rollout.session_id, "origin": "codex", "title": title}
        if header.damage:
            findings.add("damaged_header", name, header.line, ", ".join(header.damage))
        return {
            "session_id": rollout.session_id,
            "parent_session": header.parent,
            "created_at": header.created_at,
            "version": header.version,
            "cwd": header.cwd,
            "origin": header.origin,
            "title": title,
            "delegation_depth": header.depth,
        }

    def _title(self, rollout: Rollout, own: np.ndarray) -> str | None:
        """The first words of a person among a session's own events."""
        if rollout.title is None:
            return None
        at, title = rollout.title
        if len(own) == len(rollout) or at in own:
            return title
        persons = own[np.frombuffer(rollout.kinds, np.int8)[own] == PERSON]
        for record in persons.tolist():
            payload = self._work.staged.take(np.array([record + rollout.first]), ["payload"])["payload"][0]
            if found := title_of(spoken(content_of(payload)) or ""):
                return found
        return None

    def _until(self, rows: np.ndarray) -> str | None:
        """The latest time of some staged rows."""
        latest = times_of(self._work.staged.take(rows, ["time"])["time"]).max() if len(rows) else None
        return latest.isoformat() if isinstance(latest, datetime) else None

    def _origin(self, rollout: Rollout, histories: Histories, plan: SessionPlan) -> None:
        """The links of a session to the one it comes from."""
        header = rollout.header
        if header is None:
            return
        for source in dict.fromkeys((header.forked_from, header.base)):
            if source:
                known = 1.0 if source in histories.by_claim else 0.0
                plan.links.append(Link(None, "forked_from", "session", source, "asserted", known))
        if not header.is_subagent:
            return
        spawner = histories.by_claim.get(header.spawner or "")
        record = spawner.spawned.get(rollout.claimed) if spawner is not None else None
        event = histories.event_of(spawner, record) if spawner is not None and record is not None else None
        if event is None:
            self._work.findings.add("spawn_unknown", rollout.file.name, header.line, header.spawner)
        else:
            plan.links.append(Link(None, "spawned_by", "event", event, "observed"))

    def _loose_ends(self, rollout: Rollout, histories: Histories, surface: Surface, plan: SessionPlan) -> None:
        """Outputs without a call before them, calls without an output, replacements without anything to replace."""
        own, findings, name = histories.of[rollout.session_id].own, self._work.findings, rollout.file.name

        def report(kind: str, seq: int, example: str | None = None) -> None:
            findings.add(kind, name, rollout.lines[int(own[seq])], example)

        for seq, call in surface.late:
            report("late_citation", seq, ref(rollout.session_id, call))
            plan.links.append(Link(seq, "refers_to", "event", ref(rollout.session_id, call), "observed"))
        for seq, call_id in surface.orphans:
            report("orphan_result", seq, call_id)
            if call_id is None:
                continue
            event = histories.inherited_call(rollout, call_id)
            known = 0.0 if event is None else 1.0
            plan.links.append(Link(seq, "refers_to", "event", event or call_id, "observed", known))
        for seq, open_id in surface.open:
            report("open_call", seq, open_id)
        for seq, reused_id in surface.reused:
            report("reused_id", seq, reused_id)
        for seq in surface.empty:
            report("empty_replacement", seq)
        for seq in surface.past_start:
            report("rollback_past_start", seq)


def _began(rollout: Rollout) -> tuple[Any, str]:
    """When a rollout began, and its path; those that do not say it come last."""
    header = rollout.header
    when = moment(header.created_at) if header is not None else None
    return (when is None, when or EPOCH), rollout.file.name
