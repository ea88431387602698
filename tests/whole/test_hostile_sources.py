"""What is no table, or one that cannot be read: one line of ours each time, and never another library's exception."""

import datetime as dt
import os
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lineage_kit import InvalidRequest, LineageKitError, RelationStore, SchemaError, SessionCorpus
from support.small import edge, two_steps
from support.sources import frame


def closed_relation():
    connection = duckdb.connect()
    relation = connection.sql("select 'd' as source_type")
    connection.close()
    return relation


def failing_relation():
    return duckdb.connect().sql("select error('on purpose') as source_type")


def broken_text():
    content = [pa.py_buffer(np.array([0, 2], np.int32).tobytes()), pa.py_buffer(b"\xff\xfe")]
    return pa.table({"source_type": pa.Array.from_buffers(pa.string(), 1, [None, *content])})


def twice(names):
    return pa.table([pa.array(["x"])] * len(names), names=names)


def failing_function(_):
    raise ZeroDivisionError("on purpose")


NO_TABLES = {
    "none": lambda: None,
    "number": lambda: 5,
    "mapping": lambda: {"a": 1},
    "a polars series": lambda: pl.Series([1]),
    "a pandas series": lambda: pd.Series([1]),
    "a polars group": lambda: pl.DataFrame({"a": [1]}).group_by("a"),
    "a lazy group": lambda: pl.LazyFrame({"a": [1]}).group_by("a"),
    "a pandas group": lambda: pd.DataFrame({"a": [1]}).groupby("a"),
    "an expression": lambda: pl.col("a"),
    "a generator": lambda: (number for number in range(3)),
    "a class": lambda: pl.DataFrame,
    "another class": lambda: RelationStore,
    "an array": lambda: np.zeros(3),
    "an arrow array": lambda: pa.array([1]),
    "an arrow column": lambda: pa.chunked_array([[1]]),
    "an arrow schema": lambda: pa.schema([]),
    "a closed connection": closed_relation,
    "a failing query": failing_relation,
    "a connection": duckdb.connect,
    "a lazy frame without its column": lambda: pl.LazyFrame({"a": [1]}).select("b"),
    "a lazy frame that fails": lambda: (
        two_steps().lazy().with_columns(pl.col("source_id").str.to_integer().cast(pl.String))
    ),
    "a lazy frame with a failing function": lambda: (
        two_steps().lazy().with_columns(pl.col("source_id").map_elements(failing_function, pl.String))
    ),
    "a lazy scan of nothing": lambda: pl.scan_parquet("/nowhere/at/all.parquet"),
    "broken text": broken_text,
    "twice the same name": lambda: twice(["a", "a"]),
    "twice the same name in pandas": lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "a number and a text by one name in pandas": lambda: pd.DataFrame([[1, 2]], columns=[1, "1"]),
    "twice the same name in DuckDB": lambda: duckdb.connect().sql("select 1 as a, 2 as a"),
    "names that differ in case": lambda: twice(["a", "A"]),
    "an empty path": lambda: "",
    "an endless path": lambda: "x" * 5_000,
    "an endless path with a star": lambda: "x" * 5_000 + "*",
    "a path with NUL": lambda: "a\0b.parquet",
    "a path in bytes": lambda: b"/nowhere/at/all.parquet",
    "a path below a file": lambda: os.path.join(__file__, "x.parquet"),  # noqa: PTH118
    "half a character as a path": lambda: "\ud800.parquet",
}


@pytest.mark.parametrize("what", NO_TABLES)
def test_what_is_no_table_is_told_in_one_line(what):
    make = NO_TABLES[what]
    good = frame([edge("d1", "a")])
    for source, items in [(make(), None), ([make()], None), ([good, make()], None), (good, make())]:
        if source is good and items is None:
            continue
        with pytest.raises((SchemaError, InvalidRequest)) as caught:
            RelationStore.open(source, items=items)
        assert all(len(line) < 500 for line in str(caught.value).splitlines())


@pytest.mark.parametrize("what", [what for what in NO_TABLES if what not in ("none", "mapping")])
def test_what_is_no_table_holds_no_anchors(what):
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(LineageKitError):
        store.trace_lineage_many(NO_TABLES[what]())


@pytest.mark.parametrize("wrong", [5, "text", ["a"], {"a": 1}, {1: "a"}, {None: None}, object(), [("a", "b")]])
def test_a_mapping_must_be_one_of_texts(wrong):
    for name in ("columns", "kinds"):
        with pytest.raises((SchemaError, InvalidRequest), match=name):
            RelationStore.open(frame([edge("d1", "a")]), **{name: wrong})


@pytest.mark.parametrize("half", ["\ud800", "d\udfff"])
def test_half_a_character_is_no_part_of_a_question(half):
    store = RelationStore.open(frame([edge("d1", "a")]))
    for ask in (store.trace_lineage, store.reachability, store.edges):
        with pytest.raises(InvalidRequest, match="half"):
            ask("decision", half)
    with pytest.raises(InvalidRequest, match="half"):
        store.trace_lineage_many([("decision", half)])
    for given in ({"kinds": {"a": half}}, {"columns": {half: "a"}}, {"source_type": half}):
        with pytest.raises(InvalidRequest, match="half"):
            RelationStore.open(frame([edge("d1", "a")]), **given)


