"""Small logs and tables that the tests of sessions share."""

import polars as pl
import pytest

from lineage_kit import MemorySessions, ParquetSessions, SessionCorpus, SessionLog, SessionQueryError
from lineage_kit.schema import EVENTS

START = 1_786_000_000_000


# ---- raw records


def said(seq, text="hello", **more):
    """A user message that is appended."""
    data = {"content": [{"type": "text", "text": text}]}
    return {"seq": seq, "time": START + seq, "type": "user/message", "data": data, "surfaceOp": "append"} | more


def summary(seq, start, end, cites):
    """A message that replaces a range of the surface."""
    event = said(seq, f"summary {seq}", surfaceOp={"op": "replace", "start": start, "end": end})
    return event | {"sourceEventSeqs": cites}


def noted(seq):
    """An event that is only logged."""
    return {"seq": seq, "time": START + seq, "type": "turn/start", "data": {"turn": seq}}


def story():
    """Two messages, a note, and a summary of both messages."""
    return [said(0, "first"), noted(1), said(2, "second"), summary(3, 0, 2, [0, 2])]


def log(session_id, events=None, **header):
    return SessionLog.from_records({"id": session_id, **header}, story() if events is None else events)


def live(*logs, **options):
    """A corpus of live logs."""
    return SessionCorpus(live=MemorySessions(logs), **options)


# ---- tables

OP = pl.Struct({"op": pl.String, "start": pl.Int64, "end": pl.Int64})
APPEND = {"op": "append", "start": None, "end": None}
FOLDED = ("session_id", "seq", "type", "surface_op", "source_event_seqs", "payload")
SCHEMA = {**EVENTS.only(*FOLDED).polars, "tokens": pl.Int32}


def row(session_id, seq, op=APPEND, cites=None, type="user/message", payload=None):
    return dict(zip(SCHEMA, (session_id, seq, type, op, cites, payload, 7), strict=True))


def replace(start, end):
    return {"op": "replace", "start": start, "end": end}


def events_frame(*rows):
    return pl.DataFrame(rows, schema=SCHEMA)


EVENTS = events_frame(
    row("s1", 0, payload='{"n": 1}'),
    row("s1", 1, None, type="turn/start"),
    row("s1", 2, replace(0, 0), [0, 1]),
    row("s2", 0),
)
SESSIONS = pl.DataFrame({"session_id": ["s1", "s2"], "parent_session": [None, "s1"], "team": ["x", None]})


def stored(sessions=SESSIONS, events=EVENTS):
    return SessionCorpus(persisted=ParquetSessions(sessions=sessions, events=events))


def error_of(ask, *args):
    with pytest.raises(SessionQueryError) as caught:
        ask(*args)
    return caught.value


def code_of(ask, *args):
    return error_of(ask, *args).code.removeprefix("SESSION_QUERY_")


EVENT_COLUMNS = ["ref", "session_id", "seq", "time", "type", "surface", "surface_op", "source_event_seqs"]
EVENT_COLUMNS += ["payload", "text", "is_error"]

# ---- rows that are wrong

BAD = {
    "no seq": [row("no seq", 0), row("no seq", None)],
    "other op": [row("other op", 0, {"op": "prepend", "start": None, "end": None})],
    "append with start": [row("append with start", 0), row("append with start", 1, {**APPEND, "start": 0})],
    "replace without end": [row("replace without end", 0), row("replace without end", 1, replace(0, None), [0])],
    "no op text": [row("no op text", 0, {"op": None, "start": 0, "end": 0})],
    "empty citations": [row("empty citations", 0), row("empty citations", 1, cites=[])],
    "null citation": [row("null citation", 0), row("null citation", 1, cites=[None])],
    "gap": [row("gap", 0), row("gap", 2)],
    "twice": [row("twice", 0), row("twice", 0)],
}
STRAYS = [row("ghost", 0), row(None, 0)]
MIXED_SESSIONS = pl.DataFrame({"session_id": ["s1", "s2", *BAD]})
MIXED_EVENTS = pl.concat([EVENTS, events_frame(*(one for rows in BAD.values() for one in rows), *STRAYS)])
