"""The scripts and style sheets of the explorers: files of their own, put together when they are first needed."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

GRAPH = ("basics.js", "text.js", "model.js", "paint.js", "legend.js", "pane.js", "table.js", "picture.js", "graph.js")
TIMELINE = ("basics.js", "timeline_lines.js", "timeline_pane.js", "timeline.js")
"""The parts of a script, in the order in which they build on each other; the last one has the exports."""


@cache
def module(parts: tuple[str, ...]) -> str:
    """One ES module of several parts."""
    return "\n".join(_static(name) for name in parts)


@cache
def style(name: str) -> str:
    """A style sheet, after the palette that all of them share."""
    return _static("palette.css") + _static(name)


def _static(name: str) -> str:
    return files("lineage_kit.view").joinpath("static", name).read_text(encoding="utf-8")
