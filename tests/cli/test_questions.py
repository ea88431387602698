"""`trace`, `impact` and `why`: the frames that the objects give, behind the same gates, and the words for bad input."""

from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import RelationStore
from support.commands import call
from support.small import edge
from support.sources import frame

START, NOTICED, END = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))
EDGES = [
    edge("d1", "a"),
    edge("d2", "a"),
    edge("a", "b", "derives_from", invalid_at=START, expired_at=NOTICED),
    edge("b2", "b", "supersedes", created_at=END),
    edge("b2", "c"),
    edge("d1", "c"),
    edge("x", "y", "cites"),
]
CLOCKS = [
    {},
    {"as_of": "2026-02-15T00:00:00Z"},
    {"known_at": "2026-01-15T00:00:00Z"},
    {"as_of": "2026-03-15T00:00:00Z", "known_at": "2026-02-15T00:00:00Z"},
]


@pytest.fixture
def store(tmp_path, monkeypatch):
    frame(EDGES).write_parquet(tmp_path / "r.parquet")
    monkeypatch.chdir(tmp_path)
    return RelationStore.open("r.parquet")


def options(asked):
    return [part for name, value in asked.items() for part in (f"--{name.replace('_', '-')}", value)]


def ask(capsys, *command):
    return call(capsys, *command, "--data", "r.parquet")


def frame_of(capsys, *command):
    """The frame that a command writes as Parquet."""
    code, out, err = ask(capsys, *command, "--format", "parquet", "--output", "o.parquet")
    assert (code, out) == (0, ""), err
    return pl.read_parquet("o.parquet")


# ---- trace and impact


@pytest.mark.parametrize("asked", CLOCKS)
@pytest.mark.parametrize(
    ("command", "question", "anchor"),
    [("trace", RelationStore.trace_lineage, "d1"), ("impact", RelationStore.impact, "c")],
)
def test_both_clocks_reach_the_question(command, question, anchor, asked, store, capsys):
    trace = question(store, "decision", anchor, 3, **asked)
    assert trace.nodes.height
    for name in ("nodes", "edges", "frontier"):
        told = frame_of(capsys, command, "decision", anchor, "--max-depth", 3, "--frame", name, *options(asked))
        assert_frame_equal(told, getattr(trace, name))


def test_an_impact_tells_what_it_is_and_what_was_found(store, capsys):
    code, out, err = ask(capsys, "impact", "decision", "b")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "Impact of decision b"
    for name in ("decision a", "decision d1", "decision d2", "INVALIDATED"):
        assert name in out


@pytest.mark.parametrize(
    ("anchor", "flags", "code"),
    [
        ("c", "invalidated", 1),
        ("c", "unknown", 0),
        ("y", "invalidated,superseded,truncated,outdated", 0),
        ("nobody", "unknown", 1),
        ("b", "superseded", 1),
    ],
)
def test_an_impact_stands_behind_the_gates_of_a_trace(anchor, flags, code, store, capsys):
    got, out, err = ask(capsys, "impact", "decision", anchor, "--fail-on", flags)
    assert (got, out.splitlines()[0]) == (code, f"Impact of decision {anchor}")
    assert err.startswith("lineage-kit: rejected by --fail-on: ") if code else not err


@pytest.mark.parametrize("shape", [".html", ".md"])
def test_an_impact_can_be_handed_on(shape, store, capsys, tmp_path):
    assert ask(capsys, "impact", "decision", "c", "--report", f"o{shape}")[0] == 0
    assert "Impact of decision c" in (tmp_path / f"o{shape}").read_text(encoding="utf-8")


# ---- supposed


@pytest.mark.parametrize(
    ("command", "question", "anchor"),
    [("trace", RelationStore.trace_lineage, "d1"), ("impact", RelationStore.impact, "c")],
)
def test_a_withdrawal_is_supposed_and_nothing_is_written(command, question, anchor, store, capsys, tmp_path):
    before = (tmp_path / "r.parquet").read_bytes()
    times = ("--what-if-at", "2026-02-01T00:00:00Z")
    told = frame_of(capsys, command, "decision", anchor, "--what-if-withdraw", "decision:c", *times)
    supposed = store.what_if("2026-02-01T00:00:00Z", withdraw=[("decision", "c")])
    assert_frame_equal(told, question(supposed, "decision", anchor).nodes)
    assert not told.equals(question(store, "decision", anchor).nodes)
    assert (tmp_path / "r.parquet").read_bytes() == before


