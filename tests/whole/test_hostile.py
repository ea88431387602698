"""Hostile input: odd ids, damaged files and impossible requests. Each has its answer, or one clear error."""

from datetime import UTC, datetime

import duckdb
import numpy as np
import polars as pl
import pytest

from lineage_kit import InvalidRequest, LineageKitError, RelationStore, SchemaError
from support import model
from support.cases import nodes_of
from support.compare import differences, plain_trace
from support.small import edge
from support.sources import KINDS, frame, make_source

HOSTILE_IDS = [
    "it's",
    'say "hi"',
    "a; drop table edges; --",
    "two\nlines\r\n",
    "</script><script>alert(1)</script>",
    "\u202eright to left\u200f",
    "x" * 10_000,
    " ",
    "%",
    "_",
    "a#b#1",
    "null",
    "NaN",
    "\\",
    "\t",
    "é",
    "e\u0301",  # the same letter to a reader, another id to us
    "ＡＢ",
    "𝒳",
    "\ud7ff",
    "\ue000",
]


def chain_of_hostile_ids():
    """One walk through them all, with a replacement of each under the same id but another type."""
    walk = [edge(one, other) for one, other in zip(["d1", *HOSTILE_IDS], HOSTILE_IDS, strict=False)]
    replaced = [{**edge(name, name, "supersedes"), "source_type": "it's </script>"} for name in HOSTILE_IDS]
    return walk + replaced


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_ids_are_ordinary_ids(kind, tmp_path):
    edges = chain_of_hostile_ids()
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"), max_depth_limit=40)
    expected = model.trace_lineage(edges, "decision", "d1", 40)
    assert len(expected["nodes"]) == 2 * len(HOSTILE_IDS)
    assert not differences(plain_trace(store.trace_lineage("decision", "d1", 40)), expected)


@pytest.mark.parametrize("name", HOSTILE_IDS, ids=range(len(HOSTILE_IDS)))
@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_a_hostile_id_can_be_the_anchor(kind, name, tmp_path):
    edges = chain_of_hostile_ids()
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    for anchor in [("decision", name), ("it's </script>", name)]:
        expected = model.trace_lineage(edges, *anchor, 3)
        assert not differences(plain_trace(store.trace_lineage(*anchor, 3)), expected)
    touching = [row for row, one in enumerate(edges) if ("decision", name) in nodes_of([one])]
    assert sorted(store.edges("decision", name)["edge"]) == touching


def test_an_id_that_differs_in_case_only_is_another_node():
    store = RelationStore.open(frame([edge("D1", "a"), edge("d1", "A")]))
    assert store.trace_lineage("decision", "d1").nodes["id"].to_list() == ["A"]
    assert not store.trace_lineage("Decision", "d1").anchor_known


def test_where_type_ends_and_id_begins_matters(tmp_path):
    nodes = [("ab", "c"), ("a", "bc"), ("c", "ab"), ("abc", "abc"), ("a", "b"), ("b", "a"), ("a", "a"), ("b", "b")]
    edges = [
        {**edge("d1", f"{type_}.{id_}"), "source_type": type_, "source_id": id_, "target_type": "t"}
        for type_, id_ in nodes
    ]
    for kind in ("eager", "parquet"):
        store = RelationStore.open(make_source(kind, edges, tmp_path / kind))
        for type_, id_ in nodes:
            assert store.trace_lineage(type_, id_).nodes["id"].to_list() == [f"{type_}.{id_}"]


# --- requests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_depth", [0, -1, 11, True, False, "3", 3.0, 2.5, None, np.float64(3), np.True_])
def test_a_depth_out_of_bounds_or_of_another_type_is_refused(max_depth):
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(InvalidRequest, match=r"max_depth.*1.*10"):
        store.trace_lineage("decision", "d1", max_depth)
    with pytest.raises(InvalidRequest, match=r"max_depth.*1.*10"):
        store.reachability("decision", "d1", max_depth=max_depth)
    with pytest.raises(InvalidRequest, match=r"max_depth.*1.*10"):
        store.trace_lineage_many(pl.DataFrame({"type": ["decision"], "id": ["d1"]}), max_depth)


