"""The frames of one log: its events with their place, and the surface in model order."""

import json

from support.session_small import EVENT_COLUMNS, OP, live, log, said, stored, summary


def test_events_and_surface_have_their_columns():
    corpus = stored()
    events, surface = corpus.events("s1"), corpus.surface("s1")
    assert events.columns == [*EVENT_COLUMNS, "tokens"]
    assert surface.columns == ["position", *events.columns]
    assert events.schema["surface_op"] == OP
    assert events["surface"].to_list() == ["shadowed", "log-only", "current"]
    assert events["ref"].to_list() == ["s1#0", "s1#1", "s1#2"]
    assert json.loads(events["payload"][0]) == {"n": 1}
    assert surface.select("position", "seq").rows() == [(0, 2)]


def test_the_surface_is_in_model_order():
    events = [said(0), said(1), said(2), summary(3, 0, 1, [0, 1]), said(4)]
    assert live(log("s1", events)).surface("s1")["seq"].to_list() == [3, 2, 4]
