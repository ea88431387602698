"""The page of a lineage: what its text holds, and what a reader sees and does in a real browser."""

import base64
import hashlib
import json
import re

import polars as pl
import pytest

import lineage_kit
from lineage_kit.errors import LineageKitError
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph import vis_library
from lineage_kit.view.graph.assets import GRAPH, module, style
from lineage_kit.view.graph.page import graph_page, inert_json, inert_script, vis_module
from support.browser import launched
from support.pages import Page

ENDS = ("source_type", "source_id", "target_type", "target_id", "relation_kind")
HOSTILE = [
    "<script>window.__hit = 1</script>",
    "</script><script>window.__hit = 2</script>",
    "<img src=x onerror='window.__hit = 3'>",
    '"><svg onload="window.__hit = 4">',
    "<!--<script>",
    "{{constructor.constructor('window.__hit = 5')()}} ${window.__hit = 6}",
    "javascript:window.__hit = 7//href=",
    "line\u2028paragraph\u2029bidi\u202eright\u2066 nul\x01 tab\t",
    "]]></noscript><base href='https://example.test/'>",
]


def drawn(rows, labels=None, limit=500, anchor=("decision", "d1"), **asked):
    """The drawing of what rests under d1; a row is an edge between (type, id) pairs of a kind."""
    frame = pl.DataFrame([dict(zip(ENDS, (*s, *t, kind), strict=True)) for s, t, kind in rows])
    items = None
    if labels:
        items = pl.DataFrame([{"type": t, "id": i, "label": text} for (t, i), text in labels.items()])
    trace = lineage_kit.trace_lineage(frame, *anchor, items=items, **asked)
    return graph_data(trace, limit)


def small(**options):
    """d1 rests on a, b and c; a newer one replaces b, and c rests on e."""
    d1, a, b, newer, c, e = (("decision", name) for name in ("d1", "a", "b", "b2", "c", "e"))
    kinds = [(d1, a), (d1, b), (d1, c), (c, e)]
    rows = [(*ends, "depends_on") for ends in kinds] + [(newer, b, "supersedes")]
    return drawn(rows, {a: "Apples are ripe", b: "Bread is fresh"}, **options)


def wide(count=30, limit=10):
    """d1 rests on many, of which few are drawn at first."""
    return drawn([(("decision", "d1"), ("evidence", f"e{n:03}"), "depends_on") for n in range(count)], limit=limit)


def hostile():
    """Every text that a trace can hold is hostile."""
    rows = [((HOSTILE[0], HOSTILE[1]), (text, f"{text} id"), HOSTILE[2]) for text in HOSTILE]
    labels = {(text, f"{text} id"): f"{text} label" for text in HOSTILE}
    labels[HOSTILE[0], HOSTILE[1]] = "x" * 1_000_000
    return drawn(rows, labels, anchor=(HOSTILE[0], HOSTILE[1]), kinds={HOSTILE[2]: "depends_on"})


def scripts(page):
    """The text of the two script elements of a page: the data and the code."""
    return [text for tag, text in Page(page).texts if tag == "script"]


def number(drawing, id):
    return next(node["number"] for node in drawing.data["nodes"] if node["id"] == id)


# ---- the text of a page


def test_same_drawing_same_bytes():
    assert graph_page(small()) == graph_page(small())


@pytest.mark.parametrize("make", [small, wide, hostile])
def test_data_in_the_page_is_the_drawing(make):
    drawing = make()
    data, _ = scripts(graph_page(drawing))
    assert json.loads(data) == json.loads(json.dumps(drawing.data))
    assert data.isascii()
    assert not set("<>&\x7f") & set(data)


@pytest.mark.parametrize("make", [small, hostile])
def test_page_holds_our_elements_only_and_asks_for_nothing(make):
    page = graph_page(make())
    tags = Page(page).tags
    known = "html head meta title style body main noscript div h1 p strong table thead tbody tr th td script"
    assert {tag for tag, _ in tags} <= set(known.split())
    assert [tag for tag, _ in tags].count("script") == 2
    names = {name for _, attributes in tags for name, _ in attributes}
    assert names == {"lang", "charset", "http-equiv", "content", "name", "class", "type"}


def test_style_and_script_load_nothing():
    assert not re.search(r"url\(|@import|@font-face|//[a-z]", style("graph/graph.css"))
    script = module(GRAPH)
    assert not re.search(r"\bimport\b|\bfetch\(|XMLHttpRequest|WebSocket|https?:|sendBeacon|eval\(", script)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\.title = ", script)
    assert "sourceMappingURL" not in graph_page(small())


def test_every_rule_of_the_style_is_for_the_picture():
    rules = re.sub(r"/\*.*?\*/", "", style("graph/graph.css"), flags=re.DOTALL)
    selectors = [found.strip() for found in re.findall(r"([^{}]+)\{", rules)]
    assert [each for each in selectors if not each.startswith((".lk-graph", ":is(.lk-graph", "@container"))] == []


def test_policy_forbids_all_but_this_script():
    page = graph_page(hostile())
    policy = next(dict(a)["content"] for tag, a in Page(page).tags if "http-equiv" in dict(a))
    code = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")
    assert "unsafe-eval" not in policy
    assert not re.search("<script|<!--|</script", code, re.IGNORECASE)


def test_without_script_there_is_a_table():
    page = Page(graph_page(small()))
    texts = [text for tag, text in page.texts if tag in ("h1", "td", "p", "strong")]
    assert texts[0] == "Lineage of decision d1"
    assert "1 node SUPERSEDED." in texts
    assert "Apples are ripe" in texts


def test_hostile_texts_are_spelt_out_in_the_table():
    page = graph_page(hostile())
    assert not re.search("[\u2028\u2029\u202e\u2066\x01]", page)
    for text in HOSTILE[:5]:
        assert text not in page


def test_a_long_label_is_in_the_page_once():
    assert graph_page(hostile()).count("x" * 1_000) == 1_000


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="Out of range"):
        inert_json({"confidence": float("nan")})


def test_missing_library_is_a_clear_error(monkeypatch, tmp_path):
    for spec in (None, type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})):
        monkeypatch.setattr(vis_library, "find_spec", lambda _, spec=spec: spec)
        vis_library.vis_script.cache_clear()
        with pytest.raises(LineageKitError, match=r"pyvis carries no vis-network\.min\.js(.|\n)*Hint"):
            vis_library.vis_script()
    monkeypatch.undo()
    assert "vis-network" in vis_library.vis_script()


# ---- in a browser


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