@pytest.mark.parametrize("max_depth", [np.int64(2), np.uint8(2), np.int32(2)])
def test_numpy_integers_are_integers(max_depth):
    store = RelationStore.open(frame([edge("d1", "a"), edge("a", "b"), edge("b", "c")]))
    assert store.trace_lineage("decision", "d1", max_depth) == store.trace_lineage("decision", "d1", 2)
    found = store.reachability("decision", "d1", max_depth=max_depth)
    assert len(found.rings) == 2


def test_the_limit_of_depth_is_the_stores():
    store = RelationStore.open(frame([edge("d1", "a")]), max_depth_limit=40)
    assert store.trace_lineage("decision", "d1", 40).max_depth == 40
    with pytest.raises(InvalidRequest, match="40"):
        store.trace_lineage("decision", "d1", 41)


@pytest.mark.parametrize("limit", [0, -1, True, "3", 3.0])
@pytest.mark.parametrize("name", ["max_depth_limit", "supersede_limit"])
def test_an_impossible_limit_is_refused(name, limit):
    with pytest.raises(InvalidRequest, match=name):
        RelationStore.open(frame([edge("d1", "a")]), **{name: limit})


@pytest.mark.parametrize("anchor", [("", "d1"), ("decision", ""), (None, "d1"), ("decision", None), ("decision", 1)])
def test_an_anchor_must_be_two_texts(anchor):
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(InvalidRequest, match=r"type|id"):
        store.trace_lineage(*anchor)
    with pytest.raises(InvalidRequest, match=r"type|id"):
        store.reachability(*anchor)


def test_a_bad_request_is_refused_before_anything_is_read(tmp_path):
    path = make_source("parquet", [edge("d1", "a")], tmp_path / "s")
    store = RelationStore.open(path)
    path.unlink()
    with pytest.raises(InvalidRequest):
        store.trace_lineage("decision", "d1", 0)
    with pytest.raises(InvalidRequest):
        store.trace_lineage("decision", "")
    with pytest.raises(InvalidRequest):
        store.reachability("decision", "d1", max_depth=0)


@pytest.mark.parametrize("as_of", [datetime(2024, 1, 1), "yesterday", 3], ids=["naive", "text", "number"])
def test_a_moment_without_a_zone_or_of_another_type_is_refused(as_of):
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(InvalidRequest, match="as_of"):
        store.trace_lineage("decision", "d1", as_of=as_of)


@pytest.mark.parametrize("asked", [{"direction": "sideways"}, {"relation_kind": 5}, {"relation_kind": ["a", None]}])
def test_reachability_refuses_what_it_cannot_follow(asked):
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(InvalidRequest, match=next(iter(asked))):
        store.reachability("decision", "d1", **asked)


def test_a_misspelt_keyword_is_an_error():
    with pytest.raises(TypeError, match="colums"):
        RelationStore.open(frame([]), colums={})


def test_anchors_need_both_columns_and_no_nulls():
    store = RelationStore.open(frame([edge("d1", "a")]))
    with pytest.raises(LineageKitError, match="id"):
        store.trace_lineage_many(pl.DataFrame({"type": ["decision"]}))
    with pytest.raises(LineageKitError, match="id"):
        store.trace_lineage_many(pl.DataFrame({"type": ["decision", "decision"], "id": ["d1", None]}))
    with pytest.raises(LineageKitError, match="id"):
        store.trace_lineage_many(pl.DataFrame({"type": ["decision"], "id": [""]}))


@pytest.mark.parametrize("kind", ["eager", "lazy", "pandas", "pyarrow", "duckdb_relation"])
def test_anchors_may_be_any_dataframe(kind, tmp_path):
    store = RelationStore.open(frame([edge("d1", "a"), edge("a", "b")]))
    anchors = pl.DataFrame({"type": ["decision"] * 3, "id": ["d1", "a", "d1"]})
    many = store.trace_lineage_many(KINDS[kind](anchors, tmp_path))
    assert many.summary.height == 2
    assert many["decision", "a"] == store.trace_lineage("decision", "a")


def test_no_anchors_have_no_traces():
    store = RelationStore.open(frame([edge("d1", "a")]))
    many = store.trace_lineage_many(pl.DataFrame(schema={"type": pl.String, "id": pl.String}))
    assert (many.summary.height, many.nodes.height, many.edges.height) == (0, 0, 0)
    assert many.nodes.columns[:2] == ["anchor_type", "anchor_id"]
    with pytest.raises(KeyError):
        many["decision", "d1"]


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_named(share, tmp_path):
    path = make_source("parquet", [edge(f"d{n}", f"a{n}") for n in range(500)], tmp_path / "s")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(SchemaError, match=r"edges\.parquet"):
        RelationStore.open(path)


