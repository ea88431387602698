"""What all records together say: who states what of whom, and what stands against it (rules A10 to A14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lineage_kit.importers.adr.phrases import Reference, Statement
from lineage_kit.importers.adr.places import Places
from lineage_kit.importers.adr.record import ENDED, Record
from lineage_kit.importers.relation_pipeline.context import RelationImport

SUPERSEDES, PROPOSES, AMENDS, DEPENDS, RELATED = (
    "supersedes",
    "proposes_to_supersede",
    "amends",
    "depends_on",
    "related",
)
BOTH, ONE, PROSE, MENTIONED = 1.0, 0.9, 0.6, 0.8


class Link(NamedTuple):
    """A relation between two records, by their ids."""

    kind: str
    source: str
    target: str


@dataclass
class Stated:
    """Who states a relation, and where."""

    by_source: bool = False
    by_target: bool = False
    prose: bool = False
    file: str = ""

    @property
    def declared_by(self) -> str:
        """The side that states it, in a word."""
        if self.by_target and (self.by_source or self.prose):
            return "both"
        return "target" if self.by_target else "source"


class Linking:
    """The relations of all records."""

    def __init__(self, work: RelationImport, records: list[Record]) -> None:
        self._work = work
        self._records = records
        self._known = {record.id: record for record in records}
        self._places = Places(records)
        self._links: dict[Link, Stated] = {}
        self._claimed: set[str] = set()  # records of which a successor is stated

    def write(self) -> None:
        """The rows, and what is odd about them."""
        for record in self._records:
            for statement in record.stated:
                self._state(record, statement, prose=False)
            for statement in record.prose:
                self._state(record, statement, prose=True)
        self._judge()
        superseding, depending = self._pairs(SUPERSEDES), self._pairs(DEPENDS)
        weaker = {AMENDS: superseding, RELATED: superseding | depending}
        for link in list(self._links):
            if frozenset((link.source, link.target)) in weaker.get(link.kind, ()):
                del self._links[link]
        for link, stated in self._links.items():
            self._row(link, stated)
        self._referring()
        for record in self._records:
            if record.state == "superseded" and record.id not in self._claimed:
                self._work.findings.add("superseded_without_successor", record.file, None, record.id[:100])

    def _pairs(self, kind: str) -> set[frozenset[str]]:
        return {frozenset((link.source, link.target)) for link in self._links if link.kind == kind}

    def _state(self, record: Record, statement: Statement, *, prose: bool) -> None:
        """Take in what a record says of each that it names."""
        for other in self._named(record, statement.references):
            if other == record.id:
                continue
            kind, reverse = statement.phrase
            source, target = (other, record.id) if reverse else (record.id, other)
            if kind == RELATED and Link(kind, target, source) in self._links:
                source, target = target, source  # what is related is so either way
            stated = self._links.setdefault(Link(kind, source, target), Stated(file=record.file))
            stated.file = min(stated.file, record.file)
            if prose:
                stated.prose = True
            elif source == record.id:
                stated.by_source = True
            else:
                stated.by_target = True

    def _named(self, record: Record, references: tuple[Reference, ...]) -> list[str]:
        """The ids of what a record names: those of others, and of Markdown files that are not there."""
        found: dict[str, None] = {}
        for reference in references:
            place = self._places.find(reference, record)
            if place.record is not None:
                found[place.record.id] = None
            elif place.dangling is not None:
                found[place.dangling] = None
            elif place.ambiguous and not self._same_as_dangling(record, reference):
                number = f"{reference.number}"
                self._work.findings.add("ambiguous_reference", record.file, None, number)
        return list(found)

    def _same_as_dangling(self, record: Record, reference: Reference) -> bool:
        """Whether a link of the same record, to a file that is not there, has this number (rule A9)."""
        from lineage_kit.importers.adr.record import NUMBER

        linked = [one for statement in record.stated for one in statement.references if one.href is not None]
        names = [place.dangling for one in linked if (place := self._places.find(one, record)).dangling is not None]
        numbers = [found["number"] for name in names if name is not None and (found := NUMBER.match(name))]
        return reference.number in [int(number) for number in numbers]

    def _judge(self) -> None:
        """Supersessions that are not in force, and those that the other side does not know (rule A13)."""
        add = self._work.findings.add
        for link, stated in list(self._links.items()):
            if link.kind != SUPERSEDES:
                continue
            self._claimed.add(link.target)
            source, target = self._known.get(link.source), self._known.get(link.target)
            if source is not None and source.state in ("proposed", "rejected") and not stated.by_target:
                add("pending_supersession", source.file, None, f"{link.source} {link.target}"[:100])
                del self._links[link]
                self._links.setdefault(Link(PROPOSES, link.source, link.target), stated)
            elif (
                source is not None
                and target is not None
                and not stated.by_target
                and target.state not in ("superseded", *ENDED)
            ):
                add("one_sided_supersession", source.file, None, f"{link.source} {link.target}"[:100])

    def _row(self, link: Link, stated: Stated) -> None:
        ends = [self._known.get(end) for end in (link.source, link.target)]
        source, target = ends
        missing = source is None or target is None
        if missing:
            gone = link.source if source is None else link.target
            self._work.findings.add("dangling_reference", stated.file, None, gone[:100])
        sure = BOTH if stated.declared_by == "both" else ONE
        inferred = stated.prose and not (stated.by_source or stated.by_target)
        created = None if source is None else source.date
        if link.kind == SUPERSEDES and stated.by_target and target is not None and target.superseded_date is not None:
            created = target.superseded_date
        self._work.relations.add(
            ("adr", link.source),
            link.kind,
            ("adr", link.target),
            "inferred" if inferred else "asserted",
            stated.file,
            confidence=0.0 if missing else PROSE if inferred else sure,
            created_at=created,
            stated_as=link.kind,
            declared_by=stated.declared_by,
        )

    def _referring(self) -> None:
        """Every other link between two records, and every other mention of one by its number (rule A14)."""
        joined = {frozenset((link.source, link.target)) for link in self._links}
        for record in self._records:
            linked: dict[str, bool] = {}
            for reference in record.named:
                place = self._places.find(reference, record, stated=False)
                if place.record is not None and place.record is not record:
                    linked[place.record.id] = linked.get(place.record.id, False) or reference.href is not None
            for other, is_link in linked.items():
                if frozenset((record.id, other)) not in joined:
                    self._work.relations.add(
                        ("adr", record.id),
                        "refers_to",
                        ("adr", other),
                        "asserted" if is_link else "inferred",
                        record.file,
                        confidence=1.0 if is_link else MENTIONED,
                        created_at=record.date,
                        stated_as="link" if is_link else "mention",
                        declared_by="source",
                    )
