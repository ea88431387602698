"""Random graphs: the package answers what the brute-force model answers."""

import tempfile
from pathlib import Path

import polars as pl
from hypothesis import event, given
from hypothesis import strategies as st

from lineage_kit import RelationStore
from support import model
from support import strategies as some
from support.cases import nodes_of
from support.compare import differences, edges_without_rows, plain_reachability, plain_trace
from support.sources import frame, make_source

scanned = st.sampled_from(["parquet", "parquet_glob", "lazy"])


def open_store(source, supersede_limit=10):
    return RelationStore.open(source, max_depth_limit=some.MAX_DEPTH_LIMIT, supersede_limit=supersede_limit)


def check_trace(store, edges, anchor, max_depth, supersede_limit, as_of):
    got = plain_trace(store.trace_lineage(*anchor, max_depth, as_of=as_of))
    expected = model.trace_lineage(edges, *anchor, max_depth, supersede_limit=supersede_limit, as_of=as_of)
    for reason in expected["truncated_by"]:
        event(f"cut by {reason}")
    if any(row["outdated_support"] for row in expected["nodes"]):
        event("outdated support")
    assert not differences(got, expected)


@some.PROFILE
@given(some.graphs(), some.depths, some.limits, some.as_of)
def test_trace_equals_the_model(graph, max_depth, supersede_limit, as_of):
    edges, anchor = graph
    check_trace(open_store(frame(edges), supersede_limit), edges, anchor, max_depth, supersede_limit, as_of)


@some.FEWER
@given(some.graphs(), some.depths, some.limits, some.as_of, scanned)
def test_trace_equals_the_model_on_scanned_sources(graph, max_depth, supersede_limit, as_of, kind):
    edges, anchor = graph
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(make_source(kind, edges, Path(folder)), supersede_limit)
        check_trace(store, edges, anchor, max_depth, supersede_limit, as_of)


@some.PROFILE
@given(some.graphs(), some.kind_filters, some.directions, some.depths)
def test_reachability_equals_the_model(graph, relation_kind, direction, max_depth):
    edges, anchor = graph
    asked = {"relation_kind": relation_kind, "direction": direction, "max_depth": max_depth}
    got = plain_reachability(open_store(frame(edges)).reachability(*anchor, **asked))
    assert not differences(got, model.reachability(edges, *anchor, **asked))


@some.FEWER
@given(some.graphs(), some.kind_filters, some.directions, some.depths)
def test_reachability_equals_the_model_on_parquet(graph, relation_kind, direction, max_depth):
    edges, anchor = graph
    asked = {"relation_kind": relation_kind, "direction": direction, "max_depth": max_depth}
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(make_source("parquet", edges, Path(folder)))
        got = plain_reachability(store.reachability(*anchor, **asked))
    assert not differences(got, model.reachability(edges, *anchor, **asked))


@some.FEWER
@given(some.graphs(), some.depths, some.limits, some.as_of)
def test_many_anchors_equal_single_calls(graph, max_depth, supersede_limit, as_of):
    edges, anchor = graph
    anchors = sorted(nodes_of(edges) | {anchor})
    asked = pl.DataFrame(anchors, ["type", "id"], orient="row")
    store = open_store(frame(edges), supersede_limit)
    many = store.trace_lineage_many(asked, max_depth, as_of=as_of)
    for one in anchors:
        single = store.trace_lineage(*one, max_depth, as_of=as_of)
        assert many[one] == single
        expected = model.trace_lineage(edges, *one, max_depth, supersede_limit=supersede_limit, as_of=as_of)
        assert not differences(plain_trace(many[one]), expected)


@some.PROFILE
@given(some.graphs(), some.depths, some.limits, some.as_of, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(graph, max_depth, supersede_limit, as_of, random):
    edges, anchor = graph
    shuffled = random.sample(edges, len(edges))
    one, other = (
        open_store(frame(rows), supersede_limit).trace_lineage(*anchor, max_depth, as_of=as_of)
        for rows in (edges, shuffled)
    )
    assert one == other
    assert one.nodes.equals(other.nodes)
    assert edges_without_rows(one) == edges_without_rows(other)
