"""`read_dbt`: what a dbt project depends on, from its artifacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lineage_kit.importers.dbt.artifacts import decode_artifact
from lineage_kit.importers.dbt.history import Dated, described, finer_than_micros, lives, order_of
from lineage_kit.importers.dbt.manifest import Manifest, Node
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import called
from lineage_kit.schema_forms import Column


def read_dbt(path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True) -> ImportedRelations:
    """Import dbt artifacts: `manifest.json` of any version, one or many, and `run_results.json` beside them.

    Every node depends on the parents it names; each version of a model supersedes the one before it. Several manifests
    of one project are its history: a relation that a later one lacks ends when that was made.

    Args:
        path: one path, or several: files, folders or globs of them; what a file is shows by its content.
        zone: the zone of times that have none, such as `Europe/Berlin`; without it such a time is not read.
        text: `keep`, or `drop` to leave out descriptions.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. `invalid_reason`
        is `removed` or `deprecated`. Own columns of items: relation_name, package_name, original_file_path,
        last_status (String), last_run_at (Datetime).

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.

    Example:
        >>> imported = read_dbt(lineage_kit.data_folder() / "relations" / "dbt")
        >>> relations = imported.relations.collect()
        >>> relations.drop_nulls("invalid_reason")["invalid_reason"].unique().sort().to_list()
        ['deprecated', 'removed']
    """
    return read_relations(Dbt, path, zone=zone, text=text, progress=progress)


Result = tuple[str, int | None, str]
"""How a node's run ended, when, and in which file that stands."""


class Dbt:
    """The importer of dbt.

    Example:
        >>> Dbt.is_source(Path("target/manifest.json")), Dbt.is_source(Path("dbt_project.yml"))
        (True, False)
    """

    relation_columns: tuple[Column, ...] = ()
    item_columns: tuple[Column, ...] = (
        Column("relation_name", "text", "what the database calls it"),
        Column("package_name", "text", "the package that it is of"),
        Column("original_file_path", "text", "the file that defines it"),
        Column("last_status", "text", "how its latest run ended"),
        Column("last_run_at", "time", "when that was"),
    )
    only_standing = True

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._projects: dict[str, list[Dated]] = {}
        self._runs: list[tuple[int | None, str, str, list[Any]]] = []

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is called like JSON."""
        return called(path, (".json",))

    def read(self, file: LogFile) -> None:
        """Read one artifact."""
        document = self._work.document(file, decode_artifact)
        if document is None:
            return
        held = document.value
        metadata = held.get("metadata") if isinstance(held, dict) else None
        if not isinstance(held, dict) or not isinstance(metadata, dict) or not ("nodes" in held or "results" in held):
            self._work.findings.add("side_file", file.name)
            return
        made = metadata.get("generated_at")
        at = self._work.times.read(made, file.name, required=True)
        if "nodes" in held:
            manifest = Manifest(held, file.name, self._work.findings)
            names = (metadata.get(name) for name in ("project_name", "project_id"))
            project = next((one for one in names if isinstance(one, str) and one), f"the project of {file.name}")
            self._projects.setdefault(project, []).append(Dated(at, finer_than_micros(made), manifest))
        elif isinstance(held["results"], list):
            self._runs.append((at, finer_than_micros(made), file.name, held["results"]))
        else:
            self._work.findings.add("bad_record", file.name, None, "results")

    def finish(self) -> None:
        """Write every project's history, and what became of its latest runs."""
        results = self._results()
        known: set[str] = set()
        for manifests in self._projects.values():
            manifests.sort(key=order_of)
            for stated, confidence, began, ended, file in lives(manifests):
                source, kind, target = stated
                self._work.relations.add(
                    source,
                    kind,
                    target,
                    "asserted",
                    file,
                    confidence=confidence,
                    created_at=began,
                    invalid_at=ended,
                    reason="removed",
                    stated_as="depends_on" if kind == "depends_on" else "version",
                )
            last = manifests[-1].manifest
            for node, told in described(manifests).items():
                known.add(node[1])
                self._item(node, told, last, results.get(node[1]))
        for id, (_, _, file) in results.items():
            if id not in known:
                self._work.findings.add("unknown_result", file, None, id[:100])

    def _item(self, node: Node, told: dict[str, Any], last: Manifest, result: Result | None) -> None:
        day = last.nodes.get(node[1], {}).get("deprecation_date")
        ended = None if day is None else self._work.times.read(str(day), last.file, dates=True)
        status, at, _ = result or (None, None, "")
        name = told.get("name")
        self._work.items.add(
            node,
            label=name if isinstance(name, str) and name else None,
            text=self._work.text(told.get("description")),
            state=status,
            ended_at=ended,
            end_reason=None if day is None else "deprecated",
            last_status=status,
            last_run_at=at,
            **{
                name: told[name] if isinstance(told.get(name), str) else None
                for name in ("relation_name", "package_name", "original_file_path")
            },
        )

    def _results(self) -> dict[str, Result]:
        """The latest result of every node: its status, when, and in which file (rule D9)."""
        found: dict[str, Result] = {}
        for at, _, file, results in sorted(
            self._runs, key=lambda run: (run[0] is not None, run[0] or 0, run[1], run[2])
        ):
            for result in results:
                id = result.get("unique_id") if isinstance(result, dict) else None
                status = result.get("status") if isinstance(result, dict) else None
                if not isinstance(id, str) or not isinstance(status, str):
                    self._work.findings.add("bad_record", file, None, "results")
                    continue
                found[id] = status, at, file
        return found
