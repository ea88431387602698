"""Several sources as one table, and what passes through to ``trace.edges``."""

import polars as pl
import pytest

from lineage_kit import RelationStore, SchemaError
from support.small import edge, found, two_steps
from support.sources import KINDS, frame, make_source


def test_every_kind_of_source_in_one_union(tmp_path):
    """Each source holds one step of a chain, so a walk to its end has read them all."""
    steps = [two_steps()[:1].with_columns(target_id=pl.lit("s0"))]
    for number in range(1, len(KINDS)):
        ends = {"source_id": pl.lit(f"s{number - 1}"), "target_id": pl.lit(f"s{number}")}
        steps.append(two_steps()[:1].with_columns(**ends))
    sources = [make_source(kind, step, tmp_path / kind) for kind, step in zip(KINDS, steps, strict=True)]
    flat = [part for source in sources for part in (source if isinstance(source, list) else [source])]
    trace = RelationStore.open(flat).trace_lineage("decision", "d1", 10)
    assert trace.nodes["id"].to_list() == [f"s{number}" for number in range(len(KINDS))]
    assert sorted(trace.edges["edge"]) == list(range(len(KINDS)))


def test_sources_of_a_union_may_lack_different_columns(tmp_path):
    first = two_steps(confidence=pl.lit(0.5), note=pl.lit("from the first"))
    second = two_steps(source_id=pl.lit("b"), target_id=pl.lit("c"), edge_class=pl.lit("observed"))[:1]
    for sources in ([first, second], [make_source("parquet", first, tmp_path / "a"), second]):
        trace = RelationStore.open(sources).trace_lineage("decision", "d1")
        assert trace.nodes["confidence"].to_list() == [0.5, 0.5, None]
        assert trace.nodes["edge_class"].to_list() == ["asserted", "asserted", "observed"]
        assert trace.edges.sort("edge")["note"].to_list() == ["from the first"] * 2 + [None]


def test_files_of_one_glob_may_differ_in_columns_and_their_order(tmp_path):
    two_steps(confidence=pl.lit(0.5)).write_parquet(tmp_path / "1.parquet")
    last = two_steps(source_id=pl.lit("b"), target_id=pl.lit("c"))[:1]
    last.select(reversed(last.columns)).write_parquet(tmp_path / "2.parquet")
    two_steps(source_id=pl.lit("c"), target_id=pl.lit("d"), confidence=pl.lit(0.25))[:1].write_parquet(
        tmp_path / "3.parquet"
    )
    trace = RelationStore.open(str(tmp_path / "*.parquet")).trace_lineage("decision", "d1")
    assert trace.nodes.select("id", "confidence").rows() == [("a", 0.5), ("b", 0.5), ("c", None), ("d", 0.25)]
    assert trace.edges.sort("edge").select("edge", "target_id").rows() == [
        (0, "a"),
        (1, "b"),
        (2, "c"),
        (3, "d"),
    ]


def test_files_are_read_in_sorted_order(tmp_path):
    for name, target in [("b", "second"), ("a", "first"), ("c", "third")]:
        two_steps(source_id=pl.lit("d1"), target_id=pl.lit(target))[:1].write_parquet(tmp_path / f"{name}.parquet")
    edges = RelationStore.open(str(tmp_path / "*.parquet")).trace_lineage("decision", "d1").edges
    assert edges.select("edge", "target_id").sort("edge").rows() == [
        (0, "first"),
        (1, "second"),
        (2, "third"),
    ]


def test_the_bad_source_of_a_union_is_told_apart(tmp_path):
    good = make_source("parquet", two_steps(), tmp_path / "good")
    bad = tmp_path / "bad.parquet"
    two_steps().drop("target_id").write_parquet(bad)
    with pytest.raises(SchemaError, match=r"bad\.parquet.*target_id"):
        RelationStore.open([good, bad])


