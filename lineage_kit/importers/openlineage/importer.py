"""`read_openlineage`: what runs read and wrote, as relations that began, were seen again, and ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from lineage_kit.importers.openlineage.content import Content, Name
from lineage_kit.importers.openlineage.events import Event, Events, Line, decode_line, events_in, line_of
from lineage_kit.importers.openlineage.lives import DROP, DROPPED, OVERWRITTEN, UNDECLARED, UNKNOWN, Cut, Seen
from lineage_kit.importers.openlineage.naming import Naming, Node
from lineage_kit.importers.openlineage.runs import Outcome, Run, RunKey
from lineage_kit.importers.openlineage.saying import UNSURE, Pair, told_by
from lineage_kit.importers.openlineage.writing import Gathered, Group
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import is_json
from lineage_kit.schema_forms import Column


def read_openlineage(
    path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True
) -> ImportedRelations:
    """Import OpenLineage events: what jobs read and wrote, column by column where the events say so.

    Events of one run are folded, in any order. What a run observed holds from its end until a later run drops or
    overwrites the dataset; what only failed runs say is invalid from the start. Where a run has several inputs and
    outputs and does not say which rests on which, every pair is written, as inferred.

    Args:
        path: one path, or several: files (events one a line, a list, one event, or a page of Marquez), folders or
            globs of them.
        zone: the zone of times that have none, such as `Europe/Berlin`; without it such a time is not read.
        text: `keep` or `drop`; of these events no texts are kept.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. Nodes are
        datasets, columns (`<dataset>#<column>`) and jobs. `invalid_reason` is `dropped`, `overwritten`,
        `no longer declared` or `run failed`. Own columns of relations: job (String), runs (Int64: how many observed
        it), last_seen_at (Datetime), run_id (String: the latest). Own column of items: namespace.

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.

    Example:
        >>> imported = read_openlineage(lineage_kit.data_folder() / "relations" / "openlineage")
        >>> imported.store().impact("dataset", "shop/orders_raw").nodes["id"].to_list()[:2]
        ['shop/orders', 'shop/load_orders']
    """
    return read_relations(OpenLineage, path, zone=zone, text=text, progress=progress)


GroupKey = tuple[frozenset[int], Name, Outcome]


class OpenLineage:
    """The importer of OpenLineage.

    Example:
        >>> OpenLineage.is_source(Path("events.ndjson.gz")), OpenLineage.is_source(Path("events.log"))
        (True, False)
    """

    relation_columns: tuple[Column, ...] = (
        Column("job", "text", "the job that states it"),
        Column("runs", "integer", "how many runs observed it"),
        Column("last_seen_at", "time", "when it was observed last"),
        Column("run_id", "text", "the latest run that did"),
    )
    item_columns: tuple[Column, ...] = (Column("namespace", "text", "where the dataset or job is"),)
    only_standing = False

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._events = Events()
        self._runs: dict[RunKey, Run] = {}
        self._jobs: dict[str, Name] = {}
        self._reused: set[str] = set()
        self._declared: dict[Name | None, list[tuple[int, Content, str]]] = {}
        self._links: dict[tuple[Name, Name], str] = {}
        self._used: set[Name] = set()
        self._noted: set[int] = set()
        self._group_of: dict[int, GroupKey] = {}

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is called like JSON."""
        return is_json(path)

    # ---- reading

    def read(self, file: LogFile) -> None:
        """Read one file."""
        for value, line in self._work.values(file, decode_line):
            if isinstance(value, Line) and not value.events:
                self._event(value, file.name, line)
                continue
            held = {"events": msgspec.json.decode(value.events)} if isinstance(value, Line) else value
            for one in events_in(held):
                if isinstance(one, dict):
                    self._event(line_of(one), file.name, line)
                else:
                    self._work.findings.add("bad_record", file.name, line)

    def _event(self, read: Line, file: str, line: int | None) -> None:
        add = self._work.findings.add
        try:
            event = self._events.of(read)
        except msgspec.DecodeError as error:
            add("unparsed_line", file, line, str(error)[:100])
            return
        if event is None:
            add("not_an_event", file, line)
            return
        for fault in event.content.faults:
            add("bad_record", file, line, fault)
        if event.run and event.job is not None:
            self._take(event, event.run, event.job, file, line)
        elif event.run is None:
            at = self._work.times.read(event.time, file, line, required=True)
            if event.job is None and bytes(read.dataset) in (b"", b"null"):
                add("missing_endpoint", file, line)
                return
            self._declared.setdefault(event.job, []).append((UNKNOWN if at is None else at, event.content, file))
        else:
            add("missing_endpoint", file, line, event.run or None)
            return
        if id(event.content) not in self._noted:  # contents are kept once each
            self._note(event.content, file)

    def _take(self, event: Event, run_id: str, job: Name, file: str, line: int | None) -> None:
        first = self._jobs.setdefault(run_id, job)
        if first is not job and first != job and run_id not in self._reused:
            self._reused.add(run_id)
            self._work.findings.add("reused_run_id", file, line, run_id[:100])
        run = self._runs.get((run_id, job))
        if run is None:
            run = self._runs[run_id, job] = Run(file)
        at = self._work.times.read(event.time, file, line, required=True)
        if not run.take(event.type, at, event.content):
            self._work.findings.add("duplicate_record", file, line, run_id[:100])

    def _note(self, content: Content, file: str) -> None:
        """Which names are used of datasets, and which are of one."""
        self._noted.add(id(content))
        self._used.update(content.inputs)
        self._used.update(output.name for output in content.outputs)
        for link in content.aliases:
            self._links.setdefault(link, file)

    # ---- when all is read

    def finish(self) -> None:
        """Fold the names, then say what runs and declarations say, life by life."""
        naming = Naming(self._links, self._used)
        gathered = Gathered()
        undeclared = self._declarations(naming, gathered)
        groups = self._groups(naming)
        changes: dict[Node, list[Cut]] = {}
        for (_, _, outcome), group in groups.items():
            gathered.observed([group], failed=outcome == "failed")
        for run in self._runs.values():
            if run.outcome == "done" and run.first is not None:
                for node, change in groups[self._group_of[id(run)]].told.cuts:
                    word = DROPPED if change == DROP else OVERWRITTEN
                    changes.setdefault(node, []).append(Cut(run.first, run.end, word))
        gathered.write(self._work, changes, undeclared)
        self._aliases(naming)
        for node in self._work.relations.nodes():
            namespace, label = naming.nodes[node]
            self._work.items.add(node, label=label, namespace=namespace)

    def _groups(self, naming: Naming) -> dict[GroupKey, Group]:
        """Runs by what they say: of most jobs, all that ended alike."""
        groups: dict[GroupKey, Group] = {}
        add = self._work.findings.add
        for (run_id, job), run in self._runs.items():
            outcome = run.outcome
            key = frozenset(map(id, run.contents)), job, outcome  # contents are kept once each
            group = groups.get(key)
            if group is None:
                sure = UNSURE if outcome == "unfinished" else 1.0
                told = told_by(run.contents, job, naming, edge_class="observed", confidence=sure)
                group = groups[key] = Group(told)
            group.take(run.end, run_id, run.file)
            self._group_of[id(run)] = key
            if outcome != "done":
                add(f"{outcome}_run", run.file, None, run_id[:100])
            add("cross_product", run.file, None, run_id[:100], group.told.crossed)
        return groups

    def _declarations(self, naming: Naming, gathered: Gathered) -> dict[Pair, list[Cut]]:
        """What jobs and datasets declare; gives when each pair was declared no longer."""
        undeclared: dict[Pair, list[Cut]] = {}
        for job, events in self._declared.items():
            by_time: dict[int, list[tuple[Content, str]]] = {}
            for at, content, file in events:
                by_time.setdefault(at, []).append((content, file))
            before: set[Pair] = set()
            for at in sorted(by_time):
                contents = [content for content, _ in by_time[at]]
                file = min(file for _, file in by_time[at])
                told = told_by(contents, job, naming, edge_class="asserted", confidence=1.0)
                for pair, said in told.pairs.items():
                    gathered.declared(pair, Seen(at, said, None), file)
                if job is not None:
                    for pair in before - told.pairs.keys():
                        undeclared.setdefault(pair, []).append(Cut(at, at, UNDECLARED))
                    before = set(told.pairs)
        return undeclared

    def _aliases(self, naming: Naming) -> None:
        files: dict[Name, str] = {}
        for (one, other), file in self._links.items():
            for name in (one, other):
                files[name] = min(file, files.get(name, file))
        for alias, main in naming.aliases:
            source, target = naming.alias(alias), naming.dataset(main)
            self._work.findings.add("folded_alias", files[alias], None, source[1][:100])
            self._work.relations.add(source, "alias_of", target, "observed", files[alias], stated_as="symlinks")
