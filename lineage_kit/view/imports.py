"""What an import gave, and what its logs held that needs a word, to look at."""

from __future__ import annotations

import polars as pl

from lineage_kit.importers.result import Imported
from lineage_kit.view.export import table_of
from lineage_kit.view.html import page_of
from lineage_kit.view.summary import Summary
from lineage_kit.view.terminal import drawn
from lineage_kit.view.text import visible

NOTHING = "Everything was taken as it stood."


def by_kind(report: pl.DataFrame) -> pl.DataFrame:
    """A report with one row a kind. Columns: kind, count, files, first (its first place), meaning. Sorted by kind."""
    place = pl.when(pl.col("line").is_null()).then("file").otherwise(pl.format("{}:{}", "file", "line"))
    kinds = report.group_by("kind", maintain_order=True).agg(
        pl.col("count").sum(),
        files=pl.len().cast(pl.Int64),
        first=place.first(),
        meaning=pl.col("meaning").first(),
    )
    return kinds.sort("kind")


def import_bundle(imported: Imported) -> dict[str, str]:
    """Plain text and quiet HTML of an import: how much there is, and its report by kind.

    Example:
        >>> import lineage_kit
        >>> read = lineage_kit.read_codex(lineage_kit.data_folder() / "transcripts" / "codex")
        >>> print(import_bundle(read)["text/plain"])
        Imported(1 session, 6 events, 0 relations; 0 findings of 0 kinds)
        Everything was taken as it stood.
    """
    kinds = by_kind(imported.report)
    told = Summary(repr(imported))
    if not kinds.height:
        told.facts.append(NOTHING)
        return {"text/plain": f"{told.title}\n{NOTHING}", "text/html": page_of(told)}
    told.columns = tuple(kinds.columns)
    told.rows = [tuple(visible(str(value), 200) for value in row) for row in kinds.iter_rows()]
    text = f"{told.title}\n{drawn(table_of(kinds, None))}"
    return {"text/plain": text, "text/html": page_of(told)}
