"""The views of `connect` show what the objects hold, field by field, whatever the store was opened on."""

import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore, connect, schema
from support.replaced import SCHEMA, replacements
from support.rows import same_rows
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import KINDS, REQUIRED, frame, make_source

DOUBTED = ("decision", "dec-2026-0417")
CUT_BY_DEPTH = ("decision", "dec-2026-0604")
CUT_BY_LIMIT = ("decision", "dec-2026-0031")
SPLIT = ("decision", "dec-2026-0150")
UNKNOWN = ("decision", "dec-2026-O417")

RELATIONS = [*REQUIRED, "edge_class", "confidence", "created_at", "valid_at", "invalid_at", "expired_at"]
NODES = [
    "depth", "hop", "type", "id", "relation_kind", "edge_class", "confidence", "invalidated",
    "superseded", "outdated_support", "current", "via_type", "via_id", "label",
]  # fmt: skip
SCALARS = [
    "anchor_type", "anchor_id", "anchor_known", "anchor_superseded", "max_depth", "as_of", "known_at",
    "truncated", "truncated_by", "nodes", "edges",
]  # fmt: skip
COLUMNS = {
    "relations": [*RELATIONS, "edge"],
    "items": ["type", "id", "label", "text", "created_at", "ended_at", "end_reason", "state"],
    "lineage_traces": ["trace", *SCALARS],
    "lineage_nodes": ["trace", *NODES],
    "lineage_edges": ["trace", "role", *RELATIONS, "edge"],
    "lineage_frontier": ["trace", "type", "id", "label"],
    "replacements": list(SCHEMA),
    "findings": ["origin", "finding", "count", "message", "examples"],
}


@pytest.fixture(scope="module")
def story():
    return pl.read_parquet(DATA / "decisions.parquet"), pl.read_parquet(DATA / "items.parquet")


@pytest.fixture(scope="module", params=KINDS)
def store(request, story, tmp_path_factory):
    """The story as each kind of source, its items too."""
    folder = tmp_path_factory.mktemp("story")
    relations, items = (make_source(request.param, part, folder / str(n)) for n, part in enumerate(story))
    return RelationStore.open(relations, items=items)


@pytest.fixture(scope="module")
def connection(store):
    traces = {
        "doubted": store.trace_lineage(*DOUBTED),
        "before": store.trace_lineage(*DOUBTED, as_of="2026-04-23T12:00:00Z"),
        "known": store.trace_lineage(*DOUBTED, known_at="2026-04-26T16:29:00Z"),
        "cut's": store.trace_lineage(*CUT_BY_DEPTH, 2),
        "long": store.trace_lineage(*CUT_BY_LIMIT),
        "split": store.trace_lineage(*SPLIT),
        "unknown": store.trace_lineage(*UNKNOWN),
    }
    connection = connect(store, traces=traces)
    return connection, traces


def view(connection, name):
    return connection.sql(f"from {name}").pl()


# ---- on every kind of source


def test_relations_and_items_are_the_tables(connection, story):
    relations, items = (
        part.with_columns(
            pl.lit(None, kind).alias(name) for name, kind in table.polars.items() if name not in part.columns
        )
        for part, table in zip(story, (schema.RELATIONS, schema.ITEMS), strict=True)
    )
    same_rows(view(connection[0], "relations"), relations.with_columns(edge=pl.int_range(pl.len(), dtype=pl.Int64)))
    same_rows(view(connection[0], "items"), items)


def test_replacements_are_those_of_the_model(connection, story):
    expected = replacements(story[0].to_dicts())
    assert len(expected) == 395
    assert sorted(view(connection[0], "replacements").rows()) == expected


def test_findings_are_what_check_finds(connection, store):
    expected = store.check().select(pl.lit("relations").alias("origin"), pl.all())
    assert view(connection[0], "findings").sort("finding").equals(expected)


def test_trace_views_are_the_frames_of_the_traces(connection):
    connection, traces = connection
    for part in ("nodes", "edges", "frontier"):
        frames = [getattr(trace, part).select(pl.lit(name).alias("trace"), pl.all()) for name, trace in traces.items()]
        same_rows(view(connection, f"lineage_{part}"), pl.concat(frames))


def test_lineage_traces_has_a_row_a_trace_with_its_scalars(connection):
    connection, traces = connection
    rows = view(connection, "lineage_traces").rows(named=True)
    assert {row["trace"] for row in rows} == set(traces)
    for row in rows:
        trace = traces[row.pop("trace")]
        told = {**trace.scalars(), "anchor_type": trace.anchor.type, "anchor_id": trace.anchor.id}
        del told["anchor"]
        assert row == {
            **told,
            "truncated_by": list(trace.truncated_by),
            "nodes": trace.nodes.height,
            "edges": trace.edges.height,
        }


def test_what_is_supposed_is_in_the_relations(story):
    store = RelationStore.open(story[0]).what_if("2026-04-23T12:00:00Z", withdraw=[("evidence", "ev-7f3a91c2")])
    told = view(connect(store), "relations").filter(target_id="ev-7f3a91c2", relation_kind="derives_from")
    assert told.height
    assert {moment.isoformat() for moment in told["invalid_at"]} == {"2026-04-23T12:00:00+00:00"}


# ---- always with all their columns


