"""The lineage explorer as Python sees it; what it looks like is tested in a browser."""

import polars as pl
import pytest
import traitlets

import lineage_kit
from lineage_kit import InvalidRequest, LineageExplorer, Node, RelationStore
from support.small import edge
from support.sources import frame

ITEMS = pl.DataFrame(
    {"type": ["decision", "evidence"], "id": ["d1", "e2"], "label": ["Ship on Friday", "<b>A claim</b>"]}
)
EDGES = [
    edge("d1", "e1", confidence=0.9),
    edge("e1", "e2", "derives_from", confidence=0.4),
    edge("e2", "e3"),
    edge("e9", "e1", "supersedes"),
    edge("d2", "d1"),
]


def store(**options):
    return RelationStore.open(frame(EDGES), items=ITEMS, **options)


def node(id):
    return Node("decision", id)


@pytest.fixture
def explorer():
    return LineageExplorer(store(), *node("d1"))


def ids(explorer):
    return [each["id"] for each in explorer.picture.drawing["nodes"]]


def press(explorer, description):
    seen = [explorer]
    while seen:
        widget = seen.pop()
        if getattr(widget, "description", "") == description:
            widget.click()
            return
        seen += getattr(widget, "children", ())
    raise AssertionError(f"no button {description!r}")


def sent(explorer, monkeypatch):
    told = []
    monkeypatch.setattr(explorer.picture, "send", lambda message, buffers=None: told.append((message, buffers)))
    return told


def test_it_begins_with_the_item_that_was_asked_about(explorer):
    assert explorer.anchor == node("d1")
    assert explorer.trace == store().trace_lineage(*node("d1"))
    assert ids(explorer) == ["d1", "e1", "e9", "e2", "e3"]
    assert repr(explorer).startswith("LineageExplorer(decision d1: 3 premises over 3 levels, 1 replacement, complete")


def test_it_begins_with_nothing_and_waits():
    explorer = LineageExplorer(store())
    assert (explorer.anchor, explorer.trace, explorer.selected) == (None, None, None)
    assert repr(explorer) == "LineageExplorer(no item chosen)"
    assert explorer.frame.is_empty()
    explorer.anchor = ("decision", "d2")
    assert explorer.trace.anchor == node("d2")


def test_typing_finds_items_by_id_and_label(explorer):
    explorer._controls.search.value = "friday"
    assert [button.description for button in explorer._controls.hits.children] == ["decision d1 “Ship on Friday”"]
    explorer._controls.search.value = "no such thing"
    assert explorer._controls.hits.children == ()
    assert "no such thing" in explorer._controls.message.value
    explorer._controls.search.value = "e2"
    explorer._controls.hits.children[0].click()
    assert explorer.anchor.id == "e2"
    assert explorer._controls.search.value == ""
    assert explorer._controls.hits.children == ()


def test_a_click_can_be_read_and_observed(explorer):
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "selected")
    explorer.picture.selected = 3
    explorer.selected = ("decision", "e9")
    assert explorer.picture.selected == 2
    explorer.selected = None
    assert explorer.picture.selected is None
    assert [each and each.id for each in seen] == ["e2", "e9", None]


def test_a_node_that_is_not_there_is_said_not_to_be(explorer):
    explorer.selected = ("decision", "<script>")
    assert "&lt;script&gt; is not in this picture" in explorer._controls.message.value


def test_opening_a_node_traces_from_there_and_back_goes_back(explorer):
    traces = []
    explorer.observe(lambda change: traces.append(change["new"].anchor.id), "trace")
    explorer.picture._heard(None, {"do": "open", "number": 1}, [])
    assert explorer.anchor.id == "e1"
    explorer.picture._heard(None, {"do": "open", "number": 2}, [])
    press(explorer, "back")
    assert explorer.anchor.id == "e1"
    press(explorer, "back")
    assert explorer.anchor.id == "d1"
    assert explorer._controls.back.disabled
    explorer.back()
    assert traces == ["e1", "e2", "e1", "d1"]


