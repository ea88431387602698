"""The scripts and style sheets of the explorers: files of their own, put together when they are first needed."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_GRAPH_PARTS = ("text", "model", "paint", "legend", "pane", "table", "picture", "graph")
GRAPH = ("shared/basics.js", *(f"graph/{part}.js" for part in _GRAPH_PARTS))
"""The parts of a script, in the order in which they build on each other; the last one has the exports."""
PAGE = (*GRAPH, "graph/page.js")
GRAPH_WIDGET = (*GRAPH, "graph/widget.js")
TIMELINE = ("shared/basics.js", "timeline/lines.js", "timeline/pane.js", "timeline/timeline.js")


@cache
def module(parts: tuple[str, ...]) -> str:
    """One ES module of several parts."""
    return "\n".join(_static(name) for name in parts)


@cache
def style(name: str) -> str:
    """A style sheet, after the palette that all of them share."""
    return _static("shared/palette.css") + _static(name)


def _static(name: str) -> str:
    return files("lineage_kit.view").joinpath("static", *name.split("/")).read_text(encoding="utf-8")
