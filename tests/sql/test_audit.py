"""The macro `audit` gives the summary of the audit of a type."""

import duckdb
import polars as pl
import pytest

from lineage_kit import RelationStore, connect
from support.rows import same_rows
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import frame, make_source

BEFORE = "2026-04-23T12:00:00Z"


@pytest.fixture(scope="module", params=["eager", "parquet", "index"])
def store(request, tmp_path_factory):
    relations, items = (pl.read_parquet(DATA / f"{name}.parquet") for name in ("decisions", "items"))
    folder = tmp_path_factory.mktemp("story")
    if request.param == "index":
        return RelationStore.open(relations, items=items).build_index(folder / "index")
    return RelationStore.open(make_source(request.param, relations, folder / "s"), items=items)


@pytest.mark.parametrize("asked", [{}, {"max_depth": 2}, {"as_of": BEFORE}, {"as_of": BEFORE, "known_at": BEFORE}])
def test_the_rows_are_those_of_the_object(store, asked):
    named = "".join(f", {name} := ${name}" for name in asked)
    found = connect(store).sql(f"from audit($type{named})", params={"type": "decision", **asked}).pl()
    expected = store.audit("decision", **asked, progress=False).summary
    assert expected.height == 129
    same_rows(found, expected)


def test_several_types_laterally(store):
    found = connect(store).sql("select a.* from (values ('decision'), ('claim'), (null)) t(type), audit(t.type) a").pl()
    same_rows(found, pl.concat(store.audit(type, progress=False).summary for type in ("decision", "claim")))


def test_the_worst_of_it_in_one_line():
    store = RelationStore.open(frame([edge("d1", "a"), edge("a2", "a", "supersedes"), edge("d2", "b")]))
    query = "select id, verdict, nearest_flag, nearest_id from audit('decision') where verdict <> 'stands'"
    assert connect(store).sql(query).fetchall() == [("d1", "stale", "superseded", "a")]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("audit('evidence')", "no item of type 'evidence' rests on anything. Hint: types that do: 'decision'"),
        ("audit('decision', max_depth := 11)", "max_depth must be an integer from 1 to 10, got 11"),
    ],
)
def test_what_cannot_be_audited_says_why(call, words):
    with pytest.raises(duckdb.Error, match=words):
        connect(RelationStore.open(two_steps())).sql(f"from {call}").fetchall()


def test_without_a_store_the_macro_says_so():
    with pytest.raises(duckdb.Error, match="no store to trace in"):
        connect().sql("from audit('decision')").fetchall()
