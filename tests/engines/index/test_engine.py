"""An index answers what the tables it was built from answer: every case, every field, whatever is in them."""

import multiprocessing
import threading
from datetime import timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

from lineage_kit import RelationStore, connect
from lineage_kit.engines.index import builder, columns, engine, memory, sort
from lineage_kit.relations.walk import batching
from support import conformance, model
from support import strategies as some
from support.cases import LINEAGE, REACHABILITY, nodes_of
from support.compare import differences, plain_reachability, plain_trace
from support.shared import shared_file
from support.small import edge
from support.sources import KINDS, frame, make_source

SLOW = settings(some.FEWER, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def indexed(tmp_path):
    """Builds and opens the index of a source; each in a folder of its own."""
    made = iter(range(1_000_000))

    def built(source, **options):
        store = RelationStore.open(source, **options)
        return store.build_index(tmp_path / f"index-{next(made)}", progress=False)

    return built


def same(one, other):
    """Equal in every field, those that equality leaves out too."""
    assert one == other
    assert one.nodes.equals(other.nodes)
    assert one.edges.equals(other.edges)
    assert one.edges.schema == other.edges.schema
    assert one.frontier.equals(other.frontier)


# --- every case ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_lineage_cases_in_one_table(kind, indexed, tmp_path):
    edges, origin = conformance.one_table(LINEAGE, seed=5)
    store = indexed(make_source(kind, edges, tmp_path / "s"))
    conformance.check_all(conformance.in_batches(store, LINEAGE), origin)
    cases = LINEAGE if kind in ("eager", "parquet") else LINEAGE[::20]
    conformance.check_all(conformance.singly(store, cases), origin)


@pytest.mark.parametrize("kind", KINDS)
def test_reachability_cases_in_one_table(kind, indexed, tmp_path):
    edges, origin = conformance.one_table(REACHABILITY, seed=6)
    store = indexed(make_source(kind, edges, tmp_path / "s"))
    cases = REACHABILITY if kind in ("eager", "parquet") else REACHABILITY[::5]
    conformance.check_all(conformance.singly(store, cases), origin)


def test_some_cases_alone(indexed):
    for case in (LINEAGE + REACHABILITY)[3::20]:
        conformance.check(case, conformance.ask(indexed(frame(case["edges"])), case))


def test_all_nodes_of_all_cases_in_small_parts(indexed, monkeypatch):
    """Ranges to sort and parts of a batch are so small that there are many of them."""
    monkeypatch.setattr(memory, "RANGE", 50)
    monkeypatch.setattr(sort, "PIECE", 7)
    monkeypatch.setattr(memory, "CHUNK", 70)
    monkeypatch.setattr(batching, "WHOLE", 7)
    monkeypatch.setattr(batching, "FIRST", 7)
    monkeypatch.setattr(batching, "PAIRS", 900)
    edges = frame(conformance.one_table(LINEAGE)[0])
    anchors = pl.DataFrame(sorted(nodes_of(edges.to_dicts())), ["type", "id"], orient="row")
    one, other = (store.trace_lineage_many(anchors, 3) for store in (indexed(edges), RelationStore.open(edges.lazy())))
    assert one == other
    assert one.edges.equals(other.edges)
    assert one.stats["depth"].to_list() == [0, 1, 2, 3]
    assert one.stats["new_nodes"].to_list() == other.stats["new_nodes"].to_list()


def test_nodes_that_share_a_hash(indexed, monkeypatch):
    monkeypatch.setattr(builder, "HASH", "hash({type}, {id}) % 3")
    edges, origin = conformance.one_table(LINEAGE[::10])
    conformance.check_all(conformance.singly(indexed(frame(edges)), LINEAGE[::10]), origin)


# --- random graphs ------------------------------------------------------------------------------------


@SLOW
@given(some.graphs(), some.depths, some.limits, some.as_of, some.kind_filters, some.directions)
def test_answers_equal_the_model(indexed, graph, max_depth, limit, as_of, relation_kind, direction):
    edges, anchor = graph
    store = indexed(frame(edges), max_depth_limit=some.MAX_DEPTH_LIMIT, supersede_limit=limit)
    got = plain_trace(store.trace_lineage(*anchor, max_depth, as_of=as_of))
    assert not differences(got, model.trace_lineage(edges, *anchor, max_depth, supersede_limit=limit, as_of=as_of))
    asked = {"relation_kind": relation_kind, "direction": direction, "max_depth": max_depth}
    got = plain_reachability(store.reachability(*anchor, **asked))
    assert not differences(got, model.reachability(edges, *anchor, **asked))


def test_as_of_at_every_boundary(indexed):
    """Which edges exist, which are invalidated, and so which one describes a node, moves with the time asked."""
    day, tick = some.DAYS, timedelta(microseconds=1)
    edges = [
        edge("d1", "a", created_at=day[1], invalid_at=day[2]),
        edge("d1", "a", "derives_from", valid_at=day[2], created_at=day[0]),
        edge("a", "b", invalid_at=day[1]),
        edge("r", "b", "supersedes", created_at=day[3]),
    ]
    store, plain = indexed(frame(edges)), RelationStore.open(frame(edges).lazy())
    for moment in [moment + shift for moment in day for shift in (-tick, timedelta(0), tick)]:
        same(store.trace_lineage("decision", "d1", as_of=moment), plain.trace_lineage("decision", "d1", as_of=moment))


# --- what a table may hold ----------------------------------------------------------------------------

HOSTILE = [
    "",
    "\0",
    "a\0",
    "a\0b",
    "a",
    "a ",
    "A",
    "é",
    "e\u0301",
    "𝔘",
    "\u202e",
    "'; drop table",
    "%",
    "\n",
    "x" * 70_000,
]


def test_hostile_names(indexed):
    names = [f"{start}{end}" for start in HOSTILE for end in ("1", "2")]
    edges = [
        edge("d1", one) | {"target_type": other, "relation_kind": kind}
        for one, other in zip(names, names[::-1], strict=True)
        for kind in ("depends_on", one)
    ]
    store, plain = indexed(frame(edges)), RelationStore.open(frame(edges).lazy())
    same(store.trace_lineage("decision", "d1"), plain.trace_lineage("decision", "d1"))
    for one, other in zip(names, names[::-1], strict=True):
        assert store.reachability(other, one, direction="incoming").nodes["id"].to_list() == ["d1"]
        assert not store.trace_lineage(other, one + "?").anchor_known
    assert store.find("drop table").height == 2


def test_own_columns_of_every_type(indexed, tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "ROWS", 3)
    count = 10
    edges = frame([edge(f"n{n}", f"n{n + 1}") for n in range(count)][::-1])
    own = edges.with_columns(
        numbers=pl.Series([[n, None] if n % 3 else None for n in range(count)]),
        inside=pl.Series([{"a": n, "b": [{"c": str(n)}]} if n % 4 else None for n in range(count)]),
        reason=pl.Series([f"because {n}" for n in range(count)]),
        whole=pl.Series(range(count), dtype=pl.Int8),
        nothing=pl.lit(None, pl.String),
        decimal=pl.lit("1.25").cast(pl.Decimal(10, 2)),
        moment=pl.lit(some.DAYS[0]),
        flag=pl.lit(True),
    )
    for kind in ("eager", "parquet", "mixed", "parquet_glob"):
        source = make_source(kind, own, tmp_path / kind)
        store, plain = indexed(source), RelationStore.open(source)
        assert store.trace_lineage("decision", "n0", 9).edges.height == 9
        same(store.trace_lineage("decision", "n0", 9), plain.trace_lineage("decision", "n0", 9))
        assert store.edges("decision", "n3").equals(plain.edges("decision", "n3"))
        assert (
            connect(store)
            .sql("from relations order by edge")
            .pl()
            .equals(connect(plain).sql("from relations order by edge").pl())
        )


@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_an_empty_table_and_one_node(kind, indexed, tmp_path):
    empty = indexed(make_source(kind, [], tmp_path / "empty"))
    assert empty.edge_count == 0
    assert not empty.trace_lineage("decision", "d1").anchor_known
    assert empty.find("d").is_empty()
    assert empty.check()["finding"].to_list() == ["no walked kind"]
    alone = indexed(make_source(kind, [edge("d1", "d1")], tmp_path / "alone"))
    assert alone.trace_lineage("decision", "d1").anchor_known
    assert alone.trace_lineage("decision", "d1").edges.height == 1
    assert alone.find("d1").rows() == [("decision", "d1", None, "id", 2)]


@pytest.mark.parametrize("kind", ["eager", "parquet", "mixed"])
def test_rows_that_are_set_aside(kind, indexed, tmp_path):
    edges = frame([edge("d1", "a"), edge("", "b"), edge("a", "b", own=None), edge("b", None), edge("b", "c")])
    source = make_source(kind, edges.with_columns(own=pl.int_range(5)), tmp_path / "s")
    store, plain = indexed(source, strict=False), RelationStore.open(source, strict=False)
    assert store.rejected.equals(plain.rejected)
    assert store.rejected["edge"].to_list() == [1, 3]
    same(store.trace_lineage("decision", "d1"), plain.trace_lineage("decision", "d1"))
    assert store.trace_lineage("decision", "d1").edges["edge"].to_list() == [2, 4, 0]
    assert store.check().equals(plain.check())
    assert connect(store).sql("select edge from relations order by edge").fetchall() == [(0,), (2,), (4,)]


def test_options_of_the_door_are_kept(indexed, tmp_path):
    path = tmp_path / "mine.parquet"
    pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}).write_parquet(path)
    items = pl.DataFrame({"type": ["evidence"], "id": ["e1"], "label": ["Load test"]})
    options = {
        "columns": {"from": "source_id", "to": "target_id", "rel": "relation_kind"},
        "kinds": {"BASED_ON": "depends_on"},
        "source_type": "decision",
        "target_type": "evidence",
        "items": items,
    }
    for source in (path, pl.read_parquet(path)):
        store = indexed(source, **options)
        assert store.trace_lineage("decision", "d1").nodes["id"].to_list() == ["e1"]
        assert store.find("load")["label"].to_list() == ["Load test"]
        assert store.labels(items).rows() == [("evidence", "e1", "Load test")]
        assert store.near("decision", "d2", 1) == [("decision", "d1")]
        assert store.check().is_empty()
        assert connect(store).sql("select relation_kind, label from relations, items").fetchall() == [
            ("depends_on", "Load test")
        ]
        found = connect(store).sql("select id from trace_lineage('decision', 'd1')").fetchall()
        assert found == [("e1",)]
        assert repr(store).startswith("RelationStore(the index index-")


