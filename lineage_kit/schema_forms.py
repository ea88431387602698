"""A column and a table described once, with the forms that Polars, Narwhals and SQL want of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import narwhals as nw
import polars as pl

Holds = Literal["text", "number", "integer", "flag", "time", "texts", "integers", "surface_op"]
Need = Literal["non-empty", "non-null", "present", "none"]


class Dtype(NamedTuple):
    """What a column may hold, in the words of each library; `name` is how documentation calls it."""

    name: str
    polars: Any
    narwhals: Any
    sql: str


DTYPES: dict[str, Dtype] = {
    "text": Dtype("String", pl.String(), nw.String(), "varchar"),
    "number": Dtype("Float64", pl.Float64(), nw.Float64(), "double"),
    "integer": Dtype("Int64", pl.Int64(), nw.Int64(), "bigint"),
    "flag": Dtype("Boolean", pl.Boolean(), nw.Boolean(), "boolean"),
    "time": Dtype("Datetime", pl.Datetime("us", "UTC"), nw.Datetime("us", "UTC"), "timestamptz"),
    "texts": Dtype("List(String)", pl.List(pl.String()), nw.List(nw.String()), "varchar[]"),
    "integers": Dtype("List(Int64)", pl.List(pl.Int64()), nw.List(nw.Int64()), "bigint[]"),
    "surface_op": Dtype(
        "Struct",
        pl.Struct({"op": pl.String(), "start": pl.Int64(), "end": pl.Int64()}),
        nw.Struct({"op": nw.String(), "start": nw.Int64(), "end": nw.Int64()}),
        'struct(op varchar, "start" bigint, "end" bigint)',
    ),
}


class Column(NamedTuple):
    """One column; `need` says what a row of a table that comes in must hold: a non-empty text, any value, or nothing.

    `present` is a column that must be there while its values may be null.
    """

    name: str
    holds: Holds
    meaning: str = ""
    need: Need = "none"

    @property
    def dtype(self) -> Dtype:
        """What it holds, in every library's words."""
        return DTYPES[self.holds]


@dataclass(frozen=True)
class Schema:
    """The columns of a table or frame, in order; `sort` says how the rows of a frame that goes out are sorted.

    `own` says that columns of the user's own, or of the source, follow these.

    Example:
        >>> nodes = Schema("nodes", (Column("type", "text"), Column("depth", "integer")), "type")
        >>> nodes.empty().dtypes
        [String, Int64]
        >>> nodes.sql_rows
        'struct("type" varchar, "depth" bigint)[]'
    """

    name: str
    columns: tuple[Column, ...]
    sort: str = ""
    own: bool = False

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __contains__(self, name: str) -> bool:
        return name in self.polars

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def polars(self) -> dict[str, Any]:
        """Names and Polars dtypes."""
        return {column.name: column.dtype.polars for column in self.columns}

    @cached_property
    def row(self) -> Any:
        """One row as a Polars struct."""
        return pl.Struct(self.polars)

    @cached_property
    def sql_rows(self) -> str:
        """The SQL type of a list of rows."""
        fields = ", ".join(f'"{column.name}" {column.dtype.sql}' for column in self.columns)
        return f"struct({fields})[]"

    def empty(self) -> pl.DataFrame:
        """No rows, every column with its dtype."""
        return pl.DataFrame(schema=self.polars)

    def frame(self, rows: Any) -> pl.DataFrame:
        """Rows, each a tuple in the order of the columns, as a frame."""
        return pl.DataFrame(rows, schema=self.polars, orient="row")

    def called(self, name: str, sort: str | None = None, *, own: bool | None = None) -> Schema:
        """The same columns under another name, sorted otherwise."""
        return replace(self, name=name, sort=self.sort if sort is None else sort, own=self.own if own is None else own)

    def after(self, *columns: Column) -> Schema:
        """With these columns in front."""
        return replace(self, columns=(*columns, *self.columns))

    def then(self, *columns: Column) -> Schema:
        """With these columns at the end."""
        return replace(self, columns=(*self.columns, *columns))

    def without(self, *names: str) -> Schema:
        """Without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def only(self, *names: str) -> Schema:
        """These columns alone, in this order."""
        by_name = {column.name: column for column in self.columns}
        return replace(self, columns=tuple(by_name[name] for name in names))
