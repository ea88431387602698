"""The replacements of a log as brackets."""

from hypothesis import given

from lineage_kit.view.widgets import timeline_brackets
from lineage_kit.view.widgets.timeline_data import read_timeline
from support.session_small import live, log
from support.session_strategies import PROFILE, logs
from support.timeline_logs import nested


def timeline(events, **header):
    return read_timeline(live(log("s1", events, **header)), "s1")


@PROFILE
@given(logs())
def test_brackets_lie_inside_each_other_or_apart(events):
    told = timeline(events).brackets
    spans = sorted(zip(told.first.tolist(), told.last.tolist(), told.height.tolist(), strict=True))
    for place, (first, last, height) in enumerate(spans):
        for other_first, other_last, other_height in spans[place + 1 :]:
            apart = other_first > last
            inside = other_last <= last and other_height < height
            around = first == other_first and other_last >= last and other_height > height
            assert apart or inside or around


def test_of_many_brackets_the_outermost_are_told(monkeypatch):
    held = timeline(nested()).brackets
    monkeypatch.setattr(timeline_brackets, "BRACKETS", 2)
    told, left_out = held.over(0, 100)
    assert ([one["seq"] for one in told], left_out) == ([15, 9], 2)
    assert held.over(13, 100) == ([], 0)
