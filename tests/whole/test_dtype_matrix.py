"""Every dtype in every kind of column from every kind of source: right, carried, left out with a word, or refused."""

import datetime as dt
import decimal
import uuid
import warnings

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lineage_kit import InvalidRequest, RelationStore, SchemaError, connect
from support.small import edge, two_steps
from support.sources import frame

NOW = dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
ID = uuid.UUID(int=7)


def arrow_columns():
    """A value and a null of every Arrow type, and what the value is."""
    columns = {}

    def add(value, dtype, told=None):
        columns[str(dtype)] = (pa.array([value, None], dtype), value if told is None else told)

    add(None, pa.null())
    add(True, pa.bool_())
    for bits in (8, 16, 32, 64):
        add(1, getattr(pa, f"int{bits}")())
        add(1, getattr(pa, f"uint{bits}")())
    for dtype in (pa.float16(), pa.float32(), pa.float64()):
        add(0.5, dtype)
    for dtype in (pa.decimal32(5, 2), pa.decimal64(10, 2), pa.decimal128(38, 2), pa.decimal256(60, 2)):
        add(decimal.Decimal("0.25"), dtype)
    add(decimal.Decimal(100), pa.decimal128(5, -2))
    for dtype in (pa.string(), pa.large_string(), pa.string_view()):
        add("d1", dtype)
    for dtype in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)):
        add(b"d1", dtype)
    add(NOW.date(), pa.date32())
    add(NOW.date(), pa.date64(), NOW.replace(tzinfo=None, hour=0, minute=0, second=0))
    for dtype in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        add(NOW.time(), dtype)
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin", "+05:30", "-08:00", "Etc/GMT+5"):
            add(NOW, pa.timestamp(unit, zone), NOW if zone else NOW.replace(tzinfo=None))
        add(dt.timedelta(seconds=3), pa.duration(unit))
    add(pa.MonthDayNano([1, 2, 3]), pa.month_day_nano_interval())
    for dtype in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view):
        add([1, 2], dtype(pa.int64()))
    add([1, 2], pa.list_(pa.int64(), 2))
    add({"a": 1}, pa.struct([("a", pa.int64())]))
    add({}, pa.struct([]))
    add([("a", 1)], pa.map_(pa.string(), pa.int64()), {"a": 1})
    for value in ("d1", 5, NOW):
        encoded = pa.array([value, None]).dictionary_encode()
        columns[str(encoded.type)] = (encoded, value)
        run = pc.run_end_encode(pa.array([value, None]))
        columns[str(run.type)] = (run, value)
    kinds, places = pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32())
    columns["union"] = (pa.UnionArray.from_dense(kinds, places, [pa.array([1, 2])]), 1)
    for name, dtype, value, told in [
        ("uuid", pa.uuid(), ID.bytes, str(ID)),
        ("json", pa.json_(), "{}", "{}"),
        ("bool8", pa.bool8(), 1, True),
        ("opaque", pa.opaque(pa.string(), "x", "y"), "a", "a"),
    ]:
        stored = pa.array([value, None], dtype.storage_type)
        columns[name] = (pa.ExtensionArray.from_storage(dtype, stored), told)
    for inner in ("union", "halffloat", "month_day_nano_interval", "decimal256(60, 2)", "duration[s]", "timestamp[ns]"):
        values, told = columns[inner]
        columns[f"list of {inner}"] = (pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), values), [told])
        columns[f"struct of {inner}"] = (pa.StructArray.from_arrays([values], ["x"]), {"x": told})
        columns[f"array of {inner}"] = (pa.FixedSizeListArray.from_arrays(values, 1), [told])
    return columns


