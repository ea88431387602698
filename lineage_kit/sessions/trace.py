"""What is answered of one event: what replaced it, what it replaced, what it cites, who cites it; its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from lineage_kit.errors import SessionQueryError
from lineage_kit.json_values import integral
from lineage_kit.pictured import Pictured
from lineage_kit.schema import EVENT_FRAME
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.fold.faults import Fault
from lineage_kit.sessions.fold.surface import Fold, fold
from lineage_kit.sessions.header import SessionHeader
from lineage_kit.sessions.log import SessionLog
from lineage_kit.wording import counted, shown

Surface = Literal["current", "shadowed", "log-only"]


WINDOW = 50
"""The most raw neighbours of an event, each way."""


class TargetEvent(NamedTuple):
    """The event asked about."""

    session_id: str
    seq: int
    type: str | None
    time: datetime | None
    surface: Surface


@dataclass(frozen=True)
class SessionEventTrace(Pictured):
    """One event among the others of its session. Replacement and citation are two relations and stay two.

    Attributes:
        session: the header answered.
        target: session_id, seq, type, time, and surface: `current` (on the surface now), `shadowed` (replaced), or
            `log-only` (never on the surface).
        replaced_by: the seq of the event that directly replaced it, or None.
        replacement_chain: the replacers up to the final one.
        replaced_event_seqs: the surface events the target itself removed, in surface order.
        source_event_seqs: what it cites, as logged.
        derived_event_seqs: the later events that cite it, ascending.

    Example:
        >>> corpus.trace_event("s1", 0)
        SessionEventTrace(s1#0: shadowed, replaced by 2, cites 0 events, cited by 2)
    """

    session: SessionHeader
    target: TargetEvent
    replaced_by: int | None
    replacement_chain: tuple[int, ...]
    replaced_event_seqs: tuple[int, ...]
    source_event_seqs: tuple[int, ...]
    derived_event_seqs: tuple[int, ...]

    __hash__ = None  # type: ignore[assignment]

    @property
    def ref(self) -> str:
        """The id of the target as a node of type `event`.

        Example:
            >>> corpus.trace_event("s1", 0).ref
            's1#0'
        """
        return f"{self.target.session_id}#{self.target.seq}"

    @property
    def frame(self) -> pl.DataFrame:
        """The flat form, a row an event of the trace.

        Columns: relation (String: `target`, `replacement`, `replaced`, `source`, `derived`), position (Int64, from 0
        within its relation), session_id (String), seq (Int64), ref (String). Sorted by relation in that order,
        position.

        Example:
            >>> corpus.trace_event("s1", 0).frame.select("relation", "seq").rows()
            [('target', 0), ('replacement', 2), ('derived', 1), ('derived', 2)]
        """
        parts = {
            "target": (self.target.seq,),
            "replacement": self.replacement_chain,
            "replaced": self.replaced_event_seqs,
            "source": self.source_event_seqs,
            "derived": self.derived_event_seqs,
        }
        rows = [
            (relation, position, self.target.session_id, seq, f"{self.target.session_id}#{seq}")
            for relation, seqs in parts.items()
            for position, seq in enumerate(seqs)
        ]
        return EVENT_FRAME.frame(rows)

    def __repr__(self) -> str:
        state = self.target.surface + (f", replaced by {self.replaced_by}" if self.replaced_by is not None else "")
        replaced = len(self.replaced_event_seqs)
        return (
            f"SessionEventTrace({self.ref}: {state}{f', replaced {replaced}' if replaced else ''}, "
            f"cites {_events(len(self.source_event_seqs))}, cited by {len(self.derived_event_seqs)})"
        )


class EventWindow(NamedTuple):
    """One event as it was logged, among its neighbours.

    Attributes:
        session: the header answered.
        target: the raw event asked for.
        events: the raw events of the window, in log order.
        start_seq: the position of the first event of the window.
        end_seq: the position of the last.

    Example:
        >>> window = corpus.read_event("s1", 0, after=50)
        >>> window.target["data"], len(window.events), window.end_seq
        ({'content': 'hello'}, 3, 2)
    """

    session: SessionHeader
    target: Any
    events: list[Any]
    start_seq: int
    end_seq: int


def check_window(session_id: str, seq: Any, before: Any, after: Any) -> None:
    """Refuse a window that is no number of neighbours.

    Raises:
        SessionQueryError: SESSION_QUERY_INVALID_WINDOW.
    """
    for name, value in (("before", before), ("after", after)):
        number = None if isinstance(value, float) else integral(value)
        if number is None or not 0 <= number <= WINDOW:
            raise SessionQueryError.of(
                "INVALID_WINDOW",
                f"session {session_id!r}, event {shown(seq)}: {name} is {shown(value)}, "
                f"expected an integer from 0 to {WINDOW}",
            )


def window_of(log: SessionLog, position: int, before: int, after: int) -> EventWindow:
    """The raw event at a position with its raw neighbours, as far as the log has them."""
    start, end = max(0, position - before), min(len(log) - 1, position + after)
    events = [log.record(place) for place in range(start, end + 1)]
    return EventWindow(log.header, log.record(position), events, start, end)


def _events(count: int) -> str:
    return counted(count, "event")


def trace_of(log: SessionLog, seq: Any, contract: SurfaceContract) -> SessionEventTrace:
    """The trace of one event of a log: existence first, then the whole log is folded and accepted or refused (S5)."""
    position = find_event(log, log.header.session_id, seq)
    return at_position(log, sound(log, contract), position)


def at_position(log: SessionLog, folded: Fold, position: int) -> SessionEventTrace:
    """The trace of the event at a position of a folded log."""
    header = log.header
    lists = log.events["source_event_seqs"][position]
    return SessionEventTrace(
        session=header,
        target=TargetEvent(
            header.session_id,
            position,
            log.events["type"][position],
            log.events["time"][position],
            surface_of(folded, position),
        ),
        replaced_by=int(folded.replaced_by[position]) if folded.replaced_by[position] >= 0 else None,
        replacement_chain=chain_of(folded, position),
        replaced_event_seqs=tuple(
            folded.removed[folded.removed_from[position] : folded.removed_from[position + 1]].tolist()
        ),
        source_event_seqs=() if lists is None else tuple(lists.to_list()),
        derived_event_seqs=tuple(np.sort(folded.citing[folded.cited == position]).tolist()),
    )


def find_event(log: SessionLog, session_id: str, seq: Any) -> int:
    """The position of the event asked for.

    Raises:
        SessionQueryError: SESSION_QUERY_EVENT_NOT_FOUND.
    """
    number = integral(seq)
    position = log.position_of(number) if number is not None else None
    if position is None:
        raise SessionQueryError.of(
            "EVENT_NOT_FOUND",
            f"session {session_id!r} has no event with seq {shown(seq)}; it has {_events(len(log))}",
        )
    return position


def sound(log: SessionLog, contract: SurfaceContract) -> Fold:
    """The fold of a log.

    Raises:
        SessionQueryError: SESSION_QUERY_INVALID_SURFACE for a violation anywhere in the log.
    """
    folded = fold(log.logs, contract, log.faults)
    if folded.faults:
        raise invalid_surface(log.header.session_id, folded.faults[0])
    return folded


def invalid_surface(session_id: str, fault: Fault) -> SessionQueryError:
    """The error for an unsound log."""
    return SessionQueryError.of("INVALID_SURFACE", f"session {session_id!r}, {fault.message}")


def surface_of(folded: Fold, row: int) -> Surface:
    """The surface class of one event."""
    if not folded.on_surface[row]:
        return "log-only"
    return "shadowed" if folded.replaced_by[row] >= 0 else "current"


def chain_of(folded: Fold, row: int) -> tuple[int, ...]:
    """The replacers of an event, up to the final one."""
    chain = []
    row = int(folded.replaced_by[row])
    while row >= 0:
        chain.append(row)
        row = int(folded.replaced_by[row])
    return tuple(chain)
