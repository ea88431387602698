"""`connect` takes values as values and names as names, sees nothing of the caller, and serves several threads."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import duckdb
import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore, connect
from support.rows import same_rows
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import frame, make_source

HOSTILE = [
    "x'); drop table relations; --",
    "x'; copy relations to 'made.csv'; --",
    '"; select 1; "',
    "$id",
    "?",
    "a;b",
    "''",
    "\\'",
    "{x}",
    "%s",
    "line\nbreak\ttab",
    "naïve 模型 \U0001f600",
    " ",
]


def chain_of(ids):
    """Each id rests on the next."""
    return [edge(source, target) for source, target in pairwise(ids)]


# ---- values


@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_hostile_ids_travel_as_parameters_and_as_literals(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = RelationStore.open(make_source(kind, chain_of(HOSTILE), tmp_path / "s"))
    connection = connect(store)
    for anchor, premise in pairwise(HOSTILE):
        literal = anchor.replace("'", "''")
        asked = [
            ("from trace_lineage('decision', $id, max_depth := 1)", {"id": anchor}),
            ("from trace_lineage('decision', ?, max_depth := 1)", [anchor]),
            (f"from trace_lineage('decision', '{literal}', max_depth := 1)", None),
        ]
        for query, params in asked:
            assert connection.sql(f"select id from ({query})", params=params).fetchall() == [(premise,)]
    assert connection.sql("select count(*) from relations").fetchall() == [(len(HOSTILE) - 1,)]
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_hostile_kinds_and_types_too():
    text = HOSTILE[0]
    store = RelationStore.open(frame([edge("d1", "a", text, source_type=text, target_type=text)]))
    query = "select type, id from reachability($type, 'd1', relation_kind := $kind)"
    for kind in (text, [text, "x"]):
        assert connect(store).sql(query, params={"type": text, "kind": kind}).fetchall() == [(text, "a")]


# ---- names


@pytest.mark.parametrize("name", ['my "frame"; drop view relations; --', "a.b", "select", "trace_lineage", "Straße"])
def test_a_frame_may_have_any_name(name):
    connection = connect(RelationStore.open(two_steps()), **{name: pl.DataFrame({"a": [1]})})
    quoted = '"' + name.replace('"', '""') + '"'
    assert connection.sql(f"from {quoted}").fetchall() == [(1,)]
    assert connection.sql("select count(*) from relations").fetchall() == [(2,)]
    assert connection.sql("select id from trace_lineage('decision', 'd1') order by depth").fetchall() == [
        ("a",),
        ("b",),
    ]


@pytest.mark.parametrize("name", ["relations", "items", "lineage_nodes", "findings", "Relations", "REPLACEMENTS"])
def test_a_frame_cannot_take_the_name_of_a_view(name):
    with pytest.raises(InvalidRequest, match="name of a view"):
        connect(RelationStore.open(two_steps()), **{name: pl.DataFrame({"a": [1]})})


@pytest.mark.parametrize("kind", ["eager", "lazy", "pandas", "pyarrow", "duckdb_relation"])
def test_a_frame_of_any_kind_is_taken_in(kind, tmp_path):
    connection = connect(mine=make_source(kind, two_steps(), tmp_path))
    assert connection.sql("select source_id, target_id from mine").fetchall() == [("d1", "a"), ("a", "b")]


def test_a_path_is_no_frame():
    with pytest.raises(InvalidRequest, match=r"mine='a.parquet' is a text"):
        connect(mine="a.parquet")


# ---- variables of the caller

secrets = pl.DataFrame({"secret": ["s3cret"]})


def test_variables_of_the_caller_are_no_tables():
    local = secrets
    assert local.height == 1
    connection = connect(RelationStore.open(two_steps()))
    for name in ("local", "secrets", "pl"):
        with pytest.raises(duckdb.CatalogException):
            connection.sql(f"from {name}").fetchall()
        with pytest.raises(duckdb.CatalogException):
            connection.execute(f"from {name}").fetchall()


def test_variables_of_the_caller_are_no_tables_on_a_cursor_either():
    local = secrets
    assert local.height == 1
    cursor = connect(RelationStore.open(two_steps())).cursor()
    for name in ("local", "secrets"):
        with pytest.raises(duckdb.CatalogException):
            cursor.execute(f"from {name}").fetchall()


# ---- tracing while reading


def test_a_trace_in_a_query_over_the_store_views_while_another_result_is_unread():
    connection = connect(RelationStore.open(DATA / "decisions.parquet", items=DATA / "items.parquet"))
    unread = connection.cursor().execute("from relations")
    query = """
        select count(*) from items i, trace_lineage(i.type, i.id) n, relations r
        where i.id = 'dec-2026-0417' and r.source_id = n.id
    """
    assert connection.sql(query).fetchall() == connection.cursor().execute(query).fetchall()
    assert unread.fetchone() is not None


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet", "mixed"])
def test_eight_threads_trace_and_read_with_a_cursor_each(kind, tmp_path):
    whole = pl.read_parquet(DATA / "decisions.parquet")
    store = RelationStore.open(make_source(kind, whole, tmp_path / "s"))
    connection = connect(store)
    query = """
        select a.type as anchor_type, a.id as anchor_id, n.*
        from (
            select distinct source_type as type, source_id as id from relations
            where source_type = 'decision' and source_id like $part
        ) a, trace_lineage(a.type, a.id) n
        where exists (select 1 from relations r where r.target_type = n.type and r.target_id = n.id)
            or (n.type, n.id) in (select (replacement_type, replacement_id) from replacements)
    """
    decisions = whole.filter(source_type="decision").select(type="source_type", id="source_id").unique()
    start = Barrier(8, timeout=60)

    def ask(number):
        cursor = connection.cursor()
        start.wait()
        return cursor.sql(query, params={"part": f"%{number}"}).pl()

    pool = ThreadPoolExecutor(8)
    try:
        asked = [pool.submit(ask, number) for number in range(8)]
        answers = [future.result(timeout=120) for future in asked]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    for number, found in enumerate(answers):
        anchors = decisions.filter(pl.col("id").str.ends_with(str(number)))
        assert anchors.height > 5
        same_rows(found, store.trace_lineage_many(anchors).nodes)
