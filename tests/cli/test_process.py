"""How a run ends: one line and code 2 for an interrupt, no traceback over an encoding, code 1 for --fail-on alone."""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from lineage_kit.cli import app, process, run
from support.shared import DATA, ROOT

INTERRUPTED_AFTER = """
import os, signal, sys, threading
from lineage_kit.cli import main
number, *moments = sys.argv.pop(1).split(",")
for seconds in moments:
    timer = threading.Timer(float(seconds), os.kill, (os.getpid(), getattr(signal, number)))
    timer.daemon = True
    timer.start()
main()
"""
MAIN = "from lineage_kit.cli import main; main()"
TRACE = ["trace", "decision", "dec-2026-0417", "--data", str(DATA / "decisions.parquet")]
ENDLESS = "select count(*) from relations a, relations b where a.source_id || b.target_id = ''"
LABELS = ["--items", str(DATA / "items.parquet")]


def started(*arguments, code=MAIN, **options):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, "cwd": ROOT}
    return subprocess.run(command, **(given | options))


# ---- interrupts


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    """A graph that takes a while."""
    path = tmp_path_factory.mktemp("large") / "edges.parquet"
    source = np.random.default_rng(7).integers(1, 200_000, 400_000)
    ids = {"source_id": source, "target_id": source // 2}
    frame = pl.DataFrame({name: pl.Series(number).cast(pl.String) for name, number in ids.items()})
    constants = {"source_type": "n", "target_type": "n", "relation_kind": "depends_on"}
    frame.with_columns(**{name: pl.lit(text) for name, text in constants.items()}).write_parquet(path)
    return path


MOMENTS = {"index": (0.05, 0.2, 0.4), "sql": (0.1, 0.5), "trace": (0.05, 0.2), "import": (0.05, 0.2)}


@pytest.mark.parametrize(
    ("name", "moment"), [(name, moment) for name, moments in MOMENTS.items() for moment in moments]
)
def test_an_interrupt_is_one_line_and_code_two_and_leaves_nothing(name, moment, edges, tmp_path):
    out = tmp_path / "out"
    arguments = {
        "index": ["index", "build", edges, "--out", out],
        "sql": ["sql", ENDLESS, "-d", edges],
        "trace": ["trace", "n", "199999", "-d", edges],
        "import": ["import", "claude-code", DATA / "transcripts" / "claude_code", "--out", out],
    }[name]
    ended = started(f"SIGINT,{moment}", *arguments, code=INTERRUPTED_AFTER)
    if ended.returncode == 0:  # it was faster
        assert name != "sql"
        return
    assert (ended.returncode, ended.stderr.decode()) == (2, "lineage-kit: interrupted\n")
    assert name == "import" or ended.stdout == b""  # an import says what it met before it writes
    left = [path.name for path in tmp_path.iterdir()]
    assert left in ([], ["out"]), "all of it, or nothing"
    if left and name == "index":
        assert started("index", "info", out, "--verify").returncode == 0


@pytest.mark.parametrize("told", ["SIGTERM,0.3", "SIGHUP,0.3", "SIGINT,0.3,0.301,0.35"])
def test_a_request_to_terminate_and_an_impatient_one_are_interrupts(told, edges, tmp_path):
    ended = started(told, "sql", ENDLESS, "-d", edges, code=INTERRUPTED_AFTER)
    assert (ended.returncode, ended.stderr) == (2, b"lineage-kit: interrupted\n")


def test_what_was_told_to_ignore_interrupts_ignores_them(edges, tmp_path):
    """As a shell tells the commands that it runs in the background."""
    ended = started(
        "SIGINT,0.05", "index", "build", edges, "--out", tmp_path / "out", code=INTERRUPTED_AFTER,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), ValueError("in a finally"), SystemExit(1), None])
def test_what_a_library_makes_of_an_interrupt_is_one(error, monkeypatch, capsys):
    monkeypatch.setattr(process, "INTERRUPTS", process.Interrupts())

    def command():
        with pytest.raises(KeyboardInterrupt):
            process.INTERRUPTS._seen()
        if error is not None:
            raise error

    assert run(command) == 2
    assert capsys.readouterr() == ("", "lineage-kit: interrupted\n")


# ---- encodings


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
@pytest.mark.parametrize("format", ["tree", "table", "json", "csv"])
def test_every_encoding_has_an_answer(encoding, format):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    ended = started(*TRACE, *LABELS, "--format", format, env=environment)
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr
    if format == "json":
        assert "ö" not in encoding
        assert json.loads(ended.stdout.decode("utf-8"))["anchor"]["id"] == "dec-2026-0417"
    elif format == "csv":
        assert len(list(csv.DictReader(io.StringIO(ended.stdout.decode("utf-8"))))) == 27
    else:
        assert "dec-2026-0417" in ended.stdout.decode(encoding)


@pytest.mark.parametrize("format", ["json", "csv", "table"])
def test_data_is_utf_8_and_words_are_escaped(format, tmp_path):
    file = tmp_path / "edges.parquet"
    types = {"source_type": "n", "target_type": "n", "relation_kind": "depends_on"}
    pl.DataFrame({**types, "source_id": "größe", "target_id": "例え"}).write_parquet(file)
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    said = started("trace", "n", "größe", "-d", file, "--format", format, env=environment).stdout
    if format == "table":
        assert b"gr\xf6\xdfe" in said
        assert rb"\u4f8b\u3048" in said
    else:
        assert "例え" in said.decode("utf-8")


def test_errors_are_told_in_every_encoding():
    ended = started("trace", "n", "a", "-d", "nö→.parquet", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 2
    assert ended.stderr == rb"lineage-kit: n\xf6\u2192.parquet: there is no such file or folder" + b"\n"


def test_an_argument_that_is_no_text_is_bad_input():
    ended = started("trace", "decision", os.fsdecode(b"\xff"), "-d", DATA / "decisions.parquet")
    assert ended.returncode == 2
    assert rb"half a character" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


# ---- streams, and codes


@pytest.mark.parametrize("words", [TRACE, [*TRACE, "--format", "json"], ["demo"], ["--help"]])
@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_closed_stream_is_no_error(words, descriptor):
    ended = started(*words, preexec_fn=lambda: os.close(descriptor))
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("words", [[*TRACE, "--draw", "0"], [*TRACE, "--format", "json"], ["demo"]])
def test_a_reader_that_goes_away_is_no_rejection(words):
    ours, theirs = os.pipe()
    os.close(ours)
    ended = started(*words, stdout=theirs)
    os.close(theirs)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes a device")
def test_a_full_disk_is_told(tmp_path):
    os.mknod(tmp_path / "full", 0o600 | 0o020000, os.makedev(1, 7))
    for words in (TRACE, [*TRACE, "--format", "json"], ["demo"]):
        with (tmp_path / "full").open("wb") as full:
            ended = started(*words, stdout=full)
        assert ended.returncode == 2
        assert ended.stderr == b"lineage-kit: the answer cannot be written: No space left on device\n"


@pytest.mark.parametrize("error", [ZeroDivisionError("ours"), MemoryError(), KeyError("x"), FileNotFoundError(2, "x")])
def test_a_bug_of_ours_is_not_a_rejection(error, capsys):
    def command():
        raise error

    assert run(command) == 3
    assert f"{type(error).__name__}" in capsys.readouterr().err


def test_only_fail_on_ends_with_one(capsys):
    assert run(lambda: app([*TRACE, "--fail-on", "superseded"], standalone_mode=False)) == 1
    assert "rejected by --fail-on" in capsys.readouterr().err
