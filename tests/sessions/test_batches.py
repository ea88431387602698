"""A corpus read in parts answers what it answers whole."""

import polars as pl
import pytest

from lineage_kit import MemorySessions, ParquetSessions, SessionCorpus
from lineage_kit.sessions import batches
from support.shared import DATA


def shuffled(folder):
    events = pl.read_parquet(DATA / "events.parquet").sample(fraction=1, shuffle=True, seed=3)
    events.write_parquet(folder / "events.parquet", row_group_size=500)
    return ParquetSessions(sessions=DATA / "sessions.parquet", events=folder / "events.parquet")


@pytest.mark.parametrize("chunk", [150, 2_000])
@pytest.mark.parametrize("kind", ["written", "shuffled", "live and stored"])
def test_parts_of_any_size_give_the_same(chunk, kind, tmp_path, monkeypatch):
    whole = SessionCorpus.open(DATA)
    expected = whole.event_traces(), whole.relations(), whole.all_events(), whole.find("cache")
    monkeypatch.setattr(batches, "CHUNK", chunk)
    stored = ParquetSessions(sessions=DATA / "sessions.parquet", events=DATA / "events.parquet")
    if kind == "shuffled":
        corpus = SessionCorpus(persisted=shuffled(tmp_path))
    elif kind == "live and stored":
        some = whole.sessions()["session_id"].sort()[::7]
        corpus = SessionCorpus(live=MemorySessions([stored.load_session(name) for name in some]), persisted=stored)
    else:
        corpus = SessionCorpus(persisted=stored)
    got = corpus.event_traces(), corpus.relations(), corpus.all_events(), corpus.find("cache")
    for one, other in zip(got, expected, strict=True):
        assert one.equals(other)
    assert corpus.check().is_empty()
