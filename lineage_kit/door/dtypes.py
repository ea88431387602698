"""What becomes of a column by its dtype: one rule for Polars, Arrow and DuckDB.

Every engine reads every column, so a column is held in a dtype that all of them have. Most are held as they are, and:

==============================================  =============================================
categories, enums, dictionaries                 as the text (or value) that they stand for
half floats                                     as 32-bit floats
run-end encoded columns, list views             decoded, as lists
zones told as an offset                         as UTC, the same instants
UUIDs, JSON, bit strings                        as text
8-bit booleans, tensors                         as what they are stored in
decimals of 256 bits or of negative scale       as decimals of 38 digits, where all values fit
durations, intervals, unions, 128-bit integers  left out, as are all others
==============================================  =============================================

A canonical column of a dtype that is left out is an error, but for the wide integers where a number belongs.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pyarrow as pa

from lineage_kit.duckdb_connection import quoted
from lineage_kit.schema import EVENTS, ITEMS, RELATIONS, SESSIONS
from lineage_kit.schema_forms import Column

AS_THEY_ARE = (
    *(pl.Boolean, pl.String, pl.Binary, pl.Null, pl.Date, pl.Time, pl.Datetime, pl.Decimal, pl.Float32, pl.Float64),
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64),
)
STORED_AS_TEXT = frozenset({"arrow.json", "arrow.uuid"})
STORED = frozenset({"arrow.bool8", "arrow.fixed_shape_tensor"}) | STORED_AS_TEXT
"""Extensions that say no more than how to show what they are stored in."""
OFFSET = re.compile(r"[+-]\d")
CANONICAL = {schema.name: {column.name: column for column in schema} for schema in (RELATIONS, ITEMS, SESSIONS, EVENTS)}
"""The columns that are ours, by table."""
FIX = "cast it to a dtype that every engine has, such as text, a number or a list"


def left_out_word(name: str, dtype: str) -> str:
    """What is said of a column of the user's own that is left out."""
    return f"column {name!r} is {dtype}, which cannot be carried, and is left out. Hint: {FIX}, to keep it"


# ---- Polars: what frames in memory are in


def plain(dtype: Any) -> Any | None:
    """The Polars dtype that a column is held in; None when it is left out.

    Example:
        >>> plain(pl.List(pl.Categorical())), plain(pl.Duration("us"))
        (List(String), None)
    """
    if isinstance(dtype, AS_THEY_ARE):
        return dtype
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        return pl.String()
    if isinstance(dtype, pl.Float16):
        return pl.Float32()
    if isinstance(dtype, pl.List):
        return None if (inner := plain(dtype.inner)) is None else pl.List(inner)
    if isinstance(dtype, pl.Array):
        width = dtype.size
        return None if (inner := plain(dtype.inner)) is None or not width else pl.Array(inner, width)
    if isinstance(dtype, pl.Struct):
        fields: dict[str, Any] = {field.name: plain(field.dtype) for field in dtype.fields}
        return None if not fields or "" in fields or None in fields.values() else pl.Struct(fields)
    if isinstance(dtype, pl.Map):
        key, value = plain(dtype.key), plain(dtype.value)
        return None if key is None or value is None else pl.Map(key, value)
    if dtype.is_extension() and dtype.ext_name() in STORED:
        return plain(dtype.ext_storage())
    return None


def held(name: str, dtype: Any, ours: Column | None) -> pl.Expr | None:
    """A column of a Polars frame in the dtype it is held in; None when it is left out."""
    column = pl.col(name)
    if ours is not None and ours.holds == "time" and isinstance(dtype, pl.Datetime) and dtype.time_zone:
        return in_microseconds(column, dtype.time_unit)
    if ours is not None and ours.holds == "number" and isinstance(dtype, (pl.Int128, pl.UInt128)):
        return column.cast(pl.Float64)
    into = plain(dtype)
    if into is None:
        return None
    if isinstance(into, pl.Null):
        return column.cast(pl.String)
    if dtype.is_extension():
        column = column.ext.storage()
        return uuid_text(column) if dtype.ext_name() == "arrow.uuid" else column
    return column if into == dtype else column.cast(into)


def in_microseconds(column: pl.Expr, unit: str) -> pl.Expr:
    """A time with a zone in microseconds and UTC; what lies too far off for them is as far off as they go."""
    if unit == "ms":  # a cast would panic
        most = (2**63 - 1) // 1000
        column = column.to_physical().clip(-most, most) * 1000
    return column.cast(pl.Datetime("us", "UTC"))


