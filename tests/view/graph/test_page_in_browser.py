"""The page of a graph in a real browser: what a reader sees and does."""

import re

import pytest

import lineage_kit
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph.assets import GRAPH, module, style
from lineage_kit.view.graph.page import graph_page, inert_json, inert_script, vis_module
from support.browser import launched
from support.drawn import drawn, hostile, number, small, wide


@pytest.fixture(scope="module")
def browser():
    with launched() as tab:
        yield tab


@pytest.fixture
def tab(browser):
    browser.asked.clear()
    browser.errors.clear()
    yield browser
    assert (browser.asked, browser.errors) == ([], [])


def opened(tab, drawing, folder):
    """The page of a drawing, opened from disk and painted."""
    path = folder / "page.html"
    path.write_text(graph_page(drawing), encoding="utf-8")
    tab.page.goto(path.as_uri())
    tab.page.wait_for_function("document.querySelector('main').lineage !== undefined")
    settled(tab.page)
    return tab.page


def settled(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def handle(page, call):
    result = page.evaluate(f"() => document.querySelector('main').lineage.{call}")
    settled(page)
    return result


def click(page, place, **how):
    at = handle(page, f"at({place})")
    page.mouse.click(at["x"], at["y"], **how)
    settled(page)


COLORS = """() => {
    const canvas = document.querySelector(".lk-canvas canvas");
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size;
}"""


def test_the_picture_is_there(tab, tmp_path):
    page = opened(tab, small(), tmp_path)
    assert page.evaluate(COLORS) > 20
    assert page.locator(".lk-title").text_content() == "Lineage of decision d1"
    assert page.locator(".lk-extent").text_content() == "All 6 nodes shown"
    assert page.locator("tbody tr[data-number]").count() == 6
    assert page.evaluate("[typeof window.vis, typeof window.draw]") == ["undefined", "undefined"]
    assert page.locator("main [id]").count() == 0


@pytest.mark.parametrize("make", [small, wide, lambda: wide(4_000, 500)])
def test_the_anchor_is_in_view_at_first(make, tab, tmp_path):
    page = opened(tab, make(), tmp_path)
    box = page.locator(".lk-canvas").bounding_box()
    at = handle(page, "at(0)")
    assert box["x"] < at["x"] < box["x"] + box["width"]
    assert box["y"] < at["y"] < box["y"] + box["height"]


def test_a_click_shows_the_node_everywhere(tab, tmp_path):
    drawing = small()
    page = opened(tab, drawing, tmp_path)
    b, newer = number(drawing, "b"), number(drawing, "b2")
    click(page, newer)
    assert handle(page, "selected()") == newer
    pane = page.locator(".lk-pane")
    assert "b2" in pane.locator("h3").text_content()
    assert [item.text_content() for item in pane.locator(".lk-path .lk-link").all()] == [
        "decision d1",
        "decision b “Bread is fresh”",
    ]
    assert "which it replaces" in pane.text_content()
    assert page.locator("tr[aria-selected=true]").get_attribute("data-number") == str(newer)
    pane.locator(".lk-path .lk-link").nth(1).click()
    assert handle(page, "selected()") == b
    assert "SUPERSEDED Another item replaces it." in pane.text_content()
    page.locator("tbody tr[data-number='0']").click()
    assert handle(page, "selected()") == 0
    assert "The anchor: where the walk began" in pane.text_content()


def test_keys_walk_through_the_picture(tab, tmp_path):
    drawing = small()
    page = opened(tab, drawing, tmp_path)
    page.locator(".lk-stage").focus()
    for key, id in [("ArrowRight", "d1"), ("ArrowRight", "a"), ("ArrowDown", "b"), ("ArrowRight", "b2"),
                    ("ArrowLeft", "b"), ("ArrowUp", "a"), ("ArrowUp", "a"), ("ArrowLeft", "d1")]:  # fmt: skip
        page.keyboard.press(key)
        assert handle(page, "selected()") == number(drawing, id), key
    before = handle(page, "at(0)")
    page.keyboard.press("+")
    assert handle(page, "at(0)") != before
    page.keyboard.press("Escape")
    assert handle(page, "selected()") is None


def test_keys_walk_through_the_table(tab, tmp_path):
    page = opened(tab, wide(300, 20), tmp_path)
    page.locator("tbody tr[tabindex='0']").focus()
    page.keyboard.press("End")
    assert handle(page, "selected()") == 300
    assert page.locator("tr[aria-selected=true]").is_visible()
    page.keyboard.press("ArrowUp")
    assert handle(page, "selected()") == 299
    assert page.locator("tbody tr[data-number]").count() <= 200


def test_search_finds_by_label(tab, tmp_path):
    drawing = small()
    page = opened(tab, drawing, tmp_path)
    page.locator("input[type=search]").fill("bread FRESH")
    assert page.locator("tbody tr[data-number]").count() == 1
    page.keyboard.press("Enter")
    assert handle(page, "selected()") == number(drawing, "b")


def test_more_opens_and_fewer_closes(tab, tmp_path):
    page = opened(tab, wide(), tmp_path)
    extent, change = page.locator(".lk-extent"), page.locator(".lk-level button").nth(1)
    assert extent.text_content() == "10 of 31 nodes shown"
    assert handle(page, "at(30)") is None
    assert change.text_content() == "show all 30"
    change.click()
    settled(page)
    assert extent.text_content() == "All 31 nodes shown"
    assert handle(page, "at(30)") is not None
    assert change.text_content() == "fewer"
    change.click()
    assert extent.text_content() == "10 of 31 nodes shown"


def test_the_node_that_stands_for_more_opens_its_level(tab, tmp_path):
    drawing = wide()
    page = opened(tab, drawing, tmp_path)
    few = drawing.data["levels"][1]["few"]
    handle(page, "fit()")
    last, first = handle(page, f"at({few['nodes'][-1]})"), handle(page, f"at({few['nodes'][0]})")
    row = (last["y"] - first["y"]) / (few["y"][-1] - few["y"][0])
    page.mouse.click(last["x"], last["y"] + (few["more"][1] - few["y"][-1]) * row)
    settled(page)
    assert page.locator(".lk-extent").text_content() == "All 31 nodes shown"


def test_choosing_a_node_that_is_not_drawn_opens_its_level(tab, tmp_path):
    page = opened(tab, wide(), tmp_path)
    handle(page, "select(30)")
    assert handle(page, "at(30)") is not None


def test_filters_hide_nodes_from_picture_and_table(tab, tmp_path):
    drawing = small()
    page = opened(tab, drawing, tmp_path)
    b = number(drawing, "b")
    handle(page, "setFilter({ superseded: false })")
    assert handle(page, f"at({b})") is None
    assert page.locator(f"tr[data-number='{b}']").count() == 0
    assert page.locator(".lk-extent").text_content() == "5 of 6 nodes shown · 1 hidden by the filter"
    handle(page, "setFilter({ kinds: [] })")
    assert page.locator("tbody tr[data-number]").count() == 2  # the anchor, and what replaces: not chosen by kind
    handle(page, "setFilter({ minConfidence: 0.5 })")
    assert page.locator("tbody tr[data-number]").count() == 1
    handle(page, "setFilter({})")
    assert page.locator("tbody tr[data-number]").count() == 6


def test_hostile_texts_are_only_shown(tab, tmp_path):
    drawing = hostile()
    page = opened(tab, drawing, tmp_path)
    for node in drawing.data["nodes"]:
        handle(page, f"select({node['number']})")
        click(page, node["number"])
        assert page.evaluate("window.__hit") is None
        shown = page.locator(".lk-pane .lk-whole").text_content()
        assert shown == re.sub(
            "[\u2028\u2029\u202e\u2066\x01\t]", lambda c: c[0].encode("unicode_escape").decode(), node["id"]
        )
    handle(page, "select(0)")
    assert page.locator(".lk-pane h3").text_content() == "x" * 1_000_000
    assert page.locator("main img, main script, main svg, main base").count() == 0
    assert handle(page, "png().then((blob) => blob.type)") == "image/png"


TWICE = """
const data = JSON.parse(document.querySelector("script").textContent);
window.heard = [];
window.handles = [...document.querySelectorAll(".host")].map((root, place) => draw(root, vis, data, {
    onSelect: (number) => {
        heard.push([place, "select", number]);
        if (number === 1) throw new Error("no <b>number</b> 1");
    },
    onOpen: async (number) => { heard.push([place, "open", number]); throw new Error("later"); },
    onExpand: (depth) => heard.push([place, "expand", depth]),
    onError: (error) => heard.push([place, "error", error.message]),
    theme: ["light", "dark"][place],
}));
"""


def test_two_pictures_with_callbacks_in_one_document(tab, tmp_path):
    code = inert_script(f"{vis_module()}{module(GRAPH)}{TWICE}")
    path = tmp_path / "two.html"
    path.write_text(
        f"<!doctype html><meta charset=utf-8><style>{style('graph/graph.css')}</style>"
        '<div class="host"></div><div class="host"></div>'
        f'<script type="application/json">{inert_json(wide().data)}</script><script type="module">{code}</script>'
    )
    page = tab.page
    page.goto(path.as_uri())
    settled(page)
    one, two = page.locator(".host").all()
    assert page.evaluate("typeof window.vis") == "undefined"
    two.locator("tr[data-number='2']").click()
    two.locator("tr[data-number='1']").click()
    assert "Something went wrong. Error: no <b>number</b> 1" in two.locator(".lk-error").text_content()
    two.locator("tr[data-number='3']").dblclick()
    page.wait_for_function("heard.at(-1)[2] === 'later'")
    assert "Error: later" in two.locator(".lk-error").text_content()
    two.locator(".lk-error button").click()
    assert not two.locator(".lk-error").is_visible()
    assert not one.locator(".lk-error").is_visible()
    two.locator(".lk-level button").nth(1).click()
    page.evaluate("handles[1].select(5)")  # the program's own doing is not told back to it
    heard = [*(["select", n] for n in (2, 1)), ["error", "no <b>number</b> 1"], ["select", 3], ["open", 3]]
    heard += [["error", "later"], ["expand", 1]]
    assert page.evaluate("heard") == [[1, *each] for each in heard]
    assert [each.get_attribute("data-theme") for each in page.locator(".lk-graph").all()] == ["light", "dark"]
    page.evaluate("handles[0].destroy()")
    assert page.locator(".lk-graph").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_stand_out(theme, tab, tmp_path):
    page = opened(tab, small(), tmp_path)
    handle(page, f"theme('{theme}')")
    color = "(name) => getComputedStyle(document.querySelector('.lk-graph')).getPropertyValue(`--lk-${name}`)"
    texts, grounds = ("ink", "soft", "faint", "accent", "wrong", "newer"), ("paper", "band", "box", "tint")
    light = {name: luminance(page.evaluate(color, name)) for name in texts + grounds}
    low = {
        (text, ground): ratio
        for text in texts
        for ground in grounds
        if (ratio := contrast(light[text], light[ground])) < 4.5
    }
    assert low == {}


def luminance(color):
    parts = [int(color.strip()[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_a_thousand_nodes_are_drawn_fast(tab, tmp_path):
    drawing = wide(1_000, 500)
    page = opened(tab, drawing, tmp_path)
    took = page.evaluate(
        """async () => {
            const data = JSON.parse(document.querySelector("script").textContent);
            const start = performance.now();
            document.querySelector("main").lineage.setData(data);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return performance.now() - start;
        }"""
    )
    assert took < 1_000


def test_what_makes_a_lineage_not_whole_stands_out(tab, tmp_path):
    d1, a, b, newer = (("decision", name) for name in ("d1", "a", "b", "a2"))
    cut = drawn([(d1, a, "depends_on"), (a, b, "depends_on"), (newer, a, "supersedes")], max_depth=1)
    unknown = drawn([(d1, a, "depends_on")], anchor=("decision", "nobody"))
    for drawing, kind, others in ((cut, "TRUNCATED", ["1 node SUPERSEDED."]), (unknown, "UNKNOWN ANCHOR", [])):
        page = opened(tab, drawing, tmp_path)
        [told] = page.locator(".lk-warnings .lk-cut").all_text_contents()
        assert told.startswith(kind)
        assert page.locator(".lk-warnings li:not(.lk-cut)").all_text_contents() == others


def test_marks_without_a_meaning_are_told_at_the_node_alone(tab, tmp_path):
    message = {"type": "user/message", "surfaceOp": "append"}
    replaced = {"seq": 1, **message, "surfaceOp": {"op": "replace", "start": 0, "end": 0}, "sourceEventSeqs": [0]}
    log = lineage_kit.SessionLog.from_records({"id": "s1"}, [{"seq": 0, **message}, replaced])
    corpus = lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions([log]))
    drawing = graph_data(corpus.trace_event("s1", 0), 500)
    page = opened(tab, drawing, tmp_path)
    assert page.locator(".lk-pane h4").all_text_contents() == ["Types"]
    handle(page, f"select({drawing.data['anchor']})")
    assert page.locator(".lk-flags li").all_text_contents() == ["SHADOWED "]
    assert page.locator("tr[aria-selected=true] td").last.text_content() == "SHADOWED"
