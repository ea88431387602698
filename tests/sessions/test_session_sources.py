"""Logs in memory and the two tables: how they come in, and that nothing is kept between calls."""

import polars as pl
import pytest

from lineage_kit import MemorySessions, SchemaError, SessionCorpus
from support.session_small import EVENT_COLUMNS, EVENTS, SESSIONS, code_of, live, log, said, stored, story

# ---- the door


def paths(folder):
    SESSIONS.write_parquet(folder / "sessions.parquet")
    EVENTS[:2].write_parquet(folder / "events-1.parquet")
    EVENTS[2:].write_parquet(folder / "events-2.parquet")
    return folder / "sessions.parquet", [folder / "events-1.parquet", folder / "events-2.parquet"]


def as_floats():
    """What pandas makes of integers beside a missing value."""
    sessions = SESSIONS.to_pandas().assign(seed_length=[2.0, float("nan")], delegation_depth=[float("nan")] * 2)
    return sessions, EVENTS.to_pandas().astype({"seq": "float64"})


FORMS = {
    "frames": lambda folder: (SESSIONS, EVENTS),
    "lazy": lambda folder: (SESSIONS.lazy(), EVENTS.lazy()),
    "arrow": lambda folder: (SESSIONS.to_arrow(), EVENTS.to_arrow()),
    "pandas": lambda folder: (SESSIONS.to_pandas(), EVENTS.to_pandas()),
    "pandas floats": lambda folder: as_floats(),
    "paths": paths,
    "text paths": lambda folder: [str(paths(folder)[0]), [str(path) for path in paths(folder)[1]]],
    "glob": lambda folder: (paths(folder)[0], str(folder / "events-*.parquet")),
    "other column order": lambda folder: (SESSIONS[:, ::-1], EVENTS[:, ::-1]),
    "other order within surface_op": lambda folder: (
        SESSIONS,
        EVENTS.with_columns(
            pl.when(pl.col("surface_op").struct.field("op").is_not_null()).then(
                pl.struct(pl.col("surface_op").struct.field(name) for name in ("end", "op", "start"))
            )
        ),
    ),
    "small integers": lambda folder: (
        SESSIONS,
        EVENTS.cast({"seq": pl.UInt16, "source_event_seqs": pl.List(pl.Int32)}),
    ),
    "categories": lambda folder: (SESSIONS, EVENTS.cast({"type": pl.Categorical, "session_id": pl.Categorical})),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_the_tables_gives_the_same_answers(form, tmp_path):
    sessions, events = form(tmp_path)
    corpus = stored(sessions, events)
    assert corpus.check().is_empty()
    assert corpus.event_traces().equals(stored().event_traces())
    assert corpus.trace_event("s1", 0).replacement_chain == (2,)
    assert corpus.trace_session("s2").root.session_id == "s1"
    assert corpus.relations().equals(stored().relations())


def test_optional_columns_may_be_absent():
    corpus = stored(
        SESSIONS.select("session_id"), EVENTS.filter(pl.col("seq") == 1).select("session_id", "type", seq=0)
    )
    traces = corpus.event_traces()
    assert traces["surface"].to_list() == ["log-only"]
    assert corpus.sessions().columns == stored().sessions().columns
    assert corpus.events("s1").columns[:11] == EVENT_COLUMNS


@pytest.mark.parametrize(
    ("sessions", "events", "words"),
    [
        (SESSIONS.drop("session_id"), EVENTS, "session_id"),
        (SESSIONS, EVENTS.drop("seq"), "seq"),
        (SESSIONS, EVENTS.with_columns(surface_op=pl.lit("append")), "surface_op"),
        (SESSIONS, EVENTS.with_columns(source_event_seqs=pl.lit("[0]")), "source_event_seqs"),
        (SESSIONS, EVENTS.with_columns(time=pl.lit(0).cast(pl.Datetime("us"))), "time"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(sessions, events, words):
    with pytest.raises(SchemaError, match=words):
        stored(sessions, events)


@pytest.mark.parametrize("name", ["surface_op", "source_event_seqs"])
def test_a_nested_column_of_another_shape_that_appears_later(name, tmp_path):
    """A file rewritten under the source: `check` tells it, and event calls fail as the persisted source does."""
    corpus = SessionCorpus.open(stored().write_parquet(tmp_path))
    EVENTS.with_columns(pl.lit("text").alias(name)).write_parquet(tmp_path / "events.parquet")
    assert code_of(corpus.trace_event, "s1", 0) == "PERSISTENCE_FAILED"
    assert code_of(corpus.event_traces, "s1") == "PERSISTENCE_FAILED"
    assert code_of(corpus.event_traces) == "PERSISTENCE_FAILED"
    assert name in corpus.check()["message"].str.join(" ").item()
    assert corpus.trace_session("s2").root.session_id == "s1"


def test_open_wants_both_files(tmp_path):
    with pytest.raises(SchemaError, match=r"sessions\.parquet.*events\.parquet"):
        SessionCorpus.open(tmp_path)
    stored().write_parquet(tmp_path)
    (tmp_path / "events.parquet").unlink()
    with pytest.raises(SchemaError, match=r"events\.parquet"):
        SessionCorpus.open(tmp_path)


# ---- nothing is kept between calls


def test_appending_to_a_live_log_shows_in_the_next_call():
    memory = MemorySessions([log("s1", story()[:3])])
    corpus = SessionCorpus(live=memory)
    before = corpus.read_session("s1")
    assert corpus.trace_event("s1", 0).target.surface == "current"
    memory.append("s1", story()[3])
    assert corpus.trace_event("s1", 0).replaced_by == 3
    assert (len(before), len(before.records())) == (3, 3)
    memory.append("s1", said(9))
    assert code_of(corpus.trace_event, "s1", 0) == "INVALID_SURFACE"
    memory.add(log("s2"))
    assert corpus.sessions().height == 2
    with pytest.raises(KeyError):
        memory.append("s3", said(0))
    with pytest.raises(ValueError, match="'s2'"):
        memory.add(log("s2"))


def test_rewriting_the_files_shows_in_the_next_call(tmp_path):
    live(log("s1")).write_parquet(tmp_path)
    corpus = SessionCorpus.open(tmp_path)
    assert (corpus.sessions().height, corpus.trace_event("s1", 0).replaced_by) == (1, 3)
    live(log("s1", story()[:3]), log("s2")).write_parquet(tmp_path)
    assert (corpus.sessions().height, corpus.trace_event("s1", 0).replaced_by) == (2, None)
    assert corpus.event_traces().height == 7
