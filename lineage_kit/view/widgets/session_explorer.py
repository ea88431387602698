"""The live view of a session's log: an ipywidgets container around one anywidget, whose page side is `timeline.js`.

The page is sent what it shows, a stretch of the log at a time, and asks for more by messages. Whatever goes wrong
while one of its messages or settings is answered is told in the banner of the widget.
"""

from __future__ import annotations

import warnings
from typing import Any

import ipywidgets
import polars as pl
import traitlets

from lineage_kit.errors import InvalidRequest
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.summary import SHOWN, Notice, Summary
from lineage_kit.view.tables import html_of
from lineage_kit.view.text import visible
from lineage_kit.view.widgets.session_picker import Sessions
from lineage_kit.view.widgets.timeline_data import NO_LOG, SessionTimelineData, read_timeline
from lineage_kit.view.widgets.timeline_messages import QUESTIONS, Answer, Shown
from lineage_kit.view.widgets.timeline_widget import SessionTimeline, error_words, warning_banner
from lineage_kit.wording import counted


class _SliderEvent(traitlets.Int[int | None, int | None]):
    """An event of the slider: None stands for the last one, also for those who observe."""

    def _validate(self, obj: Any, value: Any) -> Any:
        return super()._validate(obj, obj._last() if value is None else value)


