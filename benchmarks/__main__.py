"""`make bench`, or `python -m benchmarks --only walk --sizes 100_000`: ratios against peers in the same run."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.batched import many
from benchmarks.growth import growth
from benchmarks.imports import imports
from benchmarks.peers.by_hand import ByHand
from benchmarks.pictures import pictures
from benchmarks.relation_imports import relation_imports
from benchmarks.relations import walk
from benchmarks.results import FILE, Section, console, keep, machine, versions
from benchmarks.sessions import corpus, one_log
from benchmarks.small import small
from benchmarks.verbs import audit, verbs

KEPT = Path(tempfile.gettempdir()) / "lineage_kit"
RELATIONS = ("walk", "many", "verbs", "audit", "small", "growth")
SHEETS = (*RELATIONS, "pictures", "sessions", "imports", "relation-imports")


def main(
    sizes: Annotated[str, typer.Option(help="Edges of the graphs to walk.")] = "100_000,1_000_000,10_000_000",
    edges: Annotated[int | None, typer.Option(help="One graph only, of this many edges.")] = None,
    growing: Annotated[str, typer.Option(help="Edges of growing graphs.")] = "10_000,100_000,1_000_000,10_000_000",
    events: Annotated[int, typer.Option(help="Events of the large log.")] = 1_000_000,
    anchors: Annotated[int, typer.Option(help="How many anchors to ask about in one call.")] = 10_000,
    audited: Annotated[int, typer.Option(help="How many decisions to audit.")] = 100_000,
    megabytes: Annotated[str, typer.Option(help="Megabytes of the transcripts to import.")] = "10,100,1_000",
    runs: Annotated[int, typer.Option(help="Rounds to take the median of.")] = 7,
    fresh: Annotated[int, typer.Option(help="Rounds of loads, builds and imports, each in a fresh process.")] = 3,
    nodes: Annotated[int, typer.Option(help="The size of lineage to choose the anchor by.")] = 22_000,
    only: Annotated[str, typer.Option(help=f"relations, or some of {', '.join(SHEETS)}.")] = ",".join(SHEETS),
    folder: Annotated[Path, typer.Option(help="Where graphs, indexes and logs are kept.")] = KEPT,
    results: Annotated[Path, typer.Option(help="The file whose sections are replaced.")] = FILE,
) -> None:
    """Measure the walk of relations, the fold of sessions and imports against peers."""
    sheets = {sheet for word in only.split(",") for sheet in (RELATIONS if word == "relations" else (word.strip(),))}
    if unknown := sheets - set(SHEETS):
        raise typer.BadParameter(f"no such sheet: {', '.join(sorted(unknown))}")
    walked = [edges] if edges is not None else _counts(sizes)
    console.print(f"{machine()}\n{versions()}\nmedians of {runs} rounds, of {fresh} where a process is fresh")

    def sessions() -> Section:
        section = Section("Sessions")
        one_log(events, runs, folder, section)
        corpus(events, runs, folder, section)
        return section

    def measured() -> Iterator[tuple[str, Callable[[], Section | None]]]:
        for count in walked:
            yield "walk", partial(walk, count, runs, fresh, nodes, folder)
        for count in walked:
            yield "many", partial(many, count, anchors, runs, folder)
        for count in walked:
            if count <= ByHand.limit:
                yield "verbs", partial(verbs, count, runs, nodes, folder)
                yield "audit", partial(audit, count, audited, fresh, folder)
        yield "small", lambda: small(runs)
        yield "growth", lambda: growth(_counts(growing), runs, fresh, 500, folder)
        yield "pictures", lambda: pictures(fresh)
        yield "sessions", sessions
        for count in _counts(megabytes):
            yield "imports", partial(imports, count, fresh, folder)
        for count in _counts(megabytes):
            yield "relation-imports", partial(relation_imports, count, fresh, folder)

    for sheet, measure in measured():
        if sheet in sheets:
            section = measure()
            if section is not None:
                keep(section, results)


def _counts(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


if __name__ == "__main__":
    typer.run(main)
