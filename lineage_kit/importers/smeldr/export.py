"""What Smeldr's command line and tools print as JSON: pages of edges, lists, context packets (rules S8 to S10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.relation_pipeline.documents import Value
from lineage_kit.importers.smeldr.go_times import as_iso
from lineage_kit.importers.smeldr.rows import Edge, write_edge

PACKET = "packet_version"
LISTS = ("edges", "dependents")


class Export:
    """Everything that was exported as JSON; pages are put together when all are read."""

    def __init__(self, work: RelationImport) -> None:
        self._work = work
        self._edges: dict[str, tuple[int | None, Edge]] = {}  # by id, with when it was updated
        self._unnamed: list[Edge] = []
        self._pages: list[tuple[str, int]] = []  # where, and how many edges there are in all
        self.states: dict[tuple[str, str], tuple[str, str]] = {}  # of items of packets: the state, and the file

    def take(self, value: Value, file: str) -> None:
        """One JSON value of a file."""
        held, line = value
        if isinstance(held, dict) and PACKET in held:
            self._packet(held, file, line)
        elif isinstance(held, dict) and any(isinstance(held.get(name), list) for name in LISTS):
            for name in LISTS:
                self._list(held.get(name) or [], file, line)
            total = held.get("total")
            if isinstance(total, int) and not isinstance(total, bool):
                self._pages.append((file, total))
        elif isinstance(held, list):
            self._list(held, file, line)
        elif isinstance(held, dict) and "relation_kind" in held:
            self._edge(held, file, line)
        else:
            self._work.findings.add("unknown_record" if isinstance(held, dict) else "bad_record", file, line)

    def _list(self, rows: Any, file: str, line: int | None) -> None:
        if not isinstance(rows, list):
            self._work.findings.add("bad_record", file, line)
            return
        for row in rows:
            self._edge(row, file, line)

    def _edge(self, row: Any, file: str, line: int | None) -> None:
        if not isinstance(row, dict):
            self._work.findings.add("bad_record", file, line)
            return
        inner = row.get("edge")
        if isinstance(inner, dict) and "relation_kind" not in row:  # of a list that tells more of each edge
            row = inner
        edge = Edge(row, file, line)
        name = row.get("id")
        if not isinstance(name, str) or not name:
            self._unnamed.append(edge)
            return
        updated = self._updated(row)
        if name in self._edges:
            self._work.findings.add("duplicate_record", file, line, name)
            before = self._edges[name][0]
            if before is not None and (updated is None or updated < before):
                return
        self._edges[name] = updated, edge

    def _updated(self, row: dict[str, Any]) -> int | None:
        from lineage_kit.importers.relation_pipeline.times import micros_of, moment_in

        moment = moment_in(as_iso(row.get("updated_at")), dates=False)
        return None if moment is None or moment.tzinfo is None else micros_of(moment)

    def _packet(self, packet: dict[str, Any], file: str, line: int | None) -> None:
        for part in ("anchor", "items", "relations"):
            if part not in packet:
                self._work.findings.add("bad_record", file, line, part)
        items = packet.get("items")
        for item in [packet.get("anchor"), *(items if isinstance(items, list) else [])]:
            self._item(item, file, line)
        relations = packet.get("relations")
        for row in relations if isinstance(relations, list) else []:
            if isinstance(row, dict):
                told = {**row, "relation_kind": row.get("kind")}
                write_edge(self._work, Edge(told, file, line), unstated=True, dated=False)
            else:
                self._work.findings.add("bad_record", file, line)
        for part, held in (("items", items), ("relations", relations)):
            if held is not None and not isinstance(held, list):
                self._work.findings.add("bad_record", file, line, part)
        if _omits(packet.get("boundary")):
            self._work.findings.add("partial_export", file, line, "a packet that leaves items out")

    def _item(self, item: Any, file: str, line: int | None) -> None:
        if item is None:
            return
        names: list[Any] = [item.get(name) for name in ("type", "id")] if isinstance(item, dict) else []
        if not names or not all(isinstance(name, str) and name for name in names):
            self._work.findings.add("bad_record", file, line)
            return
        slug, state = (item.get(name) if isinstance(item.get(name), str) else None for name in ("slug", "status"))
        node = (names[0], names[1])
        self._work.items.add(node, label=slug or None, state=state or None, slug=slug or None)
        self.states.setdefault(node, (state or "", file))

    def finish(self) -> None:
        """Write the edges of all pages, each id once."""
        for _, edge in self._edges.values():
            write_edge(self._work, edge)
        for edge in self._unnamed:
            write_edge(self._work, edge)
        held = len(self._edges) + len(self._unnamed)
        if self._pages and held < max(total for _, total in self._pages):
            total = max(total for _, total in self._pages)
            self._work.findings.add("partial_export", min(file for file, _ in self._pages), None, f"{held} of {total}")


def _omits(boundary: Any) -> bool:
    """Whether a packet says that anything was left out."""
    omitted = boundary.get("omitted") if isinstance(boundary, dict) else None
    counts: Iterable[Any] = omitted.values() if isinstance(omitted, dict) else []
    numbers = (one.get("omitted") for one in counts if isinstance(one, dict))
    return any(isinstance(number, (int, float)) and number > 0 for number in numbers)
