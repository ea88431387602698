"""`make bench`, or `python -m benchmarks --edges 10_000_000`: ratios against peers in the same run."""

import platform
import tempfile
from pathlib import Path
from typing import Annotated

import duckdb
import polars as pl
import typer

from benchmarks.measure import console
from benchmarks.relations import large, small
from benchmarks.sessions import corpus, one_log
from lineage_kit import __version__

KEPT = Path(tempfile.gettempdir()) / "lineage_kit"


def main(
    edges: Annotated[int, typer.Option(help="Edges of the large graph.")] = 10_000_000,
    events: Annotated[int, typer.Option(help="Events of the large log.")] = 1_000_000,
    runs: Annotated[int, typer.Option(help="Rounds to take the median of.")] = 5,
    nodes: Annotated[int, typer.Option(help="The size of answer to choose the anchor by.")] = 20_000,
    only: Annotated[str, typer.Option(help="relations, sessions, or both.")] = "both",
    folder: Annotated[Path, typer.Option(help="Where graphs and logs are kept.")] = KEPT,
) -> None:
    """Measure the walk against DuckDB's recursive query, and the fold against plain Python."""
    console.print(
        f"lineage_kit {__version__}, Python {platform.python_version()}, Polars {pl.__version__}, "
        f"DuckDB {duckdb.__version__}; medians of {runs} rounds"
    )
    if only in ("both", "relations"):
        large(edges, runs, nodes, folder)
        small(runs)
    if only in ("both", "sessions"):
        one_log(events, runs, folder)
        corpus(events, runs, folder)


if __name__ == "__main__":
    typer.run(main)