class SessionExplorer(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A session's log to look at: its family, its events, what replaced what, who cites whom.

    It shows the log as it was when it was read; `reload` reads it again. An id that is not there, a log that breaks a
    rule and every error of a callback are told in the widget.

    Args:
        corpus: where the sessions are.
        session_id: the session to begin with; the newest if None.

    Attributes:
        session_id: the session shown; set it to show another.
        selected: the seq of the selected event, or None (in a log that breaks a rule its position); may be set.
        surface_at: the seq of the event after which the surface is shown, at first the last one; None in an empty
            log. Set it to None to go to the last.
        event: the `SessionEventTrace` of the selected event, or None; it cannot be set.
        corpus: where the sessions are.

    All but the corpus can be observed: `explorer.observe(function, "selected")`.

    Raises:
        InvalidRequest: a corpus that is none, a session_id that is no text; on setting, a selected or surface_at that
            is no event of the session.

    Example:
        >>> explorer = lineage_kit.SessionExplorer(corpus)
        >>> explorer
        SessionExplorer(s1: 3 events, 1 on the surface after event 2)
        >>> explorer.selected = 0
        >>> explorer.event
        SessionEventTrace(s1#0: shadowed, replaced by 2, cites 0 events, cited by 2)
    """

    session_id = traitlets.Unicode(None, allow_none=True)
    selected = traitlets.Int(None, allow_none=True)
    surface_at = _SliderEvent(None, allow_none=True)
    event = traitlets.Instance(SessionEventTrace, allow_none=True, read_only=True)

    def __init__(self, corpus: SessionCorpus, session_id: str | None = None) -> None:
        if not isinstance(corpus, SessionCorpus):
            raise InvalidRequest(f"corpus must be a SessionCorpus, got {type(corpus).__name__}")
        if session_id is not None and not isinstance(session_id, str):
            raise InvalidRequest(f"session_id must be a text or None, got {session_id!r}")
        self.corpus = corpus
        self._data: SessionTimelineData | None = None
        self._sessions: Sessions | None = None
        self._unlisted: list[dict[str, Any]] = []
        self._loads = 0
        self._timeline = SessionTimeline()
        super().__init__(children=[self._timeline])
        self._timeline.on_msg(self._on_message)
        self._timeline.observe(self._from_page, ["selected", "surface_at"])
        self._list_sessions()
        wanted = session_id if session_id is not None or self._sessions is None else self._sessions.newest
        if wanted is None:
            self._show(None, [] if self._unlisted else [warning_banner("The corpus has no sessions.")])
        self.session_id = wanted

    @property
    def frame(self) -> pl.DataFrame:
        """The events as the timeline shows them; `frame.write_parquet(path)` and `frame.write_csv(path)` keep them.

        Returns:
            One row an event. Columns: ref, session_id (String), seq (Int64), time (Datetime us UTC), type, state
            (String: `current`, `shadowed`, `log-only` or `later`, after the event `surface_at`; null in a log that
            breaks a rule), position (Int64: place on that surface, in model order), replaced_by (Int64: the direct
            replacer, however late), surface_op (Struct), source_event_seqs (List(Int64)), payload, text (String),
            is_error (Boolean), and the source's own. In log order.

        Raises:
            InvalidRequest: no session is shown.

        Example:
            >>> lineage_kit.SessionExplorer(corpus).frame.select("seq", "state", "position").rows()
            [(0, 'shadowed', None), (1, 'shadowed', None), (2, 'current', 0)]
        """
        if self._data is None:
            raise InvalidRequest("no session is shown, so there are no events. Hint: set explorer.session_id")
        return self._data.frame(-1 if self.surface_at is None else self.surface_at)

    def reload(self) -> None:
        """Read the sessions and the log again; what is selected stays, and a slider at the end stays at the end.

        Example:
            >>> explorer = lineage_kit.SessionExplorer(corpus)
            >>> explorer.selected = 1
            >>> explorer.reload()
            >>> explorer.selected
            1
        """
        before, selected, at = len(self._data or ()), self.selected, self.surface_at
        self._list_sessions()
        self._load()
        count = len(self._data or ())
        if selected is not None and selected < count:
            self.selected = selected
        if at is not None and at < min(count, before - 1):
            self.surface_at = at

    # ---- what is shown

    def _list_sessions(self) -> None:
        """The sessions to pick from; where they cannot be listed, one that is asked for may still be there."""
        try:
            self._sessions, self._unlisted = Sessions(self.corpus.sessions()), []
        except Exception as error:  # of the user's own source too
            self._sessions, self._unlisted = (
                None,
                [warning_banner(f"The sessions cannot be listed. {error_words(error)}")],
            )

    @traitlets.observe("session_id")
    def _session_changed(self, _: Any) -> None:
        self._load()

    def _load(self) -> None:
        wanted = self.session_id
        if wanted is None:
            self._show(None, [])
            return
        try:
            data = read_timeline(self.corpus, wanted)
        except Exception as error:  # of the user's own source too
            told = warning_banner(error_words(error))
            if self._sessions is not None and wanted not in self._sessions:
                told["text"] = f"There is no session {visible(wanted, 80)}."
                told["offers"] = self._sessions.near(wanted)
                told["text"] += " Close to it:" if told["offers"] else " Nothing there has an id close to it."
            self._show(None, [told])
            return
        banners = []
        if data.fault is not None:
            text = f"This log breaks a rule, so nothing is known of its surface. {visible(data.fault, 1000)}"
            banners.append(warning_banner(f"{text}. Its events are shown as they were logged."))
        self._show(data, banners)

    def _show(self, data: SessionTimelineData | None, banners: list[dict[str, Any]]) -> None:
        """Put a log on the page, at its last event, with nothing selected."""
        self._data = data
        self._loads += 1
        last = self._last()
        with self._timeline.hold_sync():
            self._timeline.timeline = self._whole(data)
            self._timeline.banners = [*self._unlisted, *banners]
            self._timeline.selected = None
            self._timeline.details = {}
            self._timeline.surface_at = last
            self._timeline.overview = data.overview(-1 if last is None else last) if data is not None else {}
        self.selected = None
        self.surface_at = last

    def _last(self) -> int | None:
        return len(self._data) - 1 if self._data else None

    def _whole(self, data: SessionTimelineData | None) -> dict[str, Any]:
        name = self.session_id or ""
        kin = self._sessions.family(name) if self._sessions is not None else {"rows": [], "total": 0, "note": ""}
        return {
            "load": self._loads,
            "id": name,
            "session": visible(name, 200),
            **(NO_LOG if data is None else data.header()),
            "sessions": len(self._sessions) if self._sessions is not None else 0,
            "family": kin,
        }

    @traitlets.validate("selected", "surface_at")
    def _is_event(self, proposal: Any) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        count = len(self._data or ())
        if not 0 <= value < count:
            raise InvalidRequest(f"{name} is {value}, but session {self.session_id!r} has {counted(count, 'event')}")
        return int(value)

    @traitlets.observe("selected")
    def _selected_changed(self, change: Any) -> None:
        place, data = change["new"], self._data
        chosen = data is not None and place is not None
        self.set_trait("event", data.trace(place) if data is not None and chosen else None)
        with self._timeline.hold_sync():
            self._timeline.details = data.details(place) if data is not None and chosen else {}
            self._timeline.selected = place

    @traitlets.observe("surface_at")
    def _surface_changed(self, change: Any) -> None:
        with self._timeline.hold_sync():
            if self._data is not None:
                self._timeline.overview = self._data.overview(-1 if change["new"] is None else change["new"])
            self._timeline.surface_at = change["new"]

    # ---- what the page asks

    def _from_page(self, change: Any) -> None:
        """The page set `selected` or `surface_at`; the explorer's own observers, the user's too, may fail."""
        if change["new"] == getattr(self, change["name"]):
            return
        try:
            setattr(self, change["name"], change["new"])
        except Exception as error:
            self._tell(error)
            setattr(self._timeline, change["name"], getattr(self, change["name"]))

    def _on_message(self, _: Any, asked: Any, __: Any) -> None:
        """One message of the page: `ask`, and what belongs to it. The answer carries the same `ask` and `number`."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                told, buffers = self._answered(asked)
            for warning in caught:
                self._tell(warning.message, "warning")
        except Exception as error:  # else it would end in a log that nobody reads
            self._tell(error)
            told, buffers = {"failed": True}, []
        kept = {name: asked.get(name) for name in ("ask", "number")} if isinstance(asked, dict) else {}
        self._timeline.send({**kept, "load": self._loads, **told}, buffers)

    def _answered(self, asked: Any) -> Answer:
        ask = str(asked.get("ask")) if isinstance(asked, dict) else ""
        if question := QUESTIONS.get(ask):
            shown = Shown(self.corpus, self.session_id, self._data, self._sessions, lambda: self.frame)
            return question(shown, asked)
        acts = {"open": lambda: self._open(asked), "reload": self.reload, "dismiss": self._dismiss}
        if ask not in acts:
            raise InvalidRequest(f"the page says {str(asked)[:80]!r}, which nobody answers")
        acts[ask]()
        return {}, []

    def _open(self, asked: dict[str, Any]) -> None:
        """Another session, or this one, and perhaps an event of it."""
        self.session_id = str(asked.get("session"))
        place = asked.get("place")
        if place is not None and self._data is not None:
            self.selected = place

    def _dismiss(self) -> None:
        self._timeline.banners = [told for told in self._timeline.banners if told["lasting"]]

    def _tell(self, error: Any, kind: str = "error") -> None:
        told = {"kind": kind, "text": error_words(error), "offers": [], "lasting": False}
        if told not in self._timeline.banners:
            self._timeline.banners = [*self._timeline.banners, told]

    # ---- shown without a page

    def __repr__(self) -> str:
        name = "no session" if self.session_id is None else visible(self.session_id, 80)
        return f"SessionExplorer({name}: {self._extent()})"

    def _extent(self) -> str:
        if self._data is None:
            return "nothing is shown"
        events = counted(len(self._data), "event")
        if self._data.fault is not None:
            return f"{events}, INVALID_SURFACE"
        if self.surface_at is None:
            return events
        standing = int(self._data.standing(self.surface_at).sum())
        return f"{events}, {standing:,} on the surface after event {self.surface_at}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live view, and beside it text and quiet HTML that are the same on every run."""
        shown: dict[str, Any] = super()._repr_mimebundle_(**options) or {}
        return {**shown, "text/plain": repr(self), "text/html": html_of(self._summary())}

    def _summary(self) -> Summary:
        title = (self._timeline.timeline["title"] and f" “{self._timeline.timeline['title']}”") or ""
        told = Summary(f"Session {visible(self.session_id or '', 80) or '(none)'}{title}: {self._extent()}")
        for banner in self._timeline.banners:
            offers = ", ".join(offer["shown"] for offer in banner["offers"])
            told.notices.append(Notice(banner["kind"], f"{banner['text']} {offers}".strip()))
        if self._data is not None:
            told.columns = ("seq", "state", "type", "text")
            first = self.frame.head(SHOWN).with_columns(shown=pl.coalesce("text", "payload").fill_null(""))
            rows = first.select("seq", "state", "type", "shown").iter_rows()
            told.rows = [
                (str(seq), state or "not known", visible(type or "no type", 40), visible(text, 80))
                for seq, state, type, text in rows
            ]
            if len(self._data) > SHOWN:
                told.rest = f"{SHOWN} of {len(self._data):,} rows shown; all are in explorer.frame."
        return told


__all__ = ["SessionExplorer"]
