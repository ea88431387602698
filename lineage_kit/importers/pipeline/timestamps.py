"""Times as logs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from lineage_kit.schema import IMPORTED_EVENTS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIME = IMPORTED_EVENTS.polars["time"]
FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


def times_of(given: pl.Series) -> pl.Series:
    """Times as a log writes them, ISO texts with a zone or milliseconds; what is no time becomes null."""
    if given.dtype.is_integer():
        micros = pl.when(pl.col("time").abs() < 2**53).then(pl.col("time") * 1000)
        return _within(given.to_frame("time").select(micros.cast(TIME)).to_series())
    known = given.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC", strict=False)
    odd = (given.is_not_null() & known.is_null()).arg_true()
    if len(odd):
        read = {text: moment(text) for text in given.gather(odd).unique()}
        known = known.scatter(odd, [read[text] for text in given.gather(odd)])
    return _within(known.cast(TIME))


def _within(times: pl.Series) -> pl.Series:
    """Times that Python can hold too, those of the years 1 to 9999; others become null."""
    here = pl.col("time").to_physical().is_between(FIRST, LAST)
    return times.to_frame("time").select(pl.when(here).then("time").alias(times.name)).to_series()


def moment(value: Any) -> datetime | None:
    """One time; a text without a zone is no time.

    Example:
        >>> moment("2026-04-15T14:00:00+02:00").isoformat(), moment(1000).isoformat(), moment("yesterday")
        ('2026-04-15T12:00:00+00:00', '1970-01-01T00:00:01+00:00', None)
    """
    if isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
            return None if read.tzinfo is None else read.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return EPOCH + timedelta(milliseconds=value)
    except (ValueError, OverflowError):
        pass
    return None
