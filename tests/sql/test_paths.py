"""`lineage_path` and `impact_path` give the nodes of the path that the objects give, and walk once an anchor."""

from datetime import UTC, datetime

import duckdb
import polars as pl
import pytest

from lineage_kit import RelationStore, connect
from support.rows import same_rows
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import KINDS, frame, make_source

DOUBTED = ("decision", "dec-2026-0417")
WRONG = ("evidence", "ev-7f3a91c2")
BEFORE = datetime(2026, 4, 23, 12, tzinfo=UTC)
MACROS = {"lineage_path": "trace_lineage", "impact_path": "impact"}


def path(connection, macro, anchor, node, **asked):
    """One macro, everything it is given bound as a parameter."""
    named = "".join(f", {name} := ${name}" for name in asked)
    given = {"type": anchor[0], "id": anchor[1], "to_type": node[0], "to_id": node[1], **asked}
    return connection.sql(f"from {macro}($type, $id, $to_type, $to_id{named})", params=given).pl()


@pytest.fixture(scope="module", params=KINDS)
def store(request, tmp_path_factory):
    """The story as each kind of source, with its items."""
    parts = [pl.read_parquet(DATA / f"{name}.parquet") for name in ("decisions", "items")]
    folder = tmp_path_factory.mktemp("story")
    relations, items = (make_source(request.param, part, folder / str(n)) for n, part in enumerate(parts))
    return RelationStore.open(relations, items=items)


@pytest.mark.parametrize("asked", [{}, {"max_depth": 2, "as_of": BEFORE}, {"known_at": BEFORE}])
@pytest.mark.parametrize(("macro", "anchor"), [("lineage_path", DOUBTED), ("impact_path", WRONG)])
def test_the_path_to_every_node_is_that_of_the_object(store, macro, anchor, asked):
    trace = getattr(store, MACROS[macro])(*anchor, **asked)
    named = "".join(f", {name} := ${name}" for name in asked)
    query = f"""
        select n.type as to_type, n.id as to_id, p.*
        from nodes n, {macro}($type, $id, n.type, n.id{named}) p
    """
    given = {"type": anchor[0], "id": anchor[1], **asked}
    found = connect(store, nodes=trace.nodes.select("type", "id")).sql(query, params=given).pl()
    ends = [pl.lit(None, pl.String).alias(name) for name in ("to_type", "to_id")]
    expected = [trace.path(*anchor).nodes.select(*ends, pl.all()).clear()]
    for node in trace.nodes.select("type", "id").iter_rows():
        to_type, to_id = (pl.lit(text).alias(name) for text, name in zip(node, ("to_type", "to_id"), strict=True))
        expected.append(trace.path(*node).nodes.select(to_type, to_id, pl.all()))
    assert len(expected) > 3
    same_rows(found, pl.concat(expected))


def test_a_path_is_read_off_in_its_steps():
    store = RelationStore.open(frame([edge("d1", "a"), edge("b", "a", "supersedes"), edge("b", "c")]))
    columns = ["step", "depth", "hop", "id", "relation_kind", "via_id"]
    found = path(connect(store), "lineage_path", ("decision", "d1"), ("decision", "c")).select(columns).sort("step")
    assert found.rows() == [
        (0, None, None, "d1", None, None),
        (1, 1, 0, "a", "depends_on", "d1"),
        (2, 1, 1, "b", "supersedes", "a"),
        (3, 2, 0, "c", "depends_on", "b"),
    ]
    found = path(connect(store), "impact_path", ("decision", "c"), ("decision", "d1")).select(columns).sort("step")
    assert found.rows() == [
        (0, None, None, "c", None, None),
        (1, 1, 0, "b", "depends_on", "c"),
        (2, 1, 1, "a", "supersedes", "b"),
        (3, 2, 0, "d1", "depends_on", "a"),
    ]


@pytest.mark.parametrize(
    ("anchor", "node", "asked"),
    [
        (("decision", "d1"), ("decision", "nobody"), {}),
        (("decision", "d1"), ("Decision", "a"), {}),
        (("decision", "d1"), ("decision", "b"), {"max_depth": 1}),
        (("decision", "b"), ("decision", "d1"), {}),
        (("decision", "d1"), ("decision", ""), {}),
        (("decision", "d1"), ("decision", None), {}),
        (("decision", None), ("decision", "a"), {}),
    ],
)
def test_where_there_is_no_path_there_are_no_rows(anchor, node, asked):
    assert path(connect(RelationStore.open(two_steps())), "lineage_path", anchor, node, **asked).height == 0


@pytest.mark.parametrize("macro", MACROS)
@pytest.mark.parametrize("anchor", ["d1", "nobody"])
def test_the_path_to_the_anchor_is_itself(macro, anchor):
    store = RelationStore.open(two_steps())
    found = path(connect(store), macro, ("decision", anchor), ("decision", anchor))
    assert found.equals(getattr(store, MACROS[macro])("decision", anchor).path("decision", anchor).nodes)
    assert found.select("step", "type", "id").rows() == [(0, "decision", anchor)]


@pytest.mark.parametrize("macro", MACROS)
def test_bad_anchors_limits_and_a_missing_store_say_why(macro):
    store = RelationStore.open(two_steps())
    for given, words in (
        ("'', 'd1', 'decision', 'a'", "InvalidRequest"),
        ("'decision', 'd1', 'decision', 'a', max_depth := 11", "max_depth must be an integer from 1 to 10, got 11"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            connect(store).sql(f"from {macro}({given})").fetchall()
    with pytest.raises(duckdb.Error, match="no store to trace in"):
        connect().sql(f"from {macro}('decision', 'd1', 'decision', 'a')").fetchall()


def test_every_anchor_is_walked_once_however_many_nodes_are_asked_for(monkeypatch):
    number = 1200
    edges = [edge(f"d{n}", f"e{n % 7}") for n in range(number)]
    store = RelationStore.open(frame(edges))
    asked = pl.DataFrame({"id": [f"d{n % 3}" for n in range(number)], "to_id": [f"e{n % 7}" for n in range(number)]})
    calls = []
    whole = RelationStore.trace_lineage_many

    def counted(self, anchors, *arguments, **named):
        calls.append(anchors.height)
        return whole(self, anchors, *arguments, **named)

    monkeypatch.setattr(RelationStore, "trace_lineage_many", counted)
    found = connect(store, asked=asked).sql(
        "select a.id, a.to_id, p.step from asked a, lineage_path('decision', a.id, 'decision', a.to_id) p"
    )
    there = [(anchor, node) for anchor, node in asked.rows() if anchor[1:] == node[1:]]
    assert sorted(found.fetchall()) == sorted((*pair, step) for pair in there for step in (0, 1))
    assert len(calls) <= 4
    assert max(calls) == 3
