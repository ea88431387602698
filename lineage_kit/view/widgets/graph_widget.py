"""The live picture: a graph in a notebook, by the same script as the page, that tells Python what was clicked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from lineage_kit.view.graph.assets import GRAPH_WIDGET, module, style
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.page import vis_module
from lineage_kit.view.templates import rendered


def with_words(bundle: Any, text: str, html: str | None) -> Any:
    """The bundle of a widget with words beside it, which are the same every time; without any ids of its own."""
    data = bundle[0] if isinstance(bundle, tuple) else dict(bundle or {})
    data["text/plain"] = text
    if html is not None:
        data["text/html"] = html
    return bundle if isinstance(bundle, tuple) else data


class GraphWidget(anywidget.AnyWidget):
    """A graph as a widget.

    Attributes:
        drawing: `GraphData.data`.
        selected: the number of the selected node, or None.
        shown: which nodes are shown (see `filters.Filters`); {} for all.
        theme: `auto`, `light` or `dark`.
    """

    _esm = vis_module() + module(GRAPH_WIDGET)
    _css = style("graph/graph.css")
    drawing = traitlets.Dict().tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)

    def __init__(self, graph: GraphData, on_open: Callable[[int], None] | None = None, **more: Any) -> None:
        super().__init__(drawing=graph.data, **more)
        self._on_open = on_open
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        shown = sum(len(level["few"]["nodes"]) for level in self.drawing["levels"])
        # The word that people know it by, and that notebooks have stored.
        return f"Picture({self.drawing['title']}: {shown:,} of {self.drawing['total']:,} nodes)"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for where no widget can be shown what it is a picture of."""
        return with_words(super()._repr_mimebundle_(**kwargs), repr(self), rendered("sentence.html", text=repr(self)))

    def _heard(self, _: Any, message: Any, __: Any) -> None:
        if message.get("do") == "open" and self._on_open is not None:
            self._on_open(int(message["number"]))

    def offer(self, name: str, content: bytes, type: str) -> None:
        """Let the browser save a file."""
        self.send({"do": "offer", "name": name, "type": type}, [content])

    def offer_png(self, name: str) -> None:
        """Let the browser save what it shows as a picture."""
        self.send({"do": "png", "name": name})
