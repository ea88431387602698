"""Facts, and which of them replaced which: that is not stored, and found by comparison (rule G7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lineage_kit.importers.graphiti.records import FACT

SEPARATORS = re.compile(r"[\s_-]+")
SURE, LESS_SURE = 0.8, 0.6


@dataclass
class Fact:
    """A fact with its times in microseconds."""

    uuid: str
    name: str
    source: str
    target: str
    group: str | None
    file: str
    line: int | None
    text: str | None
    created_at: int | None
    valid_at: int | None
    invalid_at: int | None
    expired_at: int | None
    reference_time: int | None
    episodes: list[str] = field(default_factory=list)

    @property
    def ended_at(self) -> int | None:
        """Since when it no longer holds."""
        return self.expired_at if self.invalid_at is None else self.invalid_at

    @property
    def reason(self) -> str | None:
        """Why it no longer holds."""
        if self.invalid_at is None:
            return None if self.expired_at is None else "expired"
        return "ended" if self.expired_at is None else "contradicted"

    @property
    def folded(self) -> str:
        """Its name as names are compared."""
        return SEPARATORS.sub("", self.name or FACT).casefold()


def successors(facts: Iterable[Fact]) -> Iterator[tuple[Fact, list[tuple[Fact, float]]]]:
    """Of every fact that was contradicted, what came in its place, and how sure that is; in order of their uuids."""
    begun: dict[tuple[str | None, int], list[Fact]] = {}
    listed = sorted(facts, key=lambda fact: fact.uuid)
    for fact in listed:
        if fact.valid_at is not None:
            begun.setdefault((fact.group, fact.valid_at), []).append(fact)
    for old in listed:
        if old.invalid_at is None or old.expired_at is None:
            continue
        later = [new for new in begun.get((old.group, old.invalid_at), []) if new is not old and _in_time(old, new)]
        yield old, [(new, sure) for new in later if (sure := _likeness(old, new)) is not None]


def _in_time(old: Fact, new: Fact) -> bool:
    """Whether a fact came after another, and before that was found to be over."""
    if new.created_at is None or old.expired_at is None:
        return False
    return (old.created_at is None or old.created_at <= new.created_at) and new.created_at <= old.expired_at


def _likeness(old: Fact, new: Fact) -> float | None:
    if {old.source, old.target} == {new.source, new.target}:
        return SURE
    same = old.folded == new.folded
    if same and old.source == new.source:
        return SURE
    return LESS_SURE if same and old.target == new.target else None
