"""The steps of an import: options, nothing to read, large imports, sessions since a time."""

from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest

import lineage_kit
from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline import batches, staging
from lineage_kit.importers.pipeline.staging import StagedRows
from lineage_kit.importers.run import read_logs
from lineage_kit.schema import IMPORTED_EVENTS
from support.claude_logs import plain_logs


def test_a_large_import_gives_the_same_tables_as_a_small_one(tmp_path, monkeypatch):
    (tmp_path / "logs").mkdir()
    small = lineage_kit.read_claude_code(plain_logs(tmp_path / "logs"), progress=False)
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


def test_since_is_asked_of_whole_sessions(tmp_path):
    (tmp_path / "logs").mkdir()
    from lineage_kit.importers.claude_code.importer import ClaudeCode

    since = datetime(2026, 1, 1, 0, 0, 39, tzinfo=UTC)
    assert read_logs(ClaudeCode, plain_logs(tmp_path / "logs"), since=since).counts["events"] == 120
    later = datetime(2026, 1, 1, 0, 0, 40, tzinfo=UTC)
    assert read_logs(ClaudeCode, tmp_path / "logs", since=later).counts["events"] == 0
