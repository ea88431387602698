"""Times as these formats write them, as microseconds since 1970 (rule R7)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lineage_kit.errors import InvalidRequest
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.timestamps import EPOCH, FIRST, LAST

MICROSECOND = timedelta(microseconds=1)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
NAMED_ZONE = re.compile(r"\[[^\[\]]*\]$")
"""A zone's name behind a time that has an offset anyway."""


def checked_zone(zone: Any) -> tzinfo | None:
    """The zone that times without one are of.

    Raises:
        InvalidRequest: no name of a zone.
    """
    if zone is None:
        return None
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise InvalidRequest(f"zone {zone!r} is the name of no time zone. Hint: write it like Europe/Berlin") from None


class Times:
    """Reads times, and counts what is none.

    Example:
        >>> from lineage_kit.importers.pipeline.findings import Findings
        >>> from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS
        >>> findings = Findings(RELATION_KINDS)
        >>> times = Times(findings, None)
        >>> times.read("1970-01-01T01:00:01.5+01:00", "a.json"), times.read("1970-01-01T00:00:01", "a.json")
        (1500000, None)
        >>> findings.count("naive_time")
        1
    """

    def __init__(self, findings: Findings, zone: tzinfo | None) -> None:
        self._findings, self._zone = findings, zone

    def read(
        self, value: Any, file: str, line: int | None = None, *, dates: bool = False, required: bool = False
    ) -> int | None:
        """A time, or None; what is none is counted for this place.

        `dates`: a date alone is its midnight in UTC; otherwise it is a time without a zone. `required`: nothing at all
        is counted too.
        """
        if type(value) is str and (micros := _as_most_are(value)) is not None:
            return micros
        if value is None or value == "":
            if required:
                self._findings.add("missing_time", file, line)
            return None
        read = moment_in(value, dates=dates)
        if read is not None and read.tzinfo is None:
            if self._zone is None:
                self._findings.add("naive_time", file, line, str(value)[:100])
                return None
            read = read.replace(tzinfo=self._zone)
        micros = None if read is None else micros_of(read)
        if micros is None:
            self._findings.add("bad_time", file, line, str(value)[:100])
        return micros


def _as_most_are(text: str) -> int | None:
    """The time of a text with a zone, the quick way; None for any other."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            return None
        since = moment - EPOCH
    except (ValueError, OverflowError):
        return None
    micros = since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds
    return micros if FIRST <= micros <= LAST else None


def moment_in(value: Any, *, dates: bool) -> datetime | None:
    """An ISO 8601 text as a time, with a zone only if it has one.

    Example:
        >>> moment_in("2026-01-06T09:00Z[UTC]", dates=False).isoformat()
        '2026-01-06T09:00:00+00:00'
        >>> moment_in("2026-01-06", dates=True).isoformat()
        '2026-01-06T00:00:00+00:00'
        >>> moment_in("yesterday", dates=True) is None
        True
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        if dates and DAY.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(NAMED_ZONE.sub("", text))
    except ValueError:
        return None


def micros_of(moment: datetime) -> int | None:
    """Microseconds since 1970; None for what lies outside the years 1 to 9999 in UTC.

    Example:
        >>> from datetime import UTC, datetime
        >>> micros_of(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
        1000000
    """
    try:
        micros = (moment - EPOCH) // MICROSECOND
    except OverflowError:
        return None
    return micros if FIRST <= micros <= LAST else None
