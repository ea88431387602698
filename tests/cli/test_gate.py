"""`--fail-on`: exit 1 exactly when the answer holds what was named, and the answer is given all the same."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lineage_kit import RelationStore, connect
from support.commands import call
from support.small import edge
from support.sources import frame

END = datetime(2026, 2, 1, tzinfo=UTC)
GATED = {
    "sound": [edge("sound", "s1")],
    "invalid": [edge("invalid", "i1", invalid_at=END)],
    "replaced": [edge("replaced", "r1"), edge("r2", "r1", "supersedes")],
    "old": [edge("old2", "old", "supersedes")],
    "revised": [edge("revised", "v1"), edge("v2", "v1", "supersedes"), edge("v1", "v0")],
    "deep": [edge("deep", "p1"), edge("p1", "p2"), edge("p2", "p3")],
    "absent": [],
}
REJECTED = {
    "invalidated": {"invalid"},
    "superseded": {"replaced", "old", "revised"},
    "truncated": {"deep"},
    "outdated": {"revised"},
    "unknown": {"absent"},
}


def ask(capsys, command, *more, data="g.parquet"):
    return call(capsys, *command, "--data", data, *more)


def gate(capsys, anchor, flags, *more):
    """One trace behind a gate; the answer is always printed."""
    code, out, err = ask(capsys, ("trace", "decision", anchor), "--max-depth", 2, "--fail-on", flags, *more)
    assert out.splitlines()[0] == f"Lineage of decision {anchor}"
    assert err.startswith("lineage-kit: rejected by --fail-on: ") if code else not err
    return code, err.removeprefix("lineage-kit: rejected by --fail-on: ").rstrip()


@pytest.fixture
def gated(tmp_path, monkeypatch):
    frame([row for rows in GATED.values() for row in rows]).write_parquet(tmp_path / "g.parquet")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("flags", [*REJECTED, "outdated,unknown", "truncated, invalidated", ",".join(REJECTED)])
def test_a_gate_rejects_exactly_the_answers_that_hold_a_flag(flags, gated, capsys):
    expected = set().union(*(REJECTED[flag.strip()] for flag in flags.split(",")))
    assert {anchor: gate(capsys, anchor, flags)[0] for anchor in GATED} == {
        anchor: int(anchor in expected) for anchor in GATED
    }


@pytest.mark.parametrize(
    ("anchor", "told"),
    [
        ("invalid", "1 node INVALIDATED"),
        ("replaced", "1 node SUPERSEDED"),
        ("old", "the anchor is SUPERSEDED"),
        ("revised", "1 node SUPERSEDED; 1 node OUTDATED SUPPORT"),
        ("deep", "TRUNCATED by max_depth"),
        ("absent", "UNKNOWN ANCHOR"),
    ],
)
def test_a_gate_says_what_it_found(anchor, told, gated, capsys):
    assert gate(capsys, anchor, ",".join(REJECTED)) == (1, told)


def test_a_gate_sees_the_relations_as_of_the_instant_asked_about(gated, capsys):
    assert gate(capsys, "invalid", "invalidated", "--as-of", "2026-01-31T23:59:59Z") == (0, "")
    assert gate(capsys, "invalid", "invalidated", "--as-of", "2026-02-01T00:00:00Z") == (1, "1 node INVALIDATED")


@pytest.mark.parametrize("flags", ["nonsense", "invalidated,nonsense", "", "invalidated,", "outdated_support"])
def test_an_unknown_flag_is_bad_input(flags, capsys):
    """It is seen before any file is."""
    code, out, err = ask(capsys, ("trace", "decision", "d1"), "--fail-on", flags, data="nowhere.parquet")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "--fail-on takes invalidated, superseded, truncated, outdated, unknown" in err


def test_a_rejected_answer_is_in_the_output_file_and_report_too(gated, capsys):
    command = ("trace", "decision", "invalid", "--format", "json", "--output", "o.json", "--report", "o.md")
    assert ask(capsys, command, "--fail-on", "invalidated")[0] == 1
    assert json.loads(Path("o.json").read_text())["nodes"][0]["invalidated"] is True
    assert "1 node INVALIDATED" in Path("o.md").read_text()


def test_a_misspelt_anchor_is_said_everywhere(gated, capsys):
    store = RelationStore.open("g.parquet")
    trace = store.trace_lineage("decision", "s0und")
    assert repr(trace) == "LineageTrace(decision s0und: ANCHOR UNKNOWN: no relation mentions it)"
    said = "UNKNOWN ANCHOR: no relation mentions decision s0und. Close to it: decision sound"
    shown = trace._repr_mimebundle_()
    assert said in shown["text/plain"]
    assert said in shown["text/html"]
    connection = connect(store, traces={"misspelt": trace})
    assert connection.sql("select anchor_known from trace_summary('decision', 's0und')").fetchall() == [(False,)]
    assert connection.sql("select anchor_known from lineage_traces").fetchall() == [(False,)]
    code, out, err = ask(capsys, ("trace", "decision", "s0und"), "--fail-on", "unknown")
    assert (code, err) == (1, "lineage-kit: rejected by --fail-on: UNKNOWN ANCHOR\n")
    assert said in out
