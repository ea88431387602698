"""Headers: one column each of the sessions table, what else they hold, and in what two may differ."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pytest

from lineage_kit import SchemaError, SessionHeader, SessionRecord
from lineage_kit.schema import LIVE, SESSIONS
from lineage_kit.sessions.header import IDENTITY, RAW_NAMES, from_ms, sessions_table, to_ms


def test_a_header_has_the_columns_of_the_sessions_table():
    assert [field.name for field in fields(SessionHeader)] == [*SESSIONS.names, "extra"]
    assert [field.name for field in fields(SessionRecord)] == [*SESSIONS.names, "extra", *(flag.name for flag in LIVE)]
    assert set(RAW_NAMES.values()) == set(SESSIONS.names)
    assert set(IDENTITY) < set(SESSIONS.names)


@pytest.mark.parametrize("wrong", [{}, {"id": 1}, {"id": "s1", "createdAt": "now"}, {"id": "s1", "seedLength": 0.5}])
def test_a_header_of_wrong_values_is_refused(wrong):
    with pytest.raises(SchemaError):
        SessionHeader.from_raw(wrong)


def test_a_float_with_an_integral_value_is_that_integer():
    header = SessionHeader.from_raw({"id": "s1", "seedLength": 2.0, "version": 1.0})
    assert (header.seed_length, type(header.seed_length), header.version) == (2, int, "1")


@pytest.mark.parametrize("name", IDENTITY)
def test_each_field_of_the_identity_is_told_apart(name):
    values = {"created_at": datetime(2026, 1, 1, tzinfo=UTC), "seed_length": 1, "delegation_depth": 1}
    one, other = SessionHeader("s1"), SessionHeader(**{"session_id": "s1", name: values.get(name, "other")})
    [difference] = one.differences(other)
    assert difference.startswith(name)
    assert one.differences(one) == []


def test_milliseconds_and_back():
    for ms in (0, 5, -5, 0.5, 1_786_000_000_000):
        assert to_ms(from_ms(ms)) == ms
    assert from_ms(1.25) - from_ms(0) == timedelta(microseconds=1250)
    assert [from_ms(wrong) for wrong in (None, True, "5", float("nan"), 1e300)] == [None] * 5
    with pytest.raises(SchemaError, match="epoch milliseconds"):
        from_ms(True, strict=True)


def test_what_else_headers_hold_is_a_column_each():
    headers = [SessionHeader("s1", extra={"team": "x", "mixed": 1}), SessionHeader("s2", extra={"mixed": [1]})]
    table = sessions_table(headers)
    assert table.columns == [*SESSIONS.names, "mixed", "team"]
    assert table.select("mixed", "team").rows() == [("1", "x"), ("[1]", None)]
