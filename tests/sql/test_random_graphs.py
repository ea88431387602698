"""Random graphs: the macros give what the objects give, and `replacements` what a brute-force model gives."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lineage_kit import RelationStore, connect
from support import strategies as some
from support.replaced import replacements
from support.rows import same_rows
from support.small import edge
from support.sources import KINDS, frame, make_source

FEW = settings(some.PROFILE, max_examples=25)


def opened(kind, edges, folder, supersede_limit=10):
    store = RelationStore.open(make_source(kind, edges, Path(folder)), supersede_limit=supersede_limit)
    return store, connect(store)


def rows_of(connection, macro, anchor, **asked):
    named = "".join(f", {name} := ${name}" for name in asked)
    query = f"from {macro}($type, $id{named})"
    return connection.sql(query, params={"type": anchor[0], "id": anchor[1], **asked}).pl()


# ---- macros and views


@FEW
@given(some.graphs(), some.depths, some.limits, some.as_of, some.as_of, st.sampled_from(list(KINDS)))
def test_trace_macros_equal_the_trace(graph, max_depth, limit, as_of, known_at, kind):
    edges, anchor = graph
    with tempfile.TemporaryDirectory() as folder:
        store, connection = opened(kind, edges, folder, limit)
        asked = {"max_depth": max_depth, "as_of": as_of, "known_at": known_at}
        trace = store.trace_lineage(*anchor, **asked)
        same_rows(rows_of(connection, "trace_lineage", anchor, **asked), trace.nodes)
        same_rows(rows_of(connection, "trace_edges", anchor, **asked), trace.edges)
        same_rows(rows_of(connection, "trace_frontier", anchor, **asked), trace.frontier)
        summary = store.trace_lineage_many([anchor], **asked).summary
        same_rows(rows_of(connection, "trace_summary", anchor, **asked), summary)


@FEW
@given(some.graphs(), some.depths, some.limits, some.as_of, some.as_of, st.sampled_from(list(KINDS)))
def test_impact_macros_equal_the_impact(graph, max_depth, limit, as_of, known_at, kind):
    edges, anchor = graph
    with tempfile.TemporaryDirectory() as folder:
        store, connection = opened(kind, edges, folder, limit)
        asked = {"max_depth": max_depth, "as_of": as_of, "known_at": known_at}
        impact = store.impact(*anchor, **asked)
        same_rows(rows_of(connection, "trace_impact", anchor, **asked), impact.nodes)
        same_rows(rows_of(connection, "impact_edges", anchor, **asked), impact.edges)
        same_rows(rows_of(connection, "impact_frontier", anchor, **asked), impact.frontier)
        summary = store.impact_many([anchor], **asked).summary
        same_rows(rows_of(connection, "impact_summary", anchor, **asked), summary)


@FEW
@given(some.graphs(), some.depths, some.as_of, some.as_of)
def test_paths_equal_those_of_the_traces(graph, max_depth, as_of, known_at):
    """From every node to every node, with the batch of all anchors in one statement."""
    edges, _ = graph
    store = RelationStore.open(frame(edges))
    ends = {(row[f"{end}_type"], row[f"{end}_id"]) for row in edges for end in ("source", "target")}
    named = pl.DataFrame(sorted(ends), {"type": pl.String, "id": pl.String}, orient="row")
    connection = connect(store, ends=named)
    asked = {"max_depth": max_depth, "as_of": as_of, "known_at": known_at}
    for macro, question in (("lineage_path", store.trace_lineage), ("impact_path", store.impact)):
        query = f"""
            select a.type as from_type, a.id as from_id, b.type as to_type, b.id as to_id, p.*
            from ends a, ends b,
                {macro}(a.type, a.id, b.type, b.id, max_depth := $max_depth, as_of := $as_of, known_at := $known_at) p
        """
        expected = []
        for anchor in sorted(ends):
            trace = question(*anchor, **asked)
            for node in [anchor, *trace.nodes.select("type", "id").iter_rows()]:
                keys = zip(("from_type", "from_id", "to_type", "to_id"), (*anchor, *node), strict=True)
                expected.append(trace.path(*node).nodes.select(*(pl.lit(v).alias(k) for k, v in keys), pl.all()))
        found = connection.sql(query, params=asked).pl()
        if not expected:
            assert found.height == 0
        else:
            same_rows(found, pl.concat(expected))


@FEW
@given(some.graphs(), some.depths, some.as_of, st.sampled_from(["eager", "parquet"]))
def test_every_source_node_laterally_equals_the_batch(graph, max_depth, as_of, kind):
    edges, _ = graph
    with tempfile.TemporaryDirectory() as folder:
        store, connection = opened(kind, edges, folder)
        query = """
            select a.type as anchor_type, a.id as anchor_id, n.*
            from (select distinct source_type as type, source_id as id from relations) a,
                trace_lineage(a.type, a.id, max_depth := $max_depth, as_of := $as_of) n
        """
        found = connection.sql(query, params={"max_depth": max_depth, "as_of": as_of}).pl()
        anchors = sorted({(row["source_type"], row["source_id"]) for row in edges})
        same_rows(found, store.trace_lineage_many(anchors, max_depth, as_of=as_of).nodes)


@FEW
@given(some.graphs(), some.kind_filters, some.directions, some.depths, some.as_of, st.sampled_from(list(KINDS)))
def test_reachability_equals_the_rings(graph, relation_kind, direction, max_depth, as_of, kind):
    edges, anchor = graph
    with tempfile.TemporaryDirectory() as folder:
        store, connection = opened(kind, edges, folder)
        asked = {"relation_kind": relation_kind, "direction": direction, "max_depth": max_depth, "as_of": as_of}
        same_rows(rows_of(connection, "reachability", anchor, **asked), store.reachability(*anchor, **asked).nodes)


@FEW
@given(some.graphs(), some.depths, some.as_of)
def test_trace_views_equal_the_traces(graph, max_depth, as_of):
    edges, anchor = graph
    store = RelationStore.open(frame(edges))
    anchors = sorted({anchor, *((row["target_type"], row["target_id"]) for row in edges)})
    traces = {str(n): store.trace_lineage(*one, max_depth, as_of=as_of) for n, one in enumerate(anchors)}
    connection = connect(store, traces=traces)
    for part in ("nodes", "edges", "frontier"):
        frames = [getattr(trace, part).select(pl.lit(name).alias("trace"), pl.all()) for name, trace in traces.items()]
        same_rows(connection.sql(f"from lineage_{part}").pl(), pl.concat(frames))


# ---- replacements


@FEW
@given(some.graphs(), st.sampled_from(["eager", "parquet"]))
def test_replacements_of_random_graphs(graph, kind):
    edges, _ = graph
    expected = replacements(edges)
    event(f"{min(max((row[4] for row in expected), default=0), 4)} steps at most")
    with tempfile.TemporaryDirectory() as folder:
        _, connection = opened(kind, edges, folder)
        assert sorted(connection.sql("from replacements").fetchall()) == expected


@settings(some.PROFILE, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), min_size=4, max_size=14))
def test_replacements_of_dense_revisions(pairs):
    """Nothing but supersedes edges among seven items: rings, splits, merges, self-loops."""
    edges = [edge(new, old, "supersedes") for new, old in pairs]
    connection = connect(RelationStore.open(frame(edges)))
    assert sorted(connection.sql("from replacements").fetchall()) == replacements(edges)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param(["ba", "cb"], [("a", "b", 1, False), ("a", "c", 2, True), ("b", "c", 1, True)], id="chain"),
        pytest.param(["ba", "ca"], [("a", "b", 1, True), ("a", "c", 1, True)], id="split"),
        pytest.param(["ca", "cb"], [("a", "c", 1, True), ("b", "c", 1, True)], id="merge"),
        pytest.param(["aa"], [], id="self"),
        pytest.param(["ba", "bb"], [("a", "b", 1, True)], id="a self-loop leaves an item current"),
        pytest.param(["ba", "ab"], [("a", "b", 1, False), ("b", "a", 1, False)], id="ring of two"),
        pytest.param(
            ["ba", "cb", "dc", "da"],
            [
                ("a", "b", 1, False), ("a", "c", 2, False), ("a", "d", 1, True),
                ("b", "c", 1, False), ("b", "d", 2, True), ("c", "d", 1, True),
            ],
            id="a short cut takes fewest steps",
        ),
        pytest.param(
            ["ba", "cb", "bc"],
            [("a", "b", 1, False), ("a", "c", 2, False), ("b", "c", 1, False), ("c", "b", 1, False)],
            id="a way into a ring",
        ),
        pytest.param(["ba", "ba"], [("a", "b", 1, True)], id="stated twice"),
    ],
)  # fmt: skip
def test_replacements_by_hand(pairs, expected):
    connection = connect(RelationStore.open(frame([edge(new, old, "supersedes") for new, old in pairs])))
    found = connection.sql("select id, replacement_id, steps, is_current from replacements order by all").fetchall()
    assert found == expected


def test_replacements_tell_types_apart_and_follow_a_long_chain():
    long = [edge(f"r{n + 1:03}", f"r{n:03}", "supersedes", source_type="report", target_type="report")
            for n in range(60)]  # fmt: skip
    cross = [edge("r000", "d", "supersedes", source_type="report"), edge("r001", "r000", "supersedes")]
    connection = connect(RelationStore.open(frame(long + cross)))
    found = sorted(connection.sql("from replacements").fetchall())
    assert found == replacements(long + cross)
    assert ("decision", "d", "report", "r060", 61, True) in found
