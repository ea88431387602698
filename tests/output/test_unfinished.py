"""What a living process holds is left alone, what a dead one left is cleared, and no process is asked or signalled."""

import os
import signal
import subprocess
import sys

import pytest

from lineage_kit.output import unfinished
from lineage_kit.output.unfinished import hidden_beside, leftovers, new_file, new_folder, remove

HOLDS = """
import sys
from pathlib import Path
from lineage_kit.output.unfinished import new_file, new_folder

with {what}(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("what", ["new_file", "new_folder"])
def test_a_lock_that_a_dead_process_left_does_not_block(what, tmp_path):
    command = [sys.executable, "-c", HOLDS.format(what=what), str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        assert list(leftovers(tmp_path / "out")) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
    [left] = leftovers(tmp_path / "out")
    remove(left)
    assert list(tmp_path.iterdir()) == []


def test_nobody_is_asked_whether_a_process_lives(tmp_path, monkeypatch):
    """On Windows, signal 0 is Ctrl+C for the whole console; there are no locks there, so everything counts as held."""

    def signalled(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr(os, "kill", signalled)
    monkeypatch.setattr(unfinished, "fcntl", None)
    hidden_beside(tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out") as folder, new_file(tmp_path / "out") as (file, _):
        assert folder.is_dir()
        assert file.is_file()
        assert list(leftovers(tmp_path / "out")) == []
    assert len(list(tmp_path.iterdir())) == 1


def test_hidden_names_cannot_be_foreseen(tmp_path):
    names = {hidden_beside(tmp_path / ("ä" * 200)).name for _ in range(100)}
    assert len(names) == 100
    assert all(len(os.fsencode(name)) < 255 for name in names)


def test_where_nothing_can_be_locked_writing_goes_on_and_nothing_is_cleared(tmp_path, monkeypatch):
    def no_locks(*arguments):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(unfinished.fcntl, "flock", no_locks)
    with new_folder(tmp_path / "out") as folder:
        assert folder.is_dir()
        assert list(leftovers(tmp_path / "out")) == []


def test_a_folder_that_another_takes_for_a_leftover_is_made_again(tmp_path, monkeypatch):
    real, calls = unfinished._hold, []

    def taken_once(*arguments, **options):
        calls.append(arguments)
        return len(calls) > 1 and real(*arguments, **options)

    monkeypatch.setattr(unfinished, "_hold", taken_once)
    with new_folder(tmp_path / "out") as folder:
        assert folder.is_dir()
        assert len(calls) == 2
