"""Smeldr's SQLite database: opened read-only, read in one transaction (rules S1 to S7)."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lineage_kit.errors import LineageKitError
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.smeldr.go_times import as_iso
from lineage_kit.importers.smeldr.rows import Edge, write_edge

MAGIC = b"SQLite format 3\0"
RELATIONS = "smeldr_relations"
TABLES = {
    "Decision": ("smeldr_decisions", "decision_number"),
    "Goal": ("smeldr_goals", "goal_id"),
    "Task": ("smeldr_tasks", "task_id"),
    "Amendment": ("smeldr_amendments", "amendment_number"),
    "Signal": ("smeldr_signals", "signal_id"),
    "Run": ("smeldr_runs", "run_id"),
}
"""By the type of an item: its table, and the column with the id that people use."""
TEXTS = ("body", "description", "summary", "message")
DYNAMIC, PARTS, PROVENANCE = "smeldr_dynamic_content", "smeldr_content_edges", "smeldr_provenance"
PATIENCE = 5.0
"""Seconds to wait for a writer that has locked the database."""
COPIES = 5
Node = tuple[str, str]


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class Database:
    """One database, and the states of its items."""

    def __init__(self, work: RelationImport, file: LogFile) -> None:
        self._work, self._file = work, file.name
        self.states: dict[Node, tuple[str, str]] = {}
        self._types: set[str] = set()
        with _opened(file.path) as connection:
            self._read(connection)

    def _read(self, connection: sqlite3.Connection) -> None:
        try:
            tables = self._tables(connection)
            if RELATIONS not in tables:
                self._work.findings.add("side_file", self._file, None, f"no table {RELATIONS}")
                return
            nodes = self._items(connection, tables)
            ends = self._ends(connection) if PROVENANCE in tables else {}
            for row in _rows(connection, RELATIONS):
                name = row.get("id")
                if name in ends:
                    row["ended"] = ends[name]
                write_edge(self._work, Edge(row, self._file, None))
                self._look_for(row, nodes)
            if PARTS in tables:
                for row in _rows(connection, PARTS):
                    self._part(row)
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise _locked(self._file) from error
            self._work.findings.add("corrupt_log", self._file, None, str(error))
        except sqlite3.DatabaseError as error:
            self._work.findings.add("corrupt_log", self._file, None, str(error))

    def _tables(self, connection: sqlite3.Connection) -> set[str]:
        return {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}

    def _items(self, connection: sqlite3.Connection, tables: set[str]) -> set[Node]:
        """Write the items of every table that is there; gives their nodes."""
        nodes: set[Node] = set()
        for type, (table, human) in TABLES.items():
            if table in tables:
                self._types.add(type)
                for row in _rows(connection, table):
                    nodes.add((type, str(row.get("id"))))
                    title = row.get("title")
                    self._item(type, row, row.get(human), title, next((row[t] for t in TEXTS if row.get(t)), None))
        if DYNAMIC in tables:
            for row in _rows(connection, DYNAMIC):
                given, fields = row.get("type_name"), _fields(row.get("fields"))
                if not isinstance(given, str) or not given:
                    self._work.findings.add("bad_record", self._file, None, DYNAMIC)
                    continue
                type = given
                self._types.add(type)
                nodes.add((type, str(row.get("id"))))
                named = (fields.get(name) for name in ("title", "name"))
                title = next((one for one in named if isinstance(one, str) and one), None)
                self._item(type, row, None, title, None)
        return nodes

    def _item(self, type: str, row: dict[str, Any], human: Any, title: Any, text: Any) -> None:
        id, slug, state = row.get("id"), row.get("slug"), row.get("status")
        if not isinstance(id, str) or not id:
            self._work.findings.add("bad_record", self._file, None, type)
            return
        human, title, slug, state = (
            value if isinstance(value, str) and value else None for value in (human, title, slug, state)
        )
        self._work.items.add(
            (type, id),
            label=" ".join(part for part in (human, title) if part) or slug,
            text=self._work.text(text),
            created_at=self._work.times.read(as_iso(row.get("created_at")), self._file),
            state=state,
            human_id=human,
            slug=slug,
            commit_hash=row.get("commit_hash") if isinstance(row.get("commit_hash"), str) else None,
        )
        self.states.setdefault((type, id), (state or "", self._file))

    def _ends(self, connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
        """Of each edge that was invalidated, the latest record of that (rule S4)."""
        from lineage_kit.importers.relation_pipeline.times import micros_of, moment_in

        ends: dict[str, dict[str, Any]] = {}
        latest: dict[str, int] = {}
        for row in _rows(connection, PROVENANCE):
            if (row.get("subject_type"), row.get("verb")) != ("RelationEdge", "invalidate"):
                continue
            id, moment = row.get("subject_id"), moment_in(as_iso(row.get("timestamp")), dates=False)
            at = micros_of(moment) if moment is not None and moment.tzinfo is not None else None
            order = -(2**63) if at is None else at
            if isinstance(id, str) and order >= latest.get(id, -(2**63)):
                latest[id] = order
                told = {name: row.get(name) for name in ("reason", "actor_kind", "actor_id")}
                ends[id] = {"cause": row.get("to_state"), **told}
        return ends

    def _look_for(self, row: dict[str, Any], nodes: set[Node]) -> None:
        """Count the ends of an edge whose type has a table here, but not that id (rule S7)."""
        for end in ("source", "target"):
            type, id = row.get(f"{end}_type"), row.get(f"{end}_id")
            if type in self._types and id not in (None, "") and (type, id) not in nodes:
                self._work.findings.add("dangling_reference", self._file, None, f"{type} {id}"[:100])

    def _part(self, row: dict[str, Any]) -> None:
        names = ("parent_type", "parent_id", "child_type", "child_id")
        parent_type, parent_id, child_type, child_id = (row.get(name) for name in names)
        if not all(isinstance(row.get(name), str) and row.get(name) for name in names):
            self._work.findings.add("missing_endpoint", self._file, None, PARTS)
            return
        order = row.get("sort_order")
        self._work.relations.add(
            (parent_type, parent_id),  # type: ignore[arg-type]
            "has_part",
            (child_type, child_id),  # type: ignore[arg-type]
            "asserted",
            self._file,
            stated_as=PARTS,
            edge_id=row.get("id") if isinstance(row.get("id"), str) else None,
            sort_order=order if isinstance(order, int) else None,
        )


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table as they lie, by the names of its columns."""
    cursor = connection.execute(f'select * from "{table}" order by rowid')
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def _fields(text: Any) -> dict[str, Any]:
    try:
        held = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        held = None
    return held if isinstance(held, dict) else {}


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection in one transaction; in place where nothing is written for it, else to a copy."""
    if _needs_copy(path):
        with (
            tempfile.TemporaryDirectory(prefix="lineage-kit-") as folder,
            closing(_connected(_copied(path, Path(folder)))) as connection,
        ):
            yield connection
        return
    with closing(_connected(path)) as connection:
        yield connection


def _connected(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=PATIENCE)
        connection.text_factory = lambda data: data.decode(errors="replace")
        connection.isolation_level = None
        connection.execute("begin")
        return connection
    except sqlite3.Error as error:
        raise LineageKitError(f"{path} cannot be opened as a database: {error}") from error


def _needs_copy(path: Path) -> bool:
    """Whether the database keeps a write-ahead log that no other process holds open.

    SQLite would write files of its own beside such a one. Where another process has them there, reading adds nothing.
    """
    with path.open("rb") as file:
        header = file.read(20)
    wal = len(header) == 20 and header[18] == 2
    return wal and not Path(f"{path}-shm").exists()


def _copied(path: Path, folder: Path) -> Path:
    """The database and its log in a folder of our own; copied again when they changed meanwhile."""
    target = folder / "copy.db"
    for _ in range(COPIES):
        before = _state(path)
        for ending in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{ending}", f"{target}{ending}")
        if _state(path) == before:
            return target
    raise _locked(path.name)


def _state(path: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for ending in ("", "-wal"):
        try:
            status = Path(f"{path}{ending}").stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_size, status.st_mtime_ns))
    return found


def _locked(name: str) -> LineageKitError:
    return LineageKitError(
        f"{name} is locked by another process that writes to it. Hint: import it again when that one is done"
    )
