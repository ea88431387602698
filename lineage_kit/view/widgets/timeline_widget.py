"""The page side of a `SessionExplorer`, and the banners in which it tells of errors."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from lineage_kit.errors import LineageKitError, SessionQueryError
from lineage_kit.view.graph.assets import TIMELINE, module, style
from lineage_kit.view.text import visible


class SessionTimeline(anywidget.AnyWidget):
    """The page side of a `SessionExplorer`; what it holds is set by the explorer, which also answers its messages.

    Attributes:
        timeline: the session in a few numbers, its family, and its first stretch.
        overview: the whole log at the event of the slider.
        details: the selected event, or an empty mapping.
        banners: what there is to tell, a mapping each: kind (`error`, `warning`), text, offers (sessions), lasting
            (true: it belongs to what is shown, and is not dismissed).
        selected, surface_at: as in the explorer; the page sets them.

    Example:
        >>> SessionTimeline().banners
        []
    """

    _esm = module(TIMELINE)
    _css = style("timeline/timeline.css")
    timeline = traitlets.Dict().tag(sync=True)
    overview = traitlets.Dict().tag(sync=True)
    details = traitlets.Dict().tag(sync=True)
    banners: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    surface_at = traitlets.Int(None, allow_none=True).tag(sync=True)


def warning_banner(text: str) -> dict[str, Any]:
    """A banner that belongs to what is shown."""
    return {"kind": "warning", "text": text, "offers": [], "lasting": True}


def error_words(error: Any) -> str:
    """An error as a person reads it; one of our own says what it is without its class."""
    if isinstance(error, SessionQueryError):
        return visible(f"{error.code.removeprefix('SESSION_QUERY_')}: {error.message}", 1000)
    own = isinstance(error, (LineageKitError, Warning))
    return visible(str(error) if own else f"{type(error).__name__}: {error}", 1000)
