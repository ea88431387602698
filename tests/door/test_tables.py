"""How a user's table becomes the relations table: mapping, casting, checking, setting rows aside."""

from datetime import UTC, datetime, timedelta, timezone

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lineage_kit import RelationStore, SchemaError
from support.small import edge, found, two_steps
from support.sources import REQUIRED, frame, make_source

TIME = pl.Datetime("us", "UTC")
SOURCES = ["eager", "lazy", "parquet", "pandas", "pyarrow", "duckdb_relation"]


# --- mapping ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOURCES)
def test_columns_are_renamed_and_kinds_mapped(kind, tmp_path):
    table = two_steps(relation_kind=pl.lit("BASED_ON")).rename({"source_id": "from_id", "target_id": "to id"})
    store = RelationStore.open(
        make_source(kind, table, tmp_path / "s"),
        columns={"from_id": "source_id", "to id": "target_id"},
        kinds={"BASED_ON": "depends_on"},
    )
    trace = store.trace_lineage("decision", "d1")
    assert trace.nodes["id"].to_list() == ["a", "b"]
    assert set(trace.edges["relation_kind"]) == {"depends_on"}


@pytest.mark.parametrize("kind", SOURCES)
def test_types_may_be_constants(kind, tmp_path):
    table = two_steps().drop("source_type", "target_type")
    store = RelationStore.open(make_source(kind, table, tmp_path / "s"), source_type="rfc", target_type="rfc")
    assert store.trace_lineage("rfc", "d1").nodes.select("type", "id").rows() == [("rfc", "a"), ("rfc", "b")]


def test_kinds_are_mapped_all_at_once():
    """A mapping that swaps two kinds must not map the first one back."""
    table = frame([edge("d1", "a", "depends_on"), edge("d2", "d1", "cites")])
    store = RelationStore.open(table, kinds={"depends_on": "cites", "cites": "depends_on"})
    assert found(store) == []
    assert store.trace_lineage("decision", "d2").nodes["id"].to_list() == ["d1"]


def test_columns_can_be_swapped():
    table = frame([edge("a", "d1")])
    store = RelationStore.open(table, columns={"source_id": "target_id", "target_id": "source_id"})
    assert found(store) == ["a"]


def test_a_mapping_of_a_column_that_is_not_there_is_told():
    with pytest.raises(SchemaError, match="frm_id"):
        RelationStore.open(two_steps().rename({"source_id": "from_id"}), columns={"frm_id": "source_id"})


def test_column_names_that_differ_in_case_only_are_told():
    with pytest.raises(SchemaError, match=r"(?i)note.*case"):
        RelationStore.open(two_steps(note=pl.lit("x"), Note=pl.lit("y")))
    with pytest.raises(SchemaError, match="source_id"):
        RelationStore.open(two_steps().rename({"source_id": "Source_ID"}))


# --- checking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOURCES)
def test_everything_wrong_is_told_at_once(kind, tmp_path):
    table = pl.DataFrame(
        {
            "source_type": ["decision", None, "decision", "decision"],
            "source_id": [1, 2, 3, 4],
            "target_type": ["decision", "", "", "decision"],
            "confidence": ["high", "low", None, "low"],
            "invalid_at": [datetime(2024, 1, 1)] * 4,
        }
    )
    with pytest.raises(SchemaError) as caught:
        RelationStore.open(make_source(kind, table, tmp_path / "s"))
    text = str(caught.value)
    for column in (
        "source_type",
        "source_id",
        "target_type",
        "target_id",
        "relation_kind",
        "confidence",
        "invalid_at",
    ):
        assert column in text, column
    assert "2 rows" in text  # empty target_type
    assert "replace_time_zone" in text  # the fix for naive times


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("column", REQUIRED)
def test_nulls_are_counted_and_placed(kind, column, tmp_path):
    table = two_steps().vstack(two_steps()).with_row_index()
    table = table.with_columns(pl.when(pl.col("index") != 1).then(pl.col(column))).drop("index")
    with pytest.raises(SchemaError, match=rf"{column}.*null.*1 row.*row 1"):
        RelationStore.open(make_source(kind, table, tmp_path / "s"))


def test_rows_of_files_are_placed_in_their_file(tmp_path):
    two_steps().write_parquet(tmp_path / "1.parquet")
    two_steps(target_id=pl.lit("")).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(SchemaError, match=r"target_id.*empty.*2 rows.*2\.parquet"):
        RelationStore.open(str(tmp_path / "*.parquet"))


@pytest.mark.parametrize("kind", SOURCES)
def test_without_strict_bad_rows_are_set_aside(kind, tmp_path):
    rows = [
        edge("d1", "a"),
        edge("d1", None),
        edge("a", "b"),
        edge("", "c"),
        edge("b", "c", None),
        edge("b", "d"),
    ]
    store = RelationStore.open(make_source(kind, rows, tmp_path / "s"), strict=False)
    trace = store.trace_lineage("decision", "d1")
    assert trace.nodes["id"].to_list() == ["a", "b", "d"]
    assert sorted(trace.edges["edge"]) == [0, 2, 5]  # numbers of the source as read, not of what is left
    assert store.rejected.height == 3
    reasons = store.rejected["reason"].to_list()
    for reason, column in zip(reasons, ["target_id", "source_id", "relation_kind"], strict=True):
        assert column in reason


