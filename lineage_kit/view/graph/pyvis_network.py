"""The adapter around pyvis: a graph as a `pyvis.network.Network`, which a person may go on to change.

Everything that is peculiar to pyvis stays in this file: it links a style sheet from a network, shows a title as HTML
once there is an `href` in any, checks every edge against every node when edges are added one by one, and writes a
folder beside a page. (pyvis 0.3.2; vis-network: https://visjs.github.io/vis-network/docs/network/.)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyvis.network import Network

from lineage_kit.output.places import refuse_no_file
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.text import MARKS, trust, visible

OUTSIDE = re.compile(r"<(link|script)\b[^>]*\b(href|src)\s*=\s*[\"'](https?:)?//[^>]*>(\s*</script>)?", re.IGNORECASE)
DARK, FAINT, WARM, COLD = "#1f2933", "#8a94a0", "#b84700", "#0b5cad"


class LineageNetwork(Network):  # type: ignore[misc]  # pyvis has no types
    """A pyvis network whose page needs no network: nothing outside the page is linked."""

    def generate_html(self, name: str = "index.html", local: bool = True, notebook: bool = False) -> str:
        """The page as text. `notebook` changes nothing: the template that it would use is not made for this."""
        page: str = super().generate_html(name, local, notebook=False)
        return OUTSIDE.sub("", page)

    def write_html(self, name: str, local: bool = True, notebook: bool = False, open_browser: bool = False) -> None:
        """Write the page as pyvis does, which `save_graph` and `show` call, over nothing but a regular file."""
        refuse_no_file(Path(name), f"the page cannot be written to {name}")
        super().write_html(name, local, notebook, open_browser)


def network_of(graph: GraphData) -> LineageNetwork:
    """A graph as a pyvis network: the nodes shown at first, in their places, and the edges between them.

    Example:
        >>> from lineage_kit.view.generic import graph_data
        >>> network = network_of(graph_data(store.trace_lineage("decision", "d1"), 500))
        >>> network.num_nodes(), network.num_edges()
        (3, 2)
    """
    network = LineageNetwork(height="700px", directed=True, cdn_resources="in_line")
    places = _places(graph)
    nodes = [node for node in graph.data["nodes"] if node["number"] in places]
    network.nodes = [_node(node, *places[node["number"]], graph.data["anchor"]) for node in nodes]
    network.node_ids = [node["id"] for node in network.nodes]
    network.node_map = {node["id"]: node for node in network.nodes}
    network.edges = [
        _edge(edge)
        for edge in graph.data["edges"]
        if edge["source"] in places and edge["target"] in places
    ]  # fmt: skip
    network.options = {
        "physics": {"enabled": False},
        "interaction": {"hover": True, "keyboard": {"enabled": True, "bindToWindow": False}},
        "edges": {"smooth": {"enabled": True, "type": "cubicBezier", "forceDirection": "horizontal"}},
    }
    return network


def _places(graph: GraphData) -> dict[int, tuple[float, float]]:
    """Where each node shown at first stands: the bands of the levels side by side."""
    places: dict[int, tuple[float, float]] = {}
    left = 0.0
    for level in graph.data["levels"]:
        few = level["few"]
        for number, x, y in zip(few["nodes"], few["x"], few["y"], strict=True):
            places[number] = (left + x, y)
        left += few["width"]
    return places


def _node(node: dict[str, Any], x: float, y: float, anchor: int) -> dict[str, Any]:
    lines = [
        visible(node["type"], 28),
        visible(node["label"] or node["id"], 28),
        *(MARKS[flag].word for flag in node["flags"]),
    ]
    lines += [MARKS["cut"].word] if node["cut"] else []
    told = [f"{visible(node['type'], 100)} {visible(node['id'], 200)}", *lines[2:]]
    return {
        "id": node["number"],
        "label": "\n".join(lines),
        "title": _unlinked("\n".join(told)),
        "shape": "box",
        "x": x,
        "y": y,
        "level": node["depth"],
        "borderWidth": 4 if node["number"] == anchor else 1,
        "color": {"background": "#ffffff", "border": WARM if node["flags"] else DARK},
        "font": {"color": FAINT if "outdated_support" in node["flags"] else DARK, "face": "sans-serif"},
        "shapeProperties": {"borderDashes": [6, 4] if "invalidated" in node["flags"] else False},
    }


def _edge(edge: dict[str, Any]) -> dict[str, Any]:
    replacement = edge["role"] == "replacement"
    told = visible(edge["kind"], 40)
    if edge["class"] is not None:
        told += f", {trust(edge['class'], edge['confidence'])}"
    return {
        "from": edge["source"],
        "to": edge["target"],
        "arrows": "to",
        "title": _unlinked(told + (f", {MARKS['invalidated'].word}" if edge["invalidated"] else "")),
        "label": "replaces" if replacement else "",
        "dashes": [2, 4] if edge["invalidated"] else [10, 5] if replacement else False,
        "width": 2 if edge["first"] else 1,
        "color": COLD if replacement else DARK if edge["first"] else FAINT,
    }


def _unlinked(text: str) -> str:
    """A title in which pyvis sees no link, at the sight of which it would show every title as HTML."""
    return text.replace("href", "hre\u2060f")
