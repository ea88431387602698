"""Every format of every command, and `--output`: what scripts build on."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import RelationStore, connect
from lineage_kit.output import whole_file
from support.commands import call
from support.small import edge
from support.sources import frame

HOSTILE = "x\"');<b>|`,\n\u202e\r\t 模型 \U0001f600 =1+1 \\"
START, END = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
EDGES = [
    edge("d1", HOSTILE, edge_class="", confidence=1e300, created_at=START, invalid_at=END),
    edge("d1", "a", "derives_from", confidence=-1e300),
    edge("a", "b", edge_class="observed", confidence=0.25),
    edge("a2", "a", "supersedes", confidence=float("nan")),
    edge("b", "c"),
]
FORMATS = ["tree", "table", "json", "csv", "parquet"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    whole = frame(EDGES).with_columns(
        own=pl.Series([[1, 2], None, [], [3], None], dtype=pl.List(pl.Int64)),
        weight=pl.Series([float("inf"), float("-inf"), None, 1.5, 0.0]),
    )
    whole.write_parquet(tmp_path / "r.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def traced(*arguments, **asked):
    store = RelationStore.open("r.parquet")
    return store.trace_lineage("decision", "d1", **asked)


def ask(capsys, command, *more, data="r.parquet"):
    return call(capsys, *command, "--data", data, *more)


TRACE = ("trace", "decision", "d1")


def plain(frame):
    """The rows of a frame as JSON holds them."""

    def value(one):
        if isinstance(one, float) and one in (float("inf"), float("-inf")):
            return str(one)
        return one.isoformat().replace("+00:00", "Z") if isinstance(one, datetime) else one

    return [{name: value(one) for name, one in row.items()} for row in frame.to_dicts()]


# ---- trace


@pytest.mark.parametrize(
    "asked", [{}, {"max_depth": 1}, {"as_of": "2026-01-15T00:00:00Z"}, {"known_at": "2026-01-15T00:00:00Z"}]
)
def test_json_of_a_trace_holds_its_scalars_and_frames(asked, folder, capsys):
    trace = traced(**asked)
    options = [part for name, value in asked.items() for part in (f"--{name.replace('_', '-')}", value)]
    code, out, err = ask(capsys, TRACE, "--format", "json", *options)
    assert (code, err) == (0, "")
    assert json.loads(out, parse_constant=pytest.fail) == {
        "anchor": {"type": "decision", "id": "d1"},
        "anchor_known": True,
        "anchor_superseded": False,
        "max_depth": asked.get("max_depth", 5),
        "supersede_limit": 10,
        "as_of": asked.get("as_of"),
        "known_at": asked.get("known_at"),
        "truncated": trace.truncated,
        "truncated_by": list(trace.truncated_by),
        "nodes": plain(trace.nodes),
        "edges": plain(trace.edges),
        "frontier": plain(trace.frontier),
    }


def test_infinities_of_own_columns_are_texts_in_json_and_a_confidence_that_is_no_number_is_null(folder, capsys):
    told = json.loads(ask(capsys, TRACE, "--format", "json")[1])
    assert {row["id"]: row["confidence"] for row in told["nodes"]} == {
        HOSTILE: 1e300,
        "a": -1e300,
        "a2": None,
        "b": 0.25,
        "c": None,
    }
    weights = {row["target_id"]: row["weight"] for row in told["edges"] if row["role"] == "walk"}
    assert weights == {HOSTILE: "inf", "a": "-inf", "b": None, "c": 0.0}


@pytest.mark.parametrize("name", ["nodes", "edges", "frontier"])
def test_csv_of_a_frame_parses_back_equal(name, folder, capsys):
    trace = traced(max_depth=2)
    expected = getattr(trace, name)
    code, out, err = ask(capsys, TRACE, "--max-depth", 2, "--format", "csv", "--frame", name)
    assert code == 0
    assert err == "! TRUNCATED by max_depth 2: the walk stopped with more beyond 1 node (decision b).\n" + "".join(
        f"! {count} {word}.\n" for count, word in (("1 node", "INVALIDATED"), ("1 node", "SUPERSEDED"),
                                                   ("1 node", "OUTDATED SUPPORT"))
    )  # fmt: skip
    texts = {name: dtype if dtype in (pl.Int64, pl.Float64, pl.Boolean) else pl.String
             for name, dtype in expected.schema.items()}  # fmt: skip
    back = pl.read_csv(io.StringIO(out), schema=texts)
    times = [pl.col(c).str.to_datetime(time_zone="UTC") for c in ("created_at", "valid_at", "invalid_at", "expired_at")]
    if name == "edges":
        back = back.with_columns(*times, own=pl.col("own").str.json_decode(pl.List(pl.Int64)))
    assert_frame_equal(back, expected)
    by_module = list(csv.DictReader(io.StringIO(out, newline="")))
    ids = "target_id" if name == "edges" else "id"
    assert [row[ids] for row in by_module] == expected[ids].to_list()


@pytest.mark.parametrize("name", ["nodes", "edges", "frontier"])
def test_parquet_of_a_frame_reads_back_equal(name, folder, capsys):
    code, out, err = ask(
        capsys, TRACE, "--max-depth", 2, "--format", "parquet", "--frame", name, "--output", "o.parquet"
    )
    assert (code, out) == (0, "")
    assert err.startswith("! TRUNCATED by max_depth 2")
    assert_frame_equal(pl.read_parquet("o.parquet"), getattr(traced(max_depth=2), name))


def test_a_table_has_the_columns_and_rows_of_the_frame(folder, capsys):
    code, out, err = ask(capsys, TRACE, "--format", "table", "--frame", "edges")
    assert (code, err) == (0, "")
    header = next(line for line in out.splitlines() if line.startswith(" role"))
    assert header.split() == traced().edges.columns
    assert sum(line.startswith((" walk", " replacement")) for line in out.splitlines()) == len(EDGES)


@pytest.mark.parametrize("shape", ["tree", "table"])
def test_draw_says_how_much_is_not_drawn(shape, folder, capsys):
    hint = {"tree": "… 4 more nodes not drawn, of 5", "table": "1 of 5 rows shown"}[shape]
    assert hint in ask(capsys, TRACE, "--format", shape, "--draw", 1)[1]
    assert "drawn" not in ask(capsys, TRACE, "--format", shape, "--draw", 0)[1]


def test_csv_and_parquet_of_a_complete_sound_trace_say_nothing_more(folder, capsys):
    clean = ("trace", "decision", "b")
    assert ask(capsys, clean, "--format", "csv", "--frame", "frontier") == (0, "type,id,label\n", "")
    assert ask(capsys, clean, "--format", "parquet", "--output", "o.parquet") == (0, "", "")


@pytest.mark.parametrize("shape", ["csv", "parquet"])
@pytest.mark.parametrize("command", [("trace", "decision", "dl"), ("reach", "decision", "dl")])
def test_an_unknown_anchor_is_said_on_stderr(command, shape, folder, capsys):
    code, out, err = ask(capsys, command, "--format", shape, "--output", "o")
    assert (code, out) == (0, "")
    assert err == "! UNKNOWN ANCHOR: no relation mentions decision dl. Close to it: decision d1.\n"


def test_parquet_needs_an_output(folder, capsys):
    assert ask(capsys, TRACE, "--format", "parquet") == (2, "", "lineage-kit: --format parquet needs --output FILE\n")


# ---- the other commands


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("reach", "decision", "d1"), lambda store: store.reachability("decision", "d1").nodes),
        (("find", "a"), lambda store: store.find("a")),
        (("check",), lambda store: store.check()),
        (
            ("sql", "from relations order by edge"),
            lambda store: connect(store).sql("from relations order by edge").pl(),
        ),
    ],
)
def test_every_format_of_the_other_commands(command, expected, folder, capsys):
    whole = expected(RelationStore.open("r.parquet"))
    assert whole.height > 0
    answers = {shape: ask(capsys, command, "--format", shape) for shape in FORMATS if shape != "parquet"}
    assert {answer[0] for answer in answers.values()} == {0}
    told = json.loads(answers["json"][1], parse_constant=pytest.fail)
    assert (told["nodes"] if command[0] == "reach" else told) == plain(whole)
    rows = list(csv.reader(io.StringIO(answers["csv"][1], newline="")))
    assert (rows[0], len(rows)) == (whole.columns, whole.height + 1)
    for name in whole.columns:
        assert name in answers["table"][1]
    assert ask(capsys, command, "--format", "parquet", "--output", "o.parquet")[0] == 0
    assert_frame_equal(pl.read_parquet("o.parquet"), whole)


def test_json_of_reach_holds_what_was_asked(folder, capsys):
    options = ["--direction", "both", "--relation-kind", "supersedes", "--max-depth", 1, "--format", "json"]
    told = json.loads(ask(capsys, ("reach", "decision", "a"), *options)[1])
    assert [row["id"] for row in told.pop("nodes")] == ["a2"]
    assert told == {
        "anchor": {"type": "decision", "id": "a"},
        "anchor_known": True,
        "relation_kind": ["supersedes"],
        "unknown_kinds": [],
        "direction": "both",
        "max_depth": 1,
        "as_of": None,
        "known_at": None,
        "truncated": False,
    }


def test_a_cut_reach_says_so_in_every_format(folder, capsys):
    command = ("reach", "decision", "d1", "--max-depth", 1)
    for shape, told in (("tree", 1), ("table", 1), ("csv", 2)):
        assert "TRUNCATED by max_depth 1" in ask(capsys, command, "--format", shape)[told]
    assert json.loads(ask(capsys, command, "--format", "json")[1])["truncated"] is True


UNKNOWN = "lineage-kit: --relation-kind: no relation has 'nope'\n"


def test_a_kind_that_no_relation_has_is_told_first_and_exits_two(folder, capsys):
    command = ("reach", "decision", "d1", "--relation-kind", "depends_on", "--relation-kind", "nope")
    said = "UNKNOWN KIND: no relation has nope, at any time. The kinds there are: depends_on, derives_from, supersedes."
    expected = RelationStore.open("r.parquet").reachability("decision", "d1", relation_kind=["depends_on", "nope"])
    for shape in ("tree", "table"):
        code, out, err = ask(capsys, command, "--format", shape)
        assert (code, err) == (2, UNKNOWN)
        assert out.splitlines()[:2] == ["What can be reached from decision d1", f"! {said}"]
    code, out, err = ask(capsys, command, "--format", "json")
    assert (code, err) == (2, UNKNOWN)
    assert json.loads(out)["unknown_kinds"] == ["nope"]
    assert json.loads(out)["nodes"] == plain(expected.nodes)
    code, out, err = ask(capsys, command, "--format", "csv")
    assert (code, err.splitlines()[0]) == (2, f"! {said}")
    assert err.endswith(UNKNOWN)
    assert len(list(csv.reader(io.StringIO(out, newline="")))) == expected.nodes.height + 1


def test_a_kind_is_known_whenever_some_relation_has_it(folder, capsys):
    command = ("reach", "decision", "d1", "--relation-kind", "supersedes", "--as-of", "2020-01-01T00:00:00Z")
    assert ask(capsys, command)[0] == 0
    assert ask(capsys, ("reach", "decision", "nobody", "--relation-kind", "derives_from"))[0] == 0


@pytest.mark.parametrize("clock", ["as_of", "known_at"])
def test_reach_sees_the_relations_at_an_instant(clock, folder, capsys):
    for moment in ("2026-01-15T00:00:00Z", "2026-02-15T00:00:00Z", "2025-12-31T00:00:00Z"):
        command = ("reach", "decision", "d1", f"--{clock.replace('_', '-')}", moment)
        found = RelationStore.open("r.parquet").reachability("decision", "d1", **{clock: moment})
        told = json.loads(ask(capsys, command, "--format", "json")[1])
        assert (told[clock], told["nodes"]) == (moment, plain(found.nodes))
        assert f"{clock.replace('_', ' ')} {moment}" in ask(capsys, command)[1]


# ---- --output


@pytest.mark.parametrize("shape", ["tree", "table", "json", "csv"])
def test_output_holds_what_would_be_printed(shape, folder, capsys):
    printed = ask(capsys, TRACE, "--format", shape)[1]
    assert ask(capsys, TRACE, "--format", shape, "--output", "o")[1] == ""
    assert Path("o").read_bytes().decode() == printed


@pytest.mark.parametrize("place", ["nowhere/o.json", ".", "r.parquet/o.json", "o" * 300])
def test_an_unwritable_place_is_one_clear_line(place, folder, capsys):
    code, out, err = ask(capsys, TRACE, "--format", "json", "--output", place)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"lineage-kit: --output {place}: ")
    assert [path.name for path in Path().iterdir()] == ["r.parquet"]


def test_output_is_written_whole_or_not_at_all(folder, capsys, monkeypatch):
    Path("o.json").write_text("before")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file, "exchange", full)
    code, _, err = ask(capsys, TRACE, "--format", "json", "--output", "o.json")
    assert (code, err) == (2, "lineage-kit: --output o.json: No space left on device\n")
    assert Path("o.json").read_text() == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["o.json", "r.parquet"]


def test_output_may_be_read_by_whom_other_files_may(folder, capsys):
    Path("other").touch()
    ask(capsys, TRACE, "--format", "json", "--output", "o.json", "--report", "o.html")
    modes = {name: Path(name).stat().st_mode for name in ("other", "o.json", "o.html")}
    assert len(set(modes.values())) == 1, {name: oct(mode) for name, mode in modes.items()}
