"""Answers as JSON, CSV, Parquet and plain tables: for scripts, and for reading."""

from __future__ import annotations

import dataclasses
import json
import math
from datetime import datetime
from typing import Any

import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text

from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.text import moment, visible
from lineage_kit.wording import counted


def json_of(result: LineageTrace | Reachability | SessionEventTrace | SessionLineageTrace | pl.DataFrame) -> str:
    """A result as JSON, keys as in its attributes and frames; times are ISO 8601 texts in UTC.

    A frame is an array of its rows. A lineage is an object: anchor (type, id), anchor_known, anchor_superseded,
    max_depth, supersede_limit, as_of, truncated, truncated_by, and the rows of nodes, edges and frontier. Rings are
    an object: anchor, anchor_known, relation_kind, direction, max_depth, truncated, nodes. An event trace is an object
    with its attributes (session, target, replaced_by, replacement_chain, …). A session lineage is an object: target,
    complete, root, unresolved_parent_id (ids), and sessions, the rows of its frame.

    Example:
        >>> print(json_of(pl.DataFrame({"type": ["decision"], "confidence": [0.5]})))
        [
          {
            "type": "decision",
            "confidence": 0.5
          }
        ]
    """
    told: Any
    if isinstance(result, pl.DataFrame):
        told = _rows(result)
    elif isinstance(result, LineageTrace):
        told = {**result.scalars(), "anchor": result.anchor._asdict(), "supersede_limit": result.supersede_limit}
        told |= {name: _rows(getattr(result, name)) for name in ("nodes", "edges", "frontier")}
    elif isinstance(result, SessionEventTrace):
        told = dataclasses.asdict(result) | {"target": result.target._asdict()}
    elif isinstance(result, SessionLineageTrace):
        told = {
            "target": result.target.session_id,
            "complete": result.complete,
            "root": None if result.root is None else result.root.session_id,
            "unresolved_parent_id": result.unresolved_parent_id,
            "sessions": _rows(result.frame),
        }
    else:
        names = ("anchor_known", "relation_kind", "direction", "max_depth", "truncated")
        told = {"anchor": result.anchor._asdict(), **{name: getattr(result, name) for name in names}}
        told["nodes"] = _rows(result.nodes)
    return json.dumps(_plain(told), indent=2, ensure_ascii=False, allow_nan=False)


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dicts()


def _plain(value: Any) -> Any:
    """Values that JSON has; an infinity, which it has not, is a text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def csv_of(frame: pl.DataFrame) -> str:
    """A frame as CSV; nested values are JSON texts, times ISO 8601 in UTC.

    Example:
        >>> print(csv_of(pl.DataFrame({"id": ["a,b"], "truncated_by": [["max_depth"]]})), end="")
        id,truncated_by
        "a,b","[""max_depth""]"
    """
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    flat = frame.with_columns(
        pl.Series(name, [None if value is None else json.dumps(_plain(value)) for value in frame[name].to_list()])
        for name in nested
    )
    return flat.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ")


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
        plain = _plain(value)
        return visible(", ".join(map(str, plain)) if isinstance(plain, list) else json.dumps(plain), 200)
    return visible(value, 80) if isinstance(value, str) else str(value)
