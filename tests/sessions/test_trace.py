"""Which event is meant by a seq, and its neighbours as logged."""

import numpy as np
import pytest

from lineage_kit import SessionCorpus
from support.session_fakes import BrokenSource
from support.session_small import error_of, live, log, noted, said

# ---- windows


LONG = [noted(seq) for seq in range(120)]


@pytest.mark.parametrize("window", [True, False, 1.0, 0.5, -1, 51, 10**30, "1", "", None, np.int64(51), np.float64(1)])
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_window_out_of_bounds_is_told_before_anything_is_read(side, window):
    for corpus in (SessionCorpus(live=BrokenSource(), persisted=BrokenSource()), SessionCorpus()):
        told = error_of(lambda corpus=corpus: corpus.read_event("s1", "no seq", **{side: window}))
        assert told.code == "SESSION_QUERY_INVALID_WINDOW"
        assert all(part in str(told) for part in ("s1", "no seq", side, "50"))


@pytest.mark.parametrize(
    ("seq", "before", "after", "start", "end"),
    [
        (60, 0, 0, 60, 60),
        (60, 50, 50, 10, 110),
        (0, 50, 1, 0, 1),
        (119, 1, 50, 118, 119),
        (60, np.int64(2), np.uint8(3), 58, 63),
        (1, 2, 0, 0, 1),
    ],
)
def test_windows_are_cut_at_the_ends_of_the_log(seq, before, after, start, end):
    window = live(log("s1", LONG, title="long")).read_event("s1", seq, before, after)
    assert window.session.title == "long"
    assert window.target == LONG[seq]
    assert window.events == LONG[start : end + 1]
    assert (window.start_seq, window.end_seq) == (start, end)


# ---- forms of seq


SAME_AS_ONE = [1, 1.0, np.int64(1), np.uint8(1), np.float64(1.0), np.float32(1)]
NOTHING = [True, False, np.True_, "1", "", b"1", 1.5, np.float64(0.5), float("nan"), float("inf"), -float("inf")]
NOTHING += [None, [1], (1,), {}, 10**30, -(10**30), 1e300, 2**63, -1, 4, 4.0]


@pytest.mark.parametrize("seq", SAME_AS_ONE, ids=repr)
def test_a_number_with_an_integral_value_is_that_integer(seq):
    corpus = live(log("s1"))
    trace = corpus.trace_event("s1", seq)
    assert (trace.target.seq, type(trace.target.seq), trace.ref) == (1, int, "s1#1")
    assert corpus.read_event("s1", seq).target == noted(1)


@pytest.mark.parametrize("seq", NOTHING, ids=repr)
@pytest.mark.parametrize("name", ["trace_event", "read_event"])
def test_anything_else_is_not_found(name, seq):
    told = error_of(getattr(live(log("s1")), name), "s1", seq)
    assert told.code == "SESSION_QUERY_EVENT_NOT_FOUND"
    assert all(part in str(told) for part in ("'s1'", repr(seq)[:20]))


@pytest.mark.parametrize("seq", [1, 1.0])
def test_a_float_seq_in_a_log_is_that_integer(seq):
    events = [said(0.0), said(seq)]
    assert live(log("s1", events)).trace_event("s1", 1).target.surface == "current"
