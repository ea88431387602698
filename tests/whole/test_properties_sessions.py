"""Random logs: the package answers what a plain fold over dicts answers, and accepts exactly what it accepts."""

import json
import re
import tempfile
import warnings

import polars as pl
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lineage_kit import (
    MemorySessions,
    ParquetSessions,
    SchemaError,
    SessionCorpus,
    SessionLog,
    SessionQueryError,
)
from support import session_model as model
from support import session_strategies as some
from support.session_cases import moment

COLUMNS = [
    *("ref", "session_id", "seq", "type", "time", "surface", "replaced_by", "final_replacement", "chain_length"),
    *("replaced_event_seqs", "source_event_seqs", "derived_event_seqs", "covers_from", "covers_count"),
]


def corpus_of(*logs):
    return SessionCorpus(
        live=MemorySessions(SessionLog.from_records({"id": f"s{n}"}, log) for n, log in enumerate(logs))
    )


def refused(ask, *args):
    """Whether a question is refused as an unsound log."""
    try:
        ask(*args)
    except SessionQueryError as error:
        if error.code != "SESSION_QUERY_INVALID_SURFACE":
            raise
        return True
    return False


def reopened(corpus, use):
    """What `use` says of the corpus after write_parquet and reading back."""
    with tempfile.TemporaryDirectory() as folder:
        return use(SessionCorpus.open(corpus.write_parquet(folder)))


def expected_rows(events, session_id="s0"):
    times = [moment(one.get("time")) for one in events]
    return [row | {"time": time} for row, time in zip(model.event_traces(session_id, events), times, strict=True)]


def by_name(rows):
    return [{name: row[name] for name in COLUMNS} for row in rows]


@some.PROFILE
@given(some.logs())
def test_event_traces_equal_the_model(log):
    rows = expected_rows(log)
    event(f"longest chain {max((row['chain_length'] for row in rows), default=0)}")
    frame = corpus_of(log).event_traces("s0")
    assert frame.columns == COLUMNS
    assert frame.to_dicts() == by_name(rows)


@some.FEWER
@given(some.logs())
def test_event_traces_equal_the_model_from_parquet(log):
    frame = reopened(corpus_of(log), lambda corpus: corpus.event_traces("s0"))
    assert frame.to_dicts() == by_name(expected_rows(log))


@some.FEWER
@given(some.logs(max_size=16))
def test_event_traces_equal_trace_event_of_each_seq(log):
    corpus = corpus_of(log)
    for row in corpus.event_traces("s0").to_dicts():
        trace = corpus.trace_event("s0", row["seq"])
        chain = trace.replacement_chain
        assert trace.target == ("s0", row["seq"], row["type"], row["time"], row["surface"])
        assert (trace.replaced_by, chain[:1]) == (row["replaced_by"], chain and (row["replaced_by"],))
        assert (len(chain), chain[-1] if chain else None) == (row["chain_length"], row["final_replacement"])
        for name in ("replaced_event_seqs", "source_event_seqs", "derived_event_seqs"):
            assert list(getattr(trace, name)) == row[name]
        assert list(chain) == model.fold(log)[0][row["seq"]]["chain"]


@some.PROFILE
@given(some.logs())
def test_each_node_is_current_or_shadowed_by_exactly_one(log):
    corpus = corpus_of(log)
    rows = corpus.event_traces("s0").to_dicts()
    current = [row["seq"] for row in rows if row["surface"] == "current"]
    assert sorted(corpus.surface("s0")["seq"]) == current
    assert corpus.surface("s0")["seq"].to_list() == model.fold(log)[1]
    removals = [(seq, row["seq"]) for row in rows for seq in row["replaced_event_seqs"]]
    assert len({seq for seq, _ in removals}) == len(removals)
    assert sorted(removals) == [(row["seq"], row["replaced_by"]) for row in rows if row["surface"] == "shadowed"]
    assert all(row["final_replacement"] in current for row in rows if row["surface"] == "shadowed")
    assert all(row["replaced_by"] is None for row in rows if row["surface"] != "shadowed")


@some.PROFILE
@given(some.logs())
def test_derived_is_the_inverse_of_source(log):
    rows = corpus_of(log).event_traces("s0").to_dicts()
    cites = {(row["seq"], seq) for row in rows for seq in row["source_event_seqs"]}
    cited = [(seq, row["seq"]) for row in rows for seq in row["derived_event_seqs"]]
    assert set(cited) == cites
    assert len(cited) == len(cites)
    assert all(row["derived_event_seqs"] == sorted(row["derived_event_seqs"]) for row in rows)


@some.PROFILE
@given(some.logs(), some.numbers)
def test_survivors_by_covers_from_are_the_surface_at_any_seq(log, number):
    at = number % (len(log) + 1)
    rows = corpus_of(log).event_traces("s0").to_dicts()[:at]
    survivors = [
        row for row in rows if row["surface"] != "log-only" and (row["replaced_by"] is None or row["replaced_by"] >= at)
    ]
    survivors.sort(key=lambda row: row["covers_from"])
    assert [row["seq"] for row in survivors] == model.fold(log[:at])[1]
    ends = [0, *(row["covers_from"] + row["covers_count"] for row in survivors)]
    assert [row["covers_from"] for row in survivors] == ends[:-1]


@some.PROFILE
@given(some.changed())
def test_exactly_what_the_model_accepts_is_accepted(log):
    corpus, sound = corpus_of(log), model.accepts(log)
    event("sound" if sound else "unsound")
    for ask in (corpus.events, corpus.surface, corpus.event_traces):
        assert refused(ask, "s0") is not sound
    assert corpus.check().is_empty() is sound
    if sound:
        rows = expected_rows(log)
        assert corpus.event_traces("s0").drop("time").to_dicts() == [
            {name: row[name] for name in COLUMNS if name != "time"} for row in rows
        ]