ARROW = arrow_columns()
POLARS = {
    "Int128": (pl.Series([1, None], dtype=pl.Int128), 1),
    "UInt128": (pl.Series([1, None], dtype=pl.UInt128), 1),
    "Categorical": (pl.Series(["d1", None], dtype=pl.Categorical), "d1"),
    "Enum": (pl.Series(["d1", None], dtype=pl.Enum(["d1"])), "d1"),
    "Object": (pl.Series([object(), None], dtype=pl.Object), None),
    "List(Int128)": (pl.Series([[1], None], dtype=pl.List(pl.Int128)), [1]),
    "Array(0)": (pl.Series([[], None], dtype=pl.Array(pl.Int64, 0)), []),
    "List(Categorical)": (pl.Series([["a"], None], dtype=pl.List(pl.Categorical)), ["a"]),
    "Array(Categorical)": (pl.Series([["a"], None], dtype=pl.Array(pl.Categorical, 1)), ["a"]),
    "Struct with odd names": (pl.Series([{"*": 1, "": 2}, None]), {"*": 1, "": 2}),
    "Duration": (pl.Series([dt.timedelta(1), None]), dt.timedelta(1)),
}
DUCKDB = {
    "1::hugeint": 1, "1::uhugeint": 1, "interval 1 day": dt.timedelta(1), "union_value(a := 1)": None,
   
    "[interval 1 day]": [1],
    f"'{ID}'::uuid": str(ID), "'{}'::json": "{}", "'101'::bit": "101", "'d1'::enum('d1')": "d1", "1::bignum": None,
    "1::variant": 1, "'POINT(1 1)'::geometry": None, "'01:00:00+02'::timetz": None, "map{'a': 1}": {"a": 1},
    "[1]::int[1]": [1],
    "'2024-01-02 03:04:05.000000999+00'::timestamptz_ns": NOW, "'inf'::double": float("inf"), "null": None,
}  # fmt: skip
OWN, TEXT, TIME, NUMBER = "own", "source_id", "created_at", "confidence"


def arrow_table(column, values):
    table = two_steps().drop(column, strict=False).to_arrow()
    return table.append_column(column, values)


def parquet_of(table, folder, name):
    path = folder / f"{name}.parquet"
    pq.write_table(table, path)
    return path


def beside(folder):
    return parquet_of(frame([edge("x", "y")]).to_arrow(), folder, "beside")


def of_arrow(kind, column, values, folder):
    table = arrow_table(column, values)
    if kind == "pyarrow":
        return table
    if kind == "pandas":
        if "run_end" in str(values.type):
            raise pa.ArrowNotImplementedError("PyArrow aborts here")
        return table.to_pandas()
    if kind == "pandas of Arrow":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    if kind == "parquet":
        return parquet_of(table, folder, "arrow")
    if kind == "list":
        return [table, beside(folder)]
    made = pl.from_arrow(table)
    return made if kind == "eager" else made.lazy()


def same(found, told):
    if isinstance(told, dt.datetime) and isinstance(found, dt.datetime):
        aware = [moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC) for moment in (found, told)]
        return abs(aware[0] - aware[1]) < dt.timedelta(microseconds=1)
    if isinstance(told, dt.datetime) and isinstance(found, dt.date):
        return found == told.date()
    if isinstance(told, list) or isinstance(found, pl.Series):
        return all(same(one, other) for one, other in zip(list(found), told, strict=True))
    if isinstance(told, dict) and isinstance(found, (dict, list)):
        pairs = dict(found) if isinstance(found, dict) else {one["key"]: one["value"] for one in found}
        return pairs.keys() == told.keys() and all(same(pairs[key], told[key]) for key in told)
    return found == told


REFUSED, LEFT_OUT, CARRIED = "refused", "left out", "carried"