# ---- names of columns

ODD_NAMES = [
    "*",
    "^.*$",
    "^s",
    "",
    "a\0b",
    'a"b',
    "a'b",
    "x" * 3_000,
    "edge;--",
    "\u202e",
    " ",
    "{}",
    "%s",
    "\n",
    "ß",
    "SS",
]


@pytest.mark.parametrize("kind", ["eager", "lazy", "pyarrow", "relation", "parquet", "mixed"])
@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_a_column_may_have_an_odd_name_or_is_told_to_be_renamed(kind, name, tmp_path):
    table = two_steps().with_columns(pl.lit("mine").alias(name))
    path = tmp_path / "edges.parquet"
    if kind == "parquet":
        try:
            pq.write_table(table.to_arrow(), path)
        except (pa.ArrowException, ValueError, pl.exceptions.PanicException):
            return
    source = {
        "eager": lambda: table,
        "lazy": table.lazy,
        "pyarrow": table.to_arrow,
        "relation": lambda: duckdb.connect().from_arrow(table.to_arrow()),
        "parquet": lambda: path,
        "mixed": lambda: [table, frame([edge("b", "c")])],
    }[kind]
    try:
        given = source()
    except (duckdb.Error, pl.exceptions.PanicException):
        return  # Arrow or DuckDB itself has no column of that name
    try:
        store = RelationStore.open(given)
    except SchemaError as error:
        assert "name" in str(error)  # noqa: PT017
        return
    if not name:
        return  # DuckDB has given it a name
    assert store.trace_lineage("decision", "d1").edges.sort("edge")[name].to_list()[:2] == ["mine", "mine"]
    assert store.edges("decision", "a")[name].to_list()[:1] == ["mine"]


# ---- files


def test_a_file_without_columns_is_told(tmp_path):
    pq.write_table(pa.table({}), tmp_path / "none.parquet")
    with pytest.raises(SchemaError, match=r"none\.parquet.*no columns"):
        RelationStore.open(tmp_path / "none.parquet")


@pytest.mark.parametrize("column", ["source_id", "own"])
def test_text_that_is_none_is_told_with_its_file(column, tmp_path):
    content = pa.array([b"\xff\xfe", b"x"], pa.binary())
    table = two_steps(own=pl.lit("o")).to_arrow()
    text = pa.Array.from_buffers(pa.string(), 2, content.buffers())
    path = tmp_path / "broken.parquet"
    pq.write_table(table.set_column(table.column_names.index(column), column, text), path)
    with pytest.raises(SchemaError, match=r"broken\.parquet"):
        RelationStore.open(path).trace_lineage("decision", "d1")


@pytest.mark.parametrize("share", np.linspace(0, 0.999, 20).tolist())
def test_a_file_cut_anywhere_is_named(share, tmp_path):
    path = tmp_path / "cut.parquet"
    frame([edge(f"d{n}", f"a{n}") for n in range(500)]).write_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(SchemaError, match=r"cut\.parquet"):
        RelationStore.open(path)


