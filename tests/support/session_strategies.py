"""Random session logs: valid ones with nested replacements, and changed ones that are mostly invalid."""

import copy
import os
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

PROFILE = settings(
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow],
)
FEWER = settings(PROFILE, max_examples=30)
FEWEST = settings(PROFILE, max_examples=8)

START = 1_786_000_000_000
numbers = st.integers(0, 40)
LOG_ONLY = ["turn/start", "tool/call", "User/Message", "user/message ", "", None, 7, "absent"]


def tool_data(shape):
    """The data of a tool result; shape 0 has none, shape 1 an empty content."""
    if shape == 0:
        return {}
    block = {"type": "tool-result", "isError": shape == 2, "content": [{"type": "text", "text": "ok"}]}
    message = {"role": "tool", "callId": f"c{shape}", "content": [] if shape == 1 else [block]}
    return {"data": {"turn": 1, "message": message, "meta": {"ms": [1, 2], "cached": False}}}


def rewritten(event, how):
    """The data of a faithful rewrite of a tool result."""
    if "data" not in event:
        return {}
    data = copy.deepcopy(event["data"])
    content = data["message"]["content"]
    if not content:
        content += [[], [{}], [{"content": "was nothing"}]][how % 3]
    elif how % 3 == 0:
        content[0].pop("content", None)
    else:
        content[0]["content"] = f"rewritten {how}"
        content[1:] = [{"type": "text", "text": "more"}] * (how % 3 - 1)
    return {"data": dict(reversed(data.items()))}


@st.composite
def logs(draw, max_size=24):
    """A valid log as raw records."""
    steps = draw(st.lists(st.tuples(st.sampled_from("laarrrw"), numbers, numbers, numbers), max_size=max_size))
    events: list[dict[str, Any]] = []
    surface: list[int] = []
    for seq, (kind, one, two, three) in enumerate(steps):
        event: dict[str, Any] = {"seq": seq if one % 7 else float(seq)}
        if two % 5:
            event["time"] = START + seq * 38 + (0.5 if two % 5 == 1 else 0)
        events.append(event)
        others = list(dict.fromkeys(n % seq for n in (one, two, three)[: three % 4])) if seq else []
        tools = [n for n in surface if events[n]["type"] == "tool/result"]
        if kind == "l":
            type_ = LOG_ONLY[three % len(LOG_ONLY)]
            event |= {} if type_ == "absent" else {"type": type_}
            event["data"] = {"note": one}
            continue
        if kind == "w" and tools:
            old = tools[one % len(tools)]
            event |= {"type": "tool/result", "surfaceOp": {"op": "replace", "start": old, "end": float(old)}}
            event |= rewritten(events[old], two)
            cited = [*others, old]
            surface[surface.index(old)] = seq
        elif kind == "r" and surface:
            first = one % len(surface)
            last = min(first + two % 4, len(surface) - 1)
            start, end = surface[first], surface[last]
            event |= {"type": ["user/message", "assistant/message"][three % 2], "data": {"text": f"sum {seq}"}}
            event["surfaceOp"] = {"end": end, "start": start, "op": "replace"}
            cited = [*others, *reversed(surface[first : last + 1])]
            surface[first : last + 1] = [seq]
        else:
            type_ = ["user/message", "assistant/message", "tool/result"][one % 3]
            event |= {"type": type_, "surfaceOp": "append"}
            event |= tool_data(two % 4) if type_ == "tool/result" else {"data": {"content": f"said {seq}"}}
            cited = others
            surface.append(seq)
        if cited:
            event["sourceEventSeqs"] = list(dict.fromkeys(cited))
    return events


WRONG_OPS: list[Any] = [
    "append",
    "Append",
    None,
    True,
    0,
    [],
    {},
    {"op": "replace"},
    {"op": "append"},
    {"start": 0, "end": 0},
]
ENDS = [0, 1, 2, 3, -1, 1.0, 0.5, "0", True, None, 2**70]
CITED = [[], None, "0", True, [True], ["0"], [0.5], [None], [[0]], [-1], [2**70], [0, 0], [0, 0.0], [0.0], {"0": 0}, 0]
SEQS = [None, True, "0", -1, 0, 1, 2, 3, 0.5, 2**70, float("nan")]
TYPES = ["user/message", "assistant/message", "tool/result", "turn/start", None, 3]
DATA: list[Any] = [
    None,
    0,
    [],
    {},
    {"message": None},
    {"message": {}},
    {"message": {"content": "text"}},
    {"message": {"content": []}},
]


def put(path, value):
    """A change that sets, where the path leads, a value."""

    def change(event):
        at = event
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = copy.deepcopy(value)

    return change


changes = st.one_of(
    st.builds(put, st.just(["seq"]), st.sampled_from(SEQS)),
    st.builds(put, st.just(["type"]), st.sampled_from(TYPES)),
    st.builds(put, st.just(["surfaceOp"]), st.sampled_from(WRONG_OPS)),
    st.builds(put, st.sampled_from([["surfaceOp", "start"], ["surfaceOp", "end"]]), st.sampled_from(ENDS)),
    st.builds(put, st.just(["surfaceOp", "op"]), st.sampled_from(["append", "Replace", None])),
    st.builds(put, st.just(["surfaceOp", "more"]), st.none()),
    st.builds(put, st.just(["sourceEventSeqs"]), st.sampled_from(CITED)),
    st.builds(put, st.just(["data"]), st.sampled_from(DATA)),
    st.builds(put, st.sampled_from([["data", "turn"], ["data", "new"]]), st.sampled_from([1, 1.0, True, 2, None])),
    st.builds(put, st.just(["data", "message", "content", 0, "isError"]), st.sampled_from([0, True, False, None])),
    st.builds(put, st.just(["data", "meta", "ms"]), st.sampled_from([[2, 1], [1, 2], [1.0, 2], [1]])),
    st.sampled_from(["surfaceOp", "sourceEventSeqs", "data", "type", "seq"]).map(lambda key: lambda e: e.pop(key)),
    st.just(lambda event: event["sourceEventSeqs"].pop()),
    st.just(lambda event: event["sourceEventSeqs"].reverse()),
    st.just(lambda event: event["sourceEventSeqs"].append(event["seq"])),
    st.just(lambda event: event["sourceEventSeqs"].append(0)),
)


@st.composite
def changed(draw, source=None):
    """A valid log after one or two changes; now and then still a valid one."""
    events = copy.deepcopy(draw(logs() if source is None else source))
    for _ in range(draw(st.integers(1, 2))):
        if not events:
            break
        at = draw(st.integers(0, len(events) - 1))
        kind = draw(st.sampled_from(["event"] * 12 + ["drop", "double", "swap", "strange"]))
        if kind == "drop":
            del events[at]
        elif kind == "double":
            events.insert(at, copy.deepcopy(events[at]))
        elif kind == "swap":
            events[at], events[-1] = events[-1], events[at]
        elif kind == "strange":
            events[at] = draw(st.sampled_from([None, "event", 3, []]))
        else:
            with suppress(AttributeError, IndexError, KeyError, TypeError):  # nothing there to change
                draw(changes)(events[at])
    return events
