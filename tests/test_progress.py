"""Progress bars: seen on a terminal and in a notebook, after two seconds, and never in a pipe or a file."""

import io
import os
import pty
import re
import subprocess
import sys
import termios
import time

import pytest

from lineage_kit import progress
from support.shared import ROOT

SLOW = """
import time
from lineage_kit import progress
progress.DELAY, progress.REFRESHED = 0.05, 0.05
for step in progress.bar(range(4), doing="stepping", unit="step"):
    time.sleep(0.1)
with progress.waiting("reading"):
    time.sleep(0.4)
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


class OutStream(io.StringIO):
    """As a notebook's kernel has it."""

    __module__ = "ipykernel.iostream"


class Broken(io.StringIO):
    def isatty(self):
        raise ValueError("I/O operation on closed file")


@pytest.mark.parametrize(
    ("stream", "seen"),
    [(Terminal(), True), (OutStream(), True), (io.StringIO(), False), (Broken(), False), (None, False)],
    ids=lambda value: type(value).__name__,
)
def test_bars_are_for_terminals_and_notebooks(stream, seen, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", 0.02)
    assert progress.visible() is seen
    with progress.bar(doing="counting", total=3, unit="thing") as bar:
        for _ in range(3):
            time.sleep(0.12)
            bar.update()
    shown = "" if stream is None else stream.getvalue()
    assert ("counting:" in shown) is seen


@pytest.mark.parametrize("place", ["pipe", "file"])
def test_bars_are_never_written_into_a_pipe_or_a_file(place, tmp_path):
    with (tmp_path / "file").open("w+b") as file:
        into = subprocess.PIPE if place == "pipe" else file
        run = subprocess.run([sys.executable, "-c", SLOW], cwd=ROOT, stdout=into, stderr=into, timeout=60, check=True)
        file.seek(0)
        assert (run.stdout or b"", run.stderr or b"", file.read()) == (b"", b"", b"")


def test_bars_on_a_terminal_come_late_and_go_again():
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    run = subprocess.Popen([sys.executable, "-c", SLOW], cwd=ROOT, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = b""
    try:
        while part := os.read(ours, 4096):
            written += part
    except OSError:  # the other end is closed
        pass
    assert run.wait(60) == 0
    os.close(ours)
    text = written.decode()
    assert re.search(r"stepping: +\d+%\|.*\| [1-3]/4 ", text)
    assert re.search(r"reading: 00:0\d", text)
    assert text.rstrip(" ").endswith("\r"), "nothing stays on the line"


def test_a_bar_that_was_not_asked_for(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with progress.bar(doing="counting", total=3, shown=False) as bar:
        bar.set_description("still counting", refresh=True)
        bar.update(3)
    assert list(progress.bar("ab", doing="counting", shown=False)) == ["a", "b"]
    assert list(progress.bar(doing="counting", shown=False)) == []
    assert stream.getvalue() == ""


def test_a_short_wait_says_nothing(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.waiting("reading"):
        pass
    assert stream.getvalue() == ""


def test_every_bar_goes_through_this_module():
    found = [path.name for path in (ROOT / "lineage_kit").rglob("*.py") if "tqdm" in path.read_text(encoding="utf-8")]
    assert found == ["progress.py"]
