"""What the page of a `SessionExplorer` asks of the log that is shown, and what it is answered.

A question is a mapping: `ask` says which of `QUESTIONS` it is, the rest belongs to it. An answer is a mapping and the
files that go with it. Nothing is changed by answering.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.view.export import csv_of, parquet_bytes
from lineage_kit.view.text import visible
from lineage_kit.view.widgets.session_picker import Sessions
from lineage_kit.view.widgets.timeline_data import SessionTimelineData
from lineage_kit.view.widgets.timeline_text import parts_around

HITS = 200
"""Hits of a search that are listed; all are counted."""
Asked = dict[str, Any]
Answer = tuple[dict[str, Any], list[bytes]]


class Shown(NamedTuple):
    """What an explorer shows; `data` and `sessions` are None where there is no log, or no list of sessions."""

    corpus: SessionCorpus
    session_id: str | None
    data: SessionTimelineData | None
    sessions: Sessions | None
    frame: Callable[[], pl.DataFrame]

    @property
    def log(self) -> SessionTimelineData:
        """The log.

        Raises:
            InvalidRequest: there is none.
        """
        if self.data is None:
            raise InvalidRequest("no session is shown")
        return self.data


def _stretch(shown: Shown, asked: Asked) -> Answer:
    return shown.log.stretch(_integer(asked, "number")), []


def _payload(shown: Shown, asked: Asked) -> Answer:
    return {"text": shown.log.payload(_integer(asked, "place"))}, []


def _beside(shown: Shown, asked: Asked) -> Answer:
    return {"place": shown.log.brackets.beside(_integer(asked, "place"), _integer(asked, "step"))}, []


def _find(shown: Shown, asked: Asked) -> Answer:
    pattern = str(asked.get("text") or "")
    if not pattern:
        return {"hits": [], "total": 0, "everywhere": False}, []
    if not asked.get("everywhere"):
        return {**shown.log.find(pattern, HITS), "everywhere": False}, []
    return _hits_everywhere(shown.corpus, pattern), []


def _sessions(shown: Shown, asked: Asked) -> Answer:
    none = {"sessions": [], "total": 0}
    return shown.sessions.find(str(asked.get("text") or "")) if shown.sessions else none, []


def _csv(shown: Shown, _: Asked) -> Answer:
    return {"name": _file_name(shown.session_id, "csv")}, [csv_of(shown.frame()).encode()]


def _parquet(shown: Shown, _: Asked) -> Answer:
    return {"name": _file_name(shown.session_id, "parquet")}, [parquet_bytes(shown.frame())]


QUESTIONS: dict[str, Callable[[Shown, Asked], Answer]] = {
    "stretch": _stretch,
    "payload": _payload,
    "beside": _beside,
    "find": _find,
    "sessions": _sessions,
    "csv": _csv,
    "parquet": _parquet,
}
"""What may be asked: events of a stretch, a payload, the replacement beside an event, texts, sessions, a file."""


def _integer(asked: dict[str, Any], name: str) -> int:
    value = asked.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequest(f"the page says {name} {value!r}, expected an integer")
    return value


def _hits_everywhere(corpus: SessionCorpus, pattern: str) -> dict[str, Any]:
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


def _file_name(session_id: str | None, suffix: str) -> str:
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', session_id or '')[:80].strip('.') or 'session'}.{suffix}"
