"""Runs, folded of their events in whatever order these come (rules O3 and O4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lineage_kit.importers.openlineage.content import Content, Name
from lineage_kit.importers.openlineage.lives import UNKNOWN

Outcome = Literal["done", "failed", "unfinished"]
ENDING = ("COMPLETE", "FAIL", "ABORT")


@dataclass(slots=True)
class Run:
    """A run of a job; times are microseconds."""

    file: str
    first: int | None = None
    last: int | None = None
    ended: int | None = None
    completed: bool = False
    failed: bool = False
    contents: tuple[Content, ...] = ()
    events: tuple[tuple[str | None, int | None], ...] = ()

    def take(self, type: str | None, at: int | None, content: Content) -> bool:
        """One more event; False if the same was there before."""
        if not any(one is content for one in self.contents):  # contents are kept once each
            self.contents = (*self.contents, content)
        self.completed |= type == "COMPLETE"
        self.failed |= type in ("FAIL", "ABORT")
        key = (type, at)
        if key in self.events:
            return False
        self.events = (*self.events, key)
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)
            if type in ENDING:
                self.ended = at if self.ended is None else max(self.ended, at)
        return True

    @property
    def outcome(self) -> Outcome:
        """How it ended: a COMPLETE anywhere is a success."""
        return "done" if self.completed else "failed" if self.failed else "unfinished"

    @property
    def end(self) -> int:
        """When it ended, else its latest event."""
        at = self.last if self.ended is None else self.ended
        return UNKNOWN if at is None else at


RunKey = tuple[str, Name]
