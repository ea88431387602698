"""Sources of relations: files to tables, beside what only parses them and forgets it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.imports import JSON, MSGSPEC, Parses, Reader
from benchmarks.relation_sources import MEGABYTE, manifest, openlineage
from benchmarks.results import Section, shown, size
from benchmarks.subprocess_peer import Apart

MANIFEST = 200


class ReadsRelations(Reader):
    """An import of one format, as a user calls it."""

    def __init__(self, kind: str) -> None:
        import lineage_kit

        self._read = getattr(lineage_kit, f"read_{kind}")

    def _run(self, path: Path) -> None:
        self._imported = self._read(path, progress=False)

    def found(self) -> tuple[int, ...]:
        """Relations and items."""
        return self._imported.counts["relations"], self._imported.counts["items"]


class ParsesWhole(Reader):
    """One JSON value, parsed and forgotten."""

    def __init__(self, parser: str) -> None:
        import msgspec

        self._parse: Callable[[bytes], object] = json.loads if parser == JSON else msgspec.json.decode

    def _run(self, path: Path) -> None:
        self._parse(path.read_bytes())

    def found(self) -> tuple[int, ...]:
        """Nothing is kept."""
        return ()


def relation_imports(megabytes: float, fresh: int, folder: Path) -> Section:
    """OpenLineage events of one size, and a dbt manifest of another; each round in a fresh process, in turn."""
    events = openlineage(int(megabytes), folder)
    with events.open("rb") as file:
        lines = sum(1 for _ in file)
    section = Section(f"Relation imports, {megabytes:,g} MB")
    section.note(
        f"Made-up OpenLineage events (`benchmarks/relation_sources.py`) of {megabytes * MEGABYTE / lines:,.0f} bytes "
        f"each, of 500 jobs that run again and again, and a dbt manifest of {MANIFEST} MB; in the page cache. The "
        "loops parse and forget; the import folds runs, names and lives, and gives back tables. Peak memory is that of "
        "the whole process."
    )
    things: dict[str, tuple[Path, int, Callable[[], Reader]]] = {
        "OpenLineage, lineage_kit: read_openlineage": (events, lines, partial(ReadsRelations, "openlineage")),
        f"OpenLineage, {JSON}": (events, lines, partial(Parses, JSON)),
        f"OpenLineage, {MSGSPEC}": (events, lines, partial(Parses, MSGSPEC)),
    }
    whole = manifest(MANIFEST, folder)
    nodes = len(json.loads(whole.read_bytes())["nodes"])
    things |= {
        "dbt, lineage_kit: read_dbt": (whole, nodes, partial(ReadsRelations, "dbt")),
        "dbt, json.loads": (whole, nodes, partial(ParsesWhole, JSON)),
        "dbt, msgspec.json.decode": (whole, nodes, partial(ParsesWhole, MSGSPEC)),
    }
    seconds: dict[str, list[float]] = {name: [] for name in things}
    peaks: dict[str, int] = {}
    found: dict[str, tuple[int, ...]] = {}
    for _ in range(fresh):
        for name, (path, _, reader) in things.items():
            with Apart(reader) as process:
                process.call("warm", path)
                call = process.call("run", path)
                seconds[name].append(call.seconds)
                peaks[name] = max(call.peak, peaks.get(name, 0))
                found[name] = process.call("found").value
    rows = []
    for name, (path, records, _) in things.items():
        median = statistics.median(seconds[name])
        kept = " and ".join(f"{one:,}" for one in found[name]) if "lineage_kit" in name else ""
        told = (shown(median), f"{path.stat().st_size / MEGABYTE / median:,.0f}", f"{records / median:,.0f}")
        target = "100,000 or more" if "lineage_kit" in name else ""
        rows.append((name, *told, size(peaks[name]), kept, target))
    columns = ("in a fresh process", "median", "MB a second", "records a second", "peak", "relations and items")
    section.table("From the file to the tables", (*columns, "target, records"), rows)
    return section
