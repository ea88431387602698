"""What a session's log means, in the plainest Python: raw records in a list, the surface another list.

Shares no code with the package. `fold` either returns the trace of every event or raises `Invalid`.
"""

import math
from typing import Any

TYPES = ("user/message", "assistant/message", "tool/result")


class Invalid(Exception):
    """The log breaks a rule; `position` is that of the first event that does."""

    def __init__(self, position, rule):
        super().__init__(f"{position}: {rule}")
        self.position = position


def whole(value):
    """The integer a JSON number stands for, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if isinstance(value, int) or (math.isfinite(value) and value == int(value)) else None


def same(one, other):
    """Equality of JSON values: 1 is 1.0, true is not 1, key order is nothing, array order is."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return not isinstance(one, (dict, list)) and not isinstance(other, (dict, list)) and one == other


def fold(events, types=TYPES, rewrite=True):
    """(traces, surface): one dict an event, and the seqs on the surface in model order."""
    traces, surface, appended = [], [], 0
    for position, event in enumerate(events):

        def expect(holds, rule, position=position):
            if not holds:
                raise Invalid(position, rule)

        expect(isinstance(event, dict) and whole(event.get("seq")) == position, "seq equals its position")
        type_ = event.get("type")
        trace: dict[str, Any] = {
            "seq": position,
            "type": type_ if isinstance(type_, str) else None,
            "surface": "log-only",
            "replaced_by": None,
            "chain": [],
            "replaced_event_seqs": [],
            "source_event_seqs": [],
            "derived_event_seqs": [],
            "covers": None,
        }
        traces.append(trace)
        if not (isinstance(type_, str) and type_ in types):
            expect("surfaceOp" not in event and "sourceEventSeqs" not in event, "only surface types carry markers")
            continue
        expect("surfaceOp" in event, "a surface type carries surfaceOp")
        trace["surface"] = "current"
        if "sourceEventSeqs" in event:
            cited = event["sourceEventSeqs"]
            expect(isinstance(cited, list) and cited, "citations are a non-empty list")
            cited = [whole(one) for one in cited]
            expect(all(one is not None and 0 <= one < position for one in cited), "citations are earlier events")
            expect(len(set(cited)) == len(cited), "citations are distinct")
            trace["source_event_seqs"] = cited
            for one in cited:
                traces[one]["derived_event_seqs"].append(position)
        op = event["surfaceOp"]
        if isinstance(op, str) and op == "append":
            surface.append(position)
            trace["covers"] = [appended]
            appended += 1
            continue
        expect(isinstance(op, dict) and op.keys() == {"op", "start", "end"} and op["op"] == "replace", "shape of op")
        start, end = whole(op["start"]), whole(op["end"])
        expect(start in surface and end in surface, "start and end are on the surface")
        first, last = surface.index(start), surface.index(end)
        expect(first <= last, "start is not after end")
        removed = surface[first : last + 1]
        expect(set(removed) <= set(trace["source_event_seqs"]), "cites what it removes")
        if rewrite and type_ == "tool/result":
            expect(len(removed) == 1 and events[removed[0]]["type"] == "tool/result", "one tool/result for one")
            expect(faithful(events[removed[0]], event), "a rewrite changes content only")
        surface[first : last + 1] = [position]
        trace["replaced_event_seqs"] = removed
        trace["covers"] = [ordinal for seq in removed for ordinal in traces[seq]["covers"]]
        for seq in removed:
            traces[seq]["surface"], traces[seq]["replaced_by"] = "shadowed", position
    for trace in reversed(traces):
        by = trace["replaced_by"]
        trace["chain"] = [] if by is None else [by, *traces[by]["chain"]]
    return traces, surface


def faithful(old, new):
    """Whether one tool result rewrites another."""
    if "data" not in old and "data" not in new:
        return True
    parts = []
    for event in (old, new):
        data = event.get("data")
        message = data.get("message") if isinstance(data, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            return False
        assert isinstance(data, dict)
        assert isinstance(message, dict)
        outside = dict(data, message={key: value for key, value in message.items() if key != "content"})
        first = content[0] if content else {}
        parts.append([outside, {key: value for key, value in first.items() if key != "content"}])
    return same(*parts)


def accepts(events, **contract):
    try:
        fold(events, **contract)
    except Invalid:
        return False
    return True


def event_traces(session_id, events, **contract):
    """The rows of `corpus.event_traces(session_id)`, without time."""
    rows = []
    for trace in fold(events, **contract)[0]:
        chain, covers = trace.pop("chain"), trace.pop("covers")
        assert covers is None or covers == list(range(covers[0], covers[0] + len(covers)))
        rows.append(
            trace
            | {
                "ref": f"{session_id}#{trace['seq']}",
                "session_id": session_id,
                "final_replacement": chain[-1] if chain else None,
                "chain_length": len(chain),
                "covers_from": covers and covers[0],
                "covers_count": covers and len(covers),
            }
        )
    return rows
