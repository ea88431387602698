"""`expired_at` is a column of every relations table, in every engine, and plays no part in an answer yet."""

from datetime import UTC, datetime

import polars as pl
import pytest

from lineage_kit import RelationStore, connect
from support.small import edge
from support.sources import KINDS, frame, make_source

JAN, FEB = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
EDGES = [edge("d1", "a", invalid_at=JAN, expired_at=FEB), edge("a", "b", expired_at=FEB), edge("a", "c")]


def opened(kind, folder):
    if kind == "index":
        return RelationStore.open(make_source("parquet", EDGES, folder)).build_index(folder / "index", progress=False)
    return RelationStore.open(make_source(kind, EDGES, folder))


@pytest.mark.parametrize("kind", [*KINDS, "index"])
def test_every_engine_carries_it(kind, tmp_path):
    store = opened(kind, tmp_path / "s")
    trace = store.trace_lineage("decision", "d1")
    assert trace.edges.select("target_id", "invalid_at", "expired_at").sort("target_id").rows() == [
        ("a", JAN, FEB),
        ("b", None, FEB),
        ("c", None, None),
    ]
    assert trace.edges.columns[-3:] == ["invalid_at", "expired_at", "edge"]
    assert trace.nodes["invalidated"].to_list() == [True, False, False]
    assert store.edges("decision", "b")["expired_at"].to_list() == [FEB]
    rows = connect(store).sql("select expired_at from relations order by edge").pl()["expired_at"]
    assert rows.to_list() == [FEB, FEB, None]


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet", "index"])
def test_check_tells_where_it_is_set_without_invalid_at(kind, tmp_path):
    [(finding, count, _, examples)] = opened(kind, tmp_path / "s").check().rows()
    assert (finding, count) == ("expired without invalid", 1)
    assert examples == ["row 1: decision a depends_on decision b"]


def test_items_may_say_how_they_ended():
    items = pl.DataFrame({"type": ["decision"], "id": ["a"], "ended_at": [FEB], "end_reason": ["withdrawn"]})
    store = RelationStore.open(frame(EDGES), items=items)
    [row] = connect(store).sql("select ended_at, end_reason, state from items").fetchall()
    assert row[1:] == ("withdrawn", None)
    assert row[0] == FEB
