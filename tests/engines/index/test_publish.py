"""The folder of an index appears whole or not at all, whatever happens to the build."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lineage_kit import InvalidRequest, RelationStore, SchemaError
from lineage_kit.engines.index.manifest import verify_files
from support.indexes import names
from support.small import edge, found
from support.sources import frame


def test_nothing_is_left_beside_an_index(source, folder, tmp_path):
    assert names(tmp_path) == ["edges.parquet", "index"]
    assert set(names(folder)) - {"manifest.json"} == set(verify_files(folder).files)


def test_an_index_is_replaced_and_an_open_one_goes_on(source, folder):
    store = RelationStore.open(folder)
    edges = frame([edge("d1", "z")])
    newer = RelationStore.open(edges).build_index(folder)
    assert found(newer) == found(RelationStore.open(folder)) == ["z"]
    assert found(store) == ["a", "b"]


@pytest.mark.parametrize("what", ["file", "other folder", "link"])
def test_a_place_that_is_taken_is_left_alone(what, source, tmp_path):
    place = tmp_path / "place"
    if what == "file":
        place.write_text("mine")
    elif what == "link":
        (tmp_path / "target").mkdir()
        place.symlink_to(tmp_path / "target")
    else:
        place.mkdir()
        (place / "mine.txt").write_text("mine")
    with pytest.raises(InvalidRequest, match="is no index"):
        RelationStore.open(source).build_index(place)
    assert names(tmp_path) == sorted(["edges.parquet", "place", *(["target"] if what == "link" else [])])


def test_an_empty_folder_is_a_place(source, tmp_path):
    (tmp_path / "place").mkdir()
    assert found(RelationStore.open(source).build_index(tmp_path / "place")) == ["a", "b"]


@pytest.mark.parametrize("at", [1, 2])
def test_a_move_that_fails_leaves_the_old_index(at, folder, tmp_path, monkeypatch):
    calls = iter(range(1, 10))
    real = Path.rename

    def rename(self, target):
        if next(calls) == at:
            raise OSError("no more")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="no more"):
        RelationStore.open(frame([edge("d1", "z")])).build_index(folder)
    assert found(RelationStore.open(folder)) == ["a", "b"]
    assert names(tmp_path) == ["edges.parquet", "index"]


def test_what_a_killed_build_left_is_cleared_and_an_old_index_put_back(source, folder, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder.rename(tmp_path / f".index.old-{gone.pid}-0123abcd")
    shutil.copytree(tmp_path / f".index.old-{gone.pid}-0123abcd", tmp_path / f".index.building-{gone.pid}-0123abcd")
    (tmp_path / f".index.building-{os.getpid()}-0123abcd").mkdir()  # of a build that goes on
    assert found(RelationStore.open(source).build_index(folder)) == ["a", "b"]
    assert names(tmp_path) == [f".index.building-{os.getpid()}-0123abcd", "edges.parquet", "index"]


KILLED_AFTER = """
import os, signal, sys, time
from lineage_kit import RelationStore

for seconds in sys.stdin:
    began = time.perf_counter()
    process = os.fork()
    if not process:
        RelationStore.open(sys.argv[1]).build_index(sys.argv[2], progress=False)
        os._exit(0)
    ended = 0
    while not ended and time.perf_counter() - began < float(seconds):
        ended, _ = os.waitpid(process, os.WNOHANG)
        time.sleep(0.001)
    took = time.perf_counter() - began
    if not ended:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    print(took, flush=True)
"""
"""Builds one index for each line it reads, and kills each build after so many seconds."""


def test_a_build_killed_at_any_point_leaves_an_index_that_is_right_or_none(tmp_path):
    """Twenty builds, each killed a little later than the one before, over an old index every second time."""
    size = 30_000
    ids = pl.int_range(size, eager=True).cast(pl.String)
    edges = pl.DataFrame({**edge("", ""), "source_id": ids, "target_id": ids.shift(-1).fill_null("end")})
    edges.write_parquet(tmp_path / "edges.parquet")
    place = tmp_path / "index"
    command = [sys.executable, "-c", KILLED_AFTER, str(tmp_path / "edges.parquet"), str(place)]

    def opened():
        try:
            store = RelationStore.open(place)
        except SchemaError:
            assert not place.exists()
            return False
        verify_files(place)
        trace = store.trace_lineage("decision", "7", 3)
        assert trace.nodes["id"].to_list() == ["8", "9", "10"]
        return True

    def run(seconds):
        builds.stdin.write(f"{seconds}\n")
        builds.stdin.flush()
        return float(builds.stdout.readline())

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as builds:
        whole = run(1_000)
        outcomes = []
        for number in range(20):
            if number % 2:
                shutil.rmtree(place, ignore_errors=True)
            run(whole * random.Random(number).random() * 1.1)
            outcomes.append(opened())
        assert True in outcomes
        run(1_000)
        assert opened()
    assert names(tmp_path) == ["edges.parquet", "index"]