def uuid_text(column: pl.Expr) -> pl.Expr:
    """Sixteen bytes in the form that people know."""
    digits = column.bin.encode("hex")
    ends = ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))
    return pl.concat_str([digits.str.slice(start, length) for start, length in ends], separator="-")


# ---- Arrow: what Polars can be handed


def importable(dtype: pa.DataType) -> pa.DataType | None:
    """The Arrow type in which Polars takes a column; None when it cannot.

    Example:
        >>> importable(pa.list_view(pa.timestamp("us", "+05:30")))
        LargeListType(large_list<item: timestamp[us, tz=UTC]>)
    """
    kind = pa.types
    if kind.is_timestamp(dtype):
        return pa.timestamp(dtype.unit, "UTC") if dtype.tz and OFFSET.match(dtype.tz) else dtype
    if kind.is_decimal(dtype):
        if not kind.is_decimal256(dtype) and dtype.scale >= 0:
            return dtype
        return pa.decimal128(38, max(dtype.scale, 0)) if dtype.scale <= 38 else None
    if kind.is_dictionary(dtype):
        return dtype if importable(dtype.value_type) == dtype.value_type else None
    if kind.is_struct(dtype):
        inner = [(field.name, importable(field.type)) for field in dtype]
        return None if any(into is None for _, into in inner) else pa.struct(inner)
    if kind.is_map(dtype):
        key, value = importable(dtype.key_type), importable(dtype.item_type)
        return None if key is None or value is None else pa.map_(key, value)
    if hasattr(dtype, "value_type") and not kind.is_run_end_encoded(dtype):
        inner_type = importable(dtype.value_type)
        if inner_type is None:
            return None
        if kind.is_fixed_size_list(dtype):
            return pa.list_(inner_type, dtype.list_size)
        return pa.list_(inner_type) if kind.is_list(dtype) else pa.large_list(inner_type)
    simple = kind.is_primitive(dtype) or kind.is_null(dtype) or kind.is_boolean(dtype)
    text = kind.is_string(dtype) or kind.is_large_string(dtype) or kind.is_string_view(dtype)
    octets = kind.is_binary(dtype) or kind.is_large_binary(dtype) or kind.is_binary_view(dtype)
    told = text or octets or kind.is_fixed_size_binary(dtype) or (simple and not kind.is_interval(dtype))
    return dtype if told else None


# ---- DuckDB: what Parquet files and relations are in

UNCARRIED = frozenset(
    {"interval", "union", "uhugeint", "bignum", "variant", "geometry", "time with time zone", "aggregate_state"}
)
ALIKE = {"time": "time_ns", "timestamp_s": "timestamp", "timestamp_ms": "timestamp"}
"""Types that Parquet files and frames have for one thing, so that their union is none of two kinds."""
IN_US = "make_timestamptz((epoch_ns({0}) - ((epoch_ns({0}) % 1000) + 1000) % 1000) // 1000)"
"""A cast would round towards 1970; Polars, and so we, round down."""


def misread(dtype: pa.DataType) -> bool:
    """Whether DuckDB reads such a column of a Parquet file as something else than it says, at any depth.

    Durations come as integers, decimals of 256 bits as floats, and a field of a struct without a name gets one.

    Example:
        >>> misread(pa.list_(pa.duration("s"))), misread(pa.struct([("a", pa.int64())]))
        (True, False)
    """
    kind = pa.types
    if kind.is_duration(dtype) or kind.is_decimal256(dtype):
        return True
    inner = [dtype.field(place) for place in range(dtype.num_fields)]
    return any(misread(field.type) or (kind.is_struct(dtype) and not field.name) for field in inner)


def in_sql(name: str, dtype: Any, ours: Column | None) -> str | None:
    """A column of a DuckDB relation in the type it is held in, as SQL; None when it is left out."""
    column, kind = quoted(name), dtype.id
    if ours is not None and ours.holds == "number" and kind in ("uhugeint", "hugeint"):
        return f"{column}::double"
    if kind == "timestamptz_ns" and ours is not None and ours.holds == "time":
        return IN_US.format(column)
    if kind in ("uuid", "bit", "null") or str(dtype) == "JSON":
        return f"{column}::varchar"
    if kind in ALIKE:
        return f"{column}::{ALIKE[kind]}"
    return column if sql_carries(dtype) else None


def sql_carries(dtype: Any) -> bool:
    """Whether Arrow, and Polars, have a dtype for all that is in a column of this DuckDB type."""
    if dtype.id in UNCARRIED:
        return False
    if dtype.id in ("list", "array", "struct", "tuple", "map"):
        return all(sql_carries(inner) for _, inner in dtype.children if not isinstance(inner, int))
    return True
