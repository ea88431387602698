"""The macros give what the objects give, field by field, and walk a whole vector of anchors at once."""

from datetime import UTC, datetime, timedelta, timezone

import duckdb
import polars as pl
import pytest

from lineage_kit import RelationStore, connect
from support.rows import same_rows
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import KINDS, frame, make_source

DOUBTED = ("decision", "dec-2026-0417")
CUT_BY_DEPTH = ("decision", "dec-2026-0604")
CUT_BY_LIMIT = ("decision", "dec-2026-0031")
SPLIT = ("decision", "dec-2026-0150")
WRONG = ("evidence", "ev-7f3a91c2")
UNKNOWN = ("decision", "dec-2026-O417")
ANCHORS = (DOUBTED, CUT_BY_DEPTH, CUT_BY_LIMIT, UNKNOWN)
BEFORE = datetime(2026, 4, 23, 12, tzinfo=UTC)
NOTICED = datetime(2026, 4, 26, 16, 29, tzinfo=UTC)
ASKED = [{}, {"max_depth": 2, "as_of": BEFORE}, {"known_at": NOTICED}, {"as_of": BEFORE, "known_at": NOTICED}]
LINEAGES = ("trace_lineage", "trace_edges", "trace_frontier", "trace_summary")
IMPACTS = ("trace_impact", "impact_edges", "impact_frontier", "impact_summary")


@pytest.fixture(scope="module", params=[*KINDS, "index", "supposed"])
def store(request, tmp_path_factory):
    """The story as each kind of source, as an index, and with something withdrawn from it."""
    whole = pl.read_parquet(DATA / "decisions.parquet")
    folder = tmp_path_factory.mktemp("story")
    if request.param == "index":
        return RelationStore.open(whole).build_index(folder / "index")
    if request.param == "supposed":
        return RelationStore.open(whole).what_if(BEFORE, withdraw=[("evidence", "ev-9d20c6b1"), WRONG])
    return RelationStore.open(make_source(request.param, whole, folder / "s"))


@pytest.fixture(scope="module")
def connection(store):
    return connect(store)


def call(connection, macro, anchor, **asked):
    """One macro, everything it is given bound as a parameter."""
    named = "".join(f", {name} := ${name}" for name in asked)
    query = f"from {macro}($type, $id{named})"
    return connection.sql(query, params={"type": anchor[0], "id": anchor[1], **asked}).pl()


# ---- on every kind of source


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(("question", "macros"), [("trace_lineage", LINEAGES), ("impact", IMPACTS)])
def test_trace_macros_give_the_frames_of_the_trace(store, connection, question, macros, asked):
    for anchor in (*ANCHORS, WRONG):
        trace = getattr(store, question)(*anchor, **asked)
        nodes, edges, frontier, _ = (call(connection, macro, anchor, **asked) for macro in macros)
        same_rows(nodes, trace.nodes)
        same_rows(edges, trace.edges.drop("author", "note"))
        same_rows(frontier, trace.frontier)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(("question", "macros"), [("trace_lineage", LINEAGES), ("impact", IMPACTS)])
def test_summaries_give_the_scalars_of_the_trace(store, connection, question, macros, asked):
    for anchor in (*ANCHORS, WRONG):
        trace = getattr(store, question)(*anchor, **asked)
        told = call(connection, macros[3], anchor, **asked).rows(named=True)
        flags = ("invalidated", "superseded", "outdated_support")
        assert told == [
            {
                "anchor_type": anchor[0],
                "anchor_id": anchor[1],
                **{name: value for name, value in trace.scalars().items() if name != "anchor"},
                "truncated_by": list(trace.truncated_by),
                **{part: getattr(trace, part).height for part in ("nodes", "edges", "frontier")},
                **{flag: trace.nodes[flag].sum() for flag in flags},
                "label": trace.anchor_label,
            }
        ]


@pytest.mark.parametrize(
    ("direction", "kinds"),
    [("incoming", ["depends_on", "derives_from"]), ("both", None), ("outgoing", "depends_on"), ("both", ["nothing"])],
)
@pytest.mark.parametrize("clocks", [{}, {"as_of": BEFORE}, {"as_of": BEFORE, "known_at": NOTICED}])
def test_reachability_gives_the_nodes_of_the_rings(store, connection, direction, kinds, clocks):
    asked = {"relation_kind": kinds, "direction": direction, "max_depth": 4, **clocks}
    for anchor in (WRONG, SPLIT):
        same_rows(call(connection, "reachability", anchor, **asked), store.reachability(*anchor, **asked).nodes)


