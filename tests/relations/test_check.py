"""What the check of a store has to say."""

import pytest

from lineage_kit import RelationStore
from support.small import edge
from support.sources import frame, make_source

KINDS = ["eager", "lazy", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_check_tells_of_an_item_that_supersedes_itself(kind, tmp_path):
    edges = [edge("a", "a", "supersedes"), edge("b", "a", "supersedes"), edge("s", "s")]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    findings = store.check()
    told = [row for row in findings.rows() if "supersede" in str(row) and "itself" in str(row)]
    assert len(told) == 1
    trace = store.trace_lineage("decision", "a")
    assert trace.edges["edge"].to_list() == [1]
    assert trace.nodes["id"].to_list() == ["b"]


def test_check_has_nothing_to_say_of_a_clean_table():
    table = frame([edge("d1", "a", edge_class="asserted", confidence=0.5)])
    assert RelationStore.open(table).check().is_empty()


@pytest.mark.parametrize("kind", KINDS)
def test_check_counts_edges_that_repeat_an_earlier_one_in_everything(kind, tmp_path):
    edges = [edge("d1", "a"), edge("d1", "a"), edge("d1", "a"), edge("d1", "a", confidence=0.5), edge("d1", "b")]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    [(finding, count, _, examples)] = store.check().rows()
    assert (finding, count) == ("duplicate edge", 2)
    assert [example.partition(":")[0] for example in examples] == ["row 0"]


@pytest.mark.parametrize("kind", KINDS)
def test_check_names_a_cycle_of_replacements_from_its_smallest_item(kind, tmp_path):
    edges = [edge("d1", "a"), *(edge(one, other, "supersedes") for one, other in ("ca", "ab", "bc"))]
    store = RelationStore.open(make_source(kind, edges, tmp_path / "s"))
    [(finding, count, _, [example])] = store.check().rows()
    assert (finding, count) == ("supersede ring", 1)
    assert example == " supersedes ".join(f"decision {id}" for id in "abca")
