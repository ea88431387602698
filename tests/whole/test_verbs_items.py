"""Random graphs whose items have labels and ends: a supposition on top of them is as a fresh store says."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit import RelationStore
from support import model_rows
from support import strategies as some
from support.cases import nodes_of
from support.compare import differences, plain_trace
from support.model import impact, trace_lineage
from support.sources import frame
from support.verb_stores import ENGINES, opened, same_frames, suppose

clocks = st.fixed_dictionaries({"as_of": some.as_of, "known_at": some.known_at})
engines = st.sampled_from(["arrays", *ENGINES])


def items_of(ended):
    """An items table in which each of these nodes has a label and, where it has one, an end."""
    rows = [(*node, f"the {node[1]}", at) for node, at in ended.items()]
    columns = {"type": pl.String, "id": pl.String, "label": pl.String, "ended_at": pl.Datetime("us", "UTC")}
    return pl.DataFrame(rows, columns, orient="row")


def labels(rows):
    return dict(zip(rows.select("type", "id").rows(), rows["label"], strict=True))


@some.FEWER
@given(some.graphs(), st.data(), some.depths, clocks, engines)
def test_what_is_supposed_of_ended_items_equals_a_fresh_store(graph, data, max_depth, clock, engine):
    """What is added rests on ended items too, and the index of what is supposed says the same."""
    edges, anchor = graph
    ended = data.draw(some.ended_items(edges))
    at, change = data.draw(some.suppositions(edges))
    changed = model_rows.what_if(edges, at, **change)
    rows, items = model_rows.with_ended_items(changed, ended), items_of(ended)
    fresh = RelationStore.open(frame(changed), items=items, max_depth_limit=some.MAX_DEPTH_LIMIT)
    with opened(engine, edges, items=items) as store:
        supposed = suppose(store, at, change)
        for node in sorted(nodes_of(changed) | {anchor}):
            for verb, told in (("trace_lineage", trace_lineage), ("impact", impact)):
                got = getattr(supposed, verb)(*node, max_depth, **clock)
                assert not differences(plain_trace(got), told(rows, *node, max_depth, **clock))
                same_frames(got, getattr(fresh, verb)(*node, max_depth, **clock))


@some.FEWER
@given(some.graphs(), st.data(), some.depths, clocks, engines)
def test_every_frame_that_names_nodes_has_their_labels(graph, data, max_depth, clock, engine):
    edges, anchor = graph
    ended = data.draw(some.ended_items(edges))
    named = {node: f"the {node[1]}" for node in ended}
    with opened(engine, edges, items=items_of(ended)) as store:
        supposed = store.what_if(some.DAYS[0], add=frame([edges[0]])) if edges else store
        for one in (store, supposed):
            lineage, audit = one.trace_lineage(*anchor, max_depth, **clock), one.audit([anchor], progress=False)
            rings = one.reachability(*anchor, **clock)
            frames = [lineage.nodes, lineage.frontier, lineage.flagged, rings.nodes, audit.summary, audit.findings]
            frames += [lineage.diff(one.trace_lineage(*anchor, max_depth)).nodes]
            frames += [lineage.path(*node).nodes for node in lineage.nodes.select("type", "id").rows()[:2]]
            frames += [one.impact(*anchor, max_depth, **clock).nodes]
            for told in frames:
                assert labels(told) == {node: named.get(node) for node in labels(told)}