def test_defaults_are_those_of_the_objects(store, connection):
    found = connection.sql(f"from reachability('{WRONG[0]}', '{WRONG[1]}')").pl()
    same_rows(found, store.reachability(*WRONG).nodes)
    found = connection.sql(f"from trace_lineage('{CUT_BY_DEPTH[0]}', '{CUT_BY_DEPTH[1]}')").pl()
    same_rows(found, store.trace_lineage(*CUT_BY_DEPTH).nodes)
    found = connection.sql(f"from trace_impact('{WRONG[0]}', '{WRONG[1]}')").pl()
    same_rows(found, store.impact(*WRONG).nodes)


def test_every_decision_of_the_story_laterally(store, connection):
    anchors = connection.sql("select distinct source_type as type, source_id as id from relations").pl()
    decisions = anchors.filter(type="decision")
    found = connection.sql(
        """
        select d.type as anchor_type, d.id as anchor_id, n.*
        from (select distinct source_type as type, source_id as id from relations) d,
            trace_lineage(d.type, d.id, max_depth := 3) n
        where d.type = 'decision'
        """
    ).pl()
    same_rows(found, store.trace_lineage_many(decisions, 3).nodes)


def test_the_impact_of_every_piece_of_evidence_laterally(store, connection):
    anchors = connection.sql("select distinct target_type as type, target_id as id from relations").pl()
    found = connection.sql(
        """
        select e.type as anchor_type, e.id as anchor_id, n.*
        from (select distinct target_type as type, target_id as id from relations) e, trace_impact(e.type, e.id) n
        where e.type = 'evidence'
        """
    ).pl()
    same_rows(found, store.impact_many(anchors.filter(type="evidence")).nodes)


# ---- what may be given


def small():
    return RelationStore.open(two_steps())


def test_as_of_is_an_instant_in_any_zone():
    store = RelationStore.open(frame([edge("d1", "a", created_at=BEFORE)]))
    east = timezone(timedelta(hours=2))
    for moment, expected in ((BEFORE, 1), (BEFORE - timedelta(microseconds=1), 0), (BEFORE.astimezone(east), 1)):
        assert call(connect(store), "trace_lineage", ("decision", "d1"), as_of=moment).height == expected
    zoned = "from trace_lineage('decision', 'd1', as_of := timestamptz '2026-04-23 13:59:59+02')"
    assert connect(store).sql(zoned).fetchall() == []


def test_other_arguments_may_differ_from_row_to_row():
    query = """
        select v.depth, n.id from (values (1), (2)) v(depth), trace_lineage('decision', 'd1', max_depth := v.depth) n
        order by all
    """
    assert connect(small()).sql(query).fetchall() == [(1, "a"), (2, "a"), (2, "b")]


def test_known_at_sees_what_was_noticed_by_then():
    after, noticed = BEFORE + timedelta(days=1), BEFORE + timedelta(days=3)
    store = RelationStore.open(frame([edge("d1", "a", invalid_at=after, expired_at=noticed)]))
    for known_at, expected in ((noticed, True), (noticed - timedelta(microseconds=1), False)):
        for macro, anchor in (("trace_lineage", "d1"), ("trace_impact", "a"), ("reachability", "d1")):
            rows = call(connect(store), macro, ("decision", anchor), known_at=known_at)
            assert rows["invalidated"].to_list() == [expected], macro


@pytest.mark.parametrize("macro", [*LINEAGES, "reachability"])
def test_null_anchors_give_no_rows(macro):
    connection = connect(small())
    for anchor in ("null, 'd1'", "'decision', null", "null, null"):
        assert connection.sql(f"from {macro}({anchor})").fetchall() == []
    mixed = f"select distinct v.id from (values ('d1'), (null), ('a')) v(id), {macro}('decision', v.id, max_depth := 1)"
    expected = [("d1",)] if macro == "trace_frontier" else [("a",), ("d1",)]
    assert sorted(connection.sql(mixed).fetchall()) == expected


