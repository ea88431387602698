"""Logs for the tests of the session explorer: nested replacements, a family, hostile texts, a very long one."""

import json
from typing import Any

from lineage_kit import SessionLog
from support.session_small import live, log, noted, said, summary

HOSTILE = "</script><img src=x onerror=window.hurt=1>\u202e{{7*7}}\u2028<a href='javascript:window.hurt=1'>go</a>\x00"


def tool(seq, **more):
    block = {"type": "tool-result", "content": [{"type": "text", "text": f"result {seq}"}]}
    return said(seq, type="tool/result", data={"message": {"role": "tool", "content": [block]}}, **more)


def nested():
    """20 events; #6 replaces 2, #9 replaces #6 and one more, #15 replaces #9 and what stood behind it; a rewrite."""
    return [
        said(0, "Find out why the index is slow"),
        noted(1),
        said(2, "I look at the plan first", type="assistant/message"),
        tool(3, sourceEventSeqs=[2]),
        said(4, "The plan scans the whole table", type="assistant/message", sourceEventSeqs=[3]),
        noted(5),
        summary(6, 3, 4, [3, 4]),
        said(7, "Try it with fewer columns"),
        noted(8),
        summary(9, 6, 7, [6, 7]),
        tool(10),
        tool(11, surfaceOp={"op": "replace", "start": 10, "end": 10}, sourceEventSeqs=[10]),
        said(12, "It reads a third now", type="assistant/message", sourceEventSeqs=[11, 9]),
        noted(13),
        said(14, "Keep that"),
        summary(15, 2, 12, [2, 9, 11, 12, 0]),
        noted(16),
        said(17, "What is left to do?"),
        said(18, "Write the report", type="assistant/message", sourceEventSeqs=[15, 17]),
        noted(19),
    ]


def corpus():
    logs = [
        log("main", [], title="Speed up the index", createdAt=1),
        log("s1", nested(), title="Why is the index slow?", parentSession="main", createdAt=2),
        log("s2", None, title="Second try", parentSession="main", createdAt=3),
    ]
    return live(*logs)


def hostile():
    """A log whose every text is hostile, in a family that is."""
    events = [
        {**said(0, HOSTILE), "type": "user/message"},
        {"seq": 1, "type": HOSTILE, "data": {HOSTILE: [HOSTILE, 10**400]}},
        said(2, "x" * 1_000_000),
        summary(3, 0, 2, [0, 2]),
        {"seq": 4, "type": "note", "text": HOSTILE * 3, "data": json.loads("[" * 400 + "]" * 400)},
    ]
    return live(
        log(HOSTILE, events, title=HOSTILE, parentSession=f"{HOSTILE} gone", origin=HOSTILE, createdAt=2),
        log("other", [said(0, HOSTILE)], parentSession=HOSTILE, title=HOSTILE, createdAt=1),
    )


def long_log(count):
    """A log of user messages, tool results and notes, with a summary every 500 events."""
    events: list[dict[str, Any]] = []
    surface: list[int] = []
    for seq in range(count):
        if seq % 500 == 499:
            removed = surface[-200:-1]
            del surface[-200:-1]
            events.append(summary(seq, removed[0], removed[-1], removed))
            surface.insert(-1, seq)
        elif seq % 3 == 2:
            events.append(noted(seq))
        else:
            events.append(said(seq, f"event {seq} says something of a certain length"))
            surface.append(seq)
    return SessionLog.from_records({"id": "long"}, events)
