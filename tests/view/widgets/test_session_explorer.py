"""SessionExplorer: the story it tells, what it says to Python, and its page in a browser with the network cut."""

import base64
import json
import time
from contextlib import contextmanager

import polars as pl
import pytest
import traitlets
from hypothesis import given

from lineage_kit import InvalidRequest, SessionCorpus, SessionLog
from lineage_kit.view.widgets.session_explorer import SessionExplorer, SessionTimeline
from lineage_kit.view.widgets.session_picker import Sessions
from lineage_kit.view.widgets.timeline_data import CHUNK, story_of
from support.browser import launched
from support.session_small import live, log, noted, said, summary
from support.session_strategies import PROFILE, logs

HOSTILE = "</script><img src=x onerror=window.hurt=1>\u202e{{7*7}}\u2028<a href='javascript:window.hurt=1'>go</a>\x00"


def tool(seq, **more):
    block = {"type": "tool-result", "content": [{"type": "text", "text": f"result {seq}"}]}
    return said(seq, type="tool/result", data={"message": {"role": "tool", "content": [block]}}, **more)


def nested():
    """20 events; #6 replaces 2, #9 replaces #6 and one more, #15 replaces #9 and what stood behind it; a rewrite."""
    return [
        said(0, "Find out why the index is slow"),
        noted(1),
        said(2, "I look at the plan first", type="assistant/message"),
        tool(3, sourceEventSeqs=[2]),
        said(4, "The plan scans the whole table", type="assistant/message", sourceEventSeqs=[3]),
        noted(5),
        summary(6, 3, 4, [3, 4]),
        said(7, "Try it with fewer columns"),
        noted(8),
        summary(9, 6, 7, [6, 7]),
        tool(10),
        tool(11, surfaceOp={"op": "replace", "start": 10, "end": 10}, sourceEventSeqs=[10]),
        said(12, "It reads a third now", type="assistant/message", sourceEventSeqs=[11, 9]),
        noted(13),
        said(14, "Keep that"),
        summary(15, 2, 12, [2, 9, 11, 12, 0]),
        noted(16),
        said(17, "What is left to do?"),
        said(18, "Write the report", type="assistant/message", sourceEventSeqs=[15, 17]),
        noted(19),
    ]


def story(events, **header):
    return story_of(live(log("s1", events, **header)), "s1")


def ask(explorer, what, **more):
    """What the page would be sent for a message of its own; None where nothing is sent."""
    sent = []
    timeline = explorer._timeline
    timeline.send = lambda content, buffers=None: sent.append((content, buffers))
    try:
        timeline._handle_custom_msg({"ask": what, **more}, [])
    finally:
        del timeline.send
    return sent[-1] if sent else None


# ---- a page in a browser, with the explorer behind it

PAGE = """
async ([source, style, state]) => {
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const listeners = new Map();
  const fire = (name, ...told) => [...(listeners.get(name) ?? [])].forEach((work) => work(...told));
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  let changed = {};
  window.apply = (outcomes) => outcomes.forEach((one) => {
    if (one.message) return fire("msg:custom", one.message, one.buffers.map(bytes));
    Object.assign(state, one.state);
    Object.keys(one.state).forEach((name) => fire(`change:${name}`));
  });
  window.sent = [];
  const python = async (what) => {
    window.sent.push(what);
    window.apply(await window.toPython(what));
  };
  window.model = {
    get: (name) => state[name],
    set(name, value) { state[name] = changed[name] = value; fire(`change:${name}`); },
    save_changes() { const saved = changed; changed = {}; python({ saved }); },
    send: (content) => python({ content }),
    on: (name, work) => listeners.set(name, [...(listeners.get(name) ?? []), work]),
    off: (name, work) => listeners.set(name, (listeners.get(name) ?? []).filter((one) => one !== work)),
  };
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  window.leave = widget.render({ model: window.model, el: document.querySelector("main") });
}
"""


