"""Pictures of results: as a pyvis network, as a page, as a live widget. What `graph`, `to_html` and `show` do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage_kit.output.places import refuse_no_file
from lineage_kit.output.whole_file import write_whole
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.page import graph_page

if TYPE_CHECKING:
    from lineage_kit.view.graph.pyvis_network import LineageNetwork
    from lineage_kit.view.widgets.graph_widget import GraphWidget


def graph(result: Any, limit: int) -> LineageNetwork:
    """A result as a pyvis network."""
    from lineage_kit.view.graph.pyvis_network import network_of  # pyvis takes a second to import

    return network_of(graph_data(result, limit))


def to_html(result: Any, path: str | Path | None, limit: int) -> str:
    """A result as a page of its own, written whole to `path` if there is one.

    Raises:
        InvalidRequest: a place that cannot be written to.
    """
    if path is not None:
        refuse_no_file(Path(path).expanduser(), _called(path))
    return write_page(graph_data(result, limit), path)


def write_page(graph: GraphData, path: str | Path | None) -> str:
    """A graph as a page, written to `path` if there is one; see `to_html`."""
    text = graph_page(graph)
    if path is not None:
        write_whole(Path(path).expanduser(), text.encode(), _called(path))
    return text


def _called(path: str | Path) -> str:
    return f"the page cannot be written to {path}"


def show(result: Any, limit: int) -> GraphWidget:
    """A result as a live widget."""
    from lineage_kit.view.widgets.graph_widget import GraphWidget

    return GraphWidget(graph_data(result, limit))
