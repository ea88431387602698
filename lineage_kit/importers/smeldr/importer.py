"""`read_smeldr`: Smeldr's relations, from its database or from what was exported of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import is_json
from lineage_kit.importers.smeldr.columns import ITEM_COLUMNS, RELATION_COLUMNS
from lineage_kit.importers.smeldr.database import Database, is_database
from lineage_kit.importers.smeldr.export import Export


def read_smeldr(path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True) -> ImportedRelations:
    """Import the relations of Smeldr: its SQLite database, or JSON as its command line and its tools print it.

    An edge is taken as it stands, with its kind, class and confidence; why it was invalidated comes from the record of
    that. A database is opened read-only, and one with a write-ahead log is read with it.

    Args:
        path: one path, or several: databases, exports (`relation list --all --include-ended --json`, pages, lists, one
            edge a line, context packets), folders or globs of them.
        zone: the zone of times that have none, such as `Europe/Berlin`; without it such a time is not read.
        text: `keep`, or `drop` to leave out what decisions, tasks and goals say.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. Own columns of
        relations: edge_id (String), updated_at (Datetime), created_by, created_by_job (String), last_confirmed_at
        (Datetime), attributes (String: JSON), end_note, end_actor_kind, end_actor (String: of the record that
        invalidated the edge), sort_order (Int64: of parts). Own columns of items: human_id, slug, commit_hash
        (String).

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.
        LineageKitError: a database that is locked, or cannot be opened.

    Example:
        >>> imported = read_smeldr(lineage_kit.data_folder() / "relations" / "smeldr")
        >>> imported.store().find("D2")["label"].to_list()
        ['three-retries']
    """
    return read_relations(Smeldr, path, zone=zone, text=text, progress=progress)


class Smeldr:
    """The importer of Smeldr.

    Example:
        >>> Smeldr.is_source(Path("export.json")), Smeldr.is_source(Path("notes.txt"))
        (True, False)
    """

    relation_columns = RELATION_COLUMNS
    item_columns = ITEM_COLUMNS
    only_standing = False

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._export = Export(work)
        self._databases: list[Database] = []

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is a database, or called like JSON."""
        return is_json(path) or is_database(path)

    def read(self, file: LogFile) -> None:
        """Read one file."""
        if is_database(file.path):
            self._databases.append(Database(self._work, file))
            self._work.advance(file.size)
            return
        for value in self._work.values(file):
            self._export.take(value, file.name)

    def finish(self) -> None:
        """Write what was exported in pages; look for items that were replaced by nobody knows what."""
        self._export.finish()
        replaced = self._work.relations.targets_of("supersedes")
        states = [one.states for one in self._databases] + [self._export.states]
        seen = set()
        for node, (state, file) in ((node, told) for part in states for node, told in part.items()):
            if state == "superseded" and node not in replaced and node not in seen:
                self._work.findings.add("superseded_without_successor", file, None, " ".join(node)[:100])
            seen.add(node)
