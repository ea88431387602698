"""Debian's packages: the laws between the questions hold on a real graph as on small ones."""

from datetime import UTC, datetime

import polars as pl
import pytest

from lineage_kit import RelationStore
from support import model_rows
from support.shared import shared_file
from support.verb_stores import same_frames

AT = datetime(2026, 1, 1, tzinfo=UTC)
ENDS = ["source_type", "source_id", "target_type", "target_id"]
LIMITS = {"supersede_limit": 1_000}  # rule I asks that no limit cuts


@pytest.fixture(scope="module")
def debian():
    return shared_file("data/debian_relations.parquet")


@pytest.fixture(scope="module")
def store(debian, tmp_path_factory):
    folder = tmp_path_factory.mktemp("debian") / "index"
    return RelationStore.open(debian, **LIMITS).build_index(folder, progress=False)


def some_of(debian, end, count):
    """Nodes with a walk edge at that end, from the least to the most connected one."""
    edges = pl.scan_parquet(debian).filter(relation_kind="depends_on")
    degrees = edges.group_by(type=f"{end}_type", id=f"{end}_id").len().sort("len", "type", "id").collect()
    spread = [round(place * (degrees.height - 1) / (count - 1)) for place in range(count)]
    return degrees[spread].select("type", "id").unique(maintain_order=True)


@pytest.mark.parametrize("max_depth", [1, 3])
def test_impacts_are_the_inverse_of_lineages(max_depth, debian, store):
    """Both ways for a sample: what rests on a node, held against the lineages of those that are said to."""
    for anchor in some_of(debian, "target", 12).rows():
        impact = store.impact(*anchor, max_depth)
        found = impact.nodes.select("type", "id", "depth", "outdated_support", "current")
        sample = found.sort(pl.struct("type", "id").hash(seed=1)).head(40).rows()
        many = store.trace_lineage_many([row[:2] for row in sample] or [("nothing", "at all")], max_depth)
        for row in sample:
            lineage = many[row[:2]]
            seen = lineage.nodes.filter(type=anchor[0], id=anchor[1])
            assert seen["depth"].to_list() == [row[2]], (anchor, row)
            if not impact.truncated and not lineage.truncated:
                assert seen.select("outdated_support", "current").rows() == [row[3:]], (anchor, row)


def test_lineages_are_the_inverse_of_impacts(debian, store):
    for anchor in some_of(debian, "source", 12).rows():
        lineage = store.trace_lineage(*anchor, 2)
        sample = lineage.nodes.select("type", "id", "depth").sort("id").rows()[::15]
        many = store.impact_many([row[:2] for row in sample] or [("nothing", "at all")], 2)
        for row in sample:
            assert many[row[:2]].nodes.filter(type=anchor[0], id=anchor[1])["depth"].to_list() == [row[2]], row


def test_nothing_differs_from_itself(debian, store):
    for anchor in some_of(debian, "target", 6).rows():
        for question in (store.trace_lineage, store.impact):
            assert not question(*anchor, 4).diff(question(*anchor, 4))


def test_an_audit_equals_single_traces(debian, store):
    anchors = some_of(debian, "source", 300)
    audit = store.audit(anchors, 3, progress=False)
    summary = {row["id"]: row for row in audit.summary.to_dicts()}
    assert len(summary) == anchors.height
    for anchor in anchors.rows():
        trace, row = store.trace_lineage(*anchor, 3), summary[anchor[1]]
        hops = trace.nodes["hop"]
        assert (row["premises"], row["replacements"]) == ((hops == 0).sum(), (hops > 0).sum())
        for flag in ("invalidated", "superseded", "outdated_support"):
            assert row[flag] == trace.nodes[flag].sum(), (anchor, flag)
        assert (row["truncated"], row["anchor_superseded"]) == (trace.truncated, trace.anchor_superseded)
        mine = audit.findings.filter(anchor_type=anchor[0], anchor_id=anchor[1])
        assert mine.drop("anchor_type", "anchor_id").equals(trace.flagged), anchor


def test_what_if_equals_a_store_of_the_changed_table(debian, store, tmp_path):
    """Three packages withdrawn, an edge invalidated, one replaced, one edge added: on an index and on the file."""
    withdrawn = some_of(debian, "target", 9).rows()[5:8]
    edges = pl.read_parquet(debian)
    first = edges.filter(relation_kind="depends_on").select(*ENDS, "relation_kind").row(1234)
    new = ("package", "a-new-one")
    add = pl.DataFrame([(*first[:2], *new, "depends_on")], [*ENDS, "relation_kind"], orient="row")
    change = {
        "withdraw": withdrawn,
        "invalidate": [(first[:2], first[2:4], first[4])],
        "supersede": [(withdrawn[0], new)],
        "add": add.to_dicts(),
    }
    changed = pl.DataFrame(
        model_rows.what_if(edges.to_dicts(), AT, **change),
        {
            **edges.schema,
            "edge_class": pl.String,
            **dict.fromkeys(["created_at", "invalid_at"], pl.Datetime("us", "UTC")),
        },
    )
    changed.write_parquet(tmp_path / "changed.parquet")
    fresh = RelationStore.open(tmp_path / "changed.parquet", **LIMITS)
    for before in (store, RelationStore.open(debian, **LIMITS)):
        supposed = before.what_if(
            AT, withdraw=withdrawn, invalidate=[first], supersede=[(*withdrawn[0], *new)], add=add
        )
        for node in [*withdrawn, first[:2], first[2:4], new]:
            same_frames(supposed.trace_lineage(*node, 3), fresh.trace_lineage(*node, 3))
            same_frames(supposed.impact(*node, 2), fresh.impact(*node, 2))
