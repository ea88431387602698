"""Opening does nothing that the first question does not need: edges are coded once, when the first one is asked."""

import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pyarrow.parquet as pq
import pytest

from lineage_kit import LineageKitError, RelationStore, SchemaError, connect
from lineage_kit.engines.csr import engine as csr
from lineage_kit.engines.frames.node_codes import CodedEdges
from lineage_kit.schema import ENDS
from support.small import edge, found, two_steps
from support.sources import frame, make_source

SORTS = ["eager", "lazy", "parquet", "mixed"]
BAD = [(column, value) for column in ENDS for value in (None, "")] + [("relation_kind", None)]


@pytest.fixture
def codings(monkeypatch):
    """What was coded so far, in arrays or in frames."""
    counted = []
    coded, built = CodedEdges.of, csr.graph_of

    def of(table, backend, coder):
        counted.append(type(coder).__name__)
        return coded(table, backend, coder)

    def graph_of(rows, labels):
        counted.append("arrays")
        return built(rows, labels)

    monkeypatch.setattr(CodedEdges, "of", of)
    monkeypatch.setattr(csr, "graph_of", graph_of)
    return counted


@pytest.mark.parametrize("sort", SORTS)
def test_opening_codes_nothing_and_the_first_question_codes_once(sort, codings, tmp_path):
    store = RelationStore.open(make_source(sort, two_steps(), tmp_path / "s"))
    assert (store.edge_count, "2 edges" in repr(store), store.rejected.height) == (2, True, 0)
    assert connect(store).sql("select count(*) from relations").fetchall() == [(2,)]
    assert store.check().is_empty()
    assert store.find("a").height
    store.build_index(tmp_path / "index")
    assert codings == []
    assert found(store) == found(store) == ["a", "b"]
    assert len(codings) == 1


@pytest.mark.parametrize("sort", SORTS)
def test_threads_that_ask_at_once_wait_for_one_coding(sort, codings, tmp_path):
    store = RelationStore.open(make_source(sort, two_steps(), tmp_path / "s"))
    together = threading.Barrier(8)

    def ask(number):
        together.wait()
        return found(store)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [["a", "b"]] * 8
    assert len(codings) == 1


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize(("column", "value"), BAD)
def test_bad_rows_are_refused_at_open(column, value, statistics, codings, tmp_path):
    """Whether a file says in its statistics that there are none, or its rows must be read."""
    rows = frame([edge("d1", "a"), edge("a", "b"), {**edge("b", "c"), column: value}])
    pq.write_table(rows.to_arrow(), tmp_path / "edges.parquet", write_statistics=statistics)
    with pytest.raises(SchemaError, match=rf"{column} is {'null' if value is None else 'empty'} in 1 row \(row 2\)"):
        RelationStore.open(tmp_path / "edges.parquet")
    store = RelationStore.open(tmp_path / "edges.parquet", strict=False)
    assert (store.edge_count, store.rejected["edge"].to_list(), codings) == (2, [2], [])
    assert found(store) == ["a", "b"]


def test_a_file_that_changes_before_the_first_question(tmp_path):
    path = make_source("parquet", two_steps(), tmp_path / "s")
    store = RelationStore.open(path)
    pl.DataFrame({"something": ["else"]}).write_parquet(path)
    for _ in range(2):
        with pytest.raises(LineageKitError, match="not the rows this store was opened on"):
            found(store)
    path.unlink()
    with pytest.raises(LineageKitError, match="not the rows this store was opened on"):
        found(store)


def test_a_coding_that_fails_can_be_tried_again(monkeypatch, tmp_path):
    store = RelationStore.open(make_source("parquet", two_steps(), tmp_path / "s"))
    with monkeypatch.context() as patch:
        patch.setattr(CodedEdges, "of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            found(store)
    assert found(store) == ["a", "b"]
