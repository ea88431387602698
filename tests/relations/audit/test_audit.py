"""An audit equals single traces, is kept whole, and says what is new."""

import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore
from lineage_kit.relations.walk import batching
from support.small import edge
from support.sources import frame

EDGES = [
    edge("stands", "a"),
    edge("stale", "b"),
    edge("b2", "b", "supersedes"),
    edge("withdrawn", "c", invalid_at="2025-01-01T00:00:00Z"),
    edge("cut", "l1"),
    edge("l1", "l2"),
    edge("l2", "l3"),
]


@pytest.fixture
def store():
    rows = frame([{**row, "invalid_at": None} for row in EDGES])
    fell = pl.when(pl.col("source_id") == "withdrawn").then(pl.datetime(2025, 1, 1, time_zone="UTC"))
    return RelationStore.open(rows.with_columns(invalid_at=fell))


ANCHORS = [("decision", name) for name in ("stands", "stale", "withdrawn", "cut", "nobody")]


def test_each_verdict(store):
    audit = store.audit(ANCHORS, 2, progress=False)
    assert audit.summary.select("id", "verdict", "nearest_flag", "nearest_id").rows() == [
        ("cut", "cut", None, None),
        ("nobody", "unknown", None, None),
        ("stale", "stale", "superseded", "b"),
        ("stands", "stands", None, None),
        ("withdrawn", "withdrawn", "invalidated", "c"),
    ]
    assert audit.findings.select("anchor_id", "id", "path").rows() == [
        ("stale", "b", "decision stale > decision b"),
        ("withdrawn", "c", "decision withdrawn > decision c"),
    ]
    assert audit.verdicts() == {"withdrawn": 1, "stale": 1, "unknown": 1, "cut": 1, "stands": 1}
    assert repr(audit) == "Audit(5 items: 1 withdrawn, 1 stale, 1 unknown, 1 cut, 1 stands; 2 findings)"


def test_a_type_is_every_item_of_it_that_rests_on_something(store):
    audit = store.audit("decision", progress=False)
    assert audit.summary["id"].to_list() == ["cut", "l1", "l2", "stale", "stands", "withdrawn"]
    with pytest.raises(
        InvalidRequest, match=r"no item of type 'goal' rests on anything\. Hint: types that do: 'decision'"
    ):
        store.audit("goal")


def test_where_nothing_rests_on_anything_the_error_says_what_to_ask(tmp_path):
    replaced = RelationStore.open(frame([edge("b", "a", "supersedes")]))
    with pytest.raises(
        InvalidRequest, match=r"Hint: no edge is depends_on or derives_from.*an audit of a list of items"
    ):
        replaced.audit("decision")
    assert replaced.audit([("decision", "a")]).summary["verdict"].to_list() == ["stale"]


def test_in_parts_it_is_the_same(store, monkeypatch):
    whole = store.audit("decision", progress=False)
    monkeypatch.setattr("lineage_kit.relations.audit.audit.WHOLE", 1)
    monkeypatch.setattr(batching, "FIRST", 2)
    assert store.audit("decision", progress=False) == whole


def test_kept_and_read_again_nothing_is_new(store, tmp_path):
    audit = store.audit("decision", progress=False)
    folder = audit.write(tmp_path / "last")
    assert sorted(path.name for path in folder.iterdir()) == ["findings.parquet", "manifest.json", "summary.parquet"]
    assert audit.new_since(folder).is_empty()
    assert audit.new_since(audit).is_empty()
    audit.write(folder)  # over the earlier one


def test_what_got_worse_is_new_or_fell_is_told(store, tmp_path):
    before = store.audit(ANCHORS[:3], progress=False)
    later = store.what_if("2025-06-01T00:00:00Z", withdraw=[("decision", "a")]).audit(ANCHORS, progress=False)
    new = later.new_since(before.write(tmp_path / "kept"))
    assert new.select("id", "verdict").rows() == [("cut", "stands"), ("nobody", "unknown"), ("stands", "withdrawn")]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"max_depth": 3}, "max_depth is 5 now and was 3"),
        ({"as_of": "2025-01-01T00:00:00Z"}, "as_of is None now and was 2025-01-01T00:00:00Z"),
        ({"known_at": "2025-01-01T00:00:00Z"}, "known_at is None now and was 2025-01-01T00:00:00Z"),
        ({"anchors": ANCHORS}, "anchors is 'decision' now and was None"),
    ],
)
def test_an_earlier_one_of_another_question_is_refused(store, asked, told):
    before = store.audit(**{"anchors": "decision", "progress": False} | asked)
    with pytest.raises(InvalidRequest, match=told):
        store.audit("decision", progress=False).new_since(before)


def test_an_earlier_one_of_another_table_is_refused(store, tmp_path):
    """It shows by their anchors: of the same table, some are there still."""
    other = RelationStore.open(frame([edge("x", "y"), edge("z", "y")])).audit("decision", progress=False)
    folder = other.write(tmp_path / "other")
    told = "is of another table: 2 decisions then and 6 now, and none is in both. Hint: name the folder"
    with pytest.raises(InvalidRequest, match=told):
        store.audit("decision", progress=False).new_since(folder)


def test_what_is_no_audit_is_refused(store, tmp_path):
    audit = store.audit("decision", progress=False)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(InvalidRequest, match="holds no audit"):
        audit.new_since(tmp_path / "mine")
    with pytest.raises(InvalidRequest, match="files that this package did not make"):
        audit.write(tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "keep"


def test_the_page_opens_with_what_to_look_at_first(store, tmp_path):
    audit = store.audit("decision", progress=False)
    text = audit.report(tmp_path / "audit.md", baseline=audit)
    assert text.splitlines()[0] == "# Audit of decision: 2 of 6 do not stand"
    assert "Nothing got worse since the baseline" in text
    assert text.index("WITHDRAWN: decision withdrawn") < text.index("STALE: decision stale")
    assert "invalidated at 2025-01-01T00:00:00Z" in text
    assert "superseded by decision b2" in text


def test_hostile_labels_and_reasons_are_inert():
    hostile = "<script>alert(1)</script>"
    rows = frame([edge("d1", hostile)]).with_columns(
        invalid_at=pl.datetime(2025, 1, 1, time_zone="UTC"), invalid_reason=pl.lit(hostile)
    )
    items = pl.DataFrame({"type": "decision", "id": ["d1"], "label": [hostile], "text": [hostile]})
    audit = RelationStore.open(rows, items=items).audit("decision", progress=False)
    for page in (audit.report(), audit._repr_mimebundle_()["text/html"]):
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page
