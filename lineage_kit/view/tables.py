"""Tables to read: in the terminal by Rich, and as small static HTML, fit for GitHub and for nbval."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text

from lineage_kit.view.export import plain_values
from lineage_kit.view.summary import Summary
from lineage_kit.view.templates import rendered
from lineage_kit.view.text import moment, visible
from lineage_kit.wording import counted


def html_of(summary: Summary) -> str:
    """A summary as one HTML fragment: everything escaped, no script, no ids, no outside address.

    Example:
        >>> html_of(Summary("Lineage of <b>"))
        '<div><p><strong>Lineage of &lt;b&gt;</strong></p></div>'
    """
    return rendered("summary.html", told=summary)


def table_of(frame: pl.DataFrame, limit: int | None) -> Table:
    """A frame as a table to read; at most `limit` rows, and a caption that says how many there are."""
    shown = frame if limit is None else frame.head(limit)
    caption = f"{shown.height:,} of {counted(frame.height, 'row')} shown" if shown.height < frame.height else None
    table = Table(box=box.SIMPLE_HEAD, caption=caption, caption_justify="left", pad_edge=False)
    for name, dtype in frame.schema.items():
        table.add_column(Text(visible(name)), justify="right" if dtype.is_numeric() else "left", no_wrap=True)
    for row in shown.iter_rows():
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, (list, dict)):
        plain = plain_values(value)
        return visible(", ".join(map(str, plain)) if isinstance(plain, list) else json.dumps(plain), 200)
    return visible(value, 80) if isinstance(value, str) else str(value)
