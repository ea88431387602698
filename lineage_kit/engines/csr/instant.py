"""The moment of a question in microseconds, as the arrays hold times, and what is invalidated at it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lineage_kit.engines.csr.graph import NEVER, Array
from lineage_kit.engines.integer_arrays import Bools
from lineage_kit.engines.protocol import Moment

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(NamedTuple):
    """A moment: see `Moment`. None is no limit."""

    as_of: int | None
    known_at: int | None
    recorded_by: int | None

    @classmethod
    def of(cls, at: Moment) -> Instant:
        """In microseconds."""
        return cls(_micros(at.as_of), _micros(at.known_at), _micros(at.recorded_by))

    def invalidated(self, invalid_at: Array, expired_at: Array | None) -> Bools:
        """Which edges with these times are invalidated; `expired_at` is None where no edge has such a time."""
        invalidated: Bools = invalid_at != NEVER
        if self.as_of is not None:
            invalidated &= invalid_at <= self.as_of
        if self.known_at is not None:
            noticed = invalid_at
            if expired_at is not None:
                told = expired_at != NEVER
                noticed = invalid_at.copy()
                noticed[told] = expired_at[told]
            invalidated &= noticed <= self.known_at
        return invalidated


def _micros(at: datetime | None) -> int | None:
    return None if at is None else (at - EPOCH) // timedelta(microseconds=1)
