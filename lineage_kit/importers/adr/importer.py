"""`read_adr`: what decision records say of one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lineage_kit.importers.adr.linking import Linking
from lineage_kit.importers.adr.markdown import document
from lineage_kit.importers.adr.record import ENDED, Record, record_of
from lineage_kit.importers.pipeline.context import Text
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of
from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.relation_pipeline.run import read_relations
from lineage_kit.importers.relation_pipeline.sources import called
from lineage_kit.schema_forms import Column


def read_adr(path: Any, *, zone: str | None = None, text: Text = "keep", progress: bool = True) -> ImportedRelations:
    """Import decision records in Markdown, as adr-tools, MADR and log4brains write them, and as people change them.

    Read are front matter, the head, and the sections Status, Links, Related, See also and their like: who supersedes,
    amends, depends on or relates to whom, in either direction. Every other link between two records is `refers_to`. No
    link is guessed: one that leads nowhere stays as it is written, with confidence 0.

    Args:
        path: one path, or several: files, folders or globs of them; ids are paths below the folder given.
        zone: not needed here: these records have dates, which are midnights in UTC.
        text: `keep`, or `drop` to leave out the records' text; titles stay.
        progress: show a bar where reading takes longer than two seconds.

    Returns:
        The relations, items and report; see `ImportedRelations` for columns, dtypes and sort order. Confidence is 1.0
        for what both records state, 0.9 for what one does, 0.6 for a line of prose. Own column of relations:
        declared_by (String: `source`, `target` or `both`). Own columns of items: number (Int64), file (String).

    Raises:
        InvalidRequest: a path that is not there, a zone that is none, or another value of `text`.

    Example:
        >>> imported = read_adr(lineage_kit.data_folder() / "relations" / "adr")
        >>> imported.relations.filter(relation_kind="supersedes").select("source_id", "confidence").collect().rows()
        [('0005-events-in-parquet', 1.0), ('0007-duckdb-in-process', 0.9)]
    """
    return read_relations(Adr, path, zone=zone, text=text, progress=progress)


class Adr:
    """The importer of decision records.

    Example:
        >>> Adr.is_source(Path("docs/adr/0001-x.md")), Adr.is_source(Path("docs/adr/diagram.png"))
        (True, False)
    """

    relation_columns: tuple[Column, ...] = (Column("declared_by", "text", "which of the two records states it"),)
    item_columns: tuple[Column, ...] = (
        Column("number", "integer", "the number that it is called by"),
        Column("file", "text", "where it was read"),
    )
    only_standing = False

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._records: list[Record] = []

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file in a folder is called like Markdown."""
        return called(path, (".md", ".markdown", ".mdx"))

    def read(self, file: LogFile) -> None:
        """Read one file."""
        source = self._source(file)
        if not source.strip():
            self._work.findings.add("empty_file", file.name)
            return
        read = document(source)
        if read.bad_front:
            self._work.findings.add("bad_front_matter", file.name)
        record = record_of(file.name, read)
        if record is None:
            self._work.findings.add("side_file", file.name)
            return
        if record.status is not None and record.state is None:
            self._work.findings.add("unknown_status", file.name, None, record.status[:100])
        self._records.append(record)

    def _source(self, file: LogFile) -> str:
        """The text of a file, as far as it can be read."""
        parts: list[bytes] = []
        try:
            for part in lines_of(file, self._work.advance):
                parts += part.lines
        except Broken as error:
            self._work.findings.add("corrupt_log", file.name, None, str(error))
        data = b"\n".join(parts)
        try:
            return data.decode()
        except UnicodeDecodeError:
            self._work.findings.add("invalid_utf8", file.name, None, f"{len(data):,} bytes")
            return data.decode(errors="replace")

    def finish(self) -> None:
        """Write the records, and what they say of one another."""
        for record in self._records:
            self._work.items.add(
                ("adr", record.id),
                label=record.title,
                text=self._work.text(record.body),
                created_at=record.date,
                state=record.state or record.status,
                end_reason=record.state if record.state in ENDED else None,
                number=record.number,
                file=record.file,
            )
        Linking(self._work, self._records).write()
