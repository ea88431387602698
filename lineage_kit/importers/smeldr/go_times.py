"""Times as a Go program writes them into SQLite (rule S3), as texts that everybody reads."""

from __future__ import annotations

import re
from typing import Any

GO = re.compile(
    r"(?P<day>\d{4,}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d(?:\.\d+)?) (?P<offset>[+-]\d{4})(?: [^ ]+)?(?: m=[+-]?[\d.]+)?"
)
"""Day, time and offset; behind them the name of a zone, which may be a number again, and the clock of the process."""
ZERO = re.compile(r"0001-01-01[T ]00:00:00(?:\.0+)?(?:Z|\b.*)?")
"""The zero time of Go, which stands for none."""


def as_iso(value: Any) -> Any:
    """A time of the store as ISO 8601, seconds since 1970 too; None for the zero time, anything else as it stands.

    Example:
        >>> as_iso("2026-06-02 09:15:00.123456789 +0530 +0530 m=+12.3")
        '2026-06-02T09:15:00.123456789+05:30'
        >>> as_iso(0), as_iso("0001-01-01 00:00:00 +0000 UTC"), as_iso("soon")
        ('1970-01-01T00:00:00+00:00', None, 'soon')
    """
    if isinstance(value, int) and not isinstance(value, bool):
        from datetime import timedelta

        from lineage_kit.importers.pipeline.timestamps import EPOCH

        try:
            return (EPOCH + timedelta(seconds=value)).isoformat()
        except OverflowError:
            return str(value)
    if not isinstance(value, str):
        return value
    if ZERO.fullmatch(value):
        return None
    if found := GO.fullmatch(value):
        offset = found["offset"]
        return f"{found['day']}T{found['time']}{offset[:3]}:{offset[3:]}"
    return value