class Mounted:
    """An explorer whose page stands in a bare tab; messages and settings go both ways as in a notebook."""

    def __init__(self, explorer, tab):
        self.explorer, self.tab, self.page = explorer, tab, tab.page
        self._timeline = explorer._timeline
        self._outcomes = []
        self._timeline.send = lambda content, buffers=None: self._outcomes.append(
            {"message": content, "buffers": [base64.b64encode(part).decode() for part in buffers or []]}
        )
        names = ["story", "overview", "details", "banners", "selected", "surface_at"]
        self._timeline.observe(lambda change: self._outcomes.append({"state": {change["name"]: change["new"]}}), names)
        self.page.set_content("<!doctype html><html><body style='margin:0'><main></main></body></html>")
        self.page.expose_function("toPython", self._to_python)
        state = json.loads(json.dumps({name: getattr(self._timeline, name) for name in names}))
        self.page.evaluate(PAGE, [str(SessionTimeline._esm), str(SessionTimeline._css), state])
        self.settle()

    def _to_python(self, what):
        if "content" in what:
            self._timeline._handle_custom_msg(what["content"], [])
        for name, value in what.get("saved", {}).items():
            setattr(self._timeline, name, value)
        return self._taken()

    def _taken(self):
        outcomes, self._outcomes[:] = list(self._outcomes), []
        return outcomes

    def tell(self):
        """Sends the page what Python has changed by itself."""
        self.page.evaluate("(outcomes) => window.apply(outcomes)", self._taken())
        self.settle()

    def settle(self, milliseconds=350):
        """Lets timers that wait for more keys, and frames, go by."""
        self.page.wait_for_timeout(milliseconds)


@contextmanager
def mounted(explorer, **context):
    with launched(**context) as tab:
        yield Mounted(explorer, tab)
        assert tab.asked == []
        assert tab.errors == []


# ---- the story


def test_intervals_brackets_and_counts_of_a_nested_log():
    told = story(nested())
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
    assert [told.replacement_beside(9, step) for step in (-1, 1)] == [6, 11]
    assert [told.replacement_beside(*ask) for ask in ((6, -1), (15, 1))] == [None, None]


def test_rows_and_details_say_what_the_corpus_says():
    told = story(nested())
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
    told = story([])
    assert (len(told), told.brackets.highest, told.stretch(0)["rows"]) == (0, 0, [])
    assert told.overview(-1)["counts"] is None
    explorer = SessionExplorer(live(log("s1", [])))
    assert (explorer.session_id, explorer.selected, explorer.surface_at) == ("s1", None, None)
    assert explorer.frame.height == 0


@PROFILE
@given(logs())
def test_the_surface_at_every_event_is_that_of_the_log_cut_there(events):
    told = story(events)
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


@PROFILE
@given(logs())
def test_brackets_lie_inside_each_other_or_apart(events):
    told = story(events).brackets
    spans = sorted(zip(told.first.tolist(), told.last.tolist(), told.height.tolist(), strict=True))
    for place, (first, last, height) in enumerate(spans):
        for other_first, other_last, other_height in spans[place + 1 :]:
            apart = other_first > last
            inside = other_last <= last and other_height < height
            around = first == other_first and other_last >= last and other_height > height
            assert apart or inside or around


def test_a_log_that_breaks_a_rule_is_shown_as_it_is():
    events = [said(0, "fine"), summary(1, 0, 0, []), "no event at all"]
    del events[1]["sourceEventSeqs"]
    explorer = SessionExplorer(live(log("s1", events)))
    [banner] = explorer._timeline.banners
    for part in ("INVALID_SURFACE", "seq 1", "a replacement cites every event it removes", "found", "expected"):
        assert part in banner["text"]
    assert explorer.frame["state"].to_list() == [None] * 3
    assert [row["text"] for row in explorer._timeline.story["first"]["rows"]] == ["fine", "summary 1", ""]
    explorer.selected = 2
    assert explorer.event is None
    told, _ = ask(explorer, "payload", place=2, number=2)
    assert told["text"] == '"no event at all"'
    assert repr(explorer) == "SessionExplorer(s1: 3 events, INVALID_SURFACE)"


# ---- the sessions


def kin(*headers):
    return Sessions(live(*(log(name, [], createdAt=at, **more) for at, (name, more) in enumerate(headers))).sessions())


def test_a_family_is_ancestors_siblings_and_descendants():
    known = kin(
        ("root", {}), ("a", {"parentSession": "root"}), ("b", {"parentSession": "root"}),
        ("b1", {"parentSession": "b"}), ("a1", {"parentSession": "a"}), ("else", {}),
    )  # fmt: skip
    rows = known.family("b")["rows"]
    assert [(row["id"], row["depth"], row["relation"]) for row in rows] == [
        ("root", 0, "ancestor"), ("a", 1, "sibling"), ("b", 1, "this session"), ("b1", 2, "descendant"),
    ]  # fmt: skip
    assert known.newest == "else"
    assert [row["id"] for row in known.family("else")["rows"]] == ["else"]


