"""Rows as tables: equal ones are one, what walks into something that has ended ends with it, and all is sorted."""

from datetime import UTC, datetime

import pytest

from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS
from lineage_kit.importers.relation_pipeline.rows import ItemRows, RelationRows, tables_of

DAY = 86_400_000_000
A, B, C = (("t", name) for name in "abc")


def at(day):
    return datetime(1970, 1, 1 + day, tzinfo=UTC)


@pytest.fixture
def made():
    return RelationRows(()), ItemRows(()), Findings(RELATION_KINDS)


def ends(frame):
    return frame.select("source_id", "relation_kind", "target_id", "invalid_at", "invalid_reason").rows()


def test_equal_rows_are_one_whatever_file_they_are_of(made):
    relations, items, findings = made
    for file in ("1.json", "2.json", "2.json"):
        relations.add(A, "depends_on", B, "asserted", file)
    relations.add(A, "depends_on", B, "asserted", "3.json", confidence=0.5)
    edges, _ = tables_of(relations, items, findings)
    assert edges.select("confidence", "file").rows() == [(0.5, "3.json"), (1.0, "1.json")]
    assert findings.frame().select("file", "kind", "count").rows() == [("2.json", "duplicate_record", 2)]


def test_what_walks_into_something_that_has_ended_ends_with_it(made):
    relations, items, findings = made
    items.add(B, ended_at=5 * DAY, end_reason="dropped")
    relations.add(A, "depends_on", B, "asserted", "f", created_at=DAY)
    relations.add(C, "derives_from", B, "asserted", "f", invalid_at=3 * DAY, reason="removed")
    relations.add(C, "depends_on", B, "asserted", "f", invalid_at=9 * DAY, reason="later")
    relations.add(A, "mentions", B, "asserted", "f")
    relations.add(B, "depends_on", A, "asserted", "f")
    edges, _ = tables_of(relations, items, findings)
    assert ends(edges) == [
        ("a", "depends_on", "b", at(5), "dropped"),
        ("a", "mentions", "b", None, None),
        ("b", "depends_on", "a", None, None),
        ("c", "depends_on", "b", at(5), "dropped"),
        ("c", "derives_from", "b", at(3), "removed"),
    ]
    assert findings.frame().is_empty()


def test_an_end_without_a_time_is_never_hidden(made):
    relations, items, findings = made
    items.add(B, end_reason="deprecated")
    relations.add(A, "depends_on", B, "asserted", "f", created_at=2 * DAY)
    relations.add(C, "depends_on", B, "asserted", "g")
    edges, _ = tables_of(relations, items, findings)
    assert ends(edges) == [
        ("a", "depends_on", "b", at(2), "deprecated"),
        ("c", "depends_on", "b", at(0), "deprecated"),
    ]
    assert findings.frame().select("file", "kind", "count", "example").rows() == [("f", "untimed_invalidation", 1, "b")]


def test_a_life_that_has_an_end_may_keep_it(made):
    relations, items, findings = made
    items.add(B, ended_at=DAY, end_reason="deprecated")
    relations.add(A, "depends_on", B, "asserted", "f", invalid_at=3 * DAY, reason="removed")
    edges, _ = tables_of(relations, items, findings, only_standing=True)
    assert ends(edges) == [("a", "depends_on", "b", at(3), "removed")]


def test_a_reason_without_an_end_is_none(made):
    relations, items, findings = made
    relations.add(A, "depends_on", B, "asserted", "f", reason="removed")
    assert ends(tables_of(relations, items, findings)[0]) == [("a", "depends_on", "b", None, None)]


def test_of_two_descriptions_the_first_counts(made):
    _, items, _ = made
    items.add(A, label="first")
    items.add(A, label="second")
    assert items.frame().select("id", "label").rows() == [("a", "first")]
