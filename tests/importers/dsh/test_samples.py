"""Logs as dsh writes them: every event, surface, replacement and trace that is expected of them."""

import json

import polars as pl
import pytest

from support.dsh_written import read, told
from support.shared import shared_file

FLAT = [
    "01-bash-tool-turn",
    "02-packed-chunks",
    "03-fork-parent",
    "04-fork-child",
    "05-agent-instructions-with-replacement",
    "06-compaction-recovery",
    "07-subagents-parent",
]


@pytest.fixture(scope="module")
def samples():
    return shared_file("samples/dsh")


@pytest.fixture(scope="module")
def expected(samples):
    return json.loads((samples / "EXPECTED.json").read_text())


@pytest.fixture(scope="module")
def together(samples):
    return read(samples)


def as_expected(got, session_id, expected):
    header = got.sessions.filter(session_id=session_id).collect().row(0, named=True)
    stated = expected["header"]
    assert header["version"] == str(stated["version"])
    assert header["created_at"].timestamp() * 1000 == stated["createdAt"]
    names = {"cwd": "cwd", "parentSession": "parent_session", "seedLength": "seed_length", "origin": "origin"}
    for theirs, ours in (names | {"delegationDepth": "delegation_depth"}).items():
        assert header[ours] == stated.get(theirs)
    events = got.events.filter(session_id=session_id).collect()
    assert events["seq"].to_list() == list(range(expected["events"]))
    assert dict(events.group_by("type").len().rows()) == expected["types"]
    corpus = got.corpus()
    assert corpus.surface(session_id)["seq"].to_list() == expected["currentSeqs"]
    replacing = events.filter(pl.col("surface_op").struct.field("op") == "replace")
    assert len(replacing) == len(expected["replacements"])
    for seq, op, wanted in zip(replacing["seq"], replacing["surface_op"], expected["replacements"], strict=True):
        assert (seq, op["start"], op["end"]) == (wanted["seq"], wanted["start"], wanted["end"])
        assert list(corpus.trace_event(session_id, seq).replaced_event_seqs) == wanted["shadowedSeqs"]
    for wanted in expected.get("traces", []):
        target = wanted["target"]
        trace = corpus.trace_event(session_id, target["seq"])
        assert (trace.target.type, trace.target.surface) == (target["type"], target["surface"])
        assert trace.target.time.timestamp() * 1000 == pytest.approx(target["time"])
        assert trace.replaced_by == wanted.get("replacedBy")
        for name in ("replacementChain", "replacedEventSeqs", "sourceEventSeqs", "derivedEventSeqs"):
            ours = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
            assert list(getattr(trace, ours)) == wanted[name]


@pytest.mark.parametrize("name", FLAT)
def test_one_by_one(samples, expected, name):
    got = read(samples / f"{name}.v0.jsonl")
    wanted = expected[f"{name}.v0.jsonl"]
    as_expected(got, wanted["header"]["id"], wanted)
    assert {kind for (kind,) in told(got, "kind")} <= {"out_of_order_time"}
    assert got.corpus().check().rows() == []


@pytest.mark.parametrize("name", FLAT)
def test_all_in_one_import(together, expected, name):
    wanted = expected[f"{name}.v0.jsonl"]
    of_file = together.sessions.filter(pl.col("file").str.ends_with(f"{name}.v0.jsonl")).collect()
    as_expected(together, of_file["session_id"].item(), wanted)


def test_one_id_in_three_files(together):
    ids = together.sessions.filter(pl.col("session_id").str.starts_with("{{")).collect()["session_id"].to_list()
    assert ids == ["{{sessionId}}", "{{sessionId}}@06-compaction-recovery.v0", "{{sessionId}}@10-legacy-shapes-july.v0"]
    assert together.corpus().check().rows() == []


def test_a_log_of_july(samples):
    got = read(samples / "10-legacy-shapes-july.v0.jsonl")
    assert (got.counts["events"], got.sessions.collect()["delegation_depth"].to_list()) == (111, [0])
    assert told(got, "kind", "line") == [("legacy_shape", 1)]
    on_surface = got.events.filter(pl.col("surface_op").is_not_null()).collect()
    assert on_surface["record_id"].to_list() == [f"legacy-message:{{{{sessionId}}}}:{seq}" for seq in on_surface["seq"]]
    results = on_surface.filter(type="tool/result")
    assert results.select("tool_name", "is_error").rows() == [("read", False)] * results.height
    assert got.corpus().check().rows() == []


def test_the_folder_of_dsh(samples):
    got = read(samples / "home")
    assert got.counts["sessions"] == got.counts["files"] == 2
    assert got.events.filter(type="unparsed").collect().height == 0
    turn_ends = got.events.filter(type="turn/end").collect()
    assert turn_ends["session_id"].n_unique() == 2
    assert got.corpus().check().rows() == []