def test_a_parent_that_is_not_there_is_told_in_words():
    known = kin(("b", {"parentSession": "gone"}), ("c", {"parentSession": "gone"}), ("b1", {"parentSession": "b"}))
    told = known.family("b1")
    assert [(row["id"], row["missing"], row["orphan"]) for row in told["rows"]] == [
        ("gone", True, False), ("b", False, True), ("b1", False, False),
    ]  # fmt: skip
    assert told["note"] == "Parent gone is NOT THERE."
    assert [row["id"] for row in known.family("b")["rows"]] == ["gone", "b", "b1", "c"]


def test_rings_and_long_chains_end():
    known = kin(("a", {"parentSession": "b"}), ("b", {"parentSession": "a"}), ("me", {"parentSession": "me"}))
    assert known.family("a")["note"] == "The chain of parents comes back to a."
    assert [row["id"] for row in known.family("me")["rows"]] == ["me"]
    chain = [(f"s{depth}", {"parentSession": f"s{depth - 1}"} if depth else {}) for depth in range(3_000)]
    told = kin(*chain).family("s1500")
    assert (len(told["rows"]), told["total"]) == (200, 3_000)
    assert "s1500" in [row["id"] for row in told["rows"]]


def test_sessions_are_found_by_id_and_title_best_first():
    known = kin(("index-1", {}), ("x1", {"title": "Index again"}), ("x2", {"title": "the INDEX"}), ("index", {}))
    assert [one["id"] for one in known.find("index")["sessions"]] == ["index", "index-1", "x1", "x2"]
    assert known.find("nothing") == {"sessions": [], "total": 0}
    assert known.near("indx-1")[0]["id"] == "index-1"


# ---- the explorer from Python


def corpus():
    logs = [
        log("main", [], title="Speed up the index", createdAt=1),
        log("s1", nested(), title="Why is the index slow?", parentSession="main", createdAt=2),
        log("s2", None, title="Second try", parentSession="main", createdAt=3),
    ]
    return live(*logs)


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
        held = explorer._timeline.get_state(["story", "overview", "details", "banners", "selected", "surface_at"])
        states.append(json.dumps(held))
    assert states[0] == states[1]


# ---- hostile and large


def hostile():
    """A log whose every text is hostile, in a family that is."""
    events = [
        {**said(0, HOSTILE), "type": "user/message"},
        {"seq": 1, "type": HOSTILE, "data": {HOSTILE: [HOSTILE, 10**400]}},
        said(2, "x" * 1_000_000),
        summary(3, 0, 2, [0, 2]),
        {"seq": 4, "type": "note", "text": HOSTILE * 3, "data": json.loads("[" * 400 + "]" * 400)},
    ]
    return live(
        log(HOSTILE, events, title=HOSTILE, parentSession=f"{HOSTILE} gone", origin=HOSTILE, createdAt=2),
        log("other", [said(0, HOSTILE)], parentSession=HOSTILE, title=HOSTILE, createdAt=1),
    )


def test_hostile_texts_are_spelt_out_and_cut_in_rows():
    explorer = SessionExplorer(hostile())
    assert explorer.session_id == HOSTILE
    for place in range(5):
        explorer.selected = place
        told = json.dumps([explorer._timeline.details, ask(explorer, "payload", place=place)[0]], ensure_ascii=False)
        assert not set("\u202e\u2028\x00") & set(told)
    told = {**explorer._timeline.story, "id": "", "family": {}}
    assert not set("\u202e\u2028\x00") & set(json.dumps(told, ensure_ascii=False))
    assert all(len(row["text"]) < 400 for row in explorer._timeline.story["first"]["rows"])
    explorer.selected = 2
    assert explorer._timeline.details["text"] == "x" * 1_000_000
    shown = explorer._repr_mimebundle_()["text/html"]
    assert "<img" not in shown
    assert "\u202e" not in shown


def long_log(count):
    """A log of user messages, tool results and notes, with a summary every 500 events."""
    events, surface = [], []
    for seq in range(count):
        if seq % 500 == 499:
            removed = surface[-200:-1]
            del surface[-200:-1]
            events.append(summary(seq, removed[0], removed[-1], removed))
            surface.insert(-1, seq)
        elif seq % 3 == 2:
            events.append(noted(seq))
        else:
            events.append(said(seq, f"event {seq} says something of a certain length"))
            surface.append(seq)
    return SessionLog.from_records({"id": "long"}, events)


def test_a_long_log_is_quick_to_open_and_sends_little():
    held = live(long_log(100_000))
    started = time.perf_counter()
    explorer = SessionExplorer(held)
    assert time.perf_counter() - started < 10
    state = explorer._timeline.get_state(["story", "overview", "details", "banners"])
    assert len(json.dumps(state)) < 100_000
    started = time.perf_counter()
    told, _ = ask(explorer, "stretch", number=777)
    assert len(told["rows"]) == CHUNK
    assert len(json.dumps(told)) < 100_000
    explorer.surface_at = 50_000
    explorer.selected = 99_999
    ask(explorer, "find", text="event 77777 ")
    assert time.perf_counter() - started < 5


