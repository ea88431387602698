"""Real Claude Code projects, their texts replaced: what a plain reading of the files counts, the import holds."""

import json
from collections import Counter, defaultdict
from datetime import datetime

import polars as pl
import pytest

from support.claude_logs import imported
from support.shared import shared_file


@pytest.fixture(scope="module")
def folder():
    return shared_file("samples/claude_code")


@pytest.fixture(scope="module")
def got(folder):
    return imported(folder)


@pytest.fixture(scope="module")
def plain(folder):
    """Every record of every file, read line by line."""
    files = {}
    for path in sorted(folder.rglob("*.jsonl")):
        files[path.relative_to(folder).as_posix()] = [json.loads(line) for line in path.read_bytes().splitlines()]
    return files


def blocks(record, kind):
    content = (record.get("message") or {}).get("content")
    return [block for block in content if block["type"] == kind] if isinstance(content, list) else []


def test_every_record_is_an_event(got, plain):
    events = got.events.collect()
    assert got.counts == {"sessions": 35, "events": 1147, "relations": 1092, "files": 38}
    assert Counter(events["file"]) == {file: len(records) for file, records in plain.items() if records}
    counts = events.group_by("type").len().sort("type").rows()
    assert counts == [
        ("assistant/message", 607),
        ("attachment", 46),
        ("file-history-snapshot", 3),
        ("last-prompt", 7),
        ("permission-mode", 8),
        ("progress", 4),
        ("queue-operation", 16),
        ("summary", 3),
        ("system", 7),
        ("tool/result", 376),
        ("user/message", 70),
    ]


def test_events_stand_in_the_order_of_the_file(got, plain):
    events = got.events.collect()
    for file, records in plain.items():
        rows = events.filter(file=file)
        assert rows["record_id"].to_list() == [record.get("uuid") for record in records]
        assert rows["line"].to_list() == list(range(1, len(records) + 1))
        assert [json.loads(payload) for payload in rows["payload"]] == records


def test_agents(got, plain):
    sessions = got.sessions.filter(origin="subagent").collect()
    agents = {file: records[0] for file, records in plain.items() if "/agent-" in file}
    named = {file: f"{record['sessionId']}/agent-{record['agentId']}" for file, record in agents.items()}
    assert len(named) == 19
    assert dict(sessions.select("file", "session_id").rows()) == named
    assert dict(sessions.select("file", "parent_session").rows()) == {
        file: record["sessionId"] for file, record in agents.items()
    }
    results = {
        record["toolUseResult"]["agentId"]: record["uuid"]
        for records in plain.values()
        for record in records
        if isinstance(record.get("toolUseResult"), dict) and "agentId" in record["toolUseResult"]
    }
    refs = pl.format("{}#{}", "session_id", "seq")
    ids = dict(got.events.select(refs.alias("ref"), "record_id").collect().rows())
    spawned = got.relations.filter(relation_kind="spawned_by").collect()
    links = {source.rsplit("/agent-", 1)[1]: ids[target] for source, target in spawned["source_id", "target_id"].rows()}
    assert links == results
    assert len(links) == 7


def test_parents(got, plain):
    """All of them were written, one of them later than its child."""
    stated = {
        (file, record["uuid"], record["parentUuid"])
        for file, records in plain.items()
        for record in records
        if record.get("parentUuid")
    }
    events = got.events.select(
        pl.format("{}#{}", "session_id", "seq").alias("ref"), "file", "record_id", "seq"
    ).collect()
    rows = {ref: (file, uuid, seq) for ref, file, uuid, seq in events.rows()}
    links = got.relations.filter(relation_kind="child_of").select("source_id", "target_id").collect().rows()
    assert {(*rows[source][:2], rows[target][1]) for source, target in links} == stated
    assert len(links) == 1075
    assert sum(rows[target][2] > rows[source][2] for source, target in links) == 1


def test_results_cite_their_calls_and_blocks_the_block_before(got, plain):
    events = got.events.filter(pl.col("source_event_seqs").is_not_null()).collect()
    cited = {(file, line): seqs for file, line, seqs in events.select("file", "line", "source_event_seqs").rows()}
    expected = {}
    for file, records in plain.items():
        calls, blocks_of = {}, {}
        for at, record in enumerate(records):
            for block in blocks(record, "tool_use"):
                calls[block["id"]] = at
            found = [calls[block["tool_use_id"]] for block in blocks(record, "tool_result")]
            message = record.get("message") or {}
            if record["type"] == "assistant" and "id" in message:
                if message["id"] in blocks_of:
                    found.append(blocks_of[message["id"]])
                blocks_of[message["id"]] = at
            if record.get("isCompactSummary"):
                found = [0, 1]
            if found:
                expected[file, at + 1] = found
    assert cited == expected
    assert sum(type == "tool/result" for type in events["type"]) == 376


def test_tokens_are_told_once_an_answer(got, plain):
    last = {}
    for records in plain.values():
        for record in records:
            message = record.get("message") or {}
            if "usage" in message:
                last[message["id"], record.get("requestId")] = message["usage"]["output_tokens"]
    told = got.events.filter(pl.col("tokens_out").is_not_null()).collect()
    assert told.height == len(last)
    assert told["tokens_out"].sum() == sum(last.values())


def test_compaction(got):
    name = "cf000000-0000-4000-8000-000000000000"
    traces = got.corpus().event_traces(name)
    assert traces["surface"].to_list() == ["shadowed", "shadowed", "log-only", "current", "current", "current"]
    assert traces["replaced_by"].to_list() == [3, 3, None, None, None, None]


def test_the_report(got, plain):
    """Each finding, as a plain reading of the files has it."""
    expected = defaultdict(int)
    started = {
        record["toolUseResult"]["agentId"]
        for records in plain.values()
        for record in records
        if isinstance(record.get("toolUseResult"), dict) and "agentId" in record["toolUseResult"]
    }
    for file, records in plain.items():
        if not records:
            expected[file, "empty_file"] = 1
        if "/agent-" in file and records[0]["agentId"] not in started:
            expected[file, "spawn_unknown"] = 1
        before = None
        answered = {block["tool_use_id"] for record in records for block in blocks(record, "tool_result")}
        for record in records:
            time = record.get("timestamp")
            if time is None:
                expected[file, "missing_time"] += 1
                continue
            now = datetime.fromisoformat(time)
            if before is not None and now < before:
                expected[file, "out_of_order_time"] += 1
            before = now
            if any(block["id"] not in answered for block in blocks(record, "tool_use")):
                expected[file, "open_call"] += 1
    found = {(file, kind): count for file, kind, count in got.report.select("file", "kind", "count").rows()}
    assert found == expected
    assert got.report.group_by("kind").agg(pl.col("count").sum()).sort("kind").rows() == [
        ("empty_file", 3),
        ("missing_time", 21),
        ("open_call", 1),
        ("out_of_order_time", 14),
        ("spawn_unknown", 12),
    ]


def test_links_of_other_records(got):
    links = got.relations.filter(relation_kind="refers_to").collect()
    assert links.group_by("edge_class", "confidence").len().sort("confidence").rows() == [
        ("observed", 0.0, 4),  # the calls of hooks at the start of a session
        ("asserted", 1.0, 6),  # three titles and three snapshots
    ]
