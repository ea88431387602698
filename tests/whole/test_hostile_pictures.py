"""Untrusted text in every field of what can be drawn, through every way to draw it: it stays text."""

import re

import pytest

from lineage_kit import LineageExplorer, MemorySessions, RelationStore, SessionCorpus, SessionLog
from lineage_kit.view.generic import graph_data
from support.sources import frame

HOSTILE = {
    "a script": "<script>hit()</script>",
    "an end of script": "</script><script>hit()</script>",
    "a handler": "<img src=x onerror=hit()>",
    "a link": "<a href='javascript:hit()'>here</a>",
    "a template": "{{ constructor.constructor('hit()')() }}${hit()}{% raw %}",
    "a comment": "<!-- <script> -->",
    "separators": "\u2028\u2029hit()",
    "reordering": "\u202ehit()\u2066",
    "a megabyte": "<b>" + "x" * 1_000_000,
}
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def relations(text):
    row = {
        "source_type": text, "source_id": text, "target_type": f"{text}2", "target_id": f"href {text}",
        "relation_kind": "depends_on", "edge_class": text, "confidence": None, "created_at": None, "invalid_at": None,
    }  # fmt: skip
    back = {**row, "source_type": f"{text}3", "target_type": text, "target_id": text, "relation_kind": "supersedes"}
    items = {"type": [text], "id": [text], "label": [text]}
    import polars as pl

    return RelationStore.open(frame([row, back]), items=pl.DataFrame(items))


def corpus(text):
    events = [
        {"seq": 0, "type": text, "data": {"content": text}},
        {"seq": 1, "type": "user/message", "surfaceOp": "append", "data": {"content": text}},
        {"seq": 2, "type": "user/message", "surfaceOp": {"op": "replace", "start": 1, "end": 1},
         "sourceEventSeqs": [1], "data": {"content": text}},
    ]  # fmt: skip
    headers = [{"id": text, "title": text, "cwd": text, "origin": text, "parentSession": f"gone {text}"}]
    headers.append({"id": f"{text} child", "title": text, "parentSession": text})
    return SessionCorpus(live=MemorySessions([SessionLog.from_records(header, events) for header in headers]))


def results(text):
    sessions = corpus(text)
    yield relations(text).trace_lineage(text, text)
    yield sessions.trace_session(text)
    for seq in range(3):
        yield sessions.trace_event(text, seq)


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_hold_it_as_data_only(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[name]
    for result in results(text):
        page = result.to_html()
        assert page == result.to_html()
        for markup in ("<script>hit", "<img src=x", "<a href='javascript", "<b>x", "<!-- <script"):
            assert markup not in page
        assert not BIDI.search(page)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_pyvis_pages_hold_it_as_data_only(name):
    for result in results(HOSTILE[name]):
        page = result.graph().generate_html()
        for markup in ("<script>hit", "<img src=x", "<a href='javascript", "<b>x"):
            assert markup not in page
        assert "popup.innerHTML" not in page
        assert len(page) < 1_000_000


@pytest.mark.parametrize("name", HOSTILE)
def test_quiet_displays_are_small_and_escaped(name):
    for result in results(HOSTILE[name]):
        html = result._repr_mimebundle_()["text/html"]
        assert len(html) < 20_000
        assert not re.search(r"<(script|img|a|b)\b", html)
        assert not BIDI.search(html)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_drawing_keeps_the_text_whole(name):
    text = HOSTILE[name]
    data = graph_data(relations(text).trace_lineage(text, text), 500).data
    assert data["nodes"][0]["id"] == data["nodes"][0]["label"] == text


@pytest.mark.parametrize("name", HOSTILE)
def test_the_explorer_says_it_escaped(name):
    text = HOSTILE[name]
    explorer = LineageExplorer(relations(text), text, text)
    for said in (explorer._controls.message.value, explorer._repr_mimebundle_()["text/html"]):
        assert not re.search(r"<(script|img|a|b)\b", said)
    explorer.anchor = (f"{text} not there", text)
    assert "UNKNOWN ANCHOR" in explorer._controls.message.value
    assert not re.search(r"<(script|img|a|b)\b", explorer._controls.message.value)
    assert not BIDI.search(explorer._controls.message.value)
    explorer._controls.search.value = text[:50]
    assert explorer._controls.message.value.count("<div") == 1


def test_a_megabyte_is_looked_for_and_found():
    text = HOSTILE["a megabyte"]
    store = relations(text)
    assert store.find(text)["id"].to_list() == [text, text, f"href {text}"]
    assert store.find(text + "y").is_empty()
    assert store.near(text, text + "y")[0] == (text, text)
