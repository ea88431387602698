"""Session plans and staged rows as rows of the canonical tables: times, citations, what is not parsed."""

import numpy as np

from lineage_kit.importers.pipeline import batches
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import APPEND, NONE, SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRow, StagedRows
from lineage_kit.importers.pipeline.tables import build_tables
from support.staged_rows import FILE, made, planned


def test_times_that_go_back_are_counted_over_parts(monkeypatch):
    staged = StagedRows(None)
    staged.begin(FILE)
    for when in ("10:00", "10:05", None, "10:01", "10:02", "10:02", "nonsense", "09:59"):
        stamp = f"2026-01-01T{when}:00.000Z" if when else None
        staged.add(StagedRow("user/message", len(staged) + 1, time=stamp, record_id=f"r{len(staged) + 1}"), 10)
    for rows in (100, 3, 1):
        monkeypatch.setattr(batches, "ROWS", rows)
        _, report, _ = made([planned("a", range(8))], staged)
        assert report.select("kind", "line", "count", "example").rows() == [
            ("missing_time", 3, 2, "r3"),
            ("out_of_order_time", 4, 2, "r4"),
        ]


def test_unparsed_rows_lack_no_time():
    staged = StagedRows(None)
    staged.begin(FILE)
    staged.add(StagedRow("unparsed", 1), 10)
    _, report, _ = made([SessionPlan(FILE, {"session_id": "a"}, np.array([0]), np.array([NONE], np.int8))], staged)
    assert report.rows() == []


def test_a_record_without_type_and_time_lacks_a_time():
    staged = StagedRows(None)
    staged.begin(FILE)
    for row in (StagedRow(None, 1), StagedRow("unparsed", 2), StagedRow("x", 3)):
        staged.add(row, 10)
    findings = Findings()
    plan = SessionPlan(FILE, {"session_id": "s1"}, np.arange(3), np.full(3, NONE, np.int8))
    list(build_tables([plan], staged, findings))
    assert findings.frame().select("kind", "line", "count").rows() == [("missing_time", 1, 2)]


def test_citations_of_many_events():
    staged = StagedRows(None)
    staged.begin(FILE)
    count = 120_000
    for number in range(count):
        staged.add(("user/message", number), 10)
    plan = SessionPlan(
        FILE,
        {"session_id": "s1"},
        np.arange(count),
        np.full(count, APPEND, np.int8),
        replaced={count - 1: (0, count - 2)},
        citations={count - 1: range(count - 1)},
    )
    last = list(build_tables([plan], staged, Findings()))[-1].events
    assert last["source_event_seqs"][-1].len() == count - 1
    assert last["surface_op"][-1] == {"op": "replace", "start": 0, "end": count - 2}
