"""Beside the traces: finding nodes, one node's edges, labels, and what the check has to say."""

import polars as pl
import pytest

import lineage_kit
from lineage_kit import InvalidRequest, RelationStore, SchemaError
from support.small import edge, two_steps
from support.sources import make_source

KINDS = ["eager", "lazy", "parquet"]
ITEMS = pl.DataFrame({"type": "decision", "id": ["d1", "a"], "label": ["Choose the STRASSE", None]})


@pytest.mark.parametrize("kind", KINDS)
def test_find_looks_in_ids_and_labels(kind, tmp_path):
    store = RelationStore.open(make_source(kind, two_steps(), tmp_path / "s"), items=ITEMS)
    assert store.find("choose")["id"].to_list() == ["d1"]
    assert store.find("D1")["id"].to_list() == ["d1"]
    assert store.find("nowhere").is_empty()


@pytest.mark.parametrize("kind", KINDS)
def test_find_folds_case_not_only_lowers_it(kind, tmp_path):
    """In German, ß and SS are one letter in two cases."""
    store = RelationStore.open(make_source(kind, two_steps(), tmp_path / "s"), items=ITEMS)
    assert store.find("straße")["id"].to_list() == ["d1"]


@pytest.mark.parametrize("kind", KINDS)
def test_find_gives_degrees_and_the_best_match_first(kind, tmp_path):
    edges = [edge("xab", "ab"), edge("ab", "abc"), edge("ab", "c"), edge("c", "c")]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    found = store.find("ab")
    assert found["id"].to_list()[0] == "ab"
    assert dict(found.select("id", "degree").rows()) == {"ab": 3, "abc": 1, "xab": 1}
    assert store.find("ab", limit=1)["id"].to_list() == ["ab"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["%", "_", ".*", "\\", "'", "$1", "</script>", "[", "\u202e"])
def test_find_takes_its_text_literally(kind, text, tmp_path):
    edges = [edge("d1", f"x{text}y"), edge("d1", "xzy")]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    assert store.find(text)["id"].to_list() == [f"x{text}y"]


@pytest.mark.parametrize("kind", KINDS)
def test_edges_of_one_node_by_direction(kind, tmp_path):
    edges = [edge("d1", "a"), edge("a", "b", "cites", confidence=0.5), edge("b", "c"), edge("a", "a")]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    rows = {way: sorted(store.edges("decision", "a", way)["edge"]) for way in ("outgoing", "incoming", "both")}
    assert rows == {"outgoing": [1, 3], "incoming": [0, 3], "both": [0, 1, 3]}
    assert sorted(store.edges("decision", "a")["edge"]) == [0, 1, 3]
    assert store.edges("decision", "nobody").is_empty()
    assert 0.5 in store.edges("decision", "a")["confidence"].to_list()
    with pytest.raises(InvalidRequest, match="direction"):
        store.edges("decision", "a", "sideways")
    with pytest.raises(InvalidRequest, match="id"):
        store.edges("decision", "")


def test_labels_never_enter_a_trace():
    plain = RelationStore.open(two_steps()).trace_lineage("decision", "d1")
    labelled = RelationStore.open(two_steps(), items=ITEMS).trace_lineage("decision", "d1")
    assert plain == labelled
    assert labelled.nodes.columns == plain.nodes.columns


def test_items_are_checked_like_relations():
    with pytest.raises(SchemaError, match="id"):
        RelationStore.open(two_steps(), items=pl.DataFrame({"type": ["decision"]}))
    with pytest.raises(SchemaError, match=r"id.*null.*1 row"):
        RelationStore.open(two_steps(), items=pl.DataFrame({"type": ["decision"], "id": [None]}))


def test_items_may_be_a_file(tmp_path):
    ITEMS.write_parquet(tmp_path / "names.parquet")
    store = RelationStore.open(two_steps(), items=tmp_path / "names.parquet")
    assert store.find("choose")["id"].to_list() == ["d1"]


def test_public_names_are_there():
    for name in ("RelationStore", "trace_lineage", "LineageTrace", "LineageTraces", "Reachability"):
        assert name in lineage_kit.__all__, name