@pytest.mark.parametrize("name", COLUMNS)
def test_without_anything_a_view_is_empty_and_has_its_columns(name):
    told = view(connect(), name)
    assert (told.columns, told.height) == (COLUMNS[name], 0)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_and_dtypes_are_the_same_with_and_without_content(name):
    store = RelationStore.open(
        frame([edge("d1", "a"), edge("a", "a", "supersedes"), edge("b", "a", "supersedes")]),
        items=pl.DataFrame({"type": ["decision"], "id": ["a"]}),
    )
    times = {"as_of": "2026-01-01T00:00:00Z", "known_at": "2026-02-01T00:00:00Z"}
    trace = store.trace_lineage("decision", "d1", **times)
    cut = RelationStore.open(two_steps()).trace_lineage("decision", "d1", 1)
    full = view(connect(store, traces={"one": trace, "cut": cut}), name)
    assert full.height > 0
    assert dict(full.schema) == dict(view(connect(), name).schema)


def test_a_store_without_items_and_with_required_columns_only():
    connection = connect(RelationStore.open(two_steps()))
    assert view(connection, "items").columns == COLUMNS["items"]
    relations = view(connection, "relations")
    assert relations.columns == COLUMNS["relations"]
    assert relations.sort("edge").select("source_id", "edge_class", "confidence", "invalid_at", "edge").rows() == [
        ("d1", "asserted", None, None, 0),
        ("a", "asserted", None, None, 1),
    ]


def test_views_of_an_empty_table():
    connection = connect(RelationStore.open(two_steps().head(0)))
    assert {name: view(connection, name).height for name in COLUMNS if name != "findings"} == {
        name: 0 for name in COLUMNS if name != "findings"
    }


def test_own_columns_are_in_relations_and_in_lineage_edges():
    one = RelationStore.open(two_steps(weight=pl.lit(2, pl.Int64))).trace_lineage("decision", "d1")
    other = RelationStore.open(two_steps(note=pl.lit("x"))).trace_lineage("decision", "d1")
    store = RelationStore.open(two_steps(weight=pl.lit(2, pl.Int64)))
    assert view(connect(store), "relations").columns == [*RELATIONS, "weight", "edge"]
    told = view(connect(traces={"one": one, "other": other}), "lineage_edges")
    assert told.select("trace", "target_id", "weight", "note").sort("trace", "target_id").rows() == [
        ("one", "a", 2, None),
        ("one", "b", 2, None),
        ("other", "a", None, "x"),
        ("other", "b", None, "x"),
    ]


def test_renames_kinds_and_rejected_rows_are_as_in_the_store(tmp_path):
    rows = pl.DataFrame({"from": ["d1", "d1", None], "to": ["a", "", "b"], "rel": ["BASED_ON"] * 3})
    rows.write_parquet(tmp_path / "own.parquet")
    for source in (rows, tmp_path / "own.parquet"):
        store = RelationStore.open(
            source,
            columns={"from": "source_id", "to": "target_id", "rel": "relation_kind"},
            kinds={"BASED_ON": "depends_on"},
            source_type="item",
            target_type="item",
            strict=False,
        )
        told = view(connect(store), "relations").select(*REQUIRED, "edge").rows()
        assert told == [("item", "d1", "item", "a", "depends_on", 0)]


# ---- traces: a mapping, or the answer of trace_lineage_many


def test_a_batch_is_shown_under_type_and_id():
    store = RelationStore.open(DATA / "decisions.parquet")
    batch = store.trace_lineage_many([DOUBTED, CUT_BY_DEPTH, UNKNOWN], 4)
    connection = connect(store, traces=batch)
    mapping = {f"{anchor.type} {anchor.id}": trace for anchor, trace in batch.items()}
    by_name = connect(store, traces=mapping)
    assert set(mapping) == {f"{type} {id}" for type, id in (DOUBTED, CUT_BY_DEPTH, UNKNOWN)}
    for name in ("lineage_traces", "lineage_nodes", "lineage_edges", "lineage_frontier"):
        same_rows(view(connection, name), view(by_name, name))


@pytest.mark.parametrize("empty", [{}, None, RelationStore.open(two_steps()).trace_lineage_many([])])
def test_no_traces_at_all(empty):
    connection = connect(traces=empty)
    for name in ("lineage_traces", "lineage_nodes", "lineage_edges", "lineage_frontier"):
        assert (view(connection, name).columns, view(connection, name).height) == (COLUMNS[name], 0)


def test_anchors_of_a_batch_that_would_share_a_name_are_refused():
    batch = RelationStore.open(two_steps()).trace_lineage_many([("a b", "c"), ("a", "b c")])
    with pytest.raises(InvalidRequest, match="'a b c'"):
        connect(traces=batch)


@pytest.mark.parametrize("wrong", [{"d1": 1}, {1: None}, [1], "d1", 5])
def test_what_is_no_trace_is_refused(wrong):
    with pytest.raises(InvalidRequest):
        connect(traces=wrong)


def test_a_trace_without_a_name_is_refused():
    trace = RelationStore.open(two_steps()).trace_lineage("decision", "d1")
    with pytest.raises(InvalidRequest):
        connect(traces=trace)


@pytest.mark.parametrize("impacts", [lambda store: {"e": store.impact("decision", "a")},
                                     lambda store: store.impact_many([("decision", "a")])])  # fmt: skip
def test_impacts_are_refused_with_where_to_ask_for_them(impacts):
    with pytest.raises(InvalidRequest, match=r"the views lineage_\* show lineages\. Hint: ask trace_impact"):
        connect(traces=impacts(RelationStore.open(two_steps())))
