"""Values of dsh records that are of any type, or too large for one."""

from support.dsh_written import (
    event,
    header,
    imported,
    line,
    numbered,
    read,
    rows,
    user,
)


def test_every_value_may_be_of_any_type(path):
    odd = [None, True, 3, 2.5, 10**40, "x", [], [[]], {}, {"a": {"b": []}}]
    keys = (
        "content",
        "message",
        "id",
        "source",
        "callId",
        "usage",
        "header",
        "title",
        "messageSeqs",
        "shadowedSeqs",
        "reason",
    )
    kinds = (
        "user/message",
        "assistant/message",
        "tool/call",
        "tool/result",
        "session/title",
        "request/header",
        "turn/end",
    )
    records = [event(kind, {key: value}) for kind in kinds for key in keys for value in odd]
    records += [event(kind, value) for kind in kinds for value in odd]
    records += [event("user/message", {"message": {key: value}}) for key in keys for value in odd]
    records += [event("turn/start", surfaceOp=value, sourceEventSeqs=value, time=value) for value in odd]
    records += [event("turn/start", seq=None, time=10**18), event("turn/start", time=-(10**14))]
    got = imported(path, *records)
    assert got.counts["events"] == len(records)
    assert rows(got, "type") == [(record["type"],) for record in records]
    assert not {"unparsed_line", "corrupt_log"} & set(got.report["kind"])


def test_numbers_that_no_double_holds(path):
    first = line(numbered(user())[0]).replace(b'"hi"', b'"hi","n":1e999', 1)
    path.write_bytes(
        line(header()) + first + first.replace(b'"seq":0', b'"seq":1').replace(b'"id":', b'"usage":1e999,"id":')
    )
    got = read(path)
    assert rows(got, "seq", "text", "record_id") == [(0, "hi", "u-hi"), (1, "hi", "u-hi")]