def test_renames_apply_wherever_a_source_has_the_column():
    first = two_steps().rename({"source_id": "from_id"})
    second = two_steps(source_id=pl.lit("b"), target_id=pl.lit("c"))[:1]
    store = RelationStore.open([first, second], columns={"from_id": "source_id"})
    assert found(store) == ["a", "b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_extra_columns_pass_through(kind, tmp_path):
    table = two_steps(
        note=pl.Series(["why </b>", None]),
        weight=pl.Series([3, 4]),
        expired_at=pl.Series(["2024-01-01T00:00:00Z", None]).str.to_datetime(time_zone="UTC"),
        tags=pl.Series([["x", "y"], None]),
    )
    trace = RelationStore.open(make_source(kind, table, tmp_path / "s")).trace_lineage("decision", "d1")
    edges = trace.edges.sort("edge")
    assert edges["note"].to_list() == ["why </b>", None]
    assert edges["weight"].to_list() == [3, 4]
    assert edges["expired_at"].is_null().to_list() == [False, True]
    assert [None if tags is None else list(tags) for tags in edges["tags"]] == [["x", "y"], None]
    assert not {"note", "weight", "tags"} & set(trace.nodes.columns)


def test_extra_columns_may_have_hostile_names(tmp_path):
    odd = ['say "hi"', "a; drop table x", "two words", "select", "ünï"]
    table = two_steps(**{name: pl.lit(name) for name in odd})
    for kind in ("eager", "parquet"):
        trace = RelationStore.open(make_source(kind, table, tmp_path / kind)).trace_lineage("decision", "d1")
        assert set(odd) < set(trace.edges.columns)


def test_a_column_name_that_trace_edges_needs_itself_is_told():
    for name in ("edge", "role"):
        with pytest.raises(SchemaError, match=name):
            RelationStore.open(two_steps(**{name: pl.lit(1)}))


# Names that the package may use for columns of its own while it works.
BUSY = [
    "source", "target", "kind", "since", "bad", "key", "row", "code", "invalidated", "superseded",
    "outdated_support", "depth", "hop", "type", "id", "pair", "anchor", "outgoing", "incoming", "known",
    "reason", "count", "len", "label", "degree", "index", "literal", "name", "via_type", "via_id",
    "level", "text", "near", "far", "direction", "trace", "anchor_type", "anchor_id", "file",
    "filename", "file_row_number", "value", "rank", "SOURCE", "Edge",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["eager", "parquet"])
@pytest.mark.parametrize("name", BUSY)
def test_no_own_column_is_lost_or_mixed_up(kind, name, tmp_path):
    """It passes through as it is, or is refused by name; it is never dropped, and never changes an answer."""
    source = make_source(kind, two_steps(**{name: pl.lit("mine")}), tmp_path / "s")
    try:
        store = RelationStore.open(source)
    except SchemaError as error:
        assert name in str(error)  # noqa: PT017
        return
    trace = store.trace_lineage("decision", "d1")
    assert trace.nodes.select("depth", "id", "invalidated").rows() == [(1, "a", False), (2, "b", False)]
    for edges in (trace.edges, store.edges("decision", "a"), store.trace_lineage_many([("decision", "d1")]).edges):
        assert edges[name].to_list() == ["mine", "mine"]
    assert store.reachability("decision", "d1").nodes["id"].to_list() == ["a", "b"]
    assert store.find("a")["id"].to_list() == ["a"]


@pytest.mark.parametrize("values", [[float("nan"), 0.0], [0.0, float("nan")], [float("nan")] * 2, [None, float("nan")]])
def test_a_confidence_that_is_no_number_is_null_whatever_the_statistics_of_a_file_say(values, tmp_path):
    """The statistics of the first two say that the column holds 0.0 and nothing else."""
    edges = frame([edge("d1", f"e{n}", confidence=value) for n, value in enumerate(values)])
    edges = edges.select(pl.lit([1]).alias("own"), pl.all())  # whose leaf lies before that of the confidence
    edges.write_parquet(tmp_path / "edges.parquet")
    stored = RelationStore.open(tmp_path / "edges.parquet")
    trace = stored.trace_lineage("decision", "d1")
    assert trace.nodes["confidence"].to_list() == [0.0 if value == 0.0 else None for value in values]
    assert trace == RelationStore.open(edges).trace_lineage("decision", "d1")
    assert stored.check().is_empty()