@some.PROFILE
@given(some.changed())
def test_the_first_violation_is_the_one_told(log):
    try:
        model.fold(log)
    except model.Invalid as found:
        corpus = corpus_of(log)
        record = log[found.position]
        stated = model.whole(record.get("seq")) if isinstance(record, dict) else None
        where = f"position {found.position}" if stated is None else f"seq {stated}"
        with pytest.raises(SessionQueryError, match=re.escape(where)):
            corpus.events("s0")
        assert any(where in message for message in corpus.check()["message"])


@some.FEWER
@given(some.changed())
def test_an_unsound_log_is_not_made_sound_by_writing_it(log):
    sound = model.accepts(log)
    try:
        refusal = reopened(corpus_of(log), lambda corpus: refused(corpus.events, "s0"))
    except SchemaError:
        assert not sound
        return
    assert refusal is not sound


def table_of(log):
    """Raw records as rows of the events table, or None where the table cannot hold one."""
    rows = []
    for record in log:
        if not isinstance(record, dict):
            return None
        op, cited = record.get("surfaceOp"), record.get("sourceEventSeqs")
        numbers = [record.get("seq"), *(cited if isinstance(cited, list) else [])]
        if isinstance(op, dict) and op.keys() == {"op", "start", "end"}:
            numbers += [end for end in (op["start"], op["end"]) if end is not None]
        elif op != "append" and op is not None:
            return None
        if any(model.whole(number) is None or abs(number) > 2**62 for number in numbers):
            return None
        if not isinstance(cited, list | None) or not isinstance(record.get("type"), str | None):
            return None
        if isinstance(op, dict) and not isinstance(op["op"], str | None):
            return None
        if isinstance(op, dict):
            op = op | {end: model.whole(op[end]) for end in ("start", "end")}
        rows.append(
            {
                "session_id": "s0",
                "seq": int(record["seq"]),
                "type": record.get("type"),
                "surface_op": {"op": "append", "start": None, "end": None} if op == "append" else op,
                "source_event_seqs": None if cited is None else [int(one) for one in cited],
                "payload": json.dumps(record["data"]) if "data" in record else None,
            }
        )
    return rows


def records_of(rows):
    """Rows of the events table as the raw records they stand for, in ascending seq."""
    records = []
    for row in sorted(rows, key=lambda row: row["seq"]):
        record = {"seq": row["seq"], "type": row["type"]}
        op = row["surface_op"]
        if op is not None:
            record["surfaceOp"] = "append" if op == {"op": "append", "start": None, "end": None} else op
        if row["source_event_seqs"] is not None:
            record["sourceEventSeqs"] = row["source_event_seqs"]
        if row["payload"] is not None:
            record["data"] = json.loads(row["payload"])
        records.append(record)
    return records


SCHEMA = {
    "session_id": pl.String,
    "seq": pl.Int64,
    "type": pl.String,
    "surface_op": pl.Struct({"op": pl.String, "start": pl.Int64, "end": pl.Int64}),
    "source_event_seqs": pl.List(pl.Int64),
    "payload": pl.String,
}


@some.PROFILE
@given(some.changed(), st.randoms(use_true_random=False))
def test_tables_are_folded_by_ascending_seq(log, random):
    rows = table_of(log)
    if rows is None:
        event("no table")
        return
    sound = model.accepts(records_of(rows))
    event("sound" if sound else "unsound")
    random.shuffle(rows)
    source = ParquetSessions(sessions=pl.DataFrame({"session_id": ["s0"]}), events=pl.DataFrame(rows, schema=SCHEMA))
    corpus = SessionCorpus(persisted=source)
    assert refused(corpus.event_traces, "s0") is not sound
    assert corpus.check().is_empty() is sound


@some.FEWEST
@given(st.lists(some.logs(max_size=12), min_size=1, max_size=2), st.integers(0, 10))
def test_shuffled_parquet_rows_change_nothing(logs, seed):
    with tempfile.TemporaryDirectory() as folder:
        place = corpus_of(*logs).write_parquet(folder)
        (place / "manifest.json").unlink()  # which says what the files were before they are shuffled
        before = answers(SessionCorpus.open(place), len(logs))
        for name in ("sessions.parquet", "events.parquet"):
            frame = pl.read_parquet(place / name, memory_map=False)
            frame.sample(fraction=1, shuffle=True, seed=seed).write_parquet(place / name)
        assert answers(SessionCorpus.open(place), len(logs)) == before


def answers(corpus, count):
    frames = [corpus.sessions(), corpus.event_traces(), corpus.relations(), corpus.check(), corpus.find("said")]
    frames += [frame for n in range(count) for frame in (corpus.events(f"s{n}"), corpus.surface(f"s{n}"))]
    return [frame.to_dicts() for frame in frames]


@some.FEWER
@given(st.lists(some.logs(max_size=10) | some.changed(some.logs(max_size=10)), min_size=1, max_size=4))
def test_the_whole_corpus_is_its_sound_sessions(logs):
    corpus = corpus_of(*logs)
    sound = [f"s{n}" for n, log in enumerate(logs) if model.accepts(log)]
    unsound = len(logs) - len(sound)
    event(f"{unsound} unsound")
    if unsound:
        with pytest.warns(UserWarning, match=rf"\b{unsound} session") as told:
            whole = corpus.event_traces()
        assert len(told) == 1
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            whole = corpus.event_traces()
    assert whole.columns == COLUMNS
    assert whole.to_dicts() == [row for name in sound for row in corpus.event_traces(name).to_dicts()]
    assert set(corpus.check()["session_id"]) == {f"s{n}" for n in range(len(logs))} - set(sound)