# --- large and many -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    path = shared_file("data/debian_relations.parquet")
    plain = RelationStore.open(path)
    return plain, plain.build_index(tmp_path_factory.mktemp("debian") / "index", progress=False)


def anchors_of(store, count):
    nodes = store.find("e", limit=20_000).sort("type", "id")
    return nodes[:: nodes.height // count].head(count).select("type", "id")


def test_debian_is_the_same(debian):
    plain, store = debian
    anchors = anchors_of(store, 50)
    one, other = (each.trace_lineage_many(anchors, 5) for each in (store, plain))
    assert one == other
    assert one.edges.equals(other.edges)
    for anchor in anchors.rows()[::10]:
        assert store.trace_lineage(*anchor) == one[anchor]
        found = [each.reachability(*anchor, direction="both", max_depth=2) for each in (store, plain)]
        assert found[0] == found[1]
    assert store.find("python3", 5).equals(plain.find("python3", 5))


def test_eight_threads(debian):
    _, store = debian
    anchors = anchors_of(store, 24).rows()
    expected = {anchor: store.trace_lineage(*anchor) for anchor in anchors}
    wrong = []

    def ask(shift):
        for anchor in anchors[shift:] + anchors[:shift]:
            try:
                if store.trace_lineage(*anchor) != expected[anchor]:
                    wrong.append(anchor)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=ask, args=(shift,)) for shift in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def traced(folder, anchors):
    store = RelationStore.open(folder)
    return [store.trace_lineage(*anchor).nodes.hash_rows().to_list() for anchor in anchors]


