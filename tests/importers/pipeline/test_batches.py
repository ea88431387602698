"""Session plans cut into parts: the rows are the same however they are cut."""

import numpy as np

from lineage_kit.importers.pipeline import batches
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import APPEND, Link, SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRow, StagedRows
from lineage_kit.importers.pipeline.tables import build_tables
from lineage_kit.schema import IMPORTED_EVENTS
from support.staged_rows import FILE, made, planned, row_of


def test_a_staged_row_may_be_larger_than_a_piece(tmp_path):
    staged = StagedRows(tmp_path, keep=1)
    staged.begin(FILE)
    large = b'{"x": "%s"}' % (b"y" * (20 << 20))
    for payload in (b"{}", large, b"{}", large):
        staged.add(StagedRow("user/message", 1, payload=payload), len(payload))
    plan = SessionPlan(FILE, {"session_id": "s1"}, np.arange(4), np.full(4, APPEND, np.int8))
    parts = list(build_tables([plan], staged, Findings()))
    assert [part.sessions.height for part in parts] == [1, *[0] * (len(parts) - 1)]
    lengths = [length for part in parts for length in part.events["payload"].str.len_bytes()]
    assert lengths == [2, len(large), 2, len(large)]


def test_a_session_is_the_same_in_one_part_and_in_many(staged, monkeypatch):
    def plans():
        yield planned(
            "a",
            range(0, 500, 2),
            replaced={249: (0, 248)},
            citations={249: list(range(249)), 3: [1], 100: [0, 99]},
            parents=np.arange(-1, 249),
            links=[
                Link(None, "spawned_by", "event", "z#1", "observed"),
                Link(200, "refers_to", "event", "gone", confidence=0.0),
            ],
            types={17: "note"},
            blank_payload=[18],
        )
        yield planned("b", [])
        yield planned("c", range(500, 1_000), parents=np.arange(499, -1, -1))

    whole, report, parts = made(plans(), staged)
    assert parts == 1
    for rows in (1, 7, 100):
        monkeypatch.setattr(batches, "ROWS", rows)
        again, report_again, parts = made(plans(), staged)
        assert parts >= 750 / rows
        assert all(one.equals(two) for one, two in zip(whole, again, strict=True))
        assert report_again.equals(report)
    sessions, events, relations = whole
    assert sessions["session_id"].to_list() == ["a", "b", "c"]
    assert dict(events.schema) == IMPORTED_EVENTS.polars
    assert events.filter(session_id="a")["seq"].to_list() == list(range(250))
    last = events.filter(session_id="a", seq=249).row(0, named=True)
    assert last["surface_op"] == {"op": "replace", "start": 0, "end": 248}
    assert last["source_event_seqs"] == list(range(249))
    assert events.filter(session_id="a", seq=100)["source_event_seqs"].to_list() == [[0, 99]]
    assert events["source_event_seqs"].is_not_null().sum() == 3
    assert events.filter(session_id="a", seq=17)["type"].item() == "note"
    assert events.filter(session_id="a", seq=18)["payload"].item() == "{}"
    assert relations.row(0)[:7] == ("session", "a", "event", "z#1", "spawned_by", "observed", 1.0)
    assert relations.filter(source_id="a#200").select("relation_kind", "target_id", "confidence").rows() == [
        ("child_of", "a#199", 1.0),
        ("refers_to", "gone", 0.0),
    ]
    assert relations.filter(relation_kind="child_of").height == 249 + 500


def test_large_rows_make_small_parts(monkeypatch):
    staged = StagedRows(None)
    staged.begin(FILE)
    for number in range(10):
        staged.add(row_of(number), 100)
    staged.flush()
    [(_, each)] = staged.weigh(range(10))
    for held, expected in ((each // 2, 10), (each, 10), (3 * each, 4), (20 * each, 1)):
        monkeypatch.setattr(batches, "BYTES", held)
        _, _, parts = made([planned("a", range(10))], staged)
        assert parts == expected
