"""Which record a link or a number means; never a guess (rule A9)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from lineage_kit.importers.adr.phrases import Reference
from lineage_kit.importers.adr.record import Record

MARKDOWN = (".md", ".markdown", ".mdx")
TRACKED = {"issue", "issues", "pull", "pulls", "pr", "prs", "merge_requests", "discussions", "tickets", "milestone"}
"""What the last segment but one of an address is called whose number is that of something else."""


class Found(NamedTuple):
    """What a reference leads to: a record, or the name of a Markdown file that is not there.

    Neither: `ambiguous` says that it was the number of no record, or of several.
    """

    record: Record | None = None
    dangling: str | None = None
    ambiguous: bool = False


class Places:
    """All records by path, by file name and by number."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_path: dict[str, Record] = {}
        self._by_name: dict[str, list[Record]] = {}
        self._by_number: dict[int, list[Record]] = {}
        for record in records:
            self._by_path[record.file] = self._by_path[record.id] = record
            self._by_name.setdefault(posixpath.basename(record.id), []).append(record)
            if record.number is not None:
                self._by_number.setdefault(record.number, []).append(record)

    def find(self, reference: Reference, origin: Record, *, stated: bool = True) -> Found:
        """What a reference of a record leads to.

        `stated`: something is said of it. Then the number of an issue or a pull request is no record (rule A8); as a
        mere link, every address that ends in the number of a record leads to that (rule A9).
        """
        if reference.href is None:
            assert reference.number is not None
            record = self.numbered(reference.number)
            return Found(record) if record is not None else Found(ambiguous=True)
        return self._linked(reference.href, origin, stated=stated)

    def numbered(self, number: int) -> Record | None:
        """The only record with a number."""
        known = self._by_number.get(number, [])
        return known[0] if len(known) == 1 else None

    def _linked(self, href: str, origin: Record, *, stated: bool) -> Found:
        try:
            parts = urlsplit(href)
        except ValueError:
            return Found()
        if parts.scheme not in ("", "http", "https"):
            return Found()
        path = unquote(parts.path)
        if not path:
            return Found()
        if not parts.scheme and not parts.netloc:
            near = posixpath.normpath(posixpath.join(posixpath.dirname(origin.file), path))
            known = self._by_path.get(near) or self._by_path.get(path.lstrip("/"))
            if known is not None:
                return Found(known)
        *folders, name = path.rstrip("/").split("/")
        stem = next((name[: -len(ending)] for ending in MARKDOWN if name.lower().endswith(ending)), name)
        named = self._by_name.get(stem, [])
        if len(named) == 1:
            return Found(named[0])
        if stem != name:
            return Found(dangling=stem)
        tracked = bool(folders) and folders[-1].casefold() in TRACKED
        if name.isdecimal() and name.isascii() and folders and not (stated and tracked):
            return Found(self.numbered(int(name[:9])))
        return Found()
