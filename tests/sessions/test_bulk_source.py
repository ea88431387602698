"""Sources of one's own, whatever methods they have beyond the two."""

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

from lineage_kit import InvalidRequest, MemorySessions, SessionCorpus, SessionHeader
from lineage_kit.schema import EVENTS, REPORT
from lineage_kit.sessions.bulk_source import adapted
from support.session_small import code_of, error_of, log, story


class Own:
    """The two methods and nothing more; the listing is a pandas frame with one column."""

    def list_sessions(self):
        return pd.DataFrame({"session_id": ["s1", "s2"], "mine": [1, 2]})

    def load_session(self, session_id):
        return {"s1": log("s1")}[session_id]


def test_a_source_of_ones_own_live():
    corpus = SessionCorpus(live=Own())
    assert corpus.sessions()["session_id"].to_list() == ["s1", "s2"]
    assert corpus.trace_event("s1", 0).replaced_by == 3
    assert code_of(corpus.trace_event, "s3", 0) == "SESSION_NOT_FOUND"


def test_a_source_of_ones_own_persisted():
    corpus = SessionCorpus(persisted=Own())
    assert corpus.trace_session("s2").target.persisted
    assert corpus.trace_event("s1", 0).replaced_by == 3
    failed = error_of(corpus.trace_event, "s2", 0)
    assert (failed.code, type(failed.__cause__)) == ("SESSION_QUERY_PERSISTENCE_FAILED", KeyError)
    with pytest.warns(UserWarning, match="1 session"):
        assert set(corpus.event_traces()["session_id"]) == {"s1"}
    assert corpus.check()["session_id"].to_list() == ["s2"]


def test_something_that_is_no_source():
    for source in (pl.DataFrame({"session_id": ["s1"]}), {"s1": story()}, "folder"):
        with pytest.raises(InvalidRequest, match="list_sessions"):
            SessionCorpus(live=source)


# ---- methods beyond the two


class Asked(Own):
    """Notes every call; methods are given as attributes, as a user's `__init__` may set them."""

    def __init__(self, **methods):
        self.calls = []
        for name, answer in methods.items():
            setattr(self, name, None if answer is None else self._noting(name, answer))

    def _noting(self, name, answer):
        def method(*args):
            self.calls.append(name)
            return answer(*args)

        return method

    def list_sessions(self):
        self.calls.append("list_sessions")
        return pl.DataFrame({"session_id": ["s1"]})

    def load_session(self, session_id):
        self.calls.append("load_session")
        return super().load_session(session_id)


def table():
    """The events of session s1, and of one that no listing has."""
    rows = [log(name).events.with_columns(session_id=pl.lit(name)) for name in ("s1", "stray")]
    return pl.concat(rows).select(*EVENTS.names)


def picked(wanted):
    return nw.from_native(table()).filter(wanted).to_native()


NEVER = dict.fromkeys(("has_session", "headers", "load_sessions", "read_events", "sizes", "import_report"))


def test_what_an_instance_was_given_is_asked():
    source = Asked(has_session=lambda name: name == "s1")
    corpus = SessionCorpus(live=source)
    assert code_of(corpus.trace_event, "s2", 0) == "SESSION_NOT_FOUND"
    assert source.calls == ["has_session"]
    assert corpus.trace_event("s1", 0).replaced_by == 3
    assert source.calls == ["has_session", "has_session", "load_session"]


def test_a_method_that_is_none_is_no_method():
    for side in ("live", "persisted"):
        source = Asked(**NEVER)
        corpus = SessionCorpus(**{side: source})
        assert corpus.trace_event("s1", 0).replaced_by == 3
        assert corpus.event_traces().height == 4
        assert corpus.check().is_empty()
        assert corpus.import_report().is_empty()
        assert set(source.calls) == {"list_sessions", "load_session"}


def test_logs_that_one_reading_gives_are_not_loaded_again():
    source = Asked(load_sessions=lambda: {"s1": log("s1")})
    assert SessionCorpus(live=source).event_traces().height == 4
    assert source.calls == ["list_sessions", "load_sessions"]


def test_headers_of_ones_own_are_taken_as_they_are():
    source = Asked(headers=lambda: [SessionHeader("s1", extra={"mood": "good"})])
    assert SessionCorpus(persisted=source).trace_session("s1").target.extra == {"mood": "good"}
    assert source.calls == ["headers"]


def test_a_table_is_read_in_one_call_where_it_cannot_be_counted():
    source = Asked(read_events=picked)
    corpus = SessionCorpus(persisted=source)
    assert corpus.event_traces()["session_id"].unique().to_list() == ["s1"]
    assert source.calls == ["list_sessions", "read_events"]
    assert corpus.check().is_empty()  # events without a session are looked for where sessions can be counted


def test_a_table_that_can_be_counted_is_checked_for_strays():
    source = Asked(read_events=picked, sizes=lambda: {"s1": 4, "stray": 4})
    corpus = SessionCorpus(persisted=source)
    assert set(corpus.check()["session_id"]) == {"stray"}
    assert source.calls == ["list_sessions", "sizes", "read_events", "sizes", "read_events"]


def test_only_a_source_that_knows_how_is_asked_to_leave_things_out():
    class Frugal(Own):
        def list_sessions(self):
            return pl.DataFrame({"session_id": ["s1"]})

        def read_events(self, wanted=None, *, to_fold=False):
            asked.append(to_fold)
            return picked(wanted)

    asked = []
    corpus = SessionCorpus(persisted=Frugal())
    assert corpus.event_traces().height == corpus.all_events().height == 4
    assert asked == [True, False]


def test_a_report_of_ones_own():
    row = ("a.jsonl", "kind", None, 1, None, "meaning")
    source = Asked(import_report=lambda: REPORT.frame([row]))
    assert SessionCorpus(persisted=source).import_report().rows() == [row]
    assert SessionCorpus(live=source).import_report().is_empty()


def test_an_adapted_source_stays_as_it_is():
    source = adapted(Own(), "live")
    assert adapted(source, "persisted") is source
    assert repr(SessionCorpus(live=MemorySessions([log("s1")]))) == (
        "SessionCorpus(live=MemorySessions(1 session), persisted=None)"
    )


def test_a_method_replaced_later_is_the_one_called():
    source = Own()
    corpus = SessionCorpus(live=source)
    source.list_sessions = lambda: pl.DataFrame({"session_id": ["s1"]})
    assert corpus.sessions().height == 1
