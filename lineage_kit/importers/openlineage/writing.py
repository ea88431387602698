"""Everything that was observed and declared, as rows: a row a life (rules O6, O12 and O13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lineage_kit.importers.openlineage.lives import UNKNOWN, Cut, Life, Seen, cuts_of, lives_of
from lineage_kit.importers.openlineage.naming import Node
from lineage_kit.importers.openlineage.saying import Pair, Said, Told
from lineage_kit.importers.relation_pipeline.context import RelationImport

RUN_FAILED = "run failed"
NOT_SAID = Said("observed", 1.0, "")


@dataclass
class Group:
    """Runs that say the same."""

    told: Told
    ends: list[int] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    file: str = ""

    @cached_property
    def span(self) -> Life:
        """All of its runs as one life, whose word on each pair is told apart; made when all runs are taken."""
        known = [end for end in self.ends if end != UNKNOWN]
        last = max(zip(self.ends, self.runs, strict=True))[1]
        first, latest = min(known, default=None), max(known, default=None)
        return Life(NOT_SAID, first, None, None, len(self.runs), latest, last)

    def take(self, end: int, run: str, file: str) -> None:
        """One more run."""
        self.ends.append(end)
        self.runs.append(run)
        self.file = file if not self.file else min(self.file, file)


@dataclass
class Evidence:
    """All that states one pair."""

    groups: list[tuple[Group, Said]] = field(default_factory=list)
    declared: list[Seen] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def seen(self) -> list[Seen]:
        """Every observation."""
        listed = (zip(group.ends, group.runs, strict=True) for group, _ in self.groups)
        runs = [Seen(end, said, run) for (_, said), part in zip(self.groups, listed, strict=True) for end, run in part]
        return runs + self.declared

    def whole(self) -> Life:
        """The only life, where nothing cuts it; as `lives_of` finds it."""
        spans = [group.span for group, _ in self.groups]
        began = [span.began for span in spans if span.began is not None]
        latest = max(
            ((UNKNOWN if span.last_seen is None else span.last_seen, span.last_run or "") for span in spans),
        )
        seen = None if latest[0] == UNKNOWN else latest[0]
        said = min((said for _, said in self.groups), key=lambda said: said.rank)
        return Life(said, min(began, default=None), None, None, sum(span.runs for span in spans), seen, latest[1])

    @property
    def file(self) -> str:
        """Where it was read first."""
        return min([*self.files, *(group.file for group, _ in self.groups)])


class Gathered:
    """The evidence of every pair."""

    def __init__(self) -> None:
        self.standing: dict[Pair, Evidence] = {}
        self._failed: dict[Pair, Evidence] = {}

    def observed(self, groups: Iterable[Group], *, failed: bool) -> None:
        """What runs say, those that failed apart."""
        into = self._failed if failed else self.standing
        for group in groups:
            for pair, said in group.told.pairs.items():
                into.setdefault(pair, Evidence()).groups.append((group, said))

    def declared(self, pair: Pair, seen: Seen, file: str) -> None:
        """What a job or a dataset declares."""
        evidence = self.standing.setdefault(pair, Evidence())
        evidence.declared.append(seen)
        evidence.files.append(file)

    def write(self, work: RelationImport, changes: dict[Node, list[Cut]], undeclared: dict[Pair, list[Cut]]) -> None:
        """The rows."""
        for pair, evidence in self.standing.items():
            cuts = cuts_of(pair, changes) + undeclared.get(pair, [])
            if not cuts and not evidence.declared:
                _row(work, pair, evidence.whole(), evidence.file)
                continue
            for life in lives_of(evidence.seen(), cuts):
                _row(work, pair, life, evidence.file)
        for pair, evidence in self._failed.items():
            if pair not in self.standing:
                whole = evidence.whole()
                _row(work, pair, whole._replace(ended=whole.began, reason=RUN_FAILED), evidence.file)


def _row(work: RelationImport, pair: Pair, life: Life, file: str) -> None:
    ended = None if life.ended == UNKNOWN else life.ended
    if ended is None and life.reason is not None:  # an end is never hidden for want of a date
        ended = life.began or 0
        work.findings.add("untimed_invalidation", file, None, pair.source[1][:100])
    work.relations.add(
        pair.source,
        pair.kind,
        pair.target,
        life.said.edge_class,
        file,
        confidence=life.said.confidence,
        created_at=life.began,
        invalid_at=ended,
        reason=life.reason,
        stated_as=life.said.stated_as,
        job=pair.job,
        runs=life.runs,
        last_seen_at=life.last_seen,
        run_id=life.last_run,
    )