def test_depth_and_going_deeper():
    explorer = LineageExplorer(store(), *node("d1"), max_depth=1)
    assert explorer._controls.depth.value == 1
    assert ids(explorer) == ["d1", "e1", "e9"]
    assert "TRUNCATED by max_depth 1" in explorer._controls.message.value
    press(explorer, "go deeper (2)")
    assert explorer.max_depth == explorer._controls.depth.value == 2
    assert explorer.trace.max_depth == 2
    explorer._controls.depth.value = 3
    assert explorer.trace.max_depth == 3
    assert explorer._controls.deeper.layout.display == "none"
    assert "Complete" in explorer._controls.message.value
    with pytest.raises(traitlets.TraitError, match="max_depth must be at most 10, got 11"):
        explorer.max_depth = 11


def test_an_unknown_item_is_said_to_be_and_near_ones_offered():
    explorer = LineageExplorer(store(), "decision", "d11")
    assert not explorer.trace.anchor_known
    assert "UNKNOWN ANCHOR" in explorer._controls.message.value
    explorer._controls.near.children[0].click()
    assert explorer.anchor in (node("d1"), node("d2"))
    assert explorer._controls.near.children == ()


def test_filters_reach_the_picture_and_the_frame(explorer):
    filters = explorer._filters
    assert explorer.frame.equals(explorer.trace.nodes)
    filters._least.value = 0.5
    assert explorer.picture.shown["minConfidence"] == 0.5
    assert explorer.frame["id"].to_list() == ["e1"]
    filters._least.value = 0
    filters._flags["superseded"].value = False
    assert "e1" not in explorer.frame["id"].to_list()
    filters._kinds.tick(["derives_from"])
    explorer.max_depth = 4
    assert explorer.picture.shown["kinds"] == ["derives_from"]
    assert explorer.frame["id"].to_list() == ["e2"]
    assert explorer.picture.shown["kinds"] == ["derives_from"]


def test_what_is_saved_is_what_is_shown(explorer, monkeypatch, tmp_path):
    told = sent(explorer, monkeypatch)
    explorer._filters._kinds.tick(["depends_on"])
    for name in ("HTML", "PNG", "CSV", "Parquet"):
        press(explorer, name)
    assert [message["name"] for message, _ in told] == [f"lineage.{end}" for end in ("html", "png", "csv", "parquet")]
    page, _, csv, parquet = (buffers and buffers[0] for _, buffers in told)
    assert page.decode() == explorer.to_html() == explorer.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page
    assert pl.read_csv(csv)["id"].to_list() == explorer.frame["id"].to_list() == ["e1", "e3"]
    assert pl.read_parquet(parquet).equals(explorer.frame)


def test_nothing_is_saved_before_there_is_something(monkeypatch):
    explorer = LineageExplorer(store())
    told = sent(explorer, monkeypatch)
    press(explorer, "CSV")
    assert told == []
    assert "choose an item first" in explorer._controls.message.value


def test_an_error_in_a_callback_is_shown_in_the_widget(explorer, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("the <disk> is gone")

    monkeypatch.setattr(explorer._store, "trace_lineage", fail)
    explorer.picture._heard(None, {"do": "open", "number": 1}, [])
    assert "RuntimeError: the &lt;disk&gt; is gone" in explorer._controls.message.value


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"limit": 0}, "limit"), ({"max_depth": 11}, "max_depth"), ({"as_of": "2026-01-01"}, "zone")],
)
def test_what_it_cannot_show_is_refused(wrong, said):
    with pytest.raises(InvalidRequest, match=said):
        LineageExplorer(store(), **wrong)


@pytest.mark.parametrize("value", ["d1", 3, ("decision",), ("decision", 1)])
def test_an_item_is_a_type_and_an_id(explorer, value):
    for name in ("anchor", "selected"):
        with pytest.raises(traitlets.TraitError, match=name):
            setattr(explorer, name, value)
    with pytest.raises(InvalidRequest, match="give both"):
        LineageExplorer(store(), "decision")


def test_what_is_shown_without_widgets_is_the_same_every_time():
    one, other = (LineageExplorer(store(), *node("d1"))._repr_mimebundle_() for _ in range(2))
    assert one["text/html"] == other["text/html"]
    assert one["text/plain"] == other["text/plain"]
    assert "<script" not in one["text/html"]
    assert "lineage_kit" not in vars(lineage_kit).get("LineageExplorer", "")


def test_the_explorer_asks_as_of_a_moment():
    edges = frame([edge("d1", "e1", created_at=None), edge("d1", "e2")])
    explorer = LineageExplorer(RelationStore.open(edges), *node("d1"), as_of="2026-01-01T00:00:00Z")
    assert explorer.trace.as_of is not None
