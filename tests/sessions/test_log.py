"""A log built from raw records or from frames, and read back."""

import pytest

from lineage_kit import SchemaError, SessionLog
from support.session_small import EVENTS, SESSIONS, live, log, noted, stored, story


def test_records_given_are_copied():
    events, header = story(), {"id": "s1", "tags": ["a"]}
    built = SessionLog.from_records(header, events)
    events[0]["data"]["content"][0]["text"] = "changed"
    events[3]["surfaceOp"]["start"] = 2
    header["tags"].append("b")
    assert built.records() == story()
    assert built.header.extra == {"tags": ["a"]}


@pytest.mark.parametrize("data", [{"text": "\ud800"}, float("nan"), {"content": [{"text": "\udfff"}]}, None, "x"])
def test_a_log_of_odd_data_is_built_and_read_back(data):
    """Building a log never raises for an event: half a surrogate pair is what harnesses do write."""
    events = [noted(0) | {"data": data}]
    corpus = live(log("s1", events))
    assert repr(corpus.read_session("s1").records()) == repr(events)
    assert corpus.events("s1")["surface"].to_list() == ["log-only"]


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
