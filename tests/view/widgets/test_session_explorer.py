"""SessionExplorer as Python sees it: what is chosen, what the page asks, what is told of errors."""

import json
import time

import polars as pl
import pytest
import traitlets

from lineage_kit import InvalidRequest, SessionCorpus
from lineage_kit.view.widgets.session_explorer import SessionExplorer
from lineage_kit.view.widgets.timeline_data import CHUNK
from support.session_small import live, log, said, summary
from support.timeline_logs import HOSTILE, corpus, hostile, long_log
from support.timeline_page import ask


def test_a_log_that_breaks_a_rule_is_shown_as_it_is():
    events = [said(0, "fine"), summary(1, 0, 0, []), "no event at all"]
    del events[1]["sourceEventSeqs"]
    explorer = SessionExplorer(live(log("s1", events)))
    [banner] = explorer._timeline.banners
    for part in ("INVALID_SURFACE", "seq 1", "a replacement cites every event it removes", "found", "expected"):
        assert part in banner["text"]
    assert explorer.frame["state"].to_list() == [None] * 3
    assert [row["text"] for row in explorer._timeline.timeline["first"]["rows"]] == ["fine", "summary 1", ""]
    explorer.selected = 2
    assert explorer.event is None
    told, _ = ask(explorer, "payload", place=2, number=2)
    assert told["text"] == '"no event at all"'
    assert repr(explorer) == "SessionExplorer(s1: 3 events, INVALID_SURFACE)"


def test_what_is_chosen_is_read_set_and_observed():
    explorer = SessionExplorer(corpus())
    assert explorer.session_id == "s2"  # the newest
    seen = []
    explorer.observe(
        lambda change: seen.append((change["name"], change["new"])), ["session_id", "selected", "surface_at"]
    )
    explorer.session_id = "s1"
    explorer.selected = 9
    explorer.surface_at = 14
    assert explorer.event == explorer.corpus.trace_event("s1", 9)
    assert seen == [("surface_at", 19), ("session_id", "s1"), ("selected", 9), ("surface_at", 14)]
    assert explorer.frame.filter(state="current")["seq"].to_list() == [0, 2, 9, 11, 12, 14]
    explorer.surface_at = None
    assert explorer.surface_at == 19
    explorer.session_id = "s2"
    assert (explorer.selected, explorer.event, explorer.surface_at) == (None, None, 3)


def test_what_cannot_be_is_refused():
    explorer = SessionExplorer(corpus(), "s1")
    for name in ("selected", "surface_at"):
        for value in (20, -1):
            with pytest.raises(InvalidRequest, match=f"{name} is {value}, but session 's1' has 20 events"):
                setattr(explorer, name, value)
    with pytest.raises(traitlets.TraitError):
        explorer.selected = "9"
    with pytest.raises(traitlets.TraitError):
        explorer.event = None
    with pytest.raises(InvalidRequest, match="SessionCorpus"):
        SessionExplorer("data")
    with pytest.raises(InvalidRequest, match="session_id"):
        SessionExplorer(corpus(), 3)
    with pytest.raises(TypeError):
        SessionExplorer(corpus(), sesion_id="s1")


def test_an_unknown_session_is_told_with_near_ones_and_no_session_too():
    explorer = SessionExplorer(corpus(), "s11")
    [banner] = explorer._timeline.banners
    assert banner["text"] == "There is no session s11. Close to it:"
    assert [one["id"] for one in banner["offers"]] == ["s1", "s2"]
    assert repr(explorer) == "SessionExplorer(s11: nothing is shown)"
    with pytest.raises(InvalidRequest, match="no session is shown"):
        _ = explorer.frame
    ask(explorer, "open", session="s1", place=4)
    assert (explorer.session_id, explorer.selected, explorer._timeline.banners) == ("s1", 4, [])
    nobody = SessionExplorer(SessionCorpus())
    assert nobody.session_id is None
    assert nobody._timeline.banners[0]["text"] == "The corpus has no sessions."
    nobody.session_id = "s1"
    assert "There is no session s1." in nobody._timeline.banners[0]["text"]


def test_the_page_selects_and_moves_the_slider():
    explorer = SessionExplorer(corpus(), "s1")
    explorer._timeline.selected = 6
    explorer._timeline.surface_at = 8
    assert (explorer.selected, explorer.surface_at, explorer.event.replaced_by) == (6, 8, 9)
    assert explorer._timeline.overview["at"] == 8
    explorer._timeline.selected = 99
    assert (explorer.selected, explorer._timeline.selected) == (6, 6)
    assert "selected is 99" in explorer._timeline.banners[0]["text"]
    assert ask(explorer, "dismiss")[0]["ask"] == "dismiss"
    assert explorer._timeline.banners == []


def test_errors_of_callbacks_are_told_in_the_banner():
    explorer = SessionExplorer(corpus(), "s1")

    def broken(change):
        raise RuntimeError("my own\u202e mistake")

    explorer.observe(broken, "selected")
    explorer._timeline.selected = 3
    assert explorer._timeline.banners[0]["text"] == "RuntimeError: my own\\u202e mistake"
    assert explorer.selected == 3
    for wrong in ({"ask": "nothing"}, {"ask": "payload", "place": "x"}, {"ask": "payload", "place": 99}, 7, None):
        ask(explorer, "dismiss")
        explorer._timeline._handle_custom_msg(wrong, [])
        assert explorer._timeline.banners[0]["kind"] == "error"
    assert ask(explorer, "payload", place=99, number=99)[0] == {
        "ask": "payload", "number": 99, "load": 1, "failed": True,
    }  # fmt: skip


