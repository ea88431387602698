"""The page of a graph: what its text holds."""

import base64
import hashlib
import json
import re

import pytest

from lineage_kit.errors import LineageKitError
from lineage_kit.view.graph import vis_library
from lineage_kit.view.graph.assets import GRAPH, module, style
from lineage_kit.view.graph.page import graph_page, inert_json
from support.drawn import HOSTILE, hostile, small, wide
from support.pages import Page


def scripts(page):
    """The text of the two script elements of a page: the data and the code."""
    return [text for tag, text in Page(page).texts if tag == "script"]


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
