"""A session's header: who it is, when it began, whose child it is."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from lineage_kit.errors import SchemaError
from lineage_kit.json_values import integral
from lineage_kit.schema import SESSIONS

COLUMNS = SESSIONS.names
RAW_NAMES = {
    "id": "session_id",
    "parentSession": "parent_session",
    "createdAt": "created_at",
    "version": "version",
    "cwd": "cwd",
    "origin": "origin",
    "title": "title",
    "seedLength": "seed_length",
    "delegationDepth": "delegation_depth",
}
IDENTITY = ("version", "session_id", "created_at", "cwd", "parent_session", "seed_length", "delegation_depth")
"""The columns in which two headers of one session may not differ (rule S1)."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class SessionHeader:
    """The columns of the sessions table, and whatever else a raw header held in `extra`.

    Attributes:
        session_id: the id; any text.
        parent_session: the session it was begun from, or None for a root.
        created_at: when it began.
        version: of the tool that wrote it.
        cwd: the working directory.
        origin: what began it.
        title: what a person calls it.
        seed_length: how many events were copied from the parent.
        delegation_depth: how many agents stand above it.
        extra: what else the header held, by key.

    Example:
        >>> SessionHeader.from_raw({"id": "s1", "createdAt": 5, "mood": "good"}).extra
        {'mood': 'good'}
    """

    session_id: str
    parent_session: str | None = None
    created_at: datetime | None = None
    version: str | None = None
    cwd: str | None = None
    origin: str | None = None
    title: str | None = None
    seed_length: int | None = None
    delegation_depth: int | None = None
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def from_raw(cls, header: Mapping[str, Any]) -> SessionHeader:
        """A header with the keys an agent harness writes.

        Args:
            header: id, createdAt (epoch ms), parentSession, version, cwd, origin, title, seedLength, delegationDepth;
                other keys are kept in `extra`.

        Raises:
            SchemaError: a header without a text id, or a value of another kind than its column.

        Example:
            >>> SessionHeader.from_raw({"id": "s1", "parentSession": "s0", "version": 1}).version
            '1'
        """
        known = {RAW_NAMES[key]: value for key, value in header.items() if key in RAW_NAMES}
        created = known.pop("created_at", None)
        if "version" in known and isinstance(known["version"], (int, float)) and not isinstance(known["version"], bool):
            known["version"] = f"{known['version']:g}"
        extra = {key: value for key, value in header.items() if key not in RAW_NAMES}
        return cls._checked({**known, "created_at": from_ms(created, strict=True)}, extra)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> SessionHeader:
        """A header from a row of the sessions table.

        Args:
            row: values by column; absent columns are null, other columns go to `extra`.

        Raises:
            SchemaError: a row without a text session_id, or a value of another kind than its column.

        Example:
            >>> SessionHeader.from_row({"session_id": "s1", "team": "x"}).extra
            {'team': 'x'}
        """
        extra = {key: value for key, value in row.items() if key not in COLUMNS and value is not None}
        return cls._checked({name: row.get(name) for name in COLUMNS}, extra)

    @classmethod
    def _checked(cls, values: dict[str, Any], extra: dict[str, Any]) -> SessionHeader:
        problems = []
        for column in SESSIONS:
            value = values.get(column.name)
            kind = {"text": str, "integer": int, "time": datetime}[column.holds]
            if isinstance(value, float) and column.holds == "integer" and (whole := integral(value)) is not None:
                values[column.name] = value = whole
            if value is None:
                if column.need == "non-null":
                    problems.append(f"{column.name} is missing")
            elif not isinstance(value, kind) or isinstance(value, bool):
                problems.append(f"{column.name} is {value!r}, expected {kind.__name__}")
        if problems:
            raise SchemaError.of(f"the header of session {values.get('session_id')!r}", problems)
        return cls(**values, extra=copy.deepcopy(extra))

    def identity(self) -> tuple[Any, ...]:
        """The fields in which two headers of one session may not differ (rule S1); no delegation depth is 0.

        Example:
            >>> SessionHeader("s1").identity() == SessionHeader("s1", title="new", delegation_depth=0).identity()
            True
        """
        *fields, depth = (getattr(self, name) for name in IDENTITY)
        return (*fields, depth or 0)

    def fixed(self) -> tuple[Any, ...]:
        """The columns, without `extra`.

        Example:
            >>> SessionHeader("s1", "s0").fixed()[:2]
            ('s1', 's0')
        """
        return tuple(getattr(self, name) for name in COLUMNS)

    def differences(self, other: SessionHeader) -> list[str]:
        """In which fields of their identity two headers differ, in words.

        Args:
            other: another header of the session.

        Example:
            >>> SessionHeader("s1", cwd="/a").differences(SessionHeader("s1", cwd="/b"))
            ["cwd ('/a' and '/b')"]
        """
        both = zip(IDENTITY, self.identity(), other.identity(), strict=True)
        return [f"{name} ({one!r} and {two!r})" for name, one, two in both if one != two]

    def detached(self) -> SessionHeader:
        """A copy that shares nothing that can be changed.

        Example:
            >>> header = SessionHeader("s1", extra={"tags": []})
            >>> header.detached() == header, header.detached().extra is header.extra
            (True, False)
        """
        return dataclasses.replace(self, extra=copy.deepcopy(self.extra))


@dataclass(frozen=True)
class SessionRecord(SessionHeader):
    """A header with where the session was found.

    Attributes:
        live: whether the live source has it.
        persisted: whether the persisted source has it.

    Example:
        >>> SessionRecord(session_id="s1", live=True).live
        True
    """

    live: bool = False
    persisted: bool = False

    @classmethod
    def of(cls, header: SessionHeader, *, live: bool, persisted: bool) -> SessionRecord:
        """A record of a header.

        Args:
            header: the header; what it holds is copied.
            live: whether the live source has the session.
            persisted: whether the persisted source has it.

        Example:
            >>> record = SessionRecord.of(SessionHeader("s1"), live=True, persisted=False)
            >>> record.session_id, record.live
            ('s1', True)
        """
        values = {name: getattr(header, name) for name in COLUMNS}
        return cls(**values, extra=copy.deepcopy(header.extra), live=live, persisted=persisted)


def headers_frame(headers: list[SessionHeader]) -> pl.DataFrame:
    """Headers as a sessions table, in the order given."""
    return SESSIONS.frame([header.fixed() for header in headers])


def sessions_table(headers: list[SessionHeader]) -> pl.DataFrame:
    """Headers as a sessions table with what else they hold, a column each; mixed or nested values are JSON texts."""
    frame = headers_frame(headers)
    for name in sorted({key for header in headers for key in header.extra} - set(COLUMNS)):
        values = [header.extra.get(name) for header in headers]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) != 1 or not kinds <= {str, int, float, bool, datetime}:
            values = [None if value is None else json.dumps(value, default=str) for value in values]
        frame = frame.with_columns(pl.Series(name, values))
    return frame


def from_ms(value: Any, *, strict: bool = False) -> datetime | None:
    """Epoch milliseconds as a time; anything that is no such number is None, or an error when `strict`."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return EPOCH + timedelta(milliseconds=value)
        except (OverflowError, ValueError):
            pass
    if strict:
        raise SchemaError.of("a session header", [f"createdAt is {value!r}, expected epoch milliseconds"])
    return None


def to_ms(moment: datetime) -> int | float:
    """A time as epoch milliseconds; whole ones as an integer."""
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    return micros // 1000 if micros % 1000 == 0 else micros / 1000
