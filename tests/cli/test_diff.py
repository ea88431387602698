"""`diff`: two times, two states of knowledge or two tables, what changed between them, and its gates."""

from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import InvalidRequest, RelationStore
from lineage_kit.cli.diff import Sides
from support.commands import call
from support.small import edge
from support.sources import frame

TIMES = [f"2026-0{month}-15T00:00:00Z" for month in (1, 2, 3)]
START, NOTICED, END = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))
EDGES = [
    edge("d1", "a", created_at=START),
    edge("a", "b", created_at=START, invalid_at=NOTICED, expired_at=END),
    edge("d1", "c", created_at=END),
]
TWICE = {
    "as_of": [("--as-of", TIMES[0], "--as-of", TIMES[1]), {"as_of": TIMES[0]}, {"as_of": TIMES[1]}],
    "known_at": [("--known-at", TIMES[1], "--known-at", TIMES[2]), {"known_at": TIMES[1]}, {"known_at": TIMES[2]}],
    "as_of, one state of knowledge": [
        ("--known-at", TIMES[1], "--as-of", TIMES[0], "--as-of", TIMES[2]),
        {"as_of": TIMES[0], "known_at": TIMES[1]},
        {"as_of": TIMES[2], "known_at": TIMES[1]},
    ],
    "both": [
        ("--known-at", TIMES[0], "--known-at", TIMES[2], "--as-of", TIMES[0], "--as-of", TIMES[2]),
        {"as_of": TIMES[0], "known_at": TIMES[0]},
        {"as_of": TIMES[2], "known_at": TIMES[2]},
    ],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    frame(EDGES).write_parquet(tmp_path / "r.parquet")
    frame([*EDGES[:1], edge("a2", "a", "supersedes")]).write_parquet(tmp_path / "later.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(capsys, anchor, *more):
    return call(capsys, "diff", "decision", anchor, "--data", "r.parquet", *more)


def frame_of(capsys, anchor, *more):
    code, out, err = ask(capsys, anchor, *more, "--format", "parquet", "--output", "o.parquet")
    assert (code, out) == (0, ""), err
    return pl.read_parquet("o.parquet")


@pytest.mark.parametrize("given", TWICE)
@pytest.mark.parametrize(
    ("more", "question", "anchor"),
    [((), RelationStore.trace_lineage, "d1"), (("--impact",), RelationStore.impact, "b")],
)
def test_two_times_are_compared_in_the_order_given(given, more, question, anchor, folder, capsys):
    options, before, after = TWICE[given]
    store = RelationStore.open("r.parquet")
    expected = question(store, "decision", anchor, **before).diff(question(store, "decision", anchor, **after))
    assert_frame_equal(frame_of(capsys, anchor, *more, *options), expected.nodes)
    assert_frame_equal(frame_of(capsys, anchor, *more, *options, "--frame", "edges"), expected.edges)


def test_two_tables_are_compared(folder, capsys):
    stores = [RelationStore.open(name) for name in ("r.parquet", "later.parquet")]
    before, after = (store.trace_lineage("decision", "d1", as_of=TIMES[2]) for store in stores)
    expected = before.diff(after)
    assert set(expected.nodes["change"]) == {"added", "removed", "changed"}
    told = frame_of(capsys, "d1", "--against", "later.parquet", "--as-of", TIMES[2])
    assert_frame_equal(told, expected.nodes)


@pytest.mark.parametrize("shape", ["tree", "table", "json", "csv"])
def test_every_format_names_what_changed(shape, folder, capsys):
    code, out, err = ask(capsys, "d1", "--against", "later.parquet", "--format", shape)
    assert code == 0
    for word in ("added", "removed", "changed", "a2"):
        assert word in out + err


@pytest.mark.parametrize("shape", [".html", ".md"])
def test_a_diff_can_be_handed_on(shape, folder, capsys):
    assert ask(capsys, "d1", "--against", "later.parquet", "--report", f"o{shape}")[0] == 0
    assert "a2" in (folder / f"o{shape}").read_text(encoding="utf-8")


# ---- gates


@pytest.mark.parametrize(
    ("times", "fails"),
    [
        ((TIMES[0], TIMES[0]), set()),
        ((TIMES[0], TIMES[1]), {"worse", "any"}),
        ((TIMES[1], TIMES[0]), {"any"}),
        ((TIMES[1], TIMES[2]), {"any"}),
    ],
)
@pytest.mark.parametrize("gate", [None, "worse", "any"])
def test_a_gate_rejects_what_got_worse_or_anything(times, fails, gate, folder, capsys):
    given = [part for time in times for part in ("--as-of", time)]
    code, out, err = ask(capsys, "d1", *given, *(("--fail-on", gate) if gate else ()))
    assert code == int(gate in fails)
    assert out
    assert err.startswith("lineage-kit: rejected by --fail-on: ") if code else not err


def test_a_gate_says_what_it_found(folder, capsys):
    given = ("--as-of", TIMES[0], "--as-of", TIMES[1])
    said = "lineage-kit: rejected by --fail-on: 1 node WORSE"
    assert ask(capsys, "d1", *given, "--fail-on", "worse")[2] == f"{said}\n"
    assert ask(capsys, "d1", *given, "--fail-on", "any")[2] == f"{said}; 1 node and 0 edges differ\n"
    given = ("--against", "later.parquet", "--fail-on", "any", "--max-depth", "1")
    assert ask(capsys, "d1", *given)[2].endswith("; truncated differs; truncated_by differs\n")


def test_a_node_that_became_known_is_a_change(folder, capsys):
    code, _, err = call(
        capsys, "diff", "decision", "c", "--data", "later.parquet", "--against", "r.parquet", "--fail-on", "any"
    )
    assert code == 1
    assert "anchor_known differs" in err


# ---- bad input


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "nothing to compare"),
        (("--as-of", TIMES[0]), "nothing to compare. Hint: give --as-of twice, --known-at twice, or --against FILE"),
        (("--as-of", TIMES[0], "--known-at", TIMES[0]), "nothing to compare"),
        (("--as-of", TIMES[0]) * 3, "--as-of is given 3 times"),
        (("--known-at", TIMES[0]) * 4, "--known-at is given 4 times"),
        (("--as-of", TIMES[0], "--as-of", "yesterday"), "yesterday"),
        (("--against", "nowhere.parquet"), "nowhere.parquet"),
        (("--against", "later.parquet", "--fail-on", "invalidated"), "--fail-on takes worse or any; not 'invalidated'"),
        (("--against", "later.parquet", "--frame", "frontier"), "--frame must be nodes or edges"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(given, words, folder, capsys):
    code, out, err = ask(capsys, "d1", *given)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err


def test_what_would_be_one_answer_is_refused_before_anything_is_read():
    with pytest.raises(InvalidRequest, match="nothing to compare"):
        Sides(as_of=[TIMES[0]])
