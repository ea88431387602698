"""Which tables are read from arrays, and that they answer as frames do."""

import pytest

from lineage_kit import RelationStore, SchemaError
from lineage_kit.engines.csr import engine
from lineage_kit.engines.csr.engine import CsrEngine
from lineage_kit.engines.frames.engine import FramesEngine
from support.small import edge
from support.sources import KINDS, frame, make_source

IN_ARRAYS = {"eager", "duckdb_relation", "pandas", "pyarrow"}
EDGES = [edge("d1", "a"), edge("b", "a", "supersedes"), edge("a", "c")]


@pytest.mark.parametrize("kind", KINDS)
def test_small_frames_in_memory_are_read_from_arrays(kind, tmp_path):
    store = RelationStore.open(make_source(kind, EDGES, tmp_path / "s"))
    assert isinstance(store._engine, CsrEngine if kind in IN_ARRAYS else FramesEngine)


def test_large_frames_are_not(monkeypatch):
    small = RelationStore.open(frame(EDGES))
    monkeypatch.setattr(engine, "SMALL", 2)
    large = RelationStore.open(frame(EDGES))
    assert isinstance(large._engine, FramesEngine)
    assert small.trace_lineage("decision", "d1") == large.trace_lineage("decision", "d1")


def test_own_columns_may_be_called_anything():
    """The names that the arrays are made with are no columns of the user's table."""
    own = ["source", "target", "later", "bad", "number", "key", "kind"]
    edges = frame(EDGES).with_columns(**dict.fromkeys(own, 1))
    store = RelationStore.open(edges)
    assert set(store.trace_lineage("decision", "d1").edges.select(own).row(0)) == {1}


def test_bad_rows_are_refused_or_set_aside():
    bad = frame([*EDGES, {**EDGES[0], "source_id": ""}])
    with pytest.raises(SchemaError, match="source_id is empty"):
        RelationStore.open(bad)
    store = RelationStore.open(bad, strict=False)
    assert (store.edge_count, store.rejected["edge"].to_list()) == (3, [3])
    assert store.check()["finding"].to_list() == ["rejected"]