@pytest.mark.parametrize("macro", [*LINEAGES, *IMPACTS, "reachability"])
@pytest.mark.parametrize("anchor", [("", "d1"), ("decision", "")])
def test_an_empty_anchor_is_an_error_that_names_it(macro, anchor):
    with pytest.raises(duckdb.Error) as caught:
        connect(small()).sql(f"from {macro}({anchor[0]!r}, {anchor[1]!r})").fetchall()
    assert "InvalidRequest" in str(caught.value)
    assert str(anchor) in str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("trace_lineage('decision', 'd1', max_depth := 11)", "max_depth must be an integer from 1 to 10, got 11"),
        ("trace_summary('decision', 'd1', max_depth := 0)", "max_depth must be an integer from 1 to 10, got 0"),
        ("trace_edges('decision', 'd1', max_depth := null)", "max_depth must be an integer"),
        ("impact_edges('decision', 'd1', max_depth := 11)", "max_depth must be an integer from 1 to 10, got 11"),
        ("reachability('decision', 'd1', max_depth := 11)", "max_depth must be an integer from 1 to 10, got 11"),
        ("reachability('decision', 'd1', direction := 'up')", "direction must be one of outgoing, incoming, both"),
        ("reachability('decision', 'd1', relation_kind := [])", "relation_kind must be a text, a list of texts"),
    ],
)
def test_questions_that_cannot_be_asked_say_why(call, words):
    with pytest.raises(duckdb.Error, match=words):
        connect(small()).sql(f"from {call}").fetchall()


@pytest.mark.parametrize("macro", [*LINEAGES, *IMPACTS, "reachability"])
def test_without_a_store_the_macros_say_so(macro):
    with pytest.raises(duckdb.Error, match="no store to trace in"):
        connect().sql(f"from {macro}('decision', 'd1')").fetchall()


def test_an_unknown_anchor_has_a_summary_row_that_says_so():
    connection = connect(small())
    told = connection.sql("select anchor_known, nodes from trace_summary('decision', 'dl')").fetchall()
    assert told == [(False, 0)]


def test_an_anchor_is_known_by_rows_of_any_kind_and_time():
    later = BEFORE + timedelta(days=1)
    store = RelationStore.open(frame([edge("d1", "a", created_at=later), edge("d2", "b", "cites", created_at=later)]))
    for macro in ("trace_summary", "impact_summary"):
        query = f"select v.id, s.anchor_known from (values ('a'), ('b'), ('d1'), ('d2'), ('e')) v(id), {macro}"
        query += "('decision', v.id, as_of := $t, known_at := $t) s order by all"
        told = connect(store).sql(query, params={"t": BEFORE}).fetchall()
        assert told == [("a", True), ("b", True), ("d1", True), ("d2", True), ("e", False)]


# ---- many anchors at once


def test_five_thousand_anchors_take_a_handful_of_calls(monkeypatch):
    number = 5000
    edges = pl.DataFrame({"n": range(number)}).select(
        source_type=pl.lit("decision"),
        source_id=pl.format("d{}", "n"),
        target_type=pl.lit("evidence"),
        target_id=pl.format("e{}", pl.col("n") % 97),
        relation_kind=pl.lit("depends_on"),
    )
    store = RelationStore.open(edges)
    asked = edges.select(type="source_type", id="source_id", made_by=pl.lit("planner")).to_pandas()
    expected = store.trace_lineage_many(edges.select(type="source_type", id="source_id")).nodes
    calls = []
    whole = RelationStore.trace_lineage_many

    def counted(self, anchors, *arguments, **named):
        calls.append(anchors.height)
        return whole(self, anchors, *arguments, **named)

    monkeypatch.setattr(RelationStore, "trace_lineage_many", counted)
    found = connect(store, asked=asked).sql(
        "select a.type as anchor_type, a.id as anchor_id, n.* from asked a, trace_lineage(a.type, a.id) n"
    )
    same_rows(found.pl(), expected)
    assert len(calls) <= 8
    assert sum(calls) == number


def test_an_ended_item_is_invalidated_since_its_end():
    items = pl.DataFrame({"type": ["decision"], "id": ["a"], "ended_at": [BEFORE]})
    connection = connect(RelationStore.open(two_steps(), items=items))
    for moment, expected in ((BEFORE, True), (BEFORE - timedelta(microseconds=1), False)):
        for macro, anchor in (("trace_lineage", "d1"), ("trace_impact", "a")):
            rows = call(connection, macro, ("decision", anchor), max_depth=1, as_of=moment)
            assert rows["invalidated"].to_list() == [expected], macro
    edges = call(connection, "trace_edges", ("decision", "d1"), max_depth=1)
    assert edges["invalid_at"].to_list() == [BEFORE]
