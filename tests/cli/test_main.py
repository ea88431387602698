"""The command line: exit codes, one clear line for bad input, flags in words."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lineage_kit.cli import app, run
from support.shared import DATA

RFC = str(DATA / "rfc_relations.parquet")


def call(*arguments, capsys):
    code = run(lambda: app(list(arguments), standalone_mode=False))
    out, err = capsys.readouterr()
    return code, out, err


def write(path, rows):
    names = ("source_type", "source_id", "target_type", "target_id", "relation_kind", "edge_class", "confidence")
    pl.DataFrame(rows, schema=names, orient="row").with_columns(
        invalid_at=pl.lit("2026-02-01T00:00:00Z").str.to_datetime(time_zone="UTC")
    ).write_parquet(path)
    return str(path)


def test_a_trace_tells_depth_kind_class_confidence_and_flags(tmp_path, capsys):
    file = write(
        tmp_path / "r.parquet",
        [
            ("decision", "d1", "evidence", "e1", "depends_on", "observed", 0.5),
            ("evidence", "e2", "evidence", "e1", "supersedes", "asserted", 1.0),
            ("evidence", "e2", "source", "s1", "derives_from", "asserted", 0.25),
        ],
    )
    code, out, err = call("trace", "decision", "d1", "--data", file, "--max-depth", "1", capsys=capsys)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Lineage of decision d1",
        "! TRUNCATED by max_depth 1: the walk stopped with more beyond 1 node (evidence e2).",
        "! 2 nodes INVALIDATED.",
        "! 1 node SUPERSEDED.",
        "1 premise over 1 level, 1 replacement (max_depth 1).",
        "decision d1",
        "└── depth 1 · depends_on evidence e1 · observed 0.50 · INVALIDATED · SUPERSEDED",
        "    └── depth 1, hop 1 · replaced by evidence e2 · asserted 1.00 · INVALIDATED · TRUNCATED HERE",
    ]


def test_as_of_changes_what_is_invalidated(tmp_path, capsys):
    file = write(tmp_path / "r.parquet", [("decision", "d1", "evidence", "e1", "depends_on", "observed", 0.5)])
    _, before, _ = call("trace", "decision", "d1", "-d", file, "--as-of", "2026-01-31T23:59:59Z", capsys=capsys)
    _, after, _ = call("trace", "decision", "d1", "-d", file, "--as-of", "2026-02-01T00:00:00Z", capsys=capsys)
    assert "INVALIDATED" not in before
    assert "as of 2026-01-31T23:59:59Z" in before
    assert "INVALIDATED" in after


def test_the_supersede_limit_is_said_and_can_be_raised(capsys):
    code, out, _ = call("trace", "rfc", "RFC1083", "--data", RFC, capsys=capsys)
    assert code == 0
    assert "TRUNCATED by supersede_limit 10" in out
    assert "rfc RFC1540, rfc RFC2600" in out
    code, out, _ = call("trace", "rfc", "RFC1083", "--data", RFC, "--supersede-limit", "40", capsys=capsys)
    assert code == 0
    assert "Complete: nothing was cut." in out
    assert "hop 19 · replaced by rfc RFC7100 · asserted 1.00\n" in out, "lines are never cut at the window's edge"


def test_an_unknown_anchor_is_an_answer_that_says_so_and_offers_near_names(capsys):
    code, out, _ = call("trace", "rfc", "RFC26l6", "--data", RFC, capsys=capsys)
    assert code == 0
    assert out.splitlines()[1].startswith("! UNKNOWN ANCHOR: no relation mentions rfc RFC26l6. Close to it:")
    assert "rfc RFC2616" in out


def test_labels_come_from_the_items(tmp_path, capsys):
    file = write(tmp_path / "r.parquet", [("decision", "d1", "evidence", "e1", "depends_on", "observed", 0.5)])
    items = tmp_path / "items.parquet"
    pl.DataFrame({"type": ["evidence"], "id": ["e1"], "label": ["Load test [bold]of[/] March"]}).write_parquet(items)
    _, out, _ = call("trace", "decision", "d1", "-d", file, "--items", str(items), capsys=capsys)
    assert "evidence e1 “Load test [bold]of[/] March”" in out


def test_own_columns_and_kinds(tmp_path, capsys):
    file = tmp_path / "own.parquet"
    pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}).write_parquet(file)
    code, out, _ = call(
        "trace", "item", "d1", "-d", str(file),
        "--column", "from=source_id", "--column", "to=target_id", "--column", "rel=relation_kind",
        "--kind", "BASED_ON=depends_on", "--source-type", "item", "--target-type", "item", capsys=capsys,
    )  # fmt: skip
    assert code == 0
    assert "depth 1 · depends_on item e1" in out


def test_control_and_bidi_characters_are_spelt_out(tmp_path, capsys):
    file = write(
        tmp_path / "r.parquet", [("decision", "d1", "evidence", "a\x1b[31m\u202eb\nc", "depends_on", "x", 1.0)]
    )
    _, out, _ = call("trace", "decision", "d1", "-d", file, capsys=capsys)
    assert r"evidence a\x1b[31m\u202eb\nc" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "rfc", "RFC2616"], ["Missing option '--data'"]),
        (["trace", "rfc", "RFC2616", "-d", "nowhere.parquet"], ["nowhere.parquet", "no such file"]),
        (["trace", "rfc", "RFC2616", "-d", "nowhere/*.parquet"], ["matches no file"]),
        (["trace", "rfc", "RFC2616", "-d", __file__], ["test_main.py", "not a readable Parquet file"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--max-depth", "0"], ["max_depth", "1 to 10", "0"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--max-depth", "11"], ["max_depth", "--max-depth-limit"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--max-depth", "x"], ["--max-depth"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--supersede-limit", "0"], ["supersede_limit"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--as-of", "2026-03-01"], ["time zone", "2026-03-01T12:00:00Z"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--as-of", "yesterday"], ["ISO 8601"]),
        (["trace", "rfc", "RFC2616", "-d", RFC, "--column", "nonsense"], ["OLD=NEW"]),
        (["trace", "", "RFC2616", "-d", RFC], ["type", "non-empty"]),
        (["tarce"], ["No such command"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments, words, capsys):
    code, out, err = call(*arguments, capsys=capsys)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    for word in words:
        assert word in err


def test_many_problems_stay_on_one_line(tmp_path, capsys):
    file = tmp_path / "other.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(file)
    code, _, err = call("trace", "rfc", "RFC2616", "-d", str(file), capsys=capsys)
    assert code == 2
    assert len(err.splitlines()) == 1
    for name in ("source_type", "source_id", "target_type", "target_id", "relation_kind"):
        assert f"column {name} is missing" in err


def test_demo_tells_the_facts(capsys):
    code, out, err = call("demo", capsys=capsys)
    assert (code, err) == (0, "")
    for word in ("dec-2026-0417", "INVALIDATED · SUPERSEDED", "OUTDATED SUPPORT", "12 other decisions", "RFC9112",
                 "8 withdrawn, 84 stale, 1 cut, 36 stands", "Under 8 decisions", "under 6 of them",
                 "claim clm-0187 > evidence ev-7f3a91c2"):  # fmt: skip
        assert word in out


def test_the_installed_command_runs_and_prints_help_without_arguments():
    command = Path(sys.executable).with_name("lineage-kit")
    shown = subprocess.run([command], capture_output=True, text=True, timeout=120, check=True)
    assert "trace" in shown.stdout
    bad = subprocess.run(
        [command, "trace", "rfc", "x", "-d", "no.parquet"], capture_output=True, text=True, timeout=120
    )
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr
