"""`read_graphiti`: an agent's memory as relations between its facts, entities and episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lineage_kit.importers.graphiti.facts import Fact, successors
from lineage_kit.importers.graphiti.records import (
    EPISODE,
    FACT,
    KINDS,
    MEMBER,
    MENTIONS,
    NEXT,
    EdgeRecord,
    NodeRecord,
    Record,
    read_record,
    records_in,
    texts,
)
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import is_json
from lineage_kit.schema_forms import Column

ENDS = {MENTIONS: ("episode", "entity"), MEMBER: ("community", "entity"), EPISODE: ("saga", "episode")}
ENDS[NEXT] = ("episode", "episode")
"""What the ends of an edge are, where nothing says so."""


def read_graphiti(
    path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True
) -> ImportedRelations:
    """Import a memory that Graphiti keeps: records as the library's models dump them, or APOC's JSON export of Neo4j.

    A fact is a node of its own: its entities depend on it, and it derives from the episodes that it was extracted from.
    Which fact replaced which is not stored; it is found by comparison, as inferred, and the report counts it.

    Args:
        path: one path, or several: files, folders or globs of them.
        zone: the zone of times that have none, such as `Europe/Berlin`; without it such a time is not read.
        text: `keep`, or `drop` to leave out what facts, episodes and summaries say.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. `invalid_reason`
        is `contradicted`, `ended` or `expired`. Own columns of relations: fact_id, name, group_id (String),
        expired_at, reference_time (Datetime).

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.

    Example:
        >>> imported = read_graphiti(lineage_kit.data_folder() / "relations" / "graphiti")
        >>> imported.relations.filter(relation_kind="supersedes").select("edge_class", "confidence").collect().rows()
        [('inferred', 0.8)]
    """
    return read_relations(Graphiti, path, zone=zone, text=text, progress=progress)


class Placed(NamedTuple):
    """An edge, and where it was read."""

    edge: EdgeRecord
    file: str
    line: int | None


class Graphiti:
    """The importer of Graphiti.

    Example:
        >>> Graphiti.is_source(Path("facts.jsonl")), Graphiti.is_source(Path("dump.cypher"))
        (True, False)
    """

    relation_columns: tuple[Column, ...] = (
        Column("fact_id", "text", "the uuid of the fact"),
        Column("name", "text", "the name of the fact"),
        Column("group_id", "text", "the group that it is of"),
        Column("expired_at", "time", "when the system noticed that it no longer holds"),
        Column("reference_time", "time", "what its times were read against"),
    )
    item_columns: tuple[Column, ...] = ()
    only_standing = False

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._nodes: dict[str, tuple[NodeRecord, str]] = {}
        self._numbers: dict[str, str] = {}
        self._edges: list[Placed] = []
        self._facts: dict[str, Fact] = {}

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is called like JSON."""
        return is_json(path)

    def read(self, file: LogFile) -> None:
        """Read one file."""
        for value, line in self._work.values(file):
            for record in records_in(value):
                self._take(record, file.name, line)

    def _take(self, record: Record, file: str, line: int | None) -> None:
        try:
            read = read_record(record)
        except ValueError as error:
            self._work.findings.add("bad_record", file, line, str(error))
            return
        if read is None:
            self._work.findings.add("unknown_record", file, line)
        elif isinstance(read, NodeRecord):
            if read.number is not None:
                self._numbers.setdefault(read.number, read.uuid)
            if read.uuid in self._nodes:
                self._work.findings.add("duplicate_record", file, line, read.uuid)
            else:
                self._nodes[read.uuid] = read, file
                self._item(read, file, line)
        else:
            self._edges.append(Placed(read, file, line))

    def _item(self, node: NodeRecord, file: str, line: int | None) -> None:
        name, content = node.fields.get("name"), node.fields.get("content") or node.fields.get("summary")
        self._work.items.add(
            (node.type, node.uuid),
            label=name if isinstance(name, str) and name else None,
            text=self._work.text(content),
            created_at=self._work.times.read(node.fields.get("created_at"), file, line),
        )

    # ---- when all is read

    def finish(self) -> None:
        """Write facts, what they rest on and what replaced them, then the other edges."""
        seen: set[str] = set()
        others: list[tuple[Placed, str, str]] = []
        for placed in self._edges:
            edge, file, line = placed
            ends = [self._end(edge, end) for end in (edge.source, edge.target)]
            if edge.uuid is not None and (edge.uuid in seen or edge.uuid in self._nodes):
                self._work.findings.add("duplicate_record", file, line, edge.uuid)
                continue
            if ends[0] is None or ends[1] is None:
                self._work.findings.add("missing_endpoint", file, line, edge.uuid)
                continue
            is_fact = edge.fields.get("fact") is not None or edge.label == FACT
            if is_fact and edge.uuid is None:
                self._work.findings.add("bad_record", file, line, "a fact without a uuid")
                continue
            if edge.uuid is not None:
                seen.add(edge.uuid)
            if is_fact:
                self._fact(placed, ends[0], ends[1])
            else:
                others.append((placed, ends[0], ends[1]))
        listing = self._listing()
        for fact in self._facts.values():
            self._write_fact(fact, listing)
        self._write_successors()
        for placed, source, target in others:
            self._write_other(placed, source, target)

    def _end(self, edge: EdgeRecord, given: str | None) -> str | None:
        """The uuid of an end; a number that no node has stays as it is."""
        if given is None or not edge.numbered:
            return given
        return self._numbers.get(given, given)

    def _fact(self, placed: Placed, source: str, target: str) -> None:
        edge, file, line = placed
        fields = edge.fields
        times = {
            name: self._work.times.read(fields.get(name), file, line)
            for name in ("created_at", "valid_at", "invalid_at", "expired_at", "reference_time")
        }
        texts_of = {name: fields.get(name) for name in ("name", "group_id", "fact")}
        name, group, said = (value if isinstance(value, str) and value else None for value in texts_of.values())
        assert edge.uuid is not None
        self._facts[edge.uuid] = Fact(
            edge.uuid,
            name or "",
            source,
            target,
            group,
            file,
            line,
            said,
            **times,
            episodes=texts(fields.get("episodes")),
        )

    def _listing(self) -> dict[str, list[str]]:
        """By fact, the episodes that list it."""
        listing: dict[str, list[str]] = {}
        for uuid, (node, _) in self._nodes.items():
            if node.type == "episode":
                for fact in texts(node.fields.get("entity_edges")):
                    listing.setdefault(fact, []).append(uuid)
        return listing

    def _write_fact(self, fact: Fact, listing: dict[str, list[str]]) -> None:
        node = ("fact", fact.uuid)
        said = self._work.text(fact.text)
        self._work.items.add(
            node, label=said, text=said, created_at=fact.created_at, ended_at=fact.ended_at, end_reason=fact.reason
        )
        own = self._own(fact)
        listed = listing.get(fact.uuid, [])
        comparable = {one for one in fact.episodes if self._lists_facts(one)}
        if comparable != set(listed):
            self._work.findings.add("episode_list_differs", fact.file, fact.line, fact.uuid)
        for episode in dict.fromkeys([*fact.episodes, *listed]):
            known = self._type(episode) == "episode"
            if not known:
                self._work.findings.add("dangling_reference", fact.file, fact.line, episode[:100])
            self._work.relations.add(
                node,
                "derives_from",
                ("episode", episode),
                "observed",
                fact.file,
                confidence=float(known),
                created_at=fact.created_at,
                stated_as="episodes",
                **own,
            )
        lived: dict[str, Any] = {
            "confidence": None,
            "created_at": fact.created_at,
            "valid_at": fact.valid_at,
            "invalid_at": fact.ended_at,
            "reason": fact.reason,
        }
        for entity in dict.fromkeys([fact.source, fact.target]):
            if entity not in self._nodes:
                self._work.findings.add("dangling_reference", fact.file, fact.line, entity[:100])
            owner = (self._type(entity) or "entity", entity)
            self._work.relations.add(owner, "depends_on", node, "inferred", fact.file, stated_as=FACT, **lived, **own)
        source, target = ((self._type(end) or "entity", end) for end in (fact.source, fact.target))
        self._work.relations.add(
            source, fact.name or FACT, target, "inferred", fact.file, stated_as=fact.name or FACT, **lived, **own
        )

    def _lists_facts(self, episode: str) -> bool:
        held = self._nodes.get(episode)
        return held is not None and held[0].type == "episode" and held[0].fields.get("entity_edges") is not None

    def _write_successors(self) -> None:
        for old, found in successors(self._facts.values()):
            count = self._work.findings.add
            if not found:
                count("ended_without_successor", old.file, old.line, old.uuid)
            if len(found) > 1:
                count("ambiguous_supersession", old.file, old.line, old.uuid)
            for new, sure in found:
                count("inferred_supersession", old.file, old.line, new.uuid)
                self._work.relations.add(
                    ("fact", new.uuid),
                    "supersedes",
                    ("fact", old.uuid),
                    "inferred",
                    new.file,
                    confidence=sure,
                    created_at=old.expired_at,
                    valid_at=old.invalid_at,
                    **{**self._own(new), "expired_at": None},
                )

    def _own(self, fact: Fact) -> dict[str, Any]:
        return {
            "fact_id": fact.uuid,
            "name": fact.name or None,
            "group_id": fact.group,
            "expired_at": fact.expired_at,
            "reference_time": fact.reference_time,
        }

    def _write_other(self, placed: Placed, source: str, target: str) -> None:
        edge, file, line = placed
        kind = edge.label if edge.label in KINDS else self._by_ends(source, target)
        if kind is None:
            self._work.findings.add("unknown_record", file, line, edge.uuid)
            return
        types = [self._type(end) for end in (source, target)]
        for end, type in zip((source, target), types, strict=True):
            if type is None:
                self._work.findings.add("dangling_reference", file, line, end[:100])
        ends = [(type or role, end) for type, role, end in zip(types, ENDS[kind], (source, target), strict=True)]
        if kind in (MENTIONS, NEXT):
            ends.reverse()
        relation = {MENTIONS: "derives_from", NEXT: "follows"}.get(kind, "has_member")
        group = edge.fields.get("group_id")
        self._work.relations.add(
            ends[0],
            relation,
            ends[1],
            "observed",
            file,
            confidence=0.0 if None in types else 1.0,
            created_at=self._work.times.read(edge.fields.get("created_at"), file, line),
            stated_as=kind,
            group_id=group if isinstance(group, str) else None,
        )

    def _by_ends(self, source: str, target: str) -> str | None:
        """What an edge without a label is, by what it joins (rule G2)."""
        types = self._type(source), self._type(target)
        if types == ("episode", "entity"):
            return MENTIONS
        if types[0] == "community":
            return MEMBER
        return {("saga", "episode"): EPISODE, ("episode", "episode"): NEXT}.get(types)  # type: ignore[arg-type]

    def _type(self, uuid: str) -> str | None:
        held = self._nodes.get(uuid)
        return None if held is None else held[0].type
