"""Processes that write folders and files of this package again and again, to be killed or to meet each other.

Run as a program: `writers.py WHAT SOURCE PLACE`; it reads lines from stdin. Each line is a number of seconds: the
writing is begun in a process of its own, which is killed after so long if it has not ended. It answers with a line: how
long that took.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl

import lineage_kit
from lineage_kit import RelationStore
from lineage_kit.cli import app


def _import(source, place):
    lineage_kit.read_claude_code(Path(source) / "logs", progress=False).write_parquet(place)


def _sessions(source, place):
    lineage_kit.read_claude_code(Path(source) / "logs", progress=False).corpus().write_parquet(place)


def _index(source, place):
    RelationStore.open(Path(source) / "edges.parquet").build_index(place, progress=False)


def _output(source, place):
    words = ["trace", "decision", "7", "--max-depth", "9", "--data", f"{source}/edges.parquet", "--format", "json"]
    app([*words, "--output", str(place)], standalone_mode=False)


def _audit(source, place):
    RelationStore.open(Path(source) / "edges.parquet").audit("decision", 1, progress=False).write(place)


WRITERS = {"import": _import, "sessions": _sessions, "index": _index, "output": _output, "audit": _audit}


def make_source(folder, number):
    """What the writers write from, another one for each number: sessions s0, s1, … and a chain of decisions."""
    from support.claude_logs import plain_logs
    from support.small import edge

    (folder / "logs").mkdir(parents=True)
    plain_logs(folder / "logs", 2 + number)
    ids = pl.int_range(2_000 + number, eager=True).cast(pl.String)
    edges = pl.DataFrame({**edge("", ""), "source_id": ids, "target_id": ids.shift(-1).fill_null(f"end {number}")})
    edges.write_parquet(folder / "edges.parquet")
    return folder


class Killed:
    """Writings in another process, each killed after a while."""

    def __init__(self, what, source, place):
        command = [sys.executable, __file__, what, str(source), str(place)]
        few = {**os.environ, "POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=few)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked, self._told = self._process.stdin, self._process.stdout

    def after(self, seconds):
        """How long the writing took, or how long until it was killed."""
        self._asked.write(f"{seconds}\n")
        self._asked.flush()
        return float(self._told.readline())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._asked.close()
        self._process.wait()
        self._told.close()


def moments(whole, seed, number):
    """Random moments within the time that a writing takes, and a little after."""
    chance = random.Random(seed)
    return [whole * chance.random() * 1.1 for _ in range(number)]


def main(what, source, place):
    for line in sys.stdin:
        began = time.perf_counter()
        process = os.fork()  # of a process that has imported everything and started no thread
        if not process:
            WRITERS[what](source, place)
            os._exit(0)
        ended = 0
        while not ended and time.perf_counter() - began < float(line):
            ended, _ = os.waitpid(process, os.WNOHANG)
            time.sleep(0.0005)
        took = time.perf_counter() - began
        if not ended:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        print(took, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
