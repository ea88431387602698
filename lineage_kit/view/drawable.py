"""Pictures of results: as a pyvis network, as a page, as a live widget. What `graph`, `to_html` and `show` do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage_kit.atomic_write import write_whole
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.graph.data import Drawing, lineage_drawing
from lineage_kit.view.graph.page import lineage_page
from lineage_kit.view.session_drawing import event_drawing, family_drawing

if TYPE_CHECKING:
    from lineage_kit.view.graph.pyvis_network import LineageNetwork
    from lineage_kit.view.widgets.graph_widget import Picture

Drawn = LineageTrace | SessionLineageTrace | SessionEventTrace


def drawing_of(result: Drawn, limit: int) -> Drawing:
    """The drawing of any result that has one."""
    if isinstance(result, LineageTrace):
        return lineage_drawing(result, limit)
    if isinstance(result, SessionLineageTrace):
        return family_drawing(result, limit)
    return event_drawing(result, limit)


def graph(result: Any, limit: int) -> LineageNetwork:
    """A result as a pyvis network."""
    from lineage_kit.view.graph.pyvis_network import network_of  # pyvis takes a second to import

    return network_of(drawing_of(result, limit))


def to_html(result: Any, path: str | Path | None, limit: int) -> str:
    """A result as a page of its own, written whole to `path` if there is one.

    Raises:
        InvalidRequest: a place that cannot be written to.
    """
    return page(drawing_of(result, limit), path)


def page(drawing: Drawing, path: str | Path | None) -> str:
    """A drawing as a page; see `to_html`."""
    text = lineage_page(drawing)
    if path is not None:
        try:
            write_whole(Path(path).expanduser(), text.encode())
        except OSError as error:
            raise InvalidRequest(f"the page cannot be written to {path}: {error.strerror or error}") from error
    return text


def show(result: Any, limit: int) -> Picture:
    """A result as a live widget."""
    from lineage_kit.view.widgets.graph_widget import Picture

    return Picture(drawing_of(result, limit))
