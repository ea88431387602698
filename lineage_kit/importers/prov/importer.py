"""`read_prov`: PROV-JSON documents as relations."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.prov.names import REVISION, Names, prefixes_in, texts
from lineage_kit.importers.prov.statements import DERIVATION, INVALIDATION, MEMBERS, STATEMENTS, TYPES, End, Statement
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import called
from lineage_kit.schema_forms import Column


def read_prov(path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True) -> ImportedRelations:
    """Import PROV-JSON documents (W3C PROV), bundles among them.

    What was derived, generated, used, informed by, a member of or a specialization is walked; attribution,
    association, delegation, influence, alternates, starts and ends are kept beside it. A revision also supersedes; what
    was invalidated ends what rests on it. PROV-N, PROV-XML and RDF are not read: the `prov` package converts them
    (`prov-convert -f json FILE OUT.json`).

    Args:
        path: one path, or several: files, folders or globs of them.
        zone: the zone of times that have none, such as `Europe/Berlin`; without it such a time is not read.
        text: `keep` or `drop`; these documents hold no texts of their own.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. Ids are expanded
        by their prefixes. Own columns of relations: bundle, prov_type, prov_role, plan (String).

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.

    Example:
        >>> imported = read_prov(lineage_kit.data_folder() / "relations" / "prov")
        >>> imported.relations.collect()["relation_kind"].unique().sort().to_list()
        ['associated_with', 'attributed_to', 'depends_on', 'derives_from', 'invalidated_by', 'supersedes']
    """
    return read_relations(Prov, path, zone=zone, text=text, progress=progress)


class Stated(NamedTuple):
    """A statement as it was read; ends are expanded names."""

    name: str
    source: str
    target: str
    role: End
    time: int | None
    file: str
    bundle: str | None
    types: list[str]
    attributes: dict[str, Any]


class Prov:
    """The importer of PROV-JSON.

    Example:
        >>> Prov.is_source(Path("primary.cwlprov.json")), Prov.is_source(Path("primary.cwlprov.provn"))
        (True, False)
    """

    relation_columns: tuple[Column, ...] = (
        Column("bundle", "text", "the bundle that states it"),
        Column("prov_type", "text", "its `prov:type`"),
        Column("prov_role", "text", "its `prov:role`"),
        Column("plan", "text", "the plan of an association"),
    )
    item_columns: tuple[Column, ...] = ()
    only_standing = False

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._declared: dict[str, set[str]] = {}
        self._labels: dict[tuple[str, str], str | None] = {}
        self._stated: list[Stated] = []
        self._ended: dict[str, int | None] = {}

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is called like JSON."""
        return called(path, (".json",))

    def read(self, file: LogFile) -> None:
        """Read one document."""
        document = self._work.document(file)
        if document is None:
            return
        if not isinstance(document.value, dict):
            self._work.findings.add("bad_record", file.name, None, "no PROV-JSON document")
            return
        self._document(document.value, Names(prefixes_in(document.value.get("prefix")), file.name), file.name, None)

    def _document(self, held: dict[str, Any], names: Names, file: str, bundle: str | None) -> None:
        add = self._work.findings.add
        for key, part in held.items():
            if key == "prefix":
                if not isinstance(part, dict) or len(prefixes_in(part)) < len(part):
                    add("bad_record", file, None, "prefix")
            elif key != "bundle" and key not in TYPES and key not in STATEMENTS:
                add("unknown_record", file, None, key[:100])
            elif not isinstance(part, dict):
                add("bad_record", file, None, key)
            else:
                for name, records in part.items():
                    for record in records if isinstance(records, list) else [records]:
                        if not isinstance(record, dict):
                            add("bad_record", file, None, name[:100])
                        elif key == "bundle":
                            own = names.within(prefixes_in(record.get("prefix")))
                            self._document(record, own, file, names.expanded(name))
                        elif key in TYPES:
                            self._declare(key, names.expanded(name), record)
                        else:
                            self._state(key, STATEMENTS[key], record, names, file, bundle)

    def _declare(self, type: str, id: str, record: dict[str, Any]) -> None:
        self._declared.setdefault(id, set()).add(type)
        label = next(iter(texts(record.get("prov:label"))), None)
        if self._labels.get((type, id)) is None:
            self._labels[type, id] = label

    def _state(
        self, name: str, statement: Statement, record: dict[str, Any], names: Names, file: str, bundle: str | None
    ) -> None:
        given = record.get("prov:time")
        time = self._work.times.read(next(iter(texts(given)), None), file)
        sources = texts(record.get(statement.source.name))
        role = next((end for end in statement.targets if texts(record.get(end.name))), statement.targets[0])
        targets = texts(record.get(role.name))
        if name == INVALIDATION and len(sources) == 1:
            self._end(names.expanded(sources[0]), time)
            if not targets:
                return
        if not sources or not targets:
            self._work.findings.add("missing_endpoint", file, None, name)
            return
        if len(sources) > 1 or (len(targets) > 1 and name != MEMBERS):
            self._work.findings.add("bad_record", file, None, name)
            return
        types = [names.expanded(type) for type in texts(record.get("prov:type"))]
        for target in targets:
            self._stated.append(
                Stated(
                    name,
                    names.expanded(sources[0]),
                    names.expanded(target),
                    role,
                    time,
                    file,
                    bundle,
                    types,
                    {
                        "prov_role": next(iter(texts(record.get("prov:role"))), None),
                        "plan": next((names.expanded(plan) for plan in texts(record.get("prov:plan"))), None),
                    },
                )
            )

    def _end(self, entity: str, time: int | None) -> None:
        """An entity that was invalidated; of several times the earliest counts."""
        before = self._ended.get(entity)
        self._ended[entity] = time if before is None else before if time is None else min(before, time)

    def finish(self) -> None:
        """Write what was stated, now that it is known what each end is."""
        for one in self._stated:
            statement = STATEMENTS[one.name]
            source = self._node(one.source, statement.source.type, one.file)
            target = self._node(one.target, one.role.type, one.file)
            kinds = [statement.kind] + ["supersedes"] * (one.name == DERIVATION and REVISION in one.types)
            for kind in kinds:
                self._work.relations.add(
                    source,
                    kind,
                    target,
                    "asserted",
                    one.file,
                    created_at=one.time,
                    stated_as=one.name,
                    bundle=one.bundle,
                    prov_type=", ".join(one.types) or None,
                    **one.attributes,
                )
        for id, declared in self._declared.items():
            for type in TYPES:
                if type in declared:
                    self._item(type, id)
        for entity in self._ended:
            if entity not in self._declared:
                self._item("entity", entity)

    def _item(self, type: str, id: str) -> None:
        ended = id in self._ended and type == (self._type_of(id, "entity") or "entity")
        self._work.items.add(
            (type, id),
            label=self._labels.get((type, id)),
            ended_at=self._ended[id] if ended else None,
            end_reason="invalidated" if ended else None,
        )

    def _node(self, id: str, role: str, file: str) -> tuple[str, str]:
        type = self._type_of(id, role)
        if type is None:
            self._work.findings.add("undeclared_endpoint", file, None, id[:100])
        return type or role, id

    def _type_of(self, id: str, role: str) -> str | None:
        """What a node was declared as: as several, what its role asks for, else the first of them."""
        declared = self._declared.get(id, ())
        return role if role in declared else next((type for type in TYPES if type in declared), None)
