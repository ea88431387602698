"""Session sources of the tests: one that counts, fails and changes as told, and one that always fails."""

from collections import Counter

import polars as pl

from lineage_kit import CorruptSession, SessionLog
from support.session_small import story


class FakeSource:
    """A persisted source in memory, as a user might write it.

    Args:
        logs: dicts with `header`, `events` (raw) and perhaps `headerAtLoad`, laid over the header when loading.
        faults: {"list": …, "load": …}: "error", "unsupported-format" or "corrupt", or an exception to raise.
        during: {"list": …, "load": …}: functions called inside the call, before it returns or raises.
    """

    def __init__(self, logs=(), faults=None, during=None):
        self.logs = list(logs)
        self.faults = faults or {}
        self.during = during or {}
        self.calls = Counter(list=0, load=0)

    def _called(self, name):
        self.calls[name] += 1
        self.during.get(name, lambda: None)()
        fault = self.faults.get(name)
        if isinstance(fault, Exception):
            raise fault
        if fault == "corrupt":
            raise CorruptSession("block 3 cannot be decoded")
        if fault is not None:
            raise OSError(f"{name}: {fault}")

    def list_sessions(self):
        self._called("list")
        return sessions_frame([log["header"] for log in self.logs])

    def load_session(self, session_id):
        self._called("load")
        for log in self.logs:
            if log["header"]["id"] == session_id:
                return SessionLog.from_records(log["header"] | log.get("headerAtLoad", {}), log.get("events", []))
        raise KeyError(session_id)


class BrokenSource:
    """A source of which nothing can be read."""

    def list_sessions(self):
        raise ConnectionError("the disk is gone")

    def load_session(self, session_id):
        raise ConnectionError(f"the disk is gone: {session_id}")

    def has_session(self, session_id):
        raise ConnectionError(f"the disk is gone: {session_id}")


def sessions_frame(headers):
    """Raw headers as a sessions table."""
    rows = [
        {
            "session_id": header["id"],
            "parent_session": header.get("parentSession"),
            "created_at": header.get("createdAt"),
            "version": None if header.get("version") is None else str(header["version"]),
            "cwd": header.get("cwd"),
            "origin": header.get("origin"),
            "title": header.get("title"),
            "seed_length": header.get("seedLength"),
            "delegation_depth": header.get("delegationDepth"),
        }
        for header in headers
    ]
    texts = ("session_id", "parent_session", "version", "cwd", "origin", "title")
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(
        ("created_at", "seed_length", "delegation_depth"), pl.Int64
    )
    return pl.DataFrame(rows, schema=schema).with_columns(
        pl.col("created_at").cast(pl.Datetime("ms")).dt.replace_time_zone("UTC")
    )


def logs_of(pieces):
    """The `SessionLog`s of dicts with header and events."""
    return [SessionLog.from_records(piece["header"], piece.get("events", [])) for piece in pieces]


def piece(session_id, events=None, **header):
    """Raw logs as a `FakeSource` takes them."""
    return {"header": {"id": session_id, **header}, "events": story() if events is None else events}
