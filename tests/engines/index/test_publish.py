"""The folder of an index appears whole or not at all, whatever happens to the build."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lineage_kit import InvalidRequest, LineageKitError, RelationStore, SchemaError
from lineage_kit.engines.index.manifest import verify_files
from lineage_kit.output import generation
from lineage_kit.output.unfinished import new_folder
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
    told = {"file": "is a file", "link": "is a link to .*name that instead", "other folder": "e.g. .*place-2"}[what]
    with pytest.raises(InvalidRequest, match=told):
        RelationStore.open(source).build_index(place)
    assert names(tmp_path) == sorted(["edges.parquet", "place", *(["target"] if what == "link" else [])])


def test_an_empty_folder_is_a_place(source, tmp_path):
    (tmp_path / "place").mkdir()
    assert found(RelationStore.open(source).build_index(tmp_path / "place")) == ["a", "b"]


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_move_that_fails_leaves_the_old_index(exchanges, folder, tmp_path, monkeypatch):
    def fails(*arguments):
        raise OSError(28, "No space left on device")

    if exchanges:
        monkeypatch.setattr(generation, "exchange", fails)
    else:  # where a system cannot exchange folders, the old one is moved aside and back
        monkeypatch.setattr(generation, "exchange", lambda *paths: False)
        real = Path.rename
        monkeypatch.setattr(
            Path, "rename", lambda self, to: fails() if ".lineage-kit-new-" in self.name else real(self, to)
        )
    with pytest.raises(InvalidRequest, match="index cannot be written: No space left on device"):
        RelationStore.open(frame([edge("d1", "z")])).build_index(folder)
    monkeypatch.undo()
    assert found(RelationStore.open(folder)) == ["a", "b"]
    assert names(tmp_path) == ["edges.parquet", "index"]


def test_what_a_killed_build_left_is_cleared_and_an_old_index_put_back(source, folder, tmp_path):
    old = tmp_path / ".index.lineage-kit-old-0123456789abcdef"
    folder.rename(old)
    shutil.copytree(old, tmp_path / ".index.lineage-kit-new-0123456789abcdef")
    with new_folder(folder) as goes_on:
        with pytest.raises(SchemaError, match="there is no such file"):
            RelationStore.open(tmp_path / "nothing.parquet").build_index(folder)
        RelationStore.open(source).build_index(tmp_path / "another")
        assert old.exists()  # of another place
        assert found(RelationStore.open(source).build_index(folder)) == ["a", "b"]
        assert names(tmp_path) == sorted([goes_on.name, "another", "edges.parquet", "index"])


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


def test_a_store_says_when_the_index_was_built_anew_under_it(source, folder):
    """It goes on with what it has mapped; what it would read from files again is of another index."""
    store = RelationStore.open(folder)
    RelationStore.open(frame([edge("d1", "z")])).build_index(folder)
    assert found(store) == ["a", "b"]
    with pytest.raises(LineageKitError, match="was built anew since this store was opened"):
        store.find("a")
    assert RelationStore.open(folder).find("z")["id"].to_list() == ["z"]
