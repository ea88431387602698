"""A log read and folded once: intervals, rows, details, surfaces and states, stretch by stretch."""

import json

from hypothesis import given

from lineage_kit.view.widgets.session_explorer import SessionExplorer
from lineage_kit.view.widgets.timeline_data import read_timeline
from support.session_small import live, log, said
from support.session_strategies import PROFILE, logs
from support.timeline_logs import nested


def timeline(events, **header):
    return read_timeline(live(log("s1", events, **header)), "s1")


def test_intervals_brackets_and_counts_of_a_nested_log():
    told = timeline(nested())
    assert told.fault is None
    assert told.since.tolist() == [0, -1, 2, 3, 4, -1, 6, 7, -1, 9, 10, 11, 12, -1, 14, 15, -1, 17, 18, -1]
    until = {2: 15, 3: 6, 4: 6, 6: 9, 7: 9, 9: 15, 10: 11, 11: 15, 12: 15}
    assert told.until.tolist() == [until.get(place, 20) for place in range(20)]
    brackets = told.stretch(0)["brackets"]
    assert [tuple(one.values()) for one in brackets] == [
        (15, 2, 12, 3, 4),
        (9, 3, 7, 2, 2),
        (6, 3, 4, 1, 2),
        (11, 10, 10, 1, 1),
    ]
    assert told.brackets.highest == 3
    assert told.surface(14) == [0, 2, 9, 11, 12, 14]
    assert told.surface(19) == [0, 15, 14, 17, 18]
    assert [told.brackets.beside(9, step) for step in (-1, 1)] == [6, 11]
    assert [told.brackets.beside(*ask) for ask in ((6, -1), (15, 1))] == [None, None]


def test_rows_and_details_say_what_the_corpus_says():
    told = timeline(nested())
    row = told.stretch(0)["rows"][9]
    assert row == {
        "place": 9, "seq": 9, "type": "user/message", "text": "summary 9", "raw": False, "error": False, "since": 9,
        "until": 15, "replaces": 2, "cites": 2, "cited": 2,
    }  # fmt: skip
    details = told.details(9)
    relations = {name: one["events"] for name, one in details["relations"].items()}
    assert relations == {"chain": [15], "replaced": [6, 7], "cites": [6, 7], "cited": [12, 15]}
    named = details["relations"]["replaced"]["named"]
    assert named[1] == {"place": 7, "type": "user/message", "text": "Try it with fewer columns"}
    assert (details["ref"], details["op"], details["text"]) == ("s1#9", "replace from #6 to #7", "summary 9")
    assert json.loads(told.payload(9)) == said(9, "summary 9")["data"]
    assert told.stretch(0)["rows"][1]["since"] is None
    assert told.stretch(0)["rows"][1]["raw"]
    assert told.trace(9) == live(log("s1", nested())).trace_event("s1", 9)


def test_an_empty_log_has_a_story_too():
    told = timeline([])
    assert (len(told), told.brackets.highest, told.stretch(0)["rows"]) == (0, 0, [])
    assert told.overview(-1)["counts"] is None
    explorer = SessionExplorer(live(log("s1", [])))
    assert (explorer.session_id, explorer.selected, explorer.surface_at) == ("s1", None, None)
    assert explorer.frame.height == 0


@PROFILE
@given(logs())
def test_the_surface_at_every_event_is_that_of_the_log_cut_there(events):
    told = timeline(events)
    for at in range(-1, len(events)):
        cut = live(log("s1", events[: at + 1])).surface("s1")
        assert told.surface(at) == cut["seq"].to_list()
        counts = told.overview(at)["counts"]
        if events:
            states = told.frame(at)["state"].value_counts(sort=True)
            assert dict(states.iter_rows()) == {
                state: count
                for state, count in zip(("current", "shadowed", "log-only", "later"), counts, strict=True)
                if count
            }
    for place in range(len(events)):
        assert told.trace(place) == live(log("s1", events)).trace_event("s1", place)
