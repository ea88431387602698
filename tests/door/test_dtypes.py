"""One decision says what becomes of a column by its dtype."""

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from lineage_kit.door.dtypes import importable, in_sql, plain
from lineage_kit.schema import RELATIONS

TIME, NUMBER = RELATIONS.only("created_at", "confidence").columns


@pytest.mark.parametrize(
    "dtype",
    [pl.Int64(), pl.Decimal(10, 2), pl.Time(), pl.Datetime("ns", "Asia/Tokyo"), pl.List(pl.Struct({"a": pl.Binary()}))],
)
def test_most_dtypes_are_held_as_they_are(dtype):
    assert plain(dtype) == dtype


@pytest.mark.parametrize(
    ("dtype", "into"),
    [
        (pl.Categorical(), pl.String()),
        (pl.Enum(["a"]), pl.String()),
        (pl.Float16(), pl.Float32()),
        (pl.Array(pl.Categorical(), 2), pl.Array(pl.String(), 2)),
        (pl.Struct({"a": pl.List(pl.Float16())}), pl.Struct({"a": pl.List(pl.Float32())})),
    ],
)
def test_some_become_what_they_stand_for(dtype, into):
    assert plain(dtype) == into


@pytest.mark.parametrize(
    "dtype",
    [pl.Duration("ns"), pl.Int128(), pl.UInt128(), pl.Object(), pl.Struct({}), pl.Array(pl.Int64(), 0)],
)
def test_what_some_engine_lacks_is_left_out_wherever_it_stands(dtype):
    assert plain(dtype) is None
    assert plain(pl.List(dtype)) is None or isinstance(dtype, pl.Object)
    assert plain(pl.Struct({"a": dtype})) is None or isinstance(dtype, pl.Object)


@pytest.mark.parametrize(
    ("dtype", "into"),
    [
        (pa.timestamp("ns", "+05:30"), pa.timestamp("ns", "UTC")),
        (pa.timestamp("ns", "Asia/Tokyo"), pa.timestamp("ns", "Asia/Tokyo")),
        (pa.decimal256(60, 2), pa.decimal128(38, 2)),
        (pa.decimal128(5, -2), pa.decimal128(38, 0)),
        (pa.list_view(pa.int8()), pa.large_list(pa.int8())),
        (pa.month_day_nano_interval(), None),
        (pa.dense_union([pa.field("a", pa.int8())]), None),
        (pa.list_(pa.run_end_encoded(pa.int32(), pa.string())), None),
        (pa.struct([("a", pa.map_(pa.string(), pa.month_day_nano_interval()))]), None),
    ],
)
def test_arrow_is_handed_on_in_what_polars_has(dtype, into):
    assert importable(dtype) == into


@pytest.mark.parametrize("value", ["interval 1 day", "[interval 1 day]", "{'a': union_value(a := 1)}", "1::uhugeint"])
def test_duckdb_types_that_arrow_lacks_are_left_out(value):
    (dtype,) = duckdb.sql(f"select {value} as c").types
    assert in_sql("c", dtype, None) is None


def test_a_wide_integer_is_a_number_where_a_number_belongs():
    (dtype,) = duckdb.sql("select 1::uhugeint as c").types
    assert in_sql("c", dtype, NUMBER) == '"c"::double'
    assert in_sql("c", dtype, TIME) is None
