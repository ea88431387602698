"""Logs that are valid, then damaged at random: never an error, and no line of them lost without a word."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_kit import CorruptSession
from lineage_kit.importers.live import JsonlSessions
from support.dsh_written import (
    MEMBERS,
    TURN_END,
    answer,
    call,
    chunk,
    event,
    header,
    log,
    packed,
    read,
    replace,
    result,
    user,
)

RECORDS = st.sampled_from(
    [
        user("a"),
        user("b", surfaceOp=replace(0, 0), sourceEventSeqs=[0]),
        answer("c", [0, 1]),
        answer("d", []),
        packed(["x", "é\u2028", '"q"']),
        packed(["{"], "tool-call-chunks"),
        packed(["why", "not"], "reasoning-chunks"),
        chunk("z"),
        call(),
        result(cites=[0]),
        event("session/title", {"title": "t", "messageSeqs": [0]}),
        event("new/thing", {"deep": [[{"a": 1.5}]]}),
        TURN_END,
    ]
)
INSERTED = [b"\n", b"\r\n", b"\xff", b"\0", b"{}", b" ", b"\\ud83d", b"9"]
MUTATIONS = ("delete", "insert", "swap", "again", "cut", "join")


@st.composite
def damaged_logs(draw):
    head = draw(st.sampled_from([header(), header(delegationDepth=None), header(version=3, isSeeded=True)]))
    data = log(*draw(st.lists(RECORDS, max_size=12)), head=head)
    for kind in draw(st.lists(st.sampled_from(MUTATIONS), max_size=3)):
        place = draw(st.integers(0, len(data)))
        if kind == "delete":
            data = data[:place] + data[place + draw(st.integers(1, 40)) :]
        elif kind == "insert":
            data = data[:place] + draw(st.sampled_from(INSERTED)) + data[place:]
        elif kind == "cut":
            data = data[:place]
        elif kind == "join":
            data = data[:place] + data[place:].replace(b"\n", b"", 1)
        else:
            lines = data.splitlines(keepends=True)
            if lines:
                one, two = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
                if kind == "swap":
                    lines[one], lines[two] = lines[two], lines[one]
                else:
                    lines.insert(two, lines[one])
            data = b"".join(lines)
    return data


def pieces(data):
    """The records that a plain reader finds on a line, one after the other."""
    text = data.decode(errors="replace").strip(" \t\r\n\ufeff")
    found, place = [], 0
    while place < len(text):
        value, end = json.JSONDecoder(strict=False).raw_decode(text, place)
        found.append(value)
        place = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n\ufeff"))
    return found


def events_of(record):
    tag = record.get("type")
    return len(record["data"][MEMBERS[tag]]) if isinstance(tag, str) and tag in MEMBERS else 1


@settings(max_examples=120, deadline=None)
@given(damaged_logs())
def test_no_line_is_lost_without_a_word(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s1.jsonl"
        path.write_bytes(data)
        got = read(path)
        got.corpus().check()
        events = got.events.collect()
        counted = Counter()
        for kind, count in got.report.select("kind", "count").rows():
            counted[kind] += count
        complete = data.split(b"\n")
        tail = complete.pop()
        lines = complete + ([tail] if tail else [])
        per_line = Counter(events["line"].to_list())
        headed = "missing_header" not in counted and bool(lines)
        damaged = events.filter(pl.col("type") == "unparsed")
        assert damaged.height <= 1
        assert events["seq"].to_list() == list(range(events.height))
        end = damaged["line"].item() if damaged.height else len(lines) + 1
        # Every line before the damage gave what it holds.
        for number, line in enumerate(lines[: end - 1], 1):
            records = pieces(line)
            if number == 1 and headed:
                records = records[1:]
            assert per_line[number] == sum(map(events_of, records))
        told = counted["unparsed_line"] + counted["corrupt_log"]
        if not damaged.height:
            assert told + counted["torn_tail"] == 0
        elif end > len(complete):
            assert (told, counted["torn_tail"]) == (0, 1)
        else:
            assert events["type"][-1] == "unparsed"
            assert (told, counted["torn_tail"]) == (len(complete) - end + 1, int(bool(tail)))
        _live(path, counted, got)


def _live(path, counted, got):
    """From a live source: the same without the row that stands for the damage, or a corrupt session."""
    live = JsonlSessions(path, format="dsh")
    for session_id in live.list_sessions()["session_id"]:
        try:
            seen = live.load_session(session_id).events
        except CorruptSession:
            assert counted["corrupt_log"]
        else:
            assert not counted["corrupt_log"]
            whole = got.events.filter(pl.col("type") != "unparsed").collect()
            assert seen["type"].to_list() == whole["type"].to_list()