def test_without_strict_a_missing_column_is_still_an_error():
    with pytest.raises(SchemaError, match="relation_kind"):
        RelationStore.open(two_steps().drop("relation_kind"), strict=False)


def test_nothing_is_set_aside_where_all_is_well():
    assert RelationStore.open(two_steps()).rejected.is_empty()
    assert RelationStore.open(two_steps(), strict=False).rejected.is_empty()


# --- casting ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOURCES)
def test_nan_is_read_as_null(kind, tmp_path):
    rows = [edge("d1", "a", confidence=float("nan")), edge("d1", "a", confidence=0.1)]
    store = RelationStore.open(make_source(kind, rows, tmp_path / "s"))
    trace = store.trace_lineage("decision", "d1")
    assert trace.nodes["confidence"].to_list() == [0.1]
    assert set(trace.edges["confidence"]) == {None, 0.1}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_other_units_and_zones_are_cast(kind, unit, tmp_path):
    noon = datetime(2024, 6, 1, 12, tzinfo=UTC)
    times = pl.Series([noon, None]).dt.convert_time_zone("Europe/Berlin").dt.cast_time_unit(unit)
    store = RelationStore.open(make_source(kind, two_steps(invalid_at=times), tmp_path / "s"))
    trace = store.trace_lineage("decision", "d1")
    assert trace.edges.schema["invalid_at"] == TIME
    assert set(trace.edges["invalid_at"]) == {noon, None}
    assert trace.nodes["invalidated"].to_list() == [True, False]
    before = noon.astimezone(timezone(timedelta(hours=5))) - timedelta(microseconds=1)
    assert store.trace_lineage("decision", "d1", as_of=before).nodes["invalidated"].to_list() == [
        False,
        False,
    ]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("column", ["created_at", "valid_at", "invalid_at", "expired_at"])
def test_naive_times_are_refused_with_the_fix(kind, column, tmp_path):
    table = two_steps(**{column: pl.lit(datetime(2024, 1, 1))})
    with pytest.raises(SchemaError, match=rf"{column}.*naive.*replace_time_zone"):
        RelationStore.open(make_source(kind, table, tmp_path / "s"))


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["decision", "d1", "a", "b", "depends_on"])])
@pytest.mark.parametrize("kind", SOURCES)
def test_categories_are_read_as_text(kind, dtype, tmp_path):
    table = two_steps().cast(dtype)
    trace = RelationStore.open(make_source(kind, table, tmp_path / "s")).trace_lineage("decision", "d1")
    assert trace.nodes["id"].to_list() == ["a", "b"]
    assert trace.edges.schema["source_id"] == pl.String


@pytest.mark.parametrize("kind", SOURCES)
def test_columns_of_nulls_only_are_what_they_should_be(kind, tmp_path):
    optional = ["edge_class", "confidence", "created_at", "valid_at", "invalid_at", "expired_at"]
    table = two_steps(**dict.fromkeys(optional, pl.lit(None)), own=pl.lit(None))
    trace = RelationStore.open(make_source(kind, table, tmp_path / "s")).trace_lineage("decision", "d1")
    assert trace.nodes["edge_class"].to_list() == ["asserted", "asserted"]
    assert trace.edges.schema["confidence"] == pl.Float64
    assert trace.edges.schema["invalid_at"] == TIME
    assert "own" in trace.edges.columns


def test_object_text_of_pandas_is_text():
    table = pd.DataFrame(two_steps(edge_class=pl.Series(["observed", None])).to_dict(as_series=False)).astype(object)
    trace = RelationStore.open(table).trace_lineage("decision", "d1")
    assert trace.nodes.select("id", "edge_class").rows() == [("a", "observed"), ("b", "asserted")]


def test_a_pandas_index_changes_nothing():
    table = two_steps().to_pandas().set_index(pd.Index([7, 7]))
    assert RelationStore.open(table).trace_lineage("decision", "d1").edges["edge"].to_list() == [1, 0]


@pytest.mark.parametrize(
    "text", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_every_arrow_text_is_text(text):
    columns = two_steps().to_dict(as_series=False)
    table = pa.table({name: pa.array(values).cast(text) for name, values in columns.items()})
    assert found(RelationStore.open(table)) == ["a", "b"]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(10, 2)])
def test_numbers_are_confidences(dtype):
    trace = RelationStore.open(two_steps(confidence=pl.lit(1).cast(dtype))).trace_lineage("decision", "d1")
    assert trace.nodes["confidence"].to_list() == [1.0, 1.0]
    assert trace.nodes.schema["confidence"] == pl.Float64
