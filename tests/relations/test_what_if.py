"""What is supposed: it equals a fresh store of the changed table, on every engine."""

from datetime import UTC, datetime

import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore, connect
from lineage_kit.engines.csr import engine as csr
from support.small import edge
from support.sources import frame

AT = datetime(2025, 1, 1, tzinfo=UTC)
EARLIER, LATER = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
EDGES = [
    edge("d1", "a", confidence=0.5),
    edge("d1", "b", invalid_at=EARLIER, expired_at=AT),
    edge("a", "b", invalid_at=LATER, expired_at=LATER),
    edge("a", "c", "relates_to"),
    edge("a2", "a", "supersedes"),
    edge("a2", "b", "derives_from"),
]
ADDED = [
    edge("b", "new", confidence=0.7, edge_class="observed"),
    edge("d1", "aa", confidence=0.9),
    edge("b", "c", "fresh_kind"),
]
CHANGED = [
    EDGES[0],
    EDGES[1],
    edge("a", "b", invalid_at=AT),
    EDGES[3],
    EDGES[4],
    edge("a2", "b", "derives_from", invalid_at=AT),
    *ADDED,
    edge("c2", "c", "supersedes", created_at=AT),
]
SORTS = ("arrays", "lazy", "parquet", "index")


def opened(sort, rows, folder, monkeypatch):
    table = frame(rows).with_columns(own=pl.lit("kept"))
    if sort != "arrays":
        monkeypatch.setattr(csr, "SMALL", -1)
    if sort in ("arrays", "lazy"):
        return RelationStore.open(table if sort == "arrays" else table.lazy())
    folder.mkdir(exist_ok=True)
    table.write_parquet(folder / "relations.parquet")
    store = RelationStore.open(folder / "relations.parquet")
    return store.build_index(folder / "index", progress=False) if sort == "index" else store


def change(store):
    return store.what_if(
        AT, withdraw=[("decision", "b")], add=frame(ADDED), supersede=[("decision", "c", "decision", "c2")]
    )


@pytest.mark.parametrize("sort", SORTS)
def test_it_equals_a_fresh_store(sort, tmp_path, monkeypatch):
    supposed = change(opened(sort, EDGES, tmp_path, monkeypatch))
    own = [None if place >= len(EDGES) else "kept" for place in range(len(CHANGED))]
    fresh = RelationStore.open(frame(CHANGED).with_columns(own=pl.Series(own)))
    asked = [("decision", node) for node in ("d1", "a", "b", "c", "new", "c2", "aa", "nobody")]
    for clocks in ({}, {"as_of": "2025-06-01T00:00:00Z"}, {"known_at": "2025-06-01T00:00:00Z"}, {"as_of": LATER}):
        for node in asked:
            for ask in ("trace_lineage", "impact"):
                got, wanted = (getattr(store, ask)(*node, **clocks) for store in (supposed, fresh))
                assert got == wanted, (node, ask, clocks)
                assert got.edges["edge"].to_list() == wanted.edges["edge"].to_list()
                assert got.describing.to_list() == wanted.describing.to_list()
        assert supposed.trace_lineage_many(asked, **clocks) == fresh.trace_lineage_many(asked, **clocks)
    assert supposed.edge_count == fresh.edge_count
    assert supposed.reachability("decision", "b").nodes.equals(fresh.reachability("decision", "b").nodes)
    assert supposed.check().rows() == fresh.check().rows()
    assert [node.id for node in supposed.near("decision", "nev", 1)] == ["new"]
    assert supposed.find("new").rows() == fresh.find("new").rows()
    told = "select source_id, target_id, relation_kind, invalid_at, own, edge from relations order by edge"
    assert connect(supposed).sql(told).fetchall() == connect(fresh).sql(told).fetchall()
    index = supposed.build_index(tmp_path / "of what is supposed", progress=False)
    assert index.trace_lineage("decision", "d1") == fresh.trace_lineage("decision", "d1")


