"""Sources of one's own, whatever methods they have beyond the two."""

import pandas as pd
import polars as pl
import pytest

from lineage_kit import InvalidRequest, SessionCorpus
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
