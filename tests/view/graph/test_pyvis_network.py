"""The adapter around pyvis: what it hands over, and what its pages must not do."""

import re

import pytest

from lineage_kit import InvalidRequest, MemorySessions, RelationStore, SessionCorpus, SessionLog
from support.small import edge
from support.sources import frame

HOSTILE = [
    "<script>hit()</script>",
    "<img src=x onerror=hit()>",
    "</script><script>hit()</script>",
    "{{ 7 * 7 }}{% raw %}",
    "<a href='javascript:hit()'>here</a>",
    "\u2028\u202ehit()",
]


def traced(edges=None, **options):
    edges = edges or [edge("d1", "e1"), edge("e1", "e2"), edge("e9", "e1", "supersedes")]
    return RelationStore.open(frame(edges), **options).trace_lineage("decision", "d1")


def test_it_is_a_pyvis_network_with_the_nodes_in_their_places():
    from pyvis.network import Network

    network = traced().graph()
    assert isinstance(network, Network)
    assert [node["label"].split("\n")[1] for node in network.nodes] == ["d1", "e1", "e9", "e2"]
    x = {node["label"].split("\n")[1]: node["x"] for node in network.nodes}
    assert x["d1"] < x["e1"] < x["e9"] < x["e2"]
    assert len({(node["x"], node["y"]) for node in network.nodes}) == 4
    assert "SUPERSEDED" in network.nodes[1]["label"]
    assert sorted((each["from"], each["to"], each["label"]) for each in network.edges) == [
        (0, 1, ""),
        (1, 3, ""),
        (2, 1, "replaces"),
    ]
    assert network.options["physics"] == {"enabled": False}
    network.add_node("mine", label="added")
    network.add_edge(0, "mine")
    assert (network.num_nodes(), network.num_edges()) == (5, 4)


def test_its_page_needs_no_network_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    network = traced().graph()
    page = network.generate_html()
    assert page == traced().graph().generate_html()
    assert re.findall(r"<(?:link|script|img)[^>]*(?:href|src)=[\"'](?:https?:)?//[^\"']*", page) == []
    assert list(tmp_path.iterdir()) == []
    network.write_html("mine.html")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.html"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    page = traced([edge("d1", text), edge("d1", f"href {text}")]).graph().generate_html()
    assert text not in page or "<" not in text
    assert "49" not in page.partition("nodes = new")[2][:2000]
    assert "innerHTML = nodeData" not in page


def test_the_most_important_are_drawn():
    network = traced([edge("d1", f"e{place:03}") for place in range(700)]).graph(limit=40)
    assert network.num_nodes() == 40


def test_sessions_and_events_have_one_too():
    log = SessionLog.from_records({"id": "s1"}, [{"seq": 0, "type": "user/message", "surfaceOp": "append"}])
    corpus = SessionCorpus(live=MemorySessions([log]))
    assert corpus.trace_session("s1").graph().num_nodes() == 1
    assert corpus.trace_event("s1", 0).graph().num_nodes() == 1


def test_the_page_goes_over_nothing_but_a_regular_file(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "mine")
    with pytest.raises(InvalidRequest, match=r"is a link to .*mine"):
        traced().graph().save_graph(str(tmp_path / "link.html"))
