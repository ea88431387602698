"""What a format of relations is given (`RelationImport`), and what it gives back (`RelationImporter`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.relation_pipeline.documents import Value, decode, document_of, values_of
from lineage_kit.importers.relation_pipeline.rows import ItemRows, RelationRows
from lineage_kit.importers.relation_pipeline.times import Times
from lineage_kit.schema_forms import Column


@dataclass
class RelationImport:
    """What an importer is given to work with: where rows go, where findings are counted, and how to read."""

    relations: RelationRows
    items: ItemRows
    findings: Findings
    times: Times
    keep_text: bool
    advance: Callable[[int], object]
    files: Sequence[LogFile] = ()
    """All files that are read, in their order."""

    def values(self, file: LogFile, decode: Callable[[bytes], Any] = decode) -> Iterator[Value]:
        """The JSON values of a file: the whole of it, or one a line.

        `decode` may make something else of a line that is an object; what it refuses comes as a plain value.
        """
        return values_of(file, self.findings, self.advance, decode)

    def document(self, file: LogFile, decode: Callable[[bytes], Any] = decode) -> Value | None:
        """The one JSON value that a file is; `decode` may leave out of it what is not read."""
        return document_of(file, self.findings, self.advance, decode)

    def text(self, value: Any) -> str | None:
        """Content, where it is wanted."""
        return value if self.keep_text and isinstance(value, str) and value else None


class RelationImporter(Protocol):
    """One format. A new one is made for every import, and may keep what it learns about each file."""

    relation_columns: tuple[Column, ...]
    """The format's own columns of relations."""
    item_columns: tuple[Column, ...]
    """Its own columns of items."""
    only_standing: bool
    """Whether an item's end counts for relations without an end only."""

    def __init__(self, work: RelationImport) -> None: ...

    @staticmethod
    def is_source(path: Path) -> bool:
        """Whether a file found in a folder is to be given to `read`."""

    def read(self, file: LogFile) -> None:
        """Read one file; files come in the order of their paths."""

    def finish(self) -> None:
        """All files are read: write the rows that are not written yet."""