def test_a_withdrawal_of_what_is_not_there_is_one_clear_line(store, capsys):
    given = ("--what-if-withdraw", "decision:nobody", "--what-if-withdraw", "Decision:c", "--as-of")
    code, out, err = ask(capsys, "trace", "decision", "d1", *given, "2026-02-01T00:00:00Z")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "nobody" in err
    assert "Decision" in err


@pytest.mark.parametrize("command", [("trace",), ("impact",), ("why", "--routes")])
@pytest.mark.parametrize("given", [("evidence",), ("evidence:e1",), ("evidence:e1", "--as-of", "yesterday")])
def test_a_withdrawal_that_cannot_be_is_refused(command, given, store, capsys):
    name, *more = command
    nodes = ("decision", "d1", "decision", "a") if name == "why" else ("decision", "d1")
    code, out, err = ask(capsys, name, *nodes, *more, "--what-if-withdraw", *given)
    assert (code, out, len(err.splitlines())) == (2, "", 1)


# ---- why


@pytest.mark.parametrize("asked", CLOCKS[:3])
@pytest.mark.parametrize(
    ("more", "question", "ends"),
    [((), RelationStore.trace_lineage, ("d1", "b")), (("--impact",), RelationStore.impact, ("b", "d1"))],
)
def test_why_gives_the_path_and_the_routes(more, question, ends, asked, store, capsys):
    trace = question(store, "decision", ends[0], **asked)
    command = ("why", "decision", ends[0], "decision", ends[1], *more, *options(asked))
    assert_frame_equal(frame_of(capsys, *command), trace.path("decision", ends[1]).nodes)
    routes = trace.routes("decision", ends[1])
    assert routes.height
    assert_frame_equal(frame_of(capsys, *command, "--routes"), routes)


def test_why_draws_a_line_a_step_with_each_flag_where_it_stands(store, capsys):
    code, out, err = ask(capsys, "why", "decision", "d1", "decision", "b2")
    assert (code, err) == (0, "")
    lines = [line.strip("└─ ") for line in out.splitlines() if line.strip("└─ ").startswith("decision ")]
    assert [(line.split(" · ")[0], "INVALIDATED" in line, "SUPERSEDED" in line) for line in lines] == [
        ("decision d1", False, False),
        ("decision a", False, False),
        ("decision b", True, True),
        ("decision b2", False, False),
    ]


@pytest.mark.parametrize("more", [(), ("--routes",), ("--impact",), ("--impact", "--routes")])
def test_a_node_that_is_not_there_is_bad_input_with_near_names(more, store, capsys):
    node = "dl" if "--impact" in more else "b22"
    near = "'decision' 'd1'" if "--impact" in more else "'decision' 'b2'"
    anchor = "a" if "--impact" in more else "d1"
    code, out, err = ask(capsys, "why", "decision", anchor, "decision", node, *more)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"'decision' '{node}' is not in the {'impact' if '--impact' in more else 'lineage'}" in err
    assert near in err


@pytest.mark.parametrize("node", ["dl", "d1"])
def test_an_unknown_item_is_bad_input_with_near_names(node, store, capsys):
    code, out, err = ask(capsys, "why", "decision", "dl", "decision", node)
    assert (code, out) == (2, "")
    assert err == (
        "lineage-kit: UNKNOWN ANCHOR: no relation mentions decision dl. Close to it: decision d1; decision d2.\n"
    )


def test_a_node_past_a_cut_may_be_there(store, capsys):
    code, out, err = ask(capsys, "why", "decision", "d1", "decision", "b", "--max-depth", 1)
    assert (code, out) == (2, "")
    assert "which has 2 nodes and was cut: it may lie beyond" in err
