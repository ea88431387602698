"""What a result is: its documented columns, equality by content, no hash, the same in every run."""

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import polars as pl
import pytest

import lineage_kit
from lineage_kit import RelationStore
from support.small import edge, two_steps
from support.sources import frame, make_source

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
TEXT, WHOLE, FLAG = pl.String, pl.Int64, pl.Boolean
NODES = {
    "depth": WHOLE,
    "hop": WHOLE,
    "type": TEXT,
    "id": TEXT,
    "relation_kind": TEXT,
    "edge_class": TEXT,
    "confidence": pl.Float64,
    "invalidated": FLAG,
    "superseded": FLAG,
    "outdated_support": FLAG,
    "current": FLAG,
    "via_type": TEXT,
    "via_id": TEXT,
    "label": TEXT,
}
RINGS = {name: kind for name, kind in NODES.items() if name not in ("hop", "superseded", "outdated_support", "current")}
RINGS["direction"] = TEXT
RELATIONS = {
    **dict.fromkeys(["source_type", "source_id", "target_type", "target_id", "relation_kind", "edge_class"], TEXT),
    "confidence": pl.Float64,
    **dict.fromkeys(["created_at", "valid_at", "invalid_at", "expired_at"], pl.Datetime("us", "UTC")),
}
FRONTIER = {"type": TEXT, "id": TEXT, "label": TEXT}
EDGES = {**RELATIONS, "edge": WHOLE, "role": TEXT}

GRAPH = [edge("d1", "a"), edge("a", "b"), edge("a2", "a", "supersedes", confidence=0.5), edge("a2", "c")]


def schema(table):
    return dict(table.schema)


@pytest.mark.parametrize("kind", ["eager", "parquet"])
@pytest.mark.parametrize("anchor", ["d1", "nobody"])
def test_frames_have_the_documented_columns_even_when_empty(kind, anchor, tmp_path):
    store = RelationStore.open(make_source(kind, two_steps(), tmp_path / "s"))
    trace = store.trace_lineage("decision", anchor)
    assert schema(trace.nodes) == NODES
    assert schema(trace.edges) == EDGES
    assert schema(trace.frontier) == FRONTIER
    found = store.reachability("decision", anchor, max_depth=4)
    assert schema(found.nodes) == RINGS
    assert [schema(ring) for ring in found.rings] == [RINGS] * 4


def test_a_batch_has_the_anchor_in_front():
    many = RelationStore.open(frame(GRAPH)).trace_lineage_many(pl.DataFrame({"type": "decision", "id": ["d1"]}), 1)
    for table, columns in [
        (many.nodes, NODES),
        (many.edges, EDGES),
        (many.frontier, FRONTIER),
    ]:
        assert table.columns[:2] == ["anchor_type", "anchor_id"]
        assert schema(table.drop("anchor_type", "anchor_id")) == columns
    row = many.summary.row(0, named=True)
    single = many["decision", "d1"]
    for name in ("anchor_known", "anchor_superseded", "max_depth", "as_of", "known_at", "truncated"):
        assert row[name] == getattr(single, name), name
    assert tuple(row["truncated_by"]) == single.truncated_by == ("max_depth",)
    assert (row["nodes"], row["edges"], row["frontier"]) == (2, 2, 2)


def test_the_anchor_is_a_named_pair():
    trace = RelationStore.open(frame(GRAPH)).trace_lineage("decision", "d1", as_of=NOON)
    assert trace.anchor == ("decision", "d1")
    assert (trace.anchor.type, trace.anchor.id) == ("decision", "d1")
    assert (trace.max_depth, trace.as_of) == (5, NOON)


def test_a_result_cannot_be_changed_or_hashed():
    store = RelationStore.open(frame(GRAPH))
    many = store.trace_lineage_many(pl.DataFrame({"type": "decision", "id": ["d1"]}))
    for result in (store.trace_lineage("decision", "d1"), store.reachability("decision", "d1"), many):
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.nodes = None
        with pytest.raises(TypeError, match="unhashable"):
            hash(result)


def test_equality_is_by_content():
    trace = RelationStore.open(frame(GRAPH)).trace_lineage("decision", "d1")
    again = RelationStore.open(frame(GRAPH[::-1])).trace_lineage("decision", "d1")
    assert trace == again
    assert trace.edges["edge"].to_list() != again.edges["edge"].to_list()
    store = RelationStore.open(frame(GRAPH))
    assert trace != store.trace_lineage("decision", "d1", 4)
    assert trace != store.trace_lineage("decision", "d1", as_of=NOON)
    assert trace != store.trace_lineage("decision", "a")
    assert trace != RelationStore.open(frame([*GRAPH, edge("c", "d1")])).trace_lineage("decision", "d1")
    assert trace != "a trace"


def test_rows_equal_in_all_that_is_sorted_by_may_swap_places():
    """They differ in an own column only, so their order in the frame is that of the source."""
    table = pl.concat([two_steps()[:1]] * 2).with_columns(tags=pl.Series([["x"], ["y", "z"]]))
    one = RelationStore.open(table).trace_lineage("decision", "d1")
    other = RelationStore.open(table.reverse()).trace_lineage("decision", "d1")
    changed = RelationStore.open(table.with_columns(tags=pl.lit(["x"]))).trace_lineage("decision", "d1")
    assert one == other
    assert one != changed


def test_results_can_be_copied_and_pickled():
    store = RelationStore.open(frame(GRAPH))
    many = store.trace_lineage_many(pl.DataFrame({"type": "decision", "id": ["d1", "a"]}))
    for result in (store.trace_lineage("decision", "d1"), store.reachability("decision", "d1"), many):
        assert copy.copy(result) == result
        assert copy.deepcopy(result) == result
        assert pickle.loads(pickle.dumps(result)) == result


def test_two_runs_look_the_same(tmp_path):
    for kind in ("eager", "parquet"):
        source = make_source(kind, GRAPH, tmp_path / kind)
        one, other = (RelationStore.open(source).trace_lineage("decision", "d1") for _ in range(2))
        assert repr(one) == repr(other)
        assert "0x" not in repr(one)


def test_the_one_liner_opens_and_traces(tmp_path):
    path = make_source("parquet", GRAPH, tmp_path / "s")
    assert lineage_kit.trace_lineage(path, "decision", "d1", 1) == RelationStore.open(path).trace_lineage(
        "decision", "d1", 1
    )


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet"])
def test_threads_may_share_a_store(kind, tmp_path):
    edges = [edge(f"n{n}", f"n{(n * 7 + shift) % 200}") for n in range(200) for shift in (1, 3)]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    anchors = [f"n{n}" for n in range(40)]

    def ask(anchor):
        return store.trace_lineage("decision", anchor)

    alone = [ask(anchor) for anchor in anchors]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, anchors)) == alone
