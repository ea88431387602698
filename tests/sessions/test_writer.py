"""What is written into a folder, and what the tables cannot hold."""

import polars as pl
import pytest

from lineage_kit import SchemaError, SessionCorpus
from support.session_small import BAD, EVENTS, MIXED_SESSIONS, STRAYS, events_frame, live, log, stored, story


def test_write_parquet_refuses_what_the_tables_cannot_hold(tmp_path):
    for name, rows in {**BAD, "ghost": STRAYS[:1], "None": STRAYS[1:]}.items():
        sessions = MIXED_SESSIONS.filter(pl.col("session_id").is_in(["s1", "s2", name]))
        events = pl.concat([EVENTS, events_frame(*rows)])
        if name in ("empty citations", "null citation", "gap", "twice"):
            continue  # the tables can hold these: they are told when traced
        with pytest.raises(SchemaError) as told:
            stored(sessions, events).write_parquet(tmp_path / "out")
        assert name == "None" or repr(name) in str(told.value)
    assert not (tmp_path / "out").exists()


def test_write_parquet_keeps_the_columns_of_the_user(tmp_path):
    again = SessionCorpus.open(stored().write_parquet(tmp_path))
    assert again.events("s1")["tokens"].to_list() == [7, 7, 7]
    assert pl.read_parquet(tmp_path / "sessions.parquet", memory_map=False).select("session_id", "team").rows() == [
        ("s1", "x"),
        ("s2", None),
    ]
    assert again.trace_session("s1").target.extra == {"team": "x"}


def test_write_parquet_then_read_gives_the_same_frames(tmp_path):
    corpus = live(log("s1", createdAt=5, version=1, title="t", seedLength=2), log("s2", [], parentSession="s1"))
    again = SessionCorpus.open(corpus.write_parquet(str(tmp_path / "new" / "folder")))
    for ask in ("events", "surface", "event_traces"):
        assert getattr(again, ask)("s1").equals(getattr(corpus, ask)("s1"))
    assert again.sessions().drop("live", "persisted").equals(corpus.sessions().drop("live", "persisted"))
    assert again.relations().equals(corpus.relations())
    assert again.find("SECOND").equals(corpus.find("SECOND"))
    assert again.read_session("s1").records() == story()
