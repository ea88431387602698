"""Damaged Claude Code logs: never an error, always sound sessions, and no record that is not accounted for."""

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lineage_kit.importers.claude_code.importer import read_claude_code
from support.claude_logs import Log

UUIDS = st.sampled_from([f"u{number}" for number in range(12)])
CALLS = st.sampled_from(["t1", "t2", "u3"])
VALUES = st.sampled_from([None, 0, -1, 1e30, 2**70, True, "", "u1", "text", [], ["u1", 3], {}, {"type": "tool_use"}])
FIELDS = st.sampled_from([
    "type", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "isSidechain", "isMeta",
    "isCompactSummary", "agentId", "message", "requestId", "toolUseResult", "attachment", "compactMetadata", "leafUuid",
    "messageId", "parentToolUseID", "forkedFrom", "subtype", "content", "summary", "cwd", "version",
])  # fmt: skip


@st.composite
def logs(draw):
    session = draw(st.sampled_from(["s1", "s2", "s3"]))
    side = {"agentId": "aa", "isSidechain": True} if draw(st.integers(0, 3)) == 0 else {}
    log = Log(session, start=draw(st.integers(0, 50)), **side)
    for _ in range(draw(st.integers(0, 14))):
        uuid = draw(UUIDS)
        extra = {}
        if draw(st.booleans()):
            extra["parentUuid"] = draw(st.one_of(UUIDS, st.sampled_from([None, "ghost", "t1"])))
        if draw(st.integers(0, 5)) == 0:
            extra |= draw(st.sampled_from([{"isSidechain": True}, {"isMeta": True}, {"sessionId": "s2"}]))
        if draw(st.integers(0, 9)) == 0:
            extra["forkedFrom"] = {"sessionId": draw(st.sampled_from(["s1", "s2", "gone"])), "messageUuid": uuid}
        step = draw(st.integers(0, 8))
        if step == 0:
            log.assistant(uuid, "well", draw(st.sampled_from([None, "m1", "m2"])), (1, 2), **extra)
        elif step == 1:
            log.call(uuid, draw(CALLS), draw(CALLS), message="m1", **extra)
        elif step == 2:
            log.result(uuid, draw(CALLS), toolUseResult={"agentId": "aa"}, **extra)
        elif step == 3:
            stay = {"preservedSegment": {"headUuid": draw(UUIDS), "tailUuid": draw(UUIDS)}}
            log.boundary(uuid, compactMetadata=stay, **{name: extra[name] for name in extra if name != "parentUuid"})
        elif step == 4:
            log.summary(uuid, **extra)
        elif step == 5:
            log.record("attachment", uuid, attachment={"type": "file", "content": "x"}, **extra)
        elif step == 6:
            log.record("progress", uuid, parentToolUseID=draw(CALLS)).record("summary", summary="a", leafUuid=uuid)
        elif step == 7 and log.lines:
            log.again(draw(st.integers(0, len(log.lines) - 1)))
        else:
            log.user(uuid, "hello", **extra)
        if draw(st.integers(0, 7)) == 0:
            log.lines[-1][draw(FIELDS)] = draw(VALUES)
    return log


@st.composite
def damaged(draw):
    """The bytes of a log after some accidents."""
    lines = draw(logs()).bytes().split(b"\n")
    for _ in range(draw(st.integers(0, 4))):
        place, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        accident = draw(st.integers(0, 6))
        if accident == 0:
            lines[place], lines[other] = lines[other], lines[place]
        elif accident == 1:
            lines.insert(place, lines[other])
        elif accident == 2:
            lines[place] = lines[place][: draw(st.integers(0, 200))]
        elif accident == 3:
            lines[place : place + 2] = [b"".join(lines[place : place + 2])]
        elif accident == 4:
            cut = draw(st.integers(0, 200))
            lines[place] = lines[place][:cut] + draw(st.binary(max_size=3)) + lines[place][cut + 1 :]
        elif accident == 5:
            del lines[place]
            lines = lines or [b""]
        else:
            lines[place] = draw(st.sampled_from([b"", b"\r", b"null", b"[1] 2", b"{}", b'{"type": "\\ud800"}', b"{"]))
    data = b"\n".join(lines)
    assume(not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")))  # that would be a packed file
    return data


def pieces(data):
    """How many records, and pieces that are none, a plain reader finds."""
    count = 0
    for line in data.split(b"\n"):
        text, place = line.decode(errors="replace").strip(" \t\r\n\ufeff"), 0
        while place < len(text):
            count += 1
            try:
                _, place = json.JSONDecoder(strict=False).raw_decode(text, place)
            except ValueError:
                break
            while place < len(text) and text[place] in " \t\r\n\ufeff":
                place += 1
    return count


NAMES = ["s1", "s2", "s3", "agent-aa", "x/s1", "s1/subagents/agent-aa"]


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(NAMES), damaged()), min_size=1, max_size=4, unique_by=lambda one: one[0]))
def test_damaged_logs(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files:
            path = Path(folder, f"{name}.jsonl")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        got = read_claude_code(folder, progress=False)
        faults = got.corpus().check()
        assert faults.is_empty(), faults.rows()
        told = {kind: got.report.filter(kind=kind)["count"].sum() for kind in ("duplicate_record", "inherited_records")}
        assert got.counts["events"] + sum(told.values()) == sum(pieces(data) for _, data in files)
        ids = got.sessions.collect()["session_id"]
        assert ids.is_unique().all()
        assert ids.to_list() == sorted(ids)
        bare = read_claude_code(folder, text="drop", progress=False)
        assert bare.events.collect().drop("payload", "text").equals(got.events.collect().drop("payload", "text"))
        assert bare.relations.collect().equals(got.relations.collect())
        assert bare.report.equals(got.report)
