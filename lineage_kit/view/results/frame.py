"""A frame of its own, such as a search finds: it says nothing but its rows."""

from __future__ import annotations

import polars as pl
from rich.table import Table

from lineage_kit.view import generic
from lineage_kit.view.export import frame_called, json_text
from lineage_kit.view.summary import Summary
from lineage_kit.view.tables import table_of


@generic.summary.register(pl.DataFrame)
def summary(_: pl.DataFrame) -> Summary:
    """No words at all."""
    return Summary("")


@generic.tree.register(pl.DataFrame)
def tree(frame: pl.DataFrame, limit: int | None = None) -> Table:
    """The rows as a table."""
    return table_of(frame, limit)


@generic.to_json.register(pl.DataFrame)
def to_json(frame: pl.DataFrame) -> str:
    """An array of the rows."""
    return json_text(frame.to_dicts())


@generic.csv_frame.register(pl.DataFrame)
def csv_frame(frame: pl.DataFrame, frame_name: str | None = None) -> pl.DataFrame:
    """The frame itself."""
    return frame_called({"frame": frame}, frame_name)
