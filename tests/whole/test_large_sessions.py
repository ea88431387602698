"""Long chains, wide families and long logs: no recursion anywhere, right answers. Nothing is timed."""

import copy
import pickle

import numpy as np
import polars as pl
import pytest

from lineage_kit import MemorySessions, ParquetSessions, SessionCorpus, SessionLog, SessionQueryError
from support.session_small import said

COUNT = 100_000
OP = pl.Struct({"op": pl.String, "start": pl.Int64, "end": pl.Int64})
NO_EVENTS = pl.DataFrame(schema={"session_id": pl.String, "seq": pl.Int64})


def family(parents):
    """A corpus of sessions s0, s1, …; parents are numbers or None."""
    names = [f"s{number}" for number in range(len(parents))]
    above = [None if parent is None else f"s{parent}" for parent in parents]
    sessions = pl.DataFrame(
        {"session_id": names, "parent_session": above}, schema_overrides={"parent_session": pl.String}
    )
    return SessionCorpus(persisted=ParquetSessions(sessions=sessions, events=NO_EVENTS))


def check_object(trace, other):
    """repr, ==, hash, copies and pickles work, and say the same."""
    assert trace == other
    assert hash(trace) == hash(other)
    assert len(repr(trace)) < 300
    assert copy.deepcopy(trace) == trace
    assert pickle.loads(pickle.dumps(trace)) == trace
    for node in trace.descendants[:1]:
        assert (copy.deepcopy(node), hash(node), len(repr(node)) < 300) == (node, hash(copy.copy(node)), True)
        assert pickle.loads(pickle.dumps(node)) == node


@pytest.fixture(scope="module")
def chain():
    return family([None, *range(COUNT - 1)])


@pytest.mark.parametrize("at", [0, COUNT - 1])
def test_a_chain_of_sessions(chain, at):
    trace = chain.trace_session(f"s{at}")
    assert trace.complete
    assert trace.root.session_id == "s0"
    assert [record.session_id for record in trace.ancestors] == [f"s{number}" for number in range(at - 1, -1, -1)]
    below, nodes = at, trace.descendants
    while nodes:
        (node,) = nodes
        below += 1
        assert node.session.session_id == f"s{below}"
        nodes = node.descendants
    assert below == COUNT - 1
    frame = trace.frame
    assert frame["session_id"].to_list() == [f"s{number}" for number in range(COUNT)]
    assert frame["depth"].to_list() == list(range(-at, COUNT - at))
    assert trace._repr_mimebundle_()["text/plain"]


def test_a_chain_of_sessions_as_an_object(chain):
    middle = f"s{COUNT // 2}"
    check_object(chain.trace_session(middle), chain.trace_session(middle))


def test_a_session_with_many_children():
    corpus = family([None, *[0] * COUNT])
    trace = corpus.trace_session("s0")
    expected = sorted(f"s{number}" for number in range(1, COUNT + 1))
    assert [node.session.session_id for node in trace.descendants] == expected
    assert trace.frame["session_id"].to_list() == ["s0", *expected]
    assert trace.frame["depth"].to_list() == [0] + [1] * COUNT
    assert corpus.trace_session("s77").ancestors == (trace.target,)
    check_object(trace, corpus.trace_session("s0"))


def test_a_ring_of_many_sessions():
    corpus = family([COUNT - 1, *range(COUNT - 1)])
    with pytest.raises(SessionQueryError, match="SESSION_QUERY_INVALID_LINEAGE"):
        corpus.trace_session("s5")


def log_of(events):
    """A corpus of one stored session s1."""
    sessions = pl.DataFrame({"session_id": ["s1"]})
    named = events.with_columns(session_id=pl.lit("s1"))
    return SessionCorpus(persisted=ParquetSessions(sessions=sessions, events=named))


def operations(op, start, end):
    """A surface_op column; None stays none."""
    return pl.when(op.is_not_null()).then(pl.struct(op=op, start=start, end=end)).cast(OP)


def summed_in_tens(tens):
    """Each ten events: one log-only, eight appended, one that replaces and cites those eight."""
    first = pl.col("seq") - pl.col("seq") % 10
    place, none = pl.col("seq") % 10, pl.lit(None, pl.Int64)
    last = place == 9
    op = pl.when(last).then(pl.lit("replace")).when(place > 0).then(pl.lit("append"))
    frame = pl.DataFrame({"seq": np.arange(10 * tens)}).with_columns(
        surface_op=operations(op, pl.when(last).then(first + 1).otherwise(none), pl.when(last).then(first + 8)),
        type=pl.when(place == 0).then(pl.lit("turn/start")).otherwise(pl.lit("user/message")),
    )
    return frame.with_columns(source_event_seqs=pl.when(last).then(pl.int_ranges(first + 1, first + 9, dtype=pl.Int64)))


