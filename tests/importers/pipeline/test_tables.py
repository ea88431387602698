"""Staged rows and plans into tables: in memory or put aside on disk, in one piece or in many, with equal results."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import lineage_kit
from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline import batches, staging
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import APPEND, NONE, Link, SessionPlan
from lineage_kit.importers.pipeline.staging import TYPES, StagedRow, StagedRows, column_of
from lineage_kit.importers.pipeline.tables import build_tables
from lineage_kit.importers.pipeline.timestamps import moment, times_of
from lineage_kit.importers.run import read_logs
from lineage_kit.schema import IMPORTED_EVENTS

FILE = LogFile(Path("s1.jsonl"), "s1.jsonl")


def row_of(number, **more):
    when = f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return StagedRow(
        "user/message", number + 1, 10 * number, "user", when, b'{"n": %d}' % number, f"text {number}", **more
    )


def planned(name, numbers, **more):
    count = len(numbers)
    return SessionPlan(FILE, {"session_id": name}, np.array(numbers), np.full(count, APPEND, np.int8), **more)


def made(plans, staged):
    findings = Findings()
    parts = list(build_tables(plans, staged, findings))
    return [pl.concat(frames) for frames in zip(*parts, strict=True)], findings.frame(), len(parts)


@pytest.fixture(params=["in memory", "on disk"])
def staged(request, tmp_path, monkeypatch):
    """A thousand staged rows of two files in pieces of a hundred; on disk all but what is being filled."""
    monkeypatch.setattr(staging, "ROWS", 100)
    folder = tmp_path if request.param == "on disk" else None
    held = StagedRows(folder, keep=1)
    for name in ("s1.jsonl", "s2.jsonl"):
        held.begin(LogFile(Path(name), name))
        for number in range(500):
            assert held.add(row_of(number), 100) == len(held) - 1
    held.flush()
    assert held.spilled == (folder is not None)
    return held


def test_staged_rows_are_taken_by_number_in_any_order(staged):
    wanted = np.array([0, 99, 100, 7, 5, 501, 999, 250, 251, 252])
    taken = staged.take(wanted)
    assert taken["text"].to_list() == [f"text {number % 500}" for number in wanted]
    assert taken["file"].to_list() == [["s1.jsonl", "s2.jsonl"][int(number >= 500)] for number in wanted]
    counts = [count for count, _ in staged.weigh(wanted)]
    assert counts == [2, 1, 2, 1, 1, 3]
    assert [count for count, _ in staged.weigh(range(50, 260))] == [50, 100, 60]
    assert all(100 < each < 200 for _, each in staged.weigh(np.arange(1_000)))
    assert staged.take(np.arange(1_000))["line"].to_list() == [*range(1, 501)] * 2


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


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-04-15T12:00:00.000Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00.123456789Z", datetime(2026, 4, 15, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2026-04-15T14:00:00+02:00", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15 12:00:00Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00", None),  # of which zone?
        ("2026-02-31T12:00:00Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("", None),
        (None, None),
    ],
)
def test_times_in_text(written, read):
    assert times_of(pl.Series(["2026-01-01T00:00:00.000Z", written], dtype=pl.String)).to_list()[1] == read
    assert moment(written) == read


def test_times_in_milliseconds():
    given = [0, 1_776_254_400_000, -1, 2**62, None]
    read = times_of(pl.Series(given, dtype=pl.Int64)).to_list()
    assert read[:3] == [moment(value) for value in given[:3]]
    assert read[3:] == [None, None]
    assert moment(2**62) is moment(True) is moment([]) is None


def test_numbers_no_column_can_hold_become_null():
    values = column_of([1, 2**70, None, "5", True, 2.5], TYPES["tokens_in"])
    assert values.to_pylist() == [1, None, None, None, None, None]


# ---- the result


CLAUDE = {"type": "user", "sessionId": "s", "message": {"content": "hello"}}


def logs(folder, count=3):
    for session in range(count):
        with open(folder / f"s{session}.jsonl", "w") as file:
            for number in range(40):
                record = {**CLAUDE, "uuid": f"{session}-{number}", "timestamp": f"2026-01-01T00:00:{number:02}.000Z"}
                record |= {"sessionId": f"s{session}", "parentUuid": f"{session}-{number - 1}" if number else None}
                file.write(json.dumps(record) + "\n")
    return folder


def test_a_large_import_gives_the_same_tables_as_a_small_one(tmp_path, monkeypatch):
    (tmp_path / "logs").mkdir()
    small = lineage_kit.read_claude_code(logs(tmp_path / "logs"), progress=False)
    real = StagedRows.__init__
    monkeypatch.setattr(StagedRows, "__init__", lambda self, *given, **more: real(self, *given, **{**more, "keep": 1}))
    monkeypatch.setattr(staging, "ROWS", 7)
    monkeypatch.setattr(batches, "ROWS", 11)
    large = lineage_kit.read_claude_code(tmp_path / "logs", progress=False)
    assert small.folder is None
    assert large.folder is not None
    for name in ("sessions", "events", "relations"):
        assert getattr(large, name).collect().equals(getattr(small, name).collect())
    assert large.report.equals(small.report)
    assert (large.counts, repr(large)) == (small.counts, repr(small))
    for imported, place in ((small, "small"), (large, "large")):
        corpus = lineage_kit.SessionCorpus.open(imported.write_parquet(tmp_path / place))
        assert corpus.check().rows() == []
        assert corpus.event_traces().height == 120
        assert lineage_kit.RelationStore.open(tmp_path / place).edges("event", "s1#5").height == 2
    assert (
        large.store().reachability("event", "s1#5").nodes.height
        == small.store().reachability("event", "s1#5").nodes.height
    )
    kept = [pq.ParquetFile(tmp_path / "large" / f"{name}.parquet").metadata for name in ("events", "relations")]
    assert {one.row_group(0).column(0).compression for one in kept} == {"ZSTD"}
    large.close()
    assert not large.folder.exists()


def test_the_repr_counts(tmp_path):
    (tmp_path / "s0.jsonl").write_text(json.dumps({**CLAUDE, "uuid": "u"}) + "\n")
    imported = lineage_kit.read_claude_code(tmp_path, progress=False)
    assert repr(imported) == "Imported(1 session, 1 event, 0 relations; 1 finding of 1 kind)"


def test_a_display_tells_what_needs_a_word(tmp_path):
    (tmp_path / "<b>.jsonl").write_text(json.dumps({**CLAUDE, "uuid": "u"}) + "\n{torn")
    shown = lineage_kit.read_claude_code(tmp_path, progress=False)._repr_mimebundle_()
    assert shown["text/plain"].startswith("Imported(1 session, 2 events, 0 relations; 2 findings of 2 kinds)\n")
    assert "the last line was cut short" in shown["text/plain"]
    assert "<td" in shown["text/html"]
    assert "&lt;b&gt;.jsonl:2" in shown["text/html"]
    assert "<b>" not in shown["text/html"]


def test_items_are_titles_and_beginnings(tmp_path):
    (tmp_path / "logs").mkdir()
    items = lineage_kit.read_claude_code(logs(tmp_path / "logs", 1), progress=False).items().collect()
    assert items.height == 41
    assert items.select("type", "id", "label").row(0) == ("event", "s0#0", "hello")
    assert items.select("type", "id", "label").row(-1) == ("session", "s0", "hello")


def test_an_option_that_is_none_is_told(tmp_path):
    with pytest.raises(InvalidRequest, match="text must be 'keep' or 'drop'"):
        lineage_kit.read_codex(tmp_path, text="hide")
    with pytest.raises(InvalidRequest, match="there is no such file or folder"):
        lineage_kit.read_dsh(tmp_path / "nowhere")


def test_an_empty_folder_gives_empty_tables(tmp_path):
    for read in (lineage_kit.read_claude_code, lineage_kit.read_codex, lineage_kit.read_dsh):
        imported = read(tmp_path, progress=False)
        assert imported.events.collect().schema == IMPORTED_EVENTS.polars
        assert imported.report.rows() == []
        assert imported.corpus().sessions().rows() == []
        assert imported.counts == {"sessions": 0, "events": 0, "relations": 0, "files": 0}


def test_writing_over_a_file_is_refused(tmp_path):
    (tmp_path / "logs").mkdir()
    imported = lineage_kit.read_claude_code(logs(tmp_path / "logs", 1), progress=False)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidRequest, match="is a file"):
        imported.write_parquet(tmp_path / "file")
    with pytest.raises(InvalidRequest, match="inside cannot be written: Not a directory"):
        imported.write_parquet(tmp_path / "file" / "inside")


def test_since_is_asked_of_whole_sessions(tmp_path):
    (tmp_path / "logs").mkdir()
    from lineage_kit.importers.claude_code.importer import ClaudeCode

    since = datetime(2026, 1, 1, 0, 0, 39, tzinfo=UTC)
    assert read_logs(ClaudeCode, logs(tmp_path / "logs"), since=since).counts["events"] == 120
    later = datetime(2026, 1, 1, 0, 0, 40, tzinfo=UTC)
    assert read_logs(ClaudeCode, tmp_path / "logs", since=later).counts["events"] == 0
