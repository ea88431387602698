"""`audit`: the frames of the object, what is new since a baseline, and the gate of a nightly job."""

from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import RelationStore
from support.commands import call
from support.small import edge
from support.sources import frame

END = datetime(2026, 2, 1, tzinfo=UTC)
BEFORE, AFTER = "2026-01-15T00:00:00Z", "2026-02-15T00:00:00Z"
EDGES = [
    edge("sound", "s"),
    edge("lost", "l", invalid_at=END),
    edge("old", "o"),
    edge("o2", "o", "supersedes"),
    *(edge(f"p{n}", f"p{n + 1}") for n in range(7)),
]
LATER = [*EDGES, edge("s2", "s", "supersedes"), edge("fresh", "f")]
VERDICTS = {
    "withdrawn": ["lost"],
    "stale": ["old"],
    "cut": ["p0", "p1"],
    "stands": ["p2", "p3", "p4", "p5", "p6", "sound"],
}


@pytest.fixture
def store(tmp_path, monkeypatch):
    frame(EDGES).write_parquet(tmp_path / "r.parquet")
    frame(LATER).write_parquet(tmp_path / "later.parquet")
    monkeypatch.chdir(tmp_path)
    return RelationStore.open("r.parquet")


def ask(capsys, *more, data="r.parquet"):
    return call(capsys, "audit", "decision", "--data", data, *more)


def frame_of(capsys, *more, data="r.parquet"):
    code, out, err = ask(capsys, *more, "--format", "parquet", "--output", "o.parquet", data=data)
    assert (code, out) == (0, ""), err
    return pl.read_parquet("o.parquet")


@pytest.mark.parametrize("asked", [{}, {"as_of": BEFORE}, {"as_of": AFTER, "known_at": BEFORE}])
def test_the_frames_are_those_of_the_object(asked, store, capsys):
    audit = store.audit("decision", 5, **asked, progress=False)
    options = [part for name, value in asked.items() for part in (f"--{name.replace('_', '-')}", value)]
    assert_frame_equal(frame_of(capsys, *options), audit.summary)
    assert_frame_equal(frame_of(capsys, *options, "--frame", "findings"), audit.findings)
    if not asked:
        found = {verdict: rows["id"].to_list() for (verdict,), rows in audit.summary.group_by("verdict")}
        assert found == VERDICTS


@pytest.mark.parametrize("shape", ["tree", "table", "json"])
def test_every_format_says_which_do_not_stand(shape, store, capsys):
    code, out, _ = ask(capsys, "--format", shape)
    assert code == 0
    for word in ("lost", "withdrawn", "old", "stale"):
        assert word in out.lower()


def test_a_withdrawal_can_be_supposed(store, capsys):
    told = frame_of(capsys, "--what-if-withdraw", "decision:s", "--what-if-at", BEFORE)
    assert told.filter(id="sound")["verdict"].to_list() == ["withdrawn"]


# ---- the nightly job


def test_what_is_new_since_the_night_before(store, capsys, tmp_path):
    code, _, err = ask(capsys, "--save", "last")
    assert (code, err) == (0, "kept in last\n")
    given = ("--baseline", "last", "--save", "last", "--fail-on", "new")
    code, _, err = ask(capsys, *given)
    assert (code, err) == (0, "0 items new or worse since last\nkept in last\n")
    expected = RelationStore.open("later.parquet").audit("decision", progress=False).new_since(tmp_path / "last")
    assert expected["id"].to_list() == ["fresh", "sound"]
    code, _, err = ask(capsys, *given, data="later.parquet")
    assert (code, err.splitlines()) == (
        1,
        [
            "2 items new or worse since last: decision fresh STANDS, decision sound STALE",
            "kept in last",
            "lineage-kit: rejected by --fail-on: 2 NEW",
        ],
    )
    assert ask(capsys, *given, data="later.parquet")[0] == 0, "a night later they are known"


def test_a_baseline_of_another_question_is_refused_and_kept(store, capsys, tmp_path):
    ask(capsys, "--save", "last")
    before = {path.name: path.read_bytes() for path in (tmp_path / "last").iterdir()}
    code, _, err = ask(capsys, "--baseline", "last", "--save", "last", "--max-depth", 3)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "max_depth is 3 now and was 5" in err
    assert {path.name: path.read_bytes() for path in (tmp_path / "last").iterdir()} == before


@pytest.mark.parametrize("flags", ["withdrawn", "stale", "cut", "unknown", "withdrawn, cut"])
def test_a_gate_rejects_the_verdicts_that_are_named(flags, store, capsys):
    names = [name.strip() for name in flags.split(",")]
    found = [f"{len(VERDICTS[name])} {name.upper()}" for name in names if name in VERDICTS]
    code, out, err = ask(capsys, "--fail-on", flags)
    assert (code, bool(out)) == (int(bool(found)), True)
    assert err == (f"lineage-kit: rejected by --fail-on: {'; '.join(found)}\n" if found else "")


@pytest.mark.parametrize("shape", [".html", ".md"])
def test_the_report_is_written_beside_the_answer(shape, store, capsys, tmp_path):
    assert ask(capsys, "--report", f"o{shape}")[0] == 0
    assert "lost" in (tmp_path / f"o{shape}").read_text(encoding="utf-8")


# ---- bad input


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--fail-on", "superseded"), "--fail-on takes withdrawn, stale, cut, unknown, new; not 'superseded'"),
        (("--fail-on", "new"), "--fail-on new says what is new since --baseline FOLDER, and there is none"),
        (("--frame", "nodes"), "--frame must be summary or findings"),
        (("--baseline", "nowhere"), "nowhere"),
        (("--baseline", "."), "holds no audit"),
        (("--save", "."), "the folder that you are in"),
        (("--save", "r.parquet"), "r.parquet"),
        (("--report", "o.pdf"), "pdf"),
        (("--known-at", "yesterday"), "yesterday"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line_and_writes_nothing(given, words, store, capsys, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = ask(capsys, *given)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_type_that_rests_on_nothing_is_named_with_those_that_do(store, capsys):
    code, _, err = call(capsys, "audit", "evidence", "--data", "r.parquet")
    assert code == 2
    assert "no item of type 'evidence' rests on anything. Hint: types that do: 'decision'" in err
