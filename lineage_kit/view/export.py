"""Values and frames as JSON, CSV and Parquet, for scripts."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.view.text import moment


def json_text(value: Any) -> str:
    """A value as indented JSON; times are ISO 8601 texts in UTC.

    Example:
        >>> print(json_text({"truncated_by": ("max_depth",)}))
        {
          "truncated_by": [
            "max_depth"
          ]
        }
    """
    return json.dumps(plain_values(value), indent=2, ensure_ascii=False, allow_nan=False)


def plain_values(value: Any) -> Any:
    """Values that JSON has; an infinity, which it has not, is a text."""
    if isinstance(value, dict):
        return {str(key): plain_values(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(inner) for inner in value]
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
        pl.Series(name, [None if value is None else json.dumps(plain_values(value)) for value in frame[name].to_list()])
        for name in nested
    )
    return flat.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ")


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A frame as a Parquet file."""
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def frame_called(frames: Mapping[str, pl.DataFrame], name: str | None) -> pl.DataFrame:
    """The frame of this name, the first one without a name.

    Raises:
        InvalidRequest: a name that no frame has.

    Example:
        >>> frame_called({"nodes": pl.DataFrame({"id": ["d1"]})}, None)["id"].to_list()
        ['d1']
    """
    chosen = next(iter(frames)) if name is None else name
    if chosen not in frames:
        raise InvalidRequest(f"there is no frame {chosen!r}; there are {', '.join(frames)}")
    return frames[chosen]
