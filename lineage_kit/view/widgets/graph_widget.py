"""The live picture: a drawing in a notebook, by the same script as the page, that tells Python what was clicked."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import anywidget
import traitlets

from lineage_kit.view.graph.assets import GRAPH, module, style
from lineage_kit.view.graph.data import Drawing
from lineage_kit.view.graph.page import vis_module

GLUE = """
function render({ model, el }) {
  const tell = (message) => model.send(message);
  const handle = draw(el, vis, model.get("drawing"), {
    onSelect: (number) => {
      if (model.get("selected") !== number) {
        model.set("selected", number);
        model.save_changes();
      }
    },
    onOpen: (number) => tell({ do: "open", number }),
  });
  el.lineage = handle;
  const listen = {
    "change:drawing": () => handle.setData(model.get("drawing")),
    "change:selected": () => handle.select(model.get("selected")),
    "change:shown": () => handle.setFilter(model.get("shown")),
    "change:theme": () => handle.theme(model.get("theme")),
    "msg:custom": async (message, buffers) => {
      if (message.do === "png") offer(new Blob([await handle.png()], { type: "image/png" }), message.name);
      if (message.do === "offer") offer(new Blob(buffers, { type: message.type }), message.name);
    },
  };
  for (const [event, heard] of Object.entries(listen)) model.on(event, heard);
  handle.theme(model.get("theme"));
  handle.setFilter(model.get("shown"));
  handle.select(model.get("selected"));
  return () => {
    for (const [event, heard] of Object.entries(listen)) model.off(event, heard);
    handle.destroy();
  };
}

function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export default { render };
"""


def with_words(bundle: Any, text: str, html: str | None) -> Any:
    """The bundle of a widget with words beside it, which are the same every time; without any ids of its own."""
    data = bundle[0] if isinstance(bundle, tuple) else dict(bundle or {})
    data["text/plain"] = text
    if html is not None:
        data["text/html"] = html
    return bundle if isinstance(bundle, tuple) else data


class Picture(anywidget.AnyWidget):
    """A drawing as a widget.

    Attributes:
        drawing: `Drawing.data`.
        selected: the number of the selected node, or None.
        shown: which nodes are shown (see `explorer.Filters`); {} for all.
        theme: `auto`, `light` or `dark`.
    """

    _esm = vis_module() + module(GRAPH) + GLUE
    _css = style("graph.css")
    drawing = traitlets.Dict().tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)

    def __init__(self, drawing: Drawing, on_open: Callable[[int], None] | None = None, **more: Any) -> None:
        super().__init__(drawing=drawing.data, **more)
        self._on_open = on_open
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        shown = sum(len(level["few"]["nodes"]) for level in self.drawing["levels"])
        return f"Picture({self.drawing['title']}: {shown:,} of {self.drawing['total']:,} nodes)"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for where no widget can be shown what it is a picture of."""
        return with_words(super()._repr_mimebundle_(**kwargs), repr(self), f"<p>{escape(repr(self))}</p>")

    def _heard(self, _: Any, message: Any, buffers: Any) -> None:
        if message.get("do") == "open" and self._on_open is not None:
            self._on_open(int(message["number"]))

    def offer(self, name: str, content: bytes, type: str) -> None:
        """Let the browser save a file."""
        self.send({"do": "offer", "name": name, "type": type}, [content])

    def offer_png(self, name: str) -> None:
        """Let the browser save what it shows as a picture."""
        self.send({"do": "png", "name": name})
