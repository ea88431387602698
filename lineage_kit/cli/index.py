"""Building an index of relations, and saying what is in one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from lineage_kit.cli.option_groups import TableOptions, with_groups
from lineage_kit.cli.options import Items
from lineage_kit.door.table_sources import TableSources
from lineage_kit.engines.index.build import build_index
from lineage_kit.engines.index.manifest import Manifest, check_index
from lineage_kit.engines.index.staleness import stale_reason
from lineage_kit.view.tables import table_of
from lineage_kit.view.terminal import drawn

index = typer.Typer(help="Build an index of relations, for traces in milliseconds at any size.", rich_markup_mode=None)


@index.command("build")
@with_groups()
def build(
    *,
    data: Annotated[list[str], typer.Argument(metavar="FILE...", help="Relations: Parquet files, globs, or folders.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to build: a new folder, or an index.")],
    items: Items = None,
    table: TableOptions,
    memory_limit: Annotated[
        str | None, typer.Option("--memory-limit", metavar="SIZE", help="Memory that the build may take, e.g. 4GB.")
    ] = None,
    temp: Annotated[
        Path | None,
        typer.Option("--temp", metavar="FOLDER", help="For what does not fit into memory; else beside the index."),
    ] = None,
) -> None:
    """Build an index; the other commands take its folder as --data.

    Example: lineage-kit index build data/rfc_relations.parquet --out rfc_index
    """
    sources = TableSources(list(data), None if items is None else [items], table.spec())
    build_index(sources, out, memory_limit=memory_limit, temp_folder=temp)
    _tell(out, check_index(out, every_byte=False))


@index.command("info")
def info(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of an index.")],
    verify: Annotated[bool, typer.Option("--verify", help="Read every byte and compare it with the manifest.")] = False,
) -> None:
    """Say what is in an index, what it was built from, and whether that has changed since.

    Example: lineage-kit index info rfc_index --verify
    """
    manifest = check_index(folder, every_byte=verify)
    _tell(folder, manifest, "Every byte is as it was built." if verify else None)


def _largest(manifest: Manifest, at_most: int = 20) -> list[tuple[str, int]]:
    """The kinds with the most edges."""
    return sorted(zip(manifest.kinds, manifest.kind_counts, strict=True), key=lambda two: -two[1])[:at_most]


def _tell(folder: Path, manifest: Manifest, verified: str | None = None) -> None:
    size = sum(stored.size for stored in manifest.files.values())
    stale = stale_reason(manifest)
    facts = {
        "built by": f"lineage_kit {manifest.package}",
        "size": f"{size / 1e6:,.1f} MB in {len(manifest.files)} files",
        "nodes": f"{manifest.nodes:,} of {len(manifest.types):,} types",
        "edges": f"{manifest.edges:,}" + (f", {manifest.rejected:,} rows set aside" if manifest.rejected else ""),
        **{f"  {kind!r}": f"{count:,}" for kind, count in _largest(manifest)},
    }
    for what, given in (("source", manifest.sources), ("items", manifest.items)):
        if given is not None:
            in_memory = [f"{what} in memory"] if None in given.paths else []
            files = [f"{file.path} ({file.rows:,} rows, {file.size:,} bytes)" for file in given.files]
            facts |= {f"{what} {number + 1}": said for number, said in enumerate(files + in_memory)}
    facts["state"] = f"STALE: {stale}" if stale else "up to date with its sources"
    console = Console(highlight=False)
    text = drawn(f"Index {folder}", console, style="bold") + "\n"
    text += drawn(table_of(pl.DataFrame({"": list(facts), "is": list(facts.values())}), None), console) + "\n"
    print(text + (verified or ""), end="" if verified is None else "\n")
