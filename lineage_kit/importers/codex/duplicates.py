"""Which records of a Codex rollout were copied from another one, and whose events they are there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lineage_kit.importers.codex.file_index import META, Rollout
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import ref
from lineage_kit.importers.pipeline.staging import StagedRows


class History:
    """What one rollout inherits.

    `own` are its records that are events of its own, in order. `owner` is the rollout that the others come from; where
    those are a prefix of it, `shift` leads from a record here to the same one there.
    """

    def __init__(self, rollout: Rollout) -> None:
        self.own = np.arange(len(rollout), dtype=np.int64)
        self.owner: Rollout | None = None
        self.shift: int | None = None
        self.inherited = np.empty(0, np.int64)


class Histories:
    """The histories of all rollouts of an import, by their session id.

    A rollout inherits from one whose history it states: one that was forked off, or the thread that started it. Rings
    of such statements are cut where a walk in the order given first comes back, so that no record is nobody's.
    """

    def __init__(self, rollouts: list[Rollout], staged: StagedRows, findings: Findings) -> None:
        self._staged = staged
        self._findings = findings
        self.by_claim: dict[str, Rollout] = {}
        """The rollout that a stated id means: the first one that claims it."""
        for rollout in rollouts:
            if rollout.session_id == rollout.claimed:
                self.by_claim[rollout.claimed] = rollout
        self._calls: dict[str, dict[str, int]] = {}
        self.of = {rollout.session_id: History(rollout) for rollout in rollouts}
        cut = self._cut(rollouts)
        for rollout in rollouts:
            self._inherit(rollout, cut)

    def sources(self, rollout: Rollout) -> list[Rollout]:
        """The rollouts of this import whose records a rollout may begin with."""
        if rollout.header is None:
            return []
        found = (self.by_claim.get(one) for one in rollout.header.histories)
        return [one for one in found if one is not None]

    def _cut(self, rollouts: list[Rollout]) -> set[tuple[str, str]]:
        """The statements that would close a ring, as pairs of session ids."""
        cut: set[tuple[str, str]] = set()
        state: dict[str, int] = {}  # 1 while the walk is below it, 2 when it is done
        for start in rollouts:
            work = [(start, iter(self.sources(start)))] if start.session_id not in state else []
            state.setdefault(start.session_id, 1)
            while work:
                rollout, parents = work[-1]
                parent = next(parents, None)
                if parent is None:
                    state[rollout.session_id] = 2
                    work.pop()
                elif state.get(parent.session_id) == 1:
                    cut.add((rollout.session_id, parent.session_id))
                    self._findings.add("parent_cycle", rollout.file.name, _line(rollout), parent.session_id)
                elif parent.session_id not in state:
                    state[parent.session_id] = 1
                    work.append((parent, iter(self.sources(parent))))
        return cut

    def _inherit(self, rollout: Rollout, cut: set[tuple[str, str]]) -> None:
        header = rollout.header
        if header is None or not header.histories:
            return
        owners = [one for one in self.sources(rollout) if (rollout.session_id, one.session_id) not in cut]
        history = self.of[rollout.session_id]
        copies = np.empty(0, np.int64)
        if header.start_ordinal is not None:
            copies = _below(rollout, header.start_ordinal)
        if not owners:
            foreign = [place for place, one in rollout.copied.items() if one != rollout.claimed]
            if header.forked_from or len(copies) or foreign:
                first = [*copies[:1].tolist(), *foreign[:1]]
                line = rollout.lines[min(first)] if first else header.line
                self._findings.add("missing_owner", rollout.file.name, line, header.histories[0], max(len(copies), 1))
            return
        if header.start_ordinal is not None:
            history.owner = owners[0]
        else:
            best = max(((self._shared(rollout, one), one) for one in owners), key=lambda found: found[0][0])
            (count, shift), history.owner = best
            copies, history.shift = np.arange(count), shift
        if not len(copies):
            history.owner = None
            return
        history.inherited = copies
        history.own = np.setdiff1d(history.own, copies, assume_unique=True)
        line = rollout.lines[int(copies[0])]
        self._findings.add("inherited_records", rollout.file.name, line, history.owner.session_id, len(copies))

    def _shared(self, rollout: Rollout, owner: Rollout) -> tuple[int, int]:
        """How many records a rollout begins with that another begins with too, and how far apart they are.

        A fork may write the copies again with times of its own, so equal are records of equal type and payload. What
        was merely started by another thread begins with the same instructions as that, though it wrote them itself:
        there the times must be equal too.
        """
        shift = 0
        if len(rollout) and rollout.kinds[0] == META and rollout.copied[0] == owner.claimed:
            shift = -1
        here, there = np.frombuffer(rollout.digests, np.int64)[-shift:], np.frombuffer(owner.digests, np.int64)
        length = min(len(here), len(there))
        differs = np.flatnonzero(here[:length] != there[:length])
        count = int(differs[0]) if len(differs) else length
        assert rollout.header is not None
        if count and not (rollout.header.forked_from or rollout.header.base):
            wanted = np.arange(count)
            times = (
                self._staged.take(wanted + one.first + off, ["time"])["time"]
                for one, off in ((rollout, -shift), (owner, 0))
            )
            same = next(times).eq_missing(next(times))
            count = int(same.arg_min() or 0) if not same.all() else count
        return count - shift, shift

    def event_of(self, rollout: Rollout, record: int) -> str | None:
        """The ref of the event that a record is, in this session or in the one that owns it; None if it is unknown."""
        while record >= 0:
            history = self.of[rollout.session_id]
            seq = int(np.searchsorted(history.own, record))
            if seq < len(history.own) and history.own[seq] == record:
                return ref(rollout.session_id, seq)
            owner = history.owner
            if owner is None:
                return None
            if history.shift is None:
                digest = rollout.digests[record]
                same = np.flatnonzero(np.frombuffer(owner.digests, np.int64) == digest)
                if len(same) != 1:  # none, or not to be told apart
                    return None
                rollout, record = owner, int(same[0])
            else:
                rollout, record = owner, record + history.shift
        return None

    def last_inherited(self, rollout: Rollout) -> str | None:
        """The event of another session that the first own one goes on from; None if it cannot be told."""
        for record in self.of[rollout.session_id].inherited[::-1].tolist():
            found = self.event_of(rollout, record)
            if found is not None or rollout.kinds[record] != META:  # a header is no event where it was written
                return found
        return None

    def inherited_call(self, rollout: Rollout, call: str) -> str | None:
        """The event of the call with this id among the records that a rollout inherits."""
        history = self.of[rollout.session_id]
        if not len(history.inherited):
            return None
        known = self._calls.get(rollout.session_id)
        if known is None:
            inherited = set(history.inherited.tolist())
            known = {one: record for one, record in rollout.calls() if record in inherited}
            self._calls[rollout.session_id] = known
        record = known.get(call)
        return None if record is None else self.event_of(rollout, record)


def _line(rollout: Rollout) -> int | None:
    return None if rollout.header is None else rollout.header.line


def _below(rollout: Rollout, start: int) -> np.ndarray:
    """The records at the head of a file whose ordinal is below a number.

    An ordinal may be used again: what comes after the first record from that number on is the file's own.
    """
    beyond = np.flatnonzero(np.frombuffer(rollout.ordinals, np.int64) >= start)
    head = int(beyond[0]) if len(beyond) else None
    return np.array(rollout.numbered[:head], np.int64)


def first_of_each(rollouts: Iterable[Rollout]) -> dict[str, list[Rollout]]:
    """Rollouts by the id they claim, in the order given."""
    claims: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        claims.setdefault(rollout.claimed, []).append(rollout)
    return claims
