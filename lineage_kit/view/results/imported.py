"""What an import gave, and what its logs held that needs a word."""

from __future__ import annotations

import polars as pl
from rich.table import Table

from lineage_kit.importers.relation_pipeline.result import ImportedRelations
from lineage_kit.importers.result import Imported
from lineage_kit.schema import REPORT_BY_KIND
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called
from lineage_kit.view.summary import Summary
from lineage_kit.view.tables import table_of
from lineage_kit.view.text import visible

NOTHING = "Everything was taken as it stood."


def by_kind(report: pl.DataFrame) -> pl.DataFrame:
    """A report with one row a kind.

    Columns: kind (String), count, files (Int64: in how many files), first (String: its first place), meaning
    (String). Sorted by kind.
    """
    place = pl.when(pl.col("line").is_null()).then("file").otherwise(pl.format("{}:{}", "file", "line"))
    kinds = report.group_by("kind", maintain_order=True).agg(
        pl.col("count").sum(),
        files=pl.len().cast(pl.Int64),
        first=place.first(),
        meaning=pl.col("meaning").first(),
    )
    return kinds.select(REPORT_BY_KIND.names).sort("kind")


@generic.summary.register(Imported)
@generic.summary.register(ImportedRelations)
def summary(imported: Imported | ImportedRelations) -> Summary:
    """How much there is, and the report by kind.

    Example:
        >>> read = lineage_kit.read_codex(lineage_kit.data_folder() / "transcripts" / "codex")
        >>> told = summary(read)
        >>> told.title, told.facts
        ('Imported(1 session, 6 events, 0 relations; 0 findings of 0 kinds)', ['Everything was taken as it stood.'])
    """
    kinds = by_kind(imported.report)
    told = Summary(repr(imported))
    if not kinds.height:
        told.facts.append(NOTHING)
        told.sentences_only = True
        return told
    told.columns = tuple(kinds.columns)
    told.rows = [tuple(visible(str(value), 200) for value in row) for row in kinds.iter_rows()]
    return told


@generic.tree.register(Imported)
@generic.tree.register(ImportedRelations)
def tree(imported: Imported | ImportedRelations, limit: int | None = None) -> Table:
    """The report by kind, as a table."""
    return table_of(by_kind(imported.report), limit)


@generic.csv_frame.register(Imported)
@generic.csv_frame.register(ImportedRelations)
def csv_frame(imported: Imported | ImportedRelations, frame_name: str | None = None) -> pl.DataFrame:
    """The report."""
    return frame_called({"report": imported.report}, frame_name)