@pytest.mark.parametrize("codec", ["zstd", "snappy", "none"])
def test_damaged_pages_are_an_error_of_ours_that_names_the_file(codec, tmp_path):
    """Or an answer: pages need carry no checksum."""
    table = frame([edge(f"d{n}", f"a{n}") for n in range(500)]).with_columns(own=pl.lit("long " * 20)).to_arrow()
    path, other = tmp_path / "damaged.parquet", tmp_path / "good.parquet"
    pq.write_table(table, path, compression=codec)
    pq.write_table(table, other)
    whole = path.read_bytes()
    random = np.random.default_rng(7)
    named = 0
    for at in random.integers(4, len(whole) - 8, 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            store = RelationStore.open([other, path])
            store.trace_lineage("decision", "d3")
            store.edges("decision", "a3")
        except LineageKitError as error:
            named += "damaged.parquet" in str(error)
    assert named > 0


def test_a_damaged_name_in_the_footer_is_an_error_of_ours_that_names_the_file(tmp_path):
    """A name of a column stands several times in the footer, and each is read at a time of its own."""
    path, other = tmp_path / "damaged.parquet", tmp_path / "good.parquet"
    for written in (path, other):
        pq.write_table(frame([edge("d1", "a1"), edge("d2", "a2")]).to_arrow(), written)
    whole = path.read_bytes()
    names = [match.start() for match in re.finditer(b"confidence", whole)]
    assert len(names) > 1
    for at in names:
        path.write_bytes(whole[:at] + b"\x8c" + whole[at + 1 :])
        with pytest.raises(SchemaError, match=r"damaged\.parquet"):
            RelationStore.open([other, path])


# ---- times and numbers that no answer could show

FAR = {
    "infinity": "'infinity'::timestamptz",
    "-infinity": "'-infinity'::timestamptz",
    "later": "'20000-01-01 00:00+00'::timestamptz",
    "earlier": "'2000-01-01 (BC) 00:00+00'::timestamptz",
}


def far_sources(column, value, folder):
    """One edge with the value and one without, as every kind of source that can hold it."""
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    rows = frame([edge("d1", "a"), edge("a", "b")]).drop(column).to_arrow()
    connection.register("rows", rows)
    query = f"select rows.*, case when source_id = 'd1' then {value} end as {column} from rows order by source_id desc"
    relation = connection.sql(query)
    path = folder / "far.parquet"
    connection.execute(f"copy ({query}) to '{path}'")
    table = relation.to_arrow_table()
    held = pl.from_arrow(table)
    return {
        "relation": relation, "parquet": path, "arrow": table, "eager": held, "lazy": held.lazy(),
        "mixed": [held, path], "large": pl.concat([held] * 2).lazy(),
    }  # fmt: skip


@pytest.mark.parametrize("column", ["created_at", "valid_at", "invalid_at", "expired_at"])
@pytest.mark.parametrize("far", FAR)
def test_a_time_outside_the_calendar_is_a_bad_row(far, column, tmp_path):
    for kind, source in far_sources(column, FAR[far], tmp_path).items():
        count = 2 if kind in ("mixed", "large") else 1
        with pytest.raises(SchemaError, match=rf"{column} is outside the years 1 to 9999 in {count} row"):
            RelationStore.open(source)
        aside(source, rf"{column} is outside the years 1 to 9999", column, count, tmp_path / kind)


@pytest.mark.parametrize("value", ["'inf'::double", "'-inf'::float"])
def test_an_infinite_confidence_is_a_bad_row(value, tmp_path):
    for kind, source in far_sources("confidence", value, tmp_path).items():
        count = 2 if kind in ("mixed", "large") else 1
        with pytest.raises(SchemaError, match=rf"confidence is infinite in {count} row"):
            RelationStore.open(source)
        aside(source, "confidence is infinite", None, count, tmp_path / kind)


def aside(source, reason, column, count, folder):
    store = RelationStore.open(source, strict=False)
    stores = [store]
    if folder.name in ("eager", "parquet") and column in (None, "created_at"):
        stores.append(store.build_index(folder, progress=False))
    for one in stores:
        assert one.rejected.height == count
        assert all(text.startswith(reason) for text in one.rejected["reason"])
        one.rejected.rows()
        if column:
            assert one.rejected[column].null_count() == count
        assert one.trace_lineage("decision", "d1").anchor_known is False
        assert one.trace_lineage("decision", "a").nodes["id"].to_list() == ["b"]
        assert "rejected" in one.check()["finding"].to_list()


def test_times_at_either_end_of_the_calendar_are_times(tmp_path):
    ends = [dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)]
    table = two_steps(created_at=pl.Series(ends, dtype=pl.Datetime("us", "UTC")))
    table.write_parquet(tmp_path / "ends.parquet")
    for source in (table, tmp_path / "ends.parquet"):
        edges = RelationStore.open(source).trace_lineage("decision", "d1").edges.sort("edge")
        assert edges["created_at"].to_list() == ends


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), -(2**63) + 1, 2**62])
@pytest.mark.parametrize("unit", ["us", "ms"])
def test_the_ends_of_64_bits_are_bad_rows_too(value, unit):
    far = pl.Series([value, 0], dtype=pl.Int64).cast(pl.Datetime(unit, "UTC"))
    store = RelationStore.open(two_steps(invalid_at=far), strict=False)
    assert store.rejected["reason"].str.contains("outside the years").to_list() == [True]
    assert store.trace_lineage("decision", "a").nodes["invalidated"].to_list() == [True]


def test_seconds_that_no_milliseconds_hold_are_bad_rows():
    far = pa.array([2**62, 0], pa.int64()).view(pa.timestamp("s", "UTC"))
    table = two_steps().to_arrow().append_column("invalid_at", far)
    assert RelationStore.open(table, strict=False).rejected["edge"].to_list() == [0]


def test_items_with_such_times_are_refused():
    items = pl.DataFrame({"type": ["t"], "id": ["a"], "created_at": pl.Series([2**63 - 1])}).cast(
        {"created_at": pl.Datetime("us", "UTC")}
    )
    with pytest.raises(SchemaError, match="created_at is outside"):
        RelationStore.open(frame([edge("d1", "a")]), items=items)


@pytest.mark.parametrize("table", ["sessions", "events"])
def test_sessions_and_events_with_such_times_are_refused(table, tmp_path):
    far = pl.Series([2**63 - 1]).cast(pl.Datetime("us", "UTC"))
    tables = {
        "sessions": pl.DataFrame({"session_id": ["s1"]}),
        "events": pl.DataFrame({"session_id": ["s1"], "seq": [0], "type": ["turn/start"]}),
    }
    tables[table] = tables[table].with_columns(far.alias("created_at" if table == "sessions" else "time"))
    for name, rows in tables.items():
        rows.write_parquet(tmp_path / f"{name}.parquet")

    def ask():
        corpus = SessionCorpus.open(tmp_path)
        corpus.sessions()
        corpus.all_events()

    with pytest.raises(LineageKitError, match="outside the years"):
        ask()
