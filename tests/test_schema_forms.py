"""A schema's forms agree: what Polars, Narwhals and SQL are told of a column is the same thing."""

import duckdb
import narwhals as nw
import polars as pl

from lineage_kit import schema
from lineage_kit.schema_forms import DTYPES, Column, Schema

EVERY = Schema("every dtype", tuple(Column(f"c_{holds}", holds) for holds in DTYPES), "c_text")


def test_narwhals_and_polars_mean_the_same_dtypes():
    seen = nw.from_native(EVERY.empty()).schema
    assert [seen[column.name] for column in EVERY] == [column.dtype.narwhals for column in EVERY]


def test_sql_gives_back_the_dtypes_of_polars():
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    rows = connection.sql(f"select one.* from (select unnest(cast([] as {EVERY.sql_rows})) as one)")
    assert dict(rows.pl().schema) == EVERY.polars


def test_columns_are_put_in_front_at_the_end_left_out_and_chosen():
    more = schema.NODE.after(Column("a", "integer")).then(Column("z", "flag"))
    assert more.names == ("a", "type", "id", "z")
    assert more.without("type", "z").names == ("a", "id")
    assert more.only("id", "a").names == ("id", "a")
    assert schema.NODE.names == ("type", "id")
    assert "type" in schema.NODE
    assert "label" not in schema.NODE


def test_rows_become_a_frame_with_these_dtypes():
    assert schema.NODE.frame([("a", "b")]).rows() == [("a", "b")]
    assert schema.NODE.frame([]).schema == pl.Schema(schema.NODE.polars)


def test_every_schema_has_columns_of_different_names_that_say_what_they_mean():
    every = [value for value in vars(schema).values() if isinstance(value, Schema)]
    assert len(every) > 30
    for one in every:
        assert len(set(one.names)) == len(one.names), one.name
        assert all(column.meaning for column in one), one.name