@pytest.mark.parametrize("content", [b"", b"source_type,source_id\n", b"PAR1", b"PAR1PAR1", b"\0" * 64])
def test_a_file_that_is_no_parquet_is_named(content, tmp_path):
    path = tmp_path / "no.parquet"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match=r"no\.parquet") as caught:
        RelationStore.open(path)
    assert content or "empty" in str(caught.value)


def test_the_bad_file_among_many_is_named(tmp_path):
    pattern = make_source("parquet_glob", [edge("d1", "a"), edge("a", "b")], tmp_path / "s")
    (tmp_path / "s" / "part-1.parquet").write_bytes(b"")
    with pytest.raises(SchemaError, match=r"part-1\.parquet"):
        RelationStore.open(pattern)


def test_a_file_of_another_schema_names_every_missing_column(tmp_path):
    path = tmp_path / "other.parquet"
    pl.DataFrame({"a": [1], "b": ["x"]}).write_parquet(path)
    with pytest.raises(SchemaError, match=r"other\.parquet") as caught:
        RelationStore.open(path)
    for column in ("source_type", "source_id", "target_type", "target_id", "relation_kind"):
        assert column in str(caught.value)


def test_a_folder_without_files_says_what_was_looked_for(tmp_path):
    with pytest.raises(LineageKitError, match=r"relations\.parquet"):
        RelationStore.open(tmp_path)


@pytest.mark.parametrize("name", ["gone.parquet", "gone-*.parquet"])
def test_a_path_that_leads_nowhere_is_named(name, tmp_path):
    with pytest.raises(SchemaError, match="gone"):
        RelationStore.open(tmp_path / name)


@pytest.mark.parametrize("source", [None, 5, {"a": 1}, [], [None], object()])
def test_what_is_no_table_is_refused(source):
    with pytest.raises(SchemaError):
        RelationStore.open(source)


@pytest.mark.parametrize("name", ["it's; drop.parquet", 'say "hi".parquet', "a b\u202e.parquet", "100%.parquet"])
def test_a_file_may_have_a_hostile_name(name, tmp_path):
    frame([edge("d1", "a")]).write_parquet(tmp_path / name)
    trace = RelationStore.open(tmp_path / name).trace_lineage("decision", "d1")
    assert trace.nodes["id"].to_list() == ["a"]


def test_a_table_without_rows_is_a_table(tmp_path):
    for kind in KINDS:
        store = RelationStore.open(make_source(kind, [], tmp_path / kind))
        trace = store.trace_lineage("decision", "d1", as_of=datetime(2024, 1, 1, tzinfo=UTC))
        assert (trace.anchor_known, trace.truncated, trace.nodes.height) == (False, False, 0), kind
        assert store.reachability("decision", "d1").nodes.height == 0, kind


def test_the_users_connection_is_left_as_it_was():
    connection = duckdb.connect()
    connection.register("given", frame([edge("d1", "a")]).to_arrow())
    connection.execute("create table edges as select * from given")
    before = connection.sql("show all tables").fetchall()
    store = RelationStore.open(connection.sql("select * from edges"))
    assert connection.sql("show all tables").fetchall() == before
    connection.execute("drop table edges")
    connection.close()
    assert store.trace_lineage("decision", "d1").nodes["id"].to_list() == ["a"]


def test_a_file_that_goes_away_is_told(tmp_path):
    path = make_source("parquet", [edge("d1", "a")], tmp_path / "s")
    store = RelationStore.open(path)
    path.unlink()
    for ask in (store.trace_lineage, store.reachability, store.edges):
        with pytest.raises(LineageKitError):
            ask("decision", "d1")


def test_a_file_that_is_rewritten_is_told_and_never_half_read(tmp_path):
    path = make_source("parquet", [edge("d1", "a"), edge("a", "b")], tmp_path / "s")
    store = RelationStore.open(path)
    frame([edge("d1", "x"), edge("a", "y")]).write_parquet(path)
    with pytest.raises(LineageKitError, match="open"):
        store.trace_lineage("decision", "d1")