def test_four_processes(debian):
    _, store = debian
    anchors = anchors_of(store, 24).rows()
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        answers = pool.starmap(traced, [(store.index, anchors)] * 4)
    assert answers == [traced(store.index, anchors)] * 4


def test_a_chain_of_a_hundred_thousand_levels(indexed):
    count = 100_000
    ids = pl.int_range(count, eager=True)
    chain = pl.DataFrame({**edge("", ""), "source_id": ids.cast(pl.String), "target_id": (ids + 1).cast(pl.String)})
    trace = indexed(chain, max_depth_limit=count).trace_lineage("decision", "0", count)
    assert trace.nodes["id"].equals((ids + 1).cast(pl.String).alias("id"))
    assert trace.nodes["depth"].equals((ids + 1).alias("depth"))
    assert not trace.truncated


def test_a_large_index_gives_its_pages_back_and_answers_the_same(folder, monkeypatch):
    expected = RelationStore.open(folder)
    anchors = [("decision", "d1"), ("evidence", "e1")]
    monkeypatch.setattr(engine, "ALWAYS_MAPPED", 0)
    monkeypatch.setattr(engine, "RESIDENT", 0)
    large = RelationStore.open(folder)
    for anchor in anchors * 3:
        assert large.trace_lineage(*anchor) == expected.trace_lineage(*anchor)
        assert large.reachability(*anchor, direction="both") == expected.reachability(*anchor, direction="both")
