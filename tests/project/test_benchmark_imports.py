"""The transcripts that imports are measured on keep the rules of their formats, and come out of an import whole."""

import json
from collections import Counter

import pytest

from benchmarks.imports import JSON, MSGSPEC, Parses, Reads
from benchmarks.transcripts import corpus_files
from benchmarks.transcripts.claude_code import ClaudeCodeLog
from benchmarks.transcripts.codex import CodexLog
from benchmarks.transcripts.corpus_files import LOGS, MEGABYTE, lines, transcript
from benchmarks.transcripts.dsh import DshLog

MEGABYTES = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("transcripts")


def records(folder, kind):
    path = transcript(kind, MEGABYTES, folder).path
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("kind", LOGS, ids=lambda kind: kind.kind)
def test_an_import_finds_what_a_transcript_was_made_with(kind, folder):
    told = transcript(kind, MEGABYTES, folder)
    reads = Reads(kind.kind)
    reads.run(told.path)
    assert reads.found() == (told.events, told.replacements)
    assert told.replacements > 1
    assert reads.imported.corpus().check().is_empty()
    # What real files have too; nothing else is wrong with them.
    assert set(reads.imported.report["kind"]) <= {"missing_time", "out_of_order_time", "duplicate_record", "rewind"}
    assert reads.imported.counts["sessions"] == 1
    reads.close()


@pytest.mark.parametrize("kind", LOGS, ids=lambda kind: kind.kind)
def test_a_transcript_is_as_large_as_wanted_and_always_the_same(kind, tmp_path):
    told = transcript(kind, 0.5, tmp_path)
    assert 0 <= told.path.stat().st_size - MEGABYTE // 2 < 2 * MEGABYTE
    assert told.bytes == told.path.stat().st_size
    assert told.lines == told.path.read_bytes().count(b"\n")
    assert b"".join(lines(kind(), 0.5)) == told.path.read_bytes()
    assert transcript(kind, 0.5, tmp_path) == told


def test_a_transcript_is_made_anew_only_when_its_maker_has_changed(tmp_path, monkeypatch):
    told = transcript(DshLog, 0.1, tmp_path)
    told.path.write_text("changed by hand")
    assert transcript(DshLog, 0.1, tmp_path) == told
    assert told.path.read_text() == "changed by hand"
    monkeypatch.setattr(corpus_files, "_maker", lambda: "another")
    assert transcript(DshLog, 0.1, tmp_path) == told
    assert told.path.stat().st_size == told.bytes


def test_a_claude_code_transcript_is_chained_and_its_calls_are_answered(folder):
    seen, calls, again = {}, {}, 0
    for record in records(folder, ClaudeCodeLog):
        uuid = record.get("uuid")
        if uuid in seen:
            again += 1
            assert seen[uuid] == record
            continue
        if uuid is None:
            continue
        parent = record.get("logicalParentUuid") or record["parentUuid"]
        assert parent is None or parent in seen
        seen[uuid] = record
        for block in record.get("message", {}).get("content", []):
            if isinstance(block, dict) and block["type"] == "tool_use":
                assert block["id"] not in calls
                calls[block["id"]] = False
            elif isinstance(block, dict) and block["type"] == "tool_result":
                assert calls[block["tool_use_id"]] is False
                calls[block["tool_use_id"]] = True
    assert calls
    assert all(calls.values())
    roots = [record for record in seen.values() if record["parentUuid"] is None]
    assert len(roots) == 1 + sum(record.get("subtype") == "compact_boundary" for record in roots)
    told = transcript(ClaudeCodeLog, MEGABYTES, folder)
    assert told.lines - told.events == again


def test_a_codex_transcript_answers_its_calls_and_tells_its_messages_twice(folder):
    found = records(folder, CodexLog)
    assert [record["type"] for record in found].count("session_meta") == 1
    assert found[0]["type"] == "session_meta"
    items = [record["payload"] for record in found if record["type"] == "response_item"]
    calls = Counter(item["call_id"] for item in items if item["type"].endswith("_call"))
    outputs = Counter(item["call_id"] for item in items if item["type"].endswith("_output"))
    assert calls == outputs
    assert set(calls.values()) == {1}
    events = [record["payload"] for record in found if record["type"] == "event_msg"]
    told = [event["message"] for event in events if event["type"] in ("user_message", "agent_message")]
    said = [item["content"][0]["text"] for item in items if item["type"] == "message"]
    assert Counter(told) <= Counter(said)
    assert {"compacted", "turn_context"} <= {record["type"] for record in found}


def test_a_dsh_transcript_numbers_its_events_and_replaces_what_stands(folder):
    header, *rows = records(folder, DshLog)
    assert header["type"] == "session"
    seq, surface, types = 0, [], {}
    for row in rows:
        if "seq0" in row:
            deltas = row["data"].get("texts") or row["data"]["args"]
            assert (row["seq0"], len(row["data"]["dt"])) == (seq, len(deltas) - 1)
            seq += len(deltas)
            continue
        assert row["seq"] == seq
        cited, does = row.get("sourceEventSeqs", []), row.get("surfaceOp")
        assert all(0 <= one < seq for one in cited)
        types[seq] = row["type"]
        if row["type"] == "tool/result":
            assert [types[one] for one in cited] == ["tool/call"]
        if does == "append":
            surface.append(seq)
        elif does is not None:
            first, last = surface.index(does["start"]), surface.index(does["end"])
            assert set(surface[first : last + 1]) <= set(cited)
            surface[first : last + 1] = [seq]
        seq += 1
    assert seq == transcript(DshLog, MEGABYTES, folder).events


@pytest.mark.parametrize("parser", [JSON, MSGSPEC])
def test_the_loops_parse_every_line(parser, folder):
    for kind in LOGS:
        told = transcript(kind, MEGABYTES, folder)
        parses = Parses(parser)
        parses.run(told.path)
        assert parses.found() == (told.lines,)