def test_a_source_that_fails_is_told_and_a_listed_log_still_opens():
    class Source:
        def list_sessions(self):
            raise OSError("the disk is gone")

        def load_session(self, session_id):
            return log(session_id)

    explorer = SessionExplorer(SessionCorpus(live=Source()), "s1")
    assert "the disk is gone" in explorer._timeline.banners[0]["text"]
    assert len(explorer.frame) == 4
    stored = SessionExplorer(SessionCorpus(persisted=Source()))
    assert "PERSISTENCE_FAILED" in stored._timeline.banners[0]["text"]


def test_a_live_log_is_read_again_when_asked():
    held = corpus()
    explorer = SessionExplorer(held, "s1")
    explorer.selected, explorer.surface_at = 9, 14
    held._listing.live.source.append("s1", [said(20, "more")])
    assert explorer.frame.height == 20
    ask(explorer, "reload")
    assert (explorer.frame.height, explorer.selected, explorer.surface_at) == (21, 9, 14)
    explorer.surface_at = None
    held._listing.live.source.append("s1", [said(21, "more")])
    explorer.reload()
    assert explorer.surface_at == 21


def test_search_finds_what_the_corpus_finds():
    explorer = SessionExplorer(corpus(), "s1")
    told, _ = ask(explorer, "find", text="SUMMARY", number=3)
    assert (told["total"], [one["place"] for one in told["hits"]], told["number"]) == (3, [6, 9, 15], 3)
    assert told["hits"][0]["parts"] == ["", "summary", " 6"]
    everywhere, _ = ask(explorer, "find", text="summary", everywhere=True)
    found = explorer.corpus.find("summary")
    assert [(one["session"], one["place"]) for one in everywhere["hits"]] == found.select("session_id", "seq").rows()
    assert ask(explorer, "sessions", text="second")[0]["sessions"][0]["id"] == "s2"
    assert ask(explorer, "beside", place=6, step=1)[0]["place"] == 9


def test_frames_and_files_hold_the_same_events():
    explorer = SessionExplorer(corpus(), "s1")
    explorer.surface_at = 10
    frame = explorer.frame
    front = ["ref", "session_id", "seq", "time", "type", "state", "position", "replaced_by"]
    assert frame.columns[: len(front)] == front
    assert frame.filter(pl.col("position").is_not_null()).sort("position")["seq"].to_list() == [0, 2, 9, 10]
    assert frame["state"].to_list()[-2:] == ["later", "later"]
    told, [content] = ask(explorer, "csv")
    assert told["name"] == "s1.csv"
    assert pl.read_csv(content).select("ref", "state").rows() == frame.select("ref", "state").rows()
    told, [content] = ask(explorer, "parquet")
    assert pl.read_parquet(content).equals(frame)


def test_the_quiet_form_is_the_same_on_every_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, other = (SessionExplorer(corpus(), "s1")._repr_mimebundle_() for _ in range(2))
    view = "application/vnd.jupyter.widget-view+json"
    assert view in one
    assert {name: one[name] for name in one if name != view} == {name: other[name] for name in other if name != view}
    assert one["text/plain"] == "SessionExplorer(s1: 20 events, 5 on the surface after event 19)"
    assert "SHADOWED" not in one["text/plain"]
    assert "<td" in one["text/html"]
    assert len(one["text/html"]) < 20_000
    assert not list(tmp_path.iterdir())


def test_two_explorers_of_the_same_data_hold_the_same_bytes():
    states = []
    for _ in range(2):
        explorer = SessionExplorer(corpus(), "s1")
        explorer.selected = 9
        held = explorer._timeline.get_state(["timeline", "overview", "details", "banners", "selected", "surface_at"])
        states.append(json.dumps(held))
    assert states[0] == states[1]


# ---- hostile and large


def test_hostile_texts_are_spelt_out_and_cut_in_rows():
    explorer = SessionExplorer(hostile())
    assert explorer.session_id == HOSTILE
    for place in range(5):
        explorer.selected = place
        told = json.dumps([explorer._timeline.details, ask(explorer, "payload", place=place)[0]], ensure_ascii=False)
        assert not set("\u202e\u2028\x00") & set(told)
    told = {**explorer._timeline.timeline, "id": "", "family": {}}
    assert not set("\u202e\u2028\x00") & set(json.dumps(told, ensure_ascii=False))
    assert all(len(row["text"]) < 400 for row in explorer._timeline.timeline["first"]["rows"])
    explorer.selected = 2
    assert explorer._timeline.details["text"] == "x" * 1_000_000
    shown = explorer._repr_mimebundle_()["text/html"]
    assert "<img" not in shown
    assert "\u202e" not in shown


def test_a_long_log_is_quick_to_open_and_sends_little():
    held = live(long_log(100_000))
    started = time.perf_counter()
    explorer = SessionExplorer(held)
    assert time.perf_counter() - started < 10
    state = explorer._timeline.get_state(["timeline", "overview", "details", "banners"])
    assert len(json.dumps(state)) < 100_000
    started = time.perf_counter()
    told, _ = ask(explorer, "stretch", number=777)
    assert len(told["rows"]) == CHUNK
    assert len(json.dumps(told)) < 100_000
    explorer.surface_at = 50_000
    explorer.selected = 99_999
    ask(explorer, "find", text="event 77777 ")
    assert time.perf_counter() - started < 5
