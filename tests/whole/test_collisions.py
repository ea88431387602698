"""A walk knows nodes by their hashes: answers must not change where those of different nodes are equal."""

import narwhals as nw
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from lineage_kit import RelationStore
from lineage_kit.engines.frames.backends import DuckdbBackend, PolarsBackend
from support import model
from support import strategies as some
from support.compare import differences, plain_reachability, plain_trace
from support.small import edge
from support.sources import frame, make_source


@pytest.fixture
def few_hashes(monkeypatch):
    """Only three hashes are left for all the nodes there are."""
    for backend in (PolarsBackend, DuckdbBackend):
        real = backend.hashed

        def hashed(self, frame, into, *columns, real=real):
            return real(self, frame, into, *columns).with_columns((nw.col(into) % 3).alias(into))

        monkeypatch.setattr(backend, "hashed", hashed)


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet", "mixed"])
def test_collisions_are_found_and_mended(kind, few_hashes, tmp_path):
    edges = [edge(f"n{n}", f"n{n + 1}") for n in range(9)] + [edge(f"r{n}", f"n{n}", "supersedes") for n in range(9)]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    for anchor in ("n0", "n4", "r3", "nobody"):
        got = plain_trace(store.trace_lineage("decision", anchor))
        assert not differences(got, model.trace_lineage(edges, "decision", anchor))
        got = plain_reachability(store.reachability("decision", anchor, direction="both"))
        assert not differences(got, model.reachability(edges, "decision", anchor, direction="both"))
    anchors = pl.DataFrame({"type": "decision", "id": ["n0", "r3", "nobody"]})
    many = RelationStore.open(make_source(kind, edges, tmp_path / "t")).trace_lineage_many(anchors)
    assert [plain_trace(many["decision", name]) for name in anchors["id"]] == [
        model.trace_lineage(edges, "decision", name) for name in anchors["id"]
    ]


@settings(some.FEWER, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(some.graphs(), some.depths, some.limits, some.as_of)
def test_random_graphs_under_collisions(few_hashes, graph, max_depth, supersede_limit, as_of):
    edges, anchor = graph
    store = RelationStore.open(frame(edges).lazy(), supersede_limit=supersede_limit)  # read by hash, whatever its size
    got = plain_trace(store.trace_lineage(*anchor, max_depth, as_of=as_of))
    asked = {"supersede_limit": supersede_limit, "as_of": as_of}
    assert not differences(got, model.trace_lineage(edges, *anchor, max_depth, **asked))