# ---- in a browser


def test_a_click_selects_and_the_pane_tells_both_relations_apart():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        page = shown.page
        page.locator("[data-place='9']").click()
        shown.settle()
        assert shown.explorer.selected == 9
        pane = page.locator(".lk-pane")
        assert "#9 user/message" in pane.inner_text()
        for words in (
            "SHADOWED by #15",
            "Replaced by 1 event",
            "It replaced 2 events",
            "It cites 2 events",
            "cited by 2",
        ):
            assert words in pane.inner_text()
        assert page.locator("path.lk-trunk[data-by='15']").count() == 1
        assert page.locator("path.lk-arc[data-citing='9'][data-cited='6']").count() == 1
        looks = [
            page.locator(f"path.{name}").first.evaluate(
                "(e) => [getComputedStyle(e).strokeDasharray, parseFloat(getComputedStyle(e).strokeWidth)]"
            )
            for name in ("lk-trunk", "lk-arc")
        ]
        assert looks[0][0] != "none"
        assert looks[1][0] == "none"
        assert looks[0][1] > 2 * looks[1][1]
        words = page.locator(".lk-wires text").all_text_contents()
        assert "replaced by #9" in words
        assert "cites" in words
        pane.get_by_role("button", name="#15").first.click()
        shown.settle()
        assert shown.explorer.selected == 15
        pane.get_by_text("Payload").click()
        shown.settle()
        assert '"text": "summary 15"' in pane.inner_text()
        pane.get_by_role("button", name="Close").click()
        shown.settle()
        assert shown.explorer.selected is None
        assert "No event selected" in pane.inner_text()


def test_brackets_say_what_they_replace_and_lie_inside_each_other():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        page = shown.page
        assert page.locator(".lk-label").all_inner_texts() == [
            "#15\nreplaces 4 events", "#9\nreplaces 2 events", "#6\nreplaces 2 events", "#11\nreplaces 1 event",
        ]  # fmt: skip
        boxes = {seq: page.locator(f".lk-bracket[data-seq='{seq}']").bounding_box() for seq in (6, 9, 15)}
        for inner, outer in ((6, 9), (9, 15)):
            assert boxes[outer]["x"] < boxes[inner]["x"]
            assert boxes[outer]["y"] <= boxes[inner]["y"]
            assert boxes[outer]["height"] > boxes[inner]["height"]
        page.get_by_role("button", name="#9 replaces 2 events").click()
        shown.settle()
        assert shown.explorer.selected == 9


def test_the_slider_shows_the_surface_in_words():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        page = shown.page
        state = page.locator("[data-place='3'] .lk-state")
        assert state.inner_text() == "SHADOWED by #6"
        page.get_by_role("slider").fill("5")
        shown.settle()
        assert shown.explorer.surface_at == 5
        assert state.inner_text() == "current until #6"
        assert page.locator("[data-place='7'] .lk-state").inner_text() == "later"
        assert "4 current" in page.locator(".lk-standing").inner_text()
        assert "will replace" in page.locator(".lk-label").first.inner_text()
        shown.explorer.surface_at = 10
        shown.tell()
        assert state.inner_text() == "SHADOWED by #6"
        assert page.get_by_role("slider").input_value() == "10"
        page.get_by_role("button", name="To the end").click()
        shown.settle()
        assert shown.explorer.surface_at == 19


def test_keys_move_and_select():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        page = shown.page
        page.get_by_role("listbox").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        shown.settle()
        assert shown.explorer.selected == 1
        for key in ("End", "Enter"):
            page.keyboard.press(key)
        shown.settle()
        assert shown.explorer.selected == 19
        page.keyboard.press("Escape")
        shown.settle()
        assert shown.explorer.selected is None


def test_sessions_are_picked_and_texts_searched():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        page = shown.page
        assert page.locator(".lk-relation").all_inner_texts() == ["ANCESTOR", "THIS SESSION", "SIBLING"]
        page.get_by_role("searchbox", name="Find in the texts").fill("summary")
        shown.settle()
        assert "3 hits" in page.locator(".lk-controls").inner_text()
        page.get_by_role("button", name="Next hit").click()
        page.get_by_role("button", name="Next hit").click()
        shown.settle()
        assert shown.explorer.selected == 9
        page.get_by_label("in all sessions").check()
        shown.settle()
        assert "4 hits" in page.locator(".lk-controls").inner_text()
        page.locator(".lk-hits").get_by_text("s2 #3").click()
        shown.settle()
        assert (shown.explorer.session_id, shown.explorer.selected) == ("s2", 3)
        page.get_by_role("searchbox", name="Find a session").fill("slow")
        shown.settle()
        page.locator(".lk-picked button").click()
        shown.settle()
        assert shown.explorer.session_id == "s1"
        assert "Why is the index slow?" in page.locator(".lk-title").inner_text()


