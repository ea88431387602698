"""The page of a SessionExplorer in a browser with the network cut: what a reader sees and does."""

import time

import polars as pl
import pytest

from lineage_kit.view.widgets.session_explorer import SessionExplorer
from support.session_small import live, log, said, summary
from support.timeline_logs import corpus, hostile, long_log
from support.timeline_page import mounted


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
