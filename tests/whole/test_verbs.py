"""Every conformance case of the verbs, on every engine: each alone in memory, all in one table on files and index."""

import pytest

from lineage_kit import RelationStore
from lineage_kit.engines.csr import engine as csr
from lineage_kit.engines.frames.engine import FramesEngine
from support.sources import frame
from support.verb_cases import (
    ask,
    flagged_rows,
    node_of,
    of_verb,
    one_table_of,
    own,
    supposed,
    told_audit,
    told_diff,
    told_path,
    told_trace,
    wanted_path,
    wanted_trace,
)

VERBS = {"lineage": 93, "impact": 142, "path": 66, "diff": 98, "what_if": 69, "audit": 33}
TOGETHER = ("frames", "parquet", "index")


def test_the_cases_are_all_there():
    assert {verb: len(of_verb(verb)) for verb in VERBS} == VERBS


def check(case, store, prefix="", first=0, after=None):
    """One case against a store whose rows of the case begin at `first`."""

    def number(row):
        return row - first

    expected = case["expected"]
    if case["verb"] in ("lineage", "impact"):
        assert told_trace(ask(store, case, prefix), prefix, number) == wanted_trace(expected), case["name"]
    elif case["verb"] == "path":
        assert told_path(store, case, prefix, number) == wanted_path(expected), case["name"]
    elif case["verb"] == "diff":
        assert told_diff(store, after or store, case, prefix) == expected, case["name"]
    elif case["verb"] == "audit":
        audit, rows = told_audit(store, case, prefix)
        assert rows == expected, case["name"]
        anchor = (prefix + case["anchors"][0]["type"], case["anchors"][0]["id"])
        alone = store.trace_lineage(*anchor, case["max_depth"], as_of=case["as_of"], known_at=case["known_at"])
        assert flagged_rows(audit, anchor).equals(alone.flagged), case["name"]
        assert audit.new_since(audit).is_empty()
    else:
        check_supposed(case, supposed(store, case, prefix), prefix, first, store.edge_count)


def check_supposed(case, changed, prefix, first, rows):
    """Rows of the source, then those added, which in one table of all cases count on from its end."""
    size = len(case["edges"])

    def number(row):
        return row - first if row < rows else row - rows + size

    clocks = {"as_of": case["as_of"], "known_at": case["known_at"]}
    for verb, question in (("lineage", changed.trace_lineage), ("impact", changed.impact)):
        trace = question(*node_of(case, "anchor", prefix), case["max_depth"], **clocks)
        assert told_trace(trace, prefix, number) == wanted_trace(case["expected"][verb]), (case["name"], verb)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("sort", ["arrays", "lazy"])
def test_each_alone_in_memory(sort, verb, monkeypatch):
    if sort == "lazy":
        monkeypatch.setattr(csr, "SMALL", -1)
    for case in of_verb(verb):
        held, later = frame(case["edges"]), case.get("edges_after")
        store = RelationStore.open(held if sort == "arrays" else held.lazy())
        assert isinstance(store._engine, FramesEngine) == (sort == "lazy")
        check(case, store, after=RelationStore.open(frame(later)) if later else None)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("sort", TOGETHER)
def test_all_in_one_table(sort, verb, tmp_path, monkeypatch):
    monkeypatch.setattr(csr, "SMALL", -1)
    cases = of_verb(verb)
    edges, firsts = one_table_of(cases)
    store, later = opened(sort, edges, tmp_path), None
    changed = [{**case, "edges": case["edges_after"]} for case in cases if case.get("edges_after")]
    if changed:
        later = opened(sort, one_table_of(changed)[0], tmp_path / "after")
    for case in cases:
        check(case, store, own(case), firsts[case["name"]], later if case.get("edges_after") else None)


def opened(sort, edges, folder):
    """A store of one table: as a frame, as a file, or as an index of the file."""
    if sort == "frames":
        return RelationStore.open(edges)
    folder.mkdir(exist_ok=True)
    edges.write_parquet(folder / "relations.parquet")
    store = RelationStore.open(folder / "relations.parquet")
    return store.build_index(folder / "index", progress=False) if sort == "index" else store