@pytest.mark.parametrize("sort", SORTS)
def test_a_second_change_touches_what_the_first_added(sort, tmp_path, monkeypatch):
    first = change(opened(sort, EDGES, tmp_path, monkeypatch))
    second = first.what_if(
        EARLIER,
        withdraw=[("decision", "new"), ("decision", "b")],
        invalidate=[("decision", "c2", "decision", "c", "supersedes")],
        add=frame([edge("new", "later")]),
    )
    rows = [dict(row) for row in CHANGED]
    for place in (1, 2, 5, 6, 9):
        rows[place] |= {"invalid_at": EARLIER, "expired_at": None}
    fresh = RelationStore.open(frame([*rows, edge("new", "later")]))
    for node in ("d1", "a", "b", "new"):
        got, wanted = (store.trace_lineage("decision", node) for store in (second, fresh))
        assert got.nodes.equals(wanted.nodes)
        assert got.edges.drop("own").equals(wanted.edges)
    assert len(second.supposing) == 2
    assert "decision b" not in repr(second) or "supposing" in repr(second)


def test_what_is_not_there_is_told_all_at_once():
    store = RelationStore.open(frame(EDGES))
    with pytest.raises(InvalidRequest) as told:
        store.what_if(
            AT,
            withdraw=[("decision", "no"), ("decision", "a")],
            invalidate=[("decision", "d1", "decision", "a", "relates_to")],
            supersede=[("decision", "none", "decision", "x")],
        )
    assert str(told.value) == (
        "the relations have no item decision no to withdraw; no edge decision d1 relates_to decision a to invalidate; "
        "no item decision none to supersede"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"at": None, "withdraw": [("decision", "a")]}, "at is missing"),
        ({"at": "2025-01-01T00:00:00", "withdraw": [("decision", "a")]}, "at=2025-01-01T00:00:00 has no time zone"),
        ({"at": AT}, "nothing is supposed"),
        ({"at": AT, "supersede": [("decision", "a", "decision", "a")]}, "decision a supersedes itself"),
        ({"at": AT, "supersede": [("decision", "a")]}, "supersede must be a frame, or a list of"),
        ({"at": AT, "withdraw": ["a"]}, "withdraw: an anchor is a pair"),
        ({"at": AT, "invalidate": pl.DataFrame({"source_id": ["a"]})}, "invalidate must have the columns"),
    ],
)
def test_bad_changes_are_one_line(arguments, told):
    store = RelationStore.open(frame(EDGES))
    with pytest.raises(InvalidRequest, match=told):
        store.what_if(**arguments)


def test_items_that_have_ended_are_withdrawn_then(tmp_path, monkeypatch):
    items = pl.DataFrame({"type": "decision", "id": ["b", "c"], "label": ["B", None], "ended_at": [AT, None]})
    for sort in SORTS:
        ended, plain = (
            _with_items(sort, items, tmp_path / f"{sort}{word}", monkeypatch, word) for word in ("invalidate", "ignore")
        )
        supposed = plain.what_if(AT, withdraw=[("decision", "b")])
        for node in ("d1", "a", "a2"):
            got, wanted = (store.trace_lineage("decision", node) for store in (ended, supposed))
            assert got == wanted, (sort, node)
            assert got.edges.equals(wanted.edges)
        assert plain.trace_lineage("decision", "a2").nodes["invalidated"].to_list() == [False]
        assert ended.trace_lineage("decision", "a2").nodes.select("invalidated", "label").rows() == [(True, "B")]


def _with_items(sort, items, folder, monkeypatch, word):
    table = frame(EDGES)
    monkeypatch.setattr(csr, "SMALL", 200_000 if sort == "arrays" else -1)
    if sort in ("arrays", "lazy"):
        return RelationStore.open(table if sort == "arrays" else table.lazy(), items=items, ended=word)
    folder.mkdir()
    table.write_parquet(folder / "relations.parquet")
    items.write_parquet(folder / "items.parquet")
    store = RelationStore.open(folder, ended=word)
    return store.build_index(folder / "index", progress=False) if sort == "index" else store
