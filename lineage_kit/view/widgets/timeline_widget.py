"""The page side of a `SessionExplorer`, and what the two say to each other."""

from __future__ import annotations

import re
from typing import Any

import anywidget
import traitlets

from lineage_kit.errors import InvalidRequest, LineageKitError, SessionQueryError
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.view.graph.assets import TIMELINE, module, style
from lineage_kit.view.text import visible
from lineage_kit.view.widgets.timeline_text import parts_around

HITS = 200
"""Hits of a search that are listed; all are counted."""


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


def asked_integer(asked: dict[str, Any], name: str) -> int:
    """A number of a message of the page.

    Raises:
        InvalidRequest: it is none.
    """
    value = asked.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequest(f"the page says {name} {value!r}, expected an integer")
    return value


def hits_everywhere(corpus: SessionCorpus, pattern: str) -> dict[str, Any]:
    """What a search in all sessions found, as the page lists it."""
    found = corpus.find(pattern)
    hits = [
        {
            "session": row["session_id"],
            "shown": visible(row["session_id"], 80),
            "place": row["seq"],
            "type": visible(row["type"] or "no type", 60),
            "parts": parts_around(row["text"], pattern),
        }
        for row in found.head(HITS).iter_rows(named=True)
    ]
    return {"hits": hits, "total": found.height, "everywhere": True}


def file_name(session_id: str | None, suffix: str) -> str:
    """The name of a file that the browser saves.

    Example:
        >>> file_name("../s1", "csv")
        '_s1.csv'
    """
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', session_id or '')[:80].strip('.') or 'session'}.{suffix}"