def test_a_long_log_with_many_replacements():
    tens = 100_000
    corpus = log_of(summed_in_tens(tens))
    traces = corpus.event_traces("s1")
    seq = np.arange(10 * tens)
    ten, place = seq // 10, seq % 10
    assert (traces["seq"].to_numpy() == seq).all()
    classes = np.where(place == 0, "log-only", np.where(place == 9, "current", "shadowed"))
    assert (traces["surface"].to_numpy() == classes).all()
    shadowed = (place > 0) & (place < 9)
    summing = place == 9
    for name in ("replaced_by", "final_replacement"):
        assert (traces[name].fill_null(-1).to_numpy() == np.where(shadowed, 10 * ten + 9, -1)).all()
    assert (traces["chain_length"].to_numpy() == shadowed).all()
    for name in ("replaced_event_seqs", "source_event_seqs"):
        assert (traces[name].list.len().to_numpy() == 8 * summing).all()
        assert (traces[name].explode().drop_nulls().to_numpy() == seq[shadowed]).all()
    derived = traces["derived_event_seqs"].list
    assert (derived.len().to_numpy() == shadowed).all()
    assert (derived.first().fill_null(-1).to_numpy() == np.where(shadowed, 10 * ten + 9, -1)).all()
    covers = np.where(place == 0, -1, 8 * ten + np.where(summing, 0, place - 1))
    assert (traces["covers_from"].fill_null(-1).to_numpy() == covers).all()
    assert (traces["covers_count"].fill_null(0).to_numpy() == np.where(summing, 8, shadowed)).all()
    trace = corpus.trace_event("s1", 500_003)
    assert (trace.replacement_chain, trace.derived_event_seqs) == ((500_009,), (500_009,))
    trace = corpus.trace_event("s1", 500_009)
    assert trace.replaced_event_seqs == trace.source_event_seqs == tuple(range(500_001, 500_009))
    assert corpus.check().is_empty()
    assert corpus.surface("s1")["seq"].to_list() == list(range(9, 10 * tens, 10))


def test_one_wrong_event_at_the_end_of_a_long_log():
    good = summed_in_tens(100_000)
    wrong = good.with_columns(seq=pl.when(pl.col("seq") == 999_999).then(1_000_000).otherwise(pl.col("seq")))
    with pytest.raises(SessionQueryError, match=r"SESSION_QUERY_INVALID_SURFACE.*seq 999999.*found 1000000"):
        log_of(wrong).trace_event("s1", 0)


def test_a_long_chain_of_replacements():
    count = 50_000
    before, first = pl.col("seq") - 1, pl.col("seq") == 0
    end = pl.when(~first).then(before)
    events = pl.DataFrame({"seq": np.arange(count)}).with_columns(
        surface_op=operations(pl.when(first).then(pl.lit("append")).otherwise(pl.lit("replace")), end, end),
        source_event_seqs=pl.when(~first).then(pl.concat_list(before)),
        type=pl.lit("assistant/message"),
    )
    corpus = log_of(events)
    trace = corpus.trace_event("s1", 0)
    assert trace.replacement_chain == tuple(range(1, count))
    assert (trace.replaced_by, trace.derived_event_seqs) == (1, (1,))
    assert pickle.loads(pickle.dumps(trace)) == copy.deepcopy(trace) == trace
    assert trace.frame.height == count + 1
    traces = corpus.event_traces("s1")
    assert traces["chain_length"].to_list() == list(range(count - 1, -1, -1))
    assert set(traces["final_replacement"][:-1]) == {count - 1}
    assert set(traces["covers_from"]) == {0}
    assert set(traces["covers_count"]) == {1}
    assert corpus.surface("s1")["seq"].to_list() == [count - 1]


def test_a_long_log_of_records_appended_one_by_one():
    memory = MemorySessions([SessionLog.from_records({"id": "s1"}, [])])
    for seq in range(500):
        memory.append("s1", said(seq))
    assert SessionCorpus(live=memory).surface("s1").height == 500
