"""What a notebook shows of a result: quiet, deterministic, escaped, small."""

import re

import polars as pl
import pytest

from lineage_kit import RelationStore
from lineage_kit.view import generic
from lineage_kit.view.terminal import drawn

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\n'\";--"


def relations(rows):
    names = ("source_type", "source_id", "target_type", "target_id", "relation_kind")
    return pl.DataFrame(rows, schema=names, orient="row")


@pytest.fixture
def store():
    rows = [("decision", "d1", "evidence", f"e{number:03}", "depends_on") for number in range(300)]
    rows += [
        ("evidence", "e900", "evidence", "e000", "supersedes"),
        ("decision", "d1", "evidence", HOSTILE, "depends_on"),
    ]
    return RelationStore.open(relations(rows))


def results(store):
    yield store.trace_lineage("decision", "d1")
    yield store.trace_lineage("decision", "unknown")
    yield store.trace_lineage_many([("decision", "d1"), ("decision", "unknown")])
    yield store.reachability("decision", "d1")
    yield store.reachability("decision", "unknown")


def test_html_is_static_small_and_escaped(store):
    for result in results(store):
        html = result._repr_mimebundle_()["text/html"]
        assert len(html.encode()) < 20_000
        assert not re.search(r"<script|<img|onerror=alert\(1\)>|\bid=|https?:|class=", html)
        assert "\u202e" not in html
        assert "\n" not in html


def test_two_runs_show_the_same(store):
    again = RelationStore.open(store._backing.whole.relations.frame.to_native().drop("edge").collect())
    for one, other in zip(results(store), results(again), strict=True):
        assert one == other
        assert one._repr_mimebundle_() == other._repr_mimebundle_()
        assert repr(one) == repr(other)


def test_an_unknown_anchor_comes_first_with_near_matches(store):
    trace = store.trace_lineage("evidence", "e90")
    shown = trace._repr_mimebundle_()
    assert shown["text/plain"].splitlines()[1] == (
        "! UNKNOWN ANCHOR: no relation mentions evidence e90. "
        "Close to it: evidence e900; evidence e090; evidence e190; evidence e290."
    )
    assert "UNKNOWN ANCHOR" in shown["text/html"]
    assert "UNKNOWN" in repr(trace)


def test_what_is_left_out_is_counted(store):
    shown = store.trace_lineage("decision", "d1")._repr_mimebundle_()
    assert "20 of 302 rows shown; all are in trace.nodes." in shown["text/html"]
    assert "… 262 more nodes not drawn, of 302" in shown["text/plain"]


def test_long_ids_are_cut_and_say_so():
    store = RelationStore.open(relations([("decision", "d" * 10_000, "evidence", "e", "depends_on")]))
    shown = store.trace_lineage("decision", "d" * 10_000)._repr_mimebundle_()
    assert "… (10,000 characters)" in shown["text/html"]
    assert len(shown["text/html"]) < 2_000


def test_a_chain_of_a_thousand_levels_is_drawn_without_recursion():
    rows = [("step", f"s{number:04}", "step", f"s{number + 1:04}", "depends_on") for number in range(1_000)]
    store = RelationStore.open(relations(rows), max_depth_limit=2_000)
    trace = store.trace_lineage("step", "s0000", 2_000)
    assert trace.nodes.height == 1_000
    shown = trace._repr_mimebundle_()
    assert "1,000 premises over 1,000 levels" in shown["text/plain"]

    assert len(drawn(generic.tree(trace)).splitlines()) == 1_001


def test_labels_are_shown_and_stand_at_the_end_of_frames():
    items = pl.DataFrame({"type": ["evidence"], "id": ["e"], "label": ["<b>Load</b> test"]})
    store = RelationStore.open(relations([("decision", "d", "evidence", "e", "depends_on")]), items=items)
    trace = store.trace_lineage("decision", "d")
    shown = trace._repr_mimebundle_()
    assert "evidence e “<b>Load</b> test”" in shown["text/plain"]
    assert "&lt;b&gt;Load&lt;/b&gt; test" in shown["text/html"]
    assert trace.nodes["label"].to_list() == ["<b>Load</b> test"]
