"""Random graphs: every question beyond a trace answers what the brute-force model answers, on every engine."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lineage_kit import InvalidRequest, RelationStore
from support import model, model_rows, model_verbs
from support import strategies as some
from support.cases import nodes_of
from support.compare import differences, plain_reachability, plain_trace
from support.sources import frame
from support.verb_stores import ENGINES, opened, same_frames, suppose

VERBS = ("lineage", "impact")
engines = st.sampled_from(["arrays", "arrays", *ENGINES])
verbs = st.sampled_from(VERBS)
clocks = st.fixed_dictionaries({"as_of": some.as_of, "known_at": some.known_at})


def asked(store, verb, anchor, max_depth, clock):
    question = store.impact if verb == "impact" else store.trace_lineage
    return question(*anchor, max_depth, **clock)


def expected(edges, verb, anchor, max_depth, clock, supersede_limit=10):
    question = model.impact if verb == "impact" else model.trace_lineage
    return question(edges, *anchor, max_depth, supersede_limit=supersede_limit, **clock)


def seen(told):
    """What the examples of a run held, for `--hypothesis-show-statistics`."""
    for reason in told["truncated_by"]:
        event(f"cut by {reason}")
    for flag in ("outdated_support", "current"):
        if any(row[flag] for row in told["nodes"]):
            event(flag)


@pytest.mark.parametrize("verb", VERBS)
@some.PROFILE
@given(some.graphs(), some.depths, some.limits, clocks, engines)
def test_traces_equal_the_model(verb, graph, max_depth, limit, clock, engine):
    edges, anchor = graph
    told = expected(edges, verb, anchor, max_depth, clock, limit)
    seen(told)
    with opened(engine, edges, supersede_limit=limit) as store:
        assert not differences(plain_trace(asked(store, verb, anchor, max_depth, clock)), told)


@some.FEWER
@given(some.graphs(), some.depths, some.limits, clocks, engines, verbs)
def test_many_anchors_equal_the_model_and_single_calls(graph, max_depth, limit, clock, engine, verb):
    edges, anchor = graph
    anchors = sorted(nodes_of(edges) | {anchor})
    with opened(engine, edges, supersede_limit=limit) as store:
        question = store.impact_many if verb == "impact" else store.trace_lineage_many
        many = question(pl.DataFrame(anchors, ["type", "id"], orient="row"), max_depth, **clock)
        for one in anchors:
            assert not differences(plain_trace(many[one]), expected(edges, verb, one, max_depth, clock, limit))
            same_frames(many[one], asked(store, verb, one, max_depth, clock))


@some.FEWER
@given(some.graphs(), some.kind_filters, some.directions, some.depths, clocks, engines)
def test_reachability_has_both_clocks(graph, relation_kind, direction, max_depth, clock, engine):
    edges, anchor = graph
    question = {"relation_kind": relation_kind, "direction": direction, "max_depth": max_depth, **clock}
    with opened(engine, edges) as store:
        got = plain_reachability(store.reachability(*anchor, **question))
    assert not differences(got, model.reachability(edges, *anchor, **question))


@some.FEWER
@given(some.graphs(), some.depths, some.limits, clocks, engines, verbs)
def test_ways_equal_the_model(graph, max_depth, limit, clock, engine, verb):
    """Path, routes and flagged, for each node of the trace, for the anchor, and for a node that is not there."""
    edges, anchor = graph
    told = expected(edges, verb, anchor, max_depth, clock, limit)
    rows = {(row["type"], row["id"]): row for row in told["nodes"]}
    with opened(engine, edges, supersede_limit=limit) as store:
        trace = asked(store, verb, anchor, max_depth, clock)
    for node in [anchor, *rows]:
        way, ways = trace.path(*node), trace.routes(*node)
        steps = way.nodes.drop("label").to_dicts()
        chain = model_verbs.path(told, anchor, node)
        assert [step.pop("step") for step in steps] == list(range(len(chain)))
        nothing = dict.fromkeys(model.NODE_FIELDS) | {"type": anchor[0], "id": anchor[1]}
        assert steps == [nothing, *(rows[step] for step in chain[1:])]
        assert way.edges["edge"].to_list() == model_verbs.path_edges(told, anchor, node)
        got = list(zip(ways["role"].to_list(), ways["edge"].to_list(), strict=True))
        assert got == model_verbs.routes(edges, told, anchor, node, backwards=verb == "impact")
        assert ways.columns == trace.edges.columns
    for question in (trace.path, trace.routes):
        with pytest.raises(InvalidRequest):
            question("decision", "not there at all")
    assert trace.flagged.drop("label").to_dicts() == model_verbs.flagged(told, anchor)


@some.PROFILE
@given(some.graphs(), st.data(), some.depths, clocks, clocks, engines, verbs)
def test_a_diff_equals_the_model(graph, data, max_depth, before, after, engine, verb):
    """Between two moments of two clocks, and between a table and what is supposed of it."""
    edges, anchor = graph
    at, change = data.draw(some.suppositions(edges))
    changed = model_rows.what_if(edges, at, **change) if data.draw(st.booleans()) else edges
    old = expected(edges, verb, anchor, max_depth, before)
    new = expected(changed, verb, anchor, max_depth, after)
    with opened(engine, edges) as one, opened(engine, changed) as other:
        first, last = asked(one, verb, anchor, max_depth, before), asked(other, verb, anchor, max_depth, after)
        diff = first.diff(last)
    assert diff.nodes.drop("label").to_dicts() == model_verbs.diff(old, new)
    fields = ["change", *model_verbs.EDGE_FIELDS, "role"]
    told = model_verbs.diff_edges(edges, old, changed, new)
    assert Counter(diff.edges.select(fields).rows()) == told
    assert diff.scalars == model_verbs.diff_scalars(old, new)
    assert bool(diff) == bool(diff.nodes.height or told or diff.scalars)
    assert not first.diff(first)


@some.PROFILE
@given(some.graphs(), st.data(), some.depths, some.limits, clocks, engines, verbs)
def test_what_if_equals_a_store_of_the_changed_table(graph, data, max_depth, limit, clock, engine, verb):
    """Once, and supposing further on top of it; to the last column, row numbers included."""
    edges, anchor = graph
    changed = edges
    with opened(engine, edges, supersede_limit=limit) as store:
        for _ in range(data.draw(st.integers(1, 3))):
            at, change = data.draw(some.suppositions(changed))
            store, changed = suppose(store, at, change), model_rows.what_if(changed, at, **change)
        fresh = RelationStore.open(frame(changed), max_depth_limit=some.MAX_DEPTH_LIMIT, supersede_limit=limit)
        assert store.edge_count == len(changed)
        for node in sorted(nodes_of(changed) | {anchor}):
            got = asked(store, verb, node, max_depth, clock)
            assert not differences(plain_trace(got), expected(changed, verb, node, max_depth, clock, limit))
            same_frames(got, asked(fresh, verb, node, max_depth, clock))
        rings = store.reachability(*anchor, direction="both", **clock)
        assert rings == fresh.reachability(*anchor, direction="both", **clock)


@some.FEWER
@given(some.graphs(), some.depths, some.limits, clocks, engines)
def test_an_audit_equals_the_model_and_single_traces(graph, max_depth, limit, clock, engine):
    edges, anchor = graph
    anchors = sorted(nodes_of(edges) | {anchor})
    told = model_verbs.audit(edges, anchors, max_depth, supersede_limit=limit, **clock)
    of_type = model_verbs.anchors_of_type(edges, anchor[0])
    with opened(engine, edges, supersede_limit=limit) as store:
        audit = store.audit([*anchors, anchors[0]], max_depth, **clock, progress=False)
        if of_type:
            by_name = store.audit(anchor[0], max_depth, **clock, progress=False)
            assert set(by_name.summary.select("type", "id").rows()) == of_type
        for one in anchors:
            flagged = store.trace_lineage(*one, max_depth, **clock).flagged
            mine = audit.findings.filter(anchor_type=one[0], anchor_id=one[1])
            assert mine.drop("anchor_type", "anchor_id").equals(flagged)
    assert audit.summary.drop("label").to_dicts() == told["summary"]
    assert audit.findings.drop("label").to_dicts() == told["findings"]


@some.FEWER
@given(some.graphs(), st.data(), some.depths, clocks, engines, verbs)
def test_ended_items_equal_what_if_they_were_withdrawn(graph, data, max_depth, clock, engine, verb):
    edges, anchor = graph
    ended = data.draw(some.ended_items(edges))
    items = pl.DataFrame(
        [(*node, at) for node, at in ended.items()],
        {"type": pl.String, "id": pl.String, "ended_at": pl.Datetime("us", "UTC")},
        orient="row",
    )
    told = expected(model_rows.with_ended_items(edges, ended), verb, anchor, max_depth, clock)
    with opened(engine, edges, items=items) as store, opened(engine, edges, items=items, ended="ignore") as blind:
        got = asked(store, verb, anchor, max_depth, clock)
        assert not differences(plain_trace(got), told)
        plain = asked(blind, verb, anchor, max_depth, clock)
        assert not differences(plain_trace(plain), expected(edges, verb, anchor, max_depth, clock))
        for node, at in ended.items():
            if at is not None:
                blind = blind.what_if(at, withdraw=[node])
        same_frames(got, asked(blind, verb, anchor, max_depth, clock))