def outcome(source, column, told, folder, *, deeply):
    """What became of a column; anything but the four ways is an error of the test."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            store = RelationStore.open(source, strict=False)
        except (SchemaError, InvalidRequest) as error:
            assert len(str(error).splitlines()[0]) < 600  # noqa: PT017
            return REFUSED
        edges = store.edges("decision", "a")
        store.trace_lineage("decision", "d1")
        if deeply:
            connect(store).sql("from relations").pl()
            index = store.build_index(folder / "index", progress=False)
            index.trace_lineage("decision", "d1")
            assert ("left out column" in store.check()["finding"].to_list()) == bool(said)
    words = {str(warning.message) for warning in said}
    assert all(column in word and "left out" in word for word in words)
    if words:
        return LEFT_OUT
    rows = pl.concat([edges, store.rejected.drop("reason")], how="diagonal").unique("edge").sort("edge")
    values = rows[column].to_list()
    if column == TEXT:
        assert values[0] == told or told is None, (values, told)
    elif column == NUMBER:
        assert values[0] == (None if told is None else float(told)), (values, told)
    elif told is not None:
        assert any(same(value, told) for value in values if value is not None), (values, told)
    return CARRIED


POLARS_OWN = {"uuid": ID.bytes}
"""What Polars makes of a type before we see it."""
PANDAS_LOSES = {"struct of timestamp[ns]"}
"""What PyArrow itself hands to pandas as something else."""


def walk(column, columns, make, folder, kind=""):
    seen = {}
    for number, (name, (values, told)) in enumerate(columns.items()):
        if kind == "pandas" and name in PANDAS_LOSES:
            continue
        if kind in ("eager", "lazy") and column == OWN:
            told = POLARS_OWN.get(name, told)
        here = folder / str(number)
        here.mkdir()
        try:
            source = make(values, here)
        except (Exception, pl.exceptions.PanicException):
            continue  # the library itself has no such column
        seen[name] = outcome(source, column, told, here, deeply=number % 17 == 3)
    assert set(seen.values()) <= {REFUSED, LEFT_OUT, CARRIED}
    return seen


@pytest.mark.parametrize("column", [OWN, TEXT, TIME, NUMBER])
@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "pandas of Arrow", "parquet", "list", "eager", "lazy"])
def test_every_arrow_type(kind, column, tmp_path):
    seen = walk(column, ARROW, lambda values, folder: of_arrow(kind, column, values, folder), tmp_path, kind)
    assert len(seen) > 40
    assert CARRIED in seen.values()
    if column == TIME:
        for name in (name for name in seen if name.startswith("timestamp[")):
            assert seen[name] == (CARRIED if "tz=" in name else REFUSED), name
    if column == OWN and kind in ("pyarrow", "list"):
        gone = {name for name, what in seen.items() if what == LEFT_OUT}
        assert {"duration[s]", "union", "month_day_nano_interval", "list of union"} <= gone
        assert not {"string", "halffloat", "decimal256(60, 2)", "uuid", "list_view<item: int64>"} & gone


@pytest.mark.parametrize("column", [OWN, TEXT, TIME, NUMBER])
@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet", "list"])
def test_every_polars_dtype_that_arrow_lacks(kind, column, tmp_path):
    def make(values, folder):
        table = two_steps().with_columns(values.alias(column))
        if kind == "parquet":
            table.write_parquet(folder / "polars.parquet")
            return folder / "polars.parquet"
        return {"eager": table, "lazy": table.lazy(), "list": [table, beside(folder)]}[kind]

    columns = POLARS | {"String": (pl.Series(["d1", None]), "d1"), "Datetime": (pl.Series([NOW, None]), NOW)}
    seen = walk(column, columns, make, tmp_path)
    # Polars writes its wide integers to Parquet as bytes, so that no number is left.
    assert CARRIED in seen.values() or (kind, column) == ("parquet", NUMBER)


@pytest.mark.parametrize("column", [OWN, TEXT, TIME, NUMBER])
@pytest.mark.parametrize("kind", ["relation", "parquet", "list"])
def test_every_duckdb_type_that_arrow_lacks(kind, column, tmp_path):
    def make(value, folder):
        connection = duckdb.connect()
        connection.execute("set TimeZone = 'UTC'")
        connection.register("edges", two_steps().drop(column, strict=False).to_arrow())
        relation = connection.sql(f"select *, {value} as {column} from edges")
        if kind == "parquet":
            relation.write_parquet(str(folder / "duckdb.parquet"))
            return folder / "duckdb.parquet"
        return relation if kind == "relation" else [relation, beside(folder)]

    columns = {value: (value, told) for value, told in (DUCKDB | {"'d1'": "d1"}).items()}
    assert CARRIED in walk(column, columns, make, tmp_path).values()
