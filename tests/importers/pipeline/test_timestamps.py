"""Times as logs write them, as text and as milliseconds."""

from datetime import UTC, datetime

import polars as pl
import pytest

from lineage_kit.importers.pipeline.timestamps import moment, times_of


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-04-15T12:00:00.000Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00.123456789Z", datetime(2026, 4, 15, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2026-04-15T14:00:00+02:00", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15 12:00:00Z", datetime(2026, 4, 15, 12, tzinfo=UTC)),
        ("2026-04-15T12:00:00", None),  # of which zone?
        ("2026-02-31T12:00:00Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("", None),
        (None, None),
    ],
)
def test_times_in_text(written, read):
    assert times_of(pl.Series(["2026-01-01T00:00:00.000Z", written], dtype=pl.String)).to_list()[1] == read
    assert moment(written) == read


def test_times_in_milliseconds():
    given = [0, 1_776_254_400_000, -1, 2**62, None]
    read = times_of(pl.Series(given, dtype=pl.Int64)).to_list()
    assert read[:3] == [moment(value) for value in given[:3]]
    assert read[3:] == [None, None]
    assert moment(2**62) is moment(True) is moment([]) is None
