"""The two tables: how they come in, what is wrong with rows, and what is written."""

import polars as pl
import pytest

from lineage_kit import SchemaError, SessionCorpus, SessionLog
from support.session_small import (
    APPEND,
    EVENT_COLUMNS,
    EVENTS,
    SESSIONS,
    code_of,
    events_frame,
    live,
    log,
    replace,
    row,
    stored,
    story,
)

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


# ---- rows that are wrong

BAD = {
    "no seq": [row("no seq", 0), row("no seq", None)],
    "other op": [row("other op", 0, {"op": "prepend", "start": None, "end": None})],
    "append with start": [row("append with start", 0), row("append with start", 1, {**APPEND, "start": 0})],
    "replace without end": [row("replace without end", 0), row("replace without end", 1, replace(0, None), [0])],
    "no op text": [row("no op text", 0, {"op": None, "start": 0, "end": 0})],
    "empty citations": [row("empty citations", 0), row("empty citations", 1, cites=[])],
    "null citation": [row("null citation", 0), row("null citation", 1, cites=[None])],
    "gap": [row("gap", 0), row("gap", 2)],
    "twice": [row("twice", 0), row("twice", 0)],
}
STRAYS = [row("ghost", 0), row(None, 0)]
MIXED_SESSIONS = pl.DataFrame({"session_id": ["s1", "s2", *BAD]})
MIXED_EVENTS = pl.concat([EVENTS, events_frame(*(one for rows in BAD.values() for one in rows), *STRAYS)])


def test_wrong_rows_spoil_their_own_session_only():
    corpus = stored(MIXED_SESSIONS, MIXED_EVENTS)
    for name in BAD:
        assert code_of(corpus.trace_event, name, 0) == "INVALID_SURFACE", name
    assert code_of(corpus.trace_event, "ghost", 0) == "SESSION_NOT_FOUND"
    assert corpus.trace_event("s1", 0).replaced_by == 2
    with pytest.warns(UserWarning, match=rf"\b{len(BAD)} sessions"):
        assert set(corpus.event_traces()["session_id"]) == {"s1", "s2"}


def test_check_names_every_wrong_row():
    found = stored(MIXED_SESSIONS, MIXED_EVENTS).check()
    assert found.columns == ["session_id", "seq", "rule", "message"]
    assert set(found["session_id"]) == {*BAD, "ghost", None}
    assert found.equals(found.sort("session_id", "seq", "rule", "message"))


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


def test_a_log_from_frames():
    mine = EVENTS.filter(session_id="s1")
    for header in ({"session_id": "s1", "team": "x"}, SESSIONS[:1], SESSIONS[:1].to_pandas()):
        for events in (mine, mine.reverse(), mine.drop("session_id").lazy(), mine.to_arrow()):
            built = SessionLog.from_frames(header, events)
            assert (built.header.session_id, built.header.extra) == ("s1", {"team": "x"})
            assert live(built).events("s1").equals(stored().events("s1"))
    with pytest.raises(SchemaError, match="another session"):
        SessionLog.from_frames({"session_id": "s1"}, EVENTS)
    with pytest.raises(SchemaError, match="one"):
        SessionLog.from_frames(SESSIONS, mine)