def test_files_are_saved_from_the_page(tmp_path):
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        with shown.page.expect_download() as waiting:
            shown.page.get_by_role("button", name="CSV").click()
        assert waiting.value.suggested_filename == "s1.csv"
        waiting.value.save_as(tmp_path / "s1.csv")
        assert pl.read_csv(tmp_path / "s1.csv").height == 20


def test_hostile_texts_run_nothing():
    with mounted(SessionExplorer(hostile())) as shown:
        page = shown.page
        for place in range(5):
            shown.explorer.selected = place
            shown.tell()
            page.locator(".lk-pane summary").last.click()
            shown.settle()
        page.get_by_role("searchbox", name="Find in the texts").fill("img src")
        page.get_by_role("searchbox", name="Find a session").fill("img")
        shown.settle()
        page.keyboard.press("Escape")
        assert page.locator(".lk-picked li").count() > 1
        assert "NOT THERE" in page.locator(".lk-family").inner_text()
        assert page.evaluate("window.hurt") is None
        assert page.locator(".lk-session :is(img, script, a, iframe)").count() == 0
        assert page.locator(".lk-session").evaluate("(e) => !/[\\u202e\\u2028\\0]/.test(e.textContent)")
        text = page.locator("[data-place='2'] .lk-text").evaluate("(e) => e.textContent")
        assert text.endswith("… (1,000,000 characters)")


def test_a_long_log_scrolls_with_few_rows_in_the_page():
    with mounted(SessionExplorer(live(long_log(100_000)))) as shown:
        page = shown.page
        started = time.perf_counter()
        for place in (99_999, 50_000, 31_337, 0, 77_777):
            shown.explorer.selected = place
            shown.tell()
            text = page.locator(f"[data-place='{place}'] .lk-text").inner_text()
            assert text.startswith((f"event {place} says", f"summary {place}", '{"turn"'))
            assert page.locator(".lk-row").count() < 40
        assert time.perf_counter() - started < 30
        page.get_by_role("button", name="Replacement ›").click()
        shown.settle()
        assert shown.explorer.selected == 77_999
        sizes = page.evaluate("window.sent.length")
        assert sizes < 40


def test_a_broken_log_and_an_unknown_session_say_so():
    with mounted(SessionExplorer(live(log("s1", [said(0), summary(1, 5, 5, [0])])), "s1")) as shown:
        assert "start is on the surface now" in shown.page.locator(".lk-banner").inner_text()
        assert shown.page.locator(".lk-state").all_inner_texts() == ["not known", "not known"]
        shown.explorer.session_id = "s12"
        shown.tell()
        assert "There is no session s12." in shown.page.locator(".lk-banner").inner_text()
        shown.page.locator(".lk-banner button").first.click()
        shown.settle()
        assert shown.explorer.session_id == "s1"


READABLE = """
() => {
  const shade = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((one) => one / 255)
      .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const under = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const paint = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(paint)) return paint;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const element of document.querySelectorAll(".lk-session *")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (element.namespaceURI.endsWith("svg")) continue;
    const [one, other] = [shade(getComputedStyle(element).color), shade(under(element))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) poor.push(`${element.className}: ${element.textContent.slice(0, 30)}`);
  }
  return poor;
}
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out(theme):
    explorer = SessionExplorer(corpus(), "s1")
    explorer.selected, explorer.surface_at = 9, 14
    explorer._tell(RuntimeError("told"))
    with mounted(explorer, color_scheme=theme) as shown:
        assert shown.page.locator(".lk-session").get_attribute("data-theme") == theme
        assert shown.page.evaluate(READABLE) == []
        other = {"light": "false", "dark": "true"}[theme]
        shown.page.evaluate("(light) => document.body.dataset.jpThemeLight = light", other)
        shown.settle()
        assert shown.page.locator(".lk-session").get_attribute("data-theme") != theme


def test_leaving_takes_everything_away():
    with mounted(SessionExplorer(corpus(), "s1")) as shown:
        shown.page.evaluate("window.leave()")
        shown.explorer.selected = 3
        shown.tell()
        assert shown.page.locator("main").inner_html() == ""
