"""The folder of an index: it appears whole or not at all, and what is not right with it is said before it is used."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lineage_kit import IndexUnusable, InvalidRequest, RelationStore, SchemaError, connect
from lineage_kit.engines.index import engine
from lineage_kit.engines.index.manifest import verify_files
from support.small import edge, found, two_steps
from support.sources import frame, make_source


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "edges.parquet"
    two_steps(confidence=0.5, own=pl.lit("x")).write_parquet(path)
    return path


@pytest.fixture
def folder(source, tmp_path):
    place = tmp_path / "index"
    RelationStore.open(source).build_index(place)
    return place


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- building and opening -----------------------------------------------------------------------------


def test_nothing_is_left_beside_an_index(source, folder, tmp_path):
    assert names(tmp_path) == ["edges.parquet", "index"]
    assert set(names(folder)) - {"manifest.json"} == set(verify_files(folder).files)


def test_an_index_opens_as_any_source_does(source, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in (folder, str(folder), [folder], "index", f"{folder}/"):
        store = RelationStore.open(place, max_depth_limit=20, supersede_limit=3)
        assert found(store, max_depth=20) == ["a", "b"]
        assert (store.index, store.max_depth_limit, store.supersede_limit) == (folder, 20, 3)
    assert [file.path for file in store.files] == [source]


def test_a_relative_path_is_remembered_from_anywhere(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RelationStore.open("edges.parquet").build_index("index")
    monkeypatch.chdir("/")
    store = RelationStore.open(tmp_path / "index")
    assert connect(store).sql("select count(*) from relations").fetchall() == [(2,)]
    assert store.check().is_empty()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("items", pl.DataFrame({"type": ["a"], "id": ["a"]})),
        ("columns", {"a": "b"}),
        ("kinds", {"a": "b"}),
        ("source_type", "a"),
        ("target_type", "a"),
    ],
)
def test_options_of_the_build_are_refused_at_open(option, value, folder):
    with pytest.raises(InvalidRequest, match=rf"an index.*{option}"):
        RelationStore.open(folder, **{option: value})


def test_an_index_is_opened_alone(folder):
    with pytest.raises(SchemaError, match="an index of relations is opened alone"):
        RelationStore.open([folder, two_steps()])


def test_a_folder_with_both_or_neither_names_the_two(source, folder, tmp_path):
    shutil.copy(source, folder / "relations.parquet")
    with pytest.raises(SchemaError, match=r"both an index \(manifest.json\) and relations.parquet"):
        RelationStore.open(folder)
    (tmp_path / "neither").mkdir()
    with pytest.raises(SchemaError, match=r"no relations.parquet and no index \(manifest.json\)"):
        RelationStore.open(tmp_path / "neither")


def test_a_manifest_of_something_else_beside_a_table_does_not_matter(source, tmp_path):
    place = tmp_path / "package"
    place.mkdir()
    shutil.copy(source, place / "relations.parquet")
    (place / "manifest.json").write_text('{"name": "a web page"}')
    assert found(RelationStore.open(place)) == ["a", "b"]


def test_an_index_is_replaced_and_an_open_one_goes_on(source, folder):
    store = RelationStore.open(folder)
    edges = frame([edge("d1", "z")])
    newer = RelationStore.open(edges).build_index(folder)
    assert found(newer) == found(RelationStore.open(folder)) == ["z"]
    assert found(store) == ["a", "b"]


def test_an_index_of_an_index(folder, tmp_path):
    for source in (folder, RelationStore.open(two_steps()).build_index(tmp_path / "frames").index):
        copy = RelationStore.open(source).build_index(tmp_path / "copy")
        assert found(copy) == ["a", "b"]
        assert copy.check().is_empty()


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


def test_limits_of_a_build(source, tmp_path):
    store = RelationStore.open(source)
    temp = tmp_path / "temp"
    assert found(store.build_index(tmp_path / "index", memory_limit="200MB", temp_folder=temp)) == ["a", "b"]
    assert names(temp) == []
    for wrong in ("much", 5):
        with pytest.raises(InvalidRequest, match="memory_limit must be a size"):
            store.build_index(tmp_path / "other", memory_limit=wrong)
    with pytest.raises(InvalidRequest, match="cannot be written"):
        store.build_index(source / "index")
    with pytest.raises(InvalidRequest, match="temp_folder"):
        store.build_index(tmp_path / "other", temp_folder=source / "temp")
    assert names(tmp_path) == ["edges.parquet", "index", "temp"]


# --- stale --------------------------------------------------------------------------------------------


def test_a_changed_source_makes_an_index_stale(source, folder):
    two_steps(confidence=0.5, own=pl.lit("x")).head(1).write_parquet(source)
    with pytest.raises(IndexUnusable, match=r"edges.parquet has changed(.|\n)*lineage-kit index build .*edges.parquet"):
        RelationStore.open(folder)
    used = RelationStore.open(folder, stale="use")
    assert found(used) == ["a", "b"]
    assert used.find("b").height == 1
    with pytest.raises(IndexUnusable, match="has changed"):
        used.check()
    with pytest.raises(IndexUnusable, match="has changed"):
        connect(used)
    assert found(RelationStore.open(folder, stale="rebuild")) == ["a"]
    assert found(RelationStore.open(folder)) == ["a"]


def test_a_source_that_is_gone(source, folder):
    source.unlink()
    with pytest.raises(IndexUnusable, match="is gone"):
        RelationStore.open(folder)
    with pytest.raises(SchemaError, match="no such file"):
        RelationStore.open(folder, stale="rebuild")
    assert found(RelationStore.open(folder, stale="use")) == ["a", "b"]


def test_a_new_file_of_a_pattern(tmp_path):
    pattern = make_source("parquet_glob", two_steps(), tmp_path / "s")
    RelationStore.open(pattern).build_index(tmp_path / "index")
    frame([edge("b", "c")]).write_parquet(tmp_path / "s" / "part-9.parquet")
    with pytest.raises(IndexUnusable, match=r"a new source .*part-9.parquet"):
        RelationStore.open(tmp_path / "index")
    assert found(RelationStore.open(tmp_path / "index", stale="rebuild")) == ["a", "b", "c"]


def test_changed_items_make_an_index_stale(source, tmp_path):
    items = tmp_path / "items.parquet"
    pl.DataFrame({"type": ["decision"], "id": ["a"], "label": ["First"]}).write_parquet(items)
    RelationStore.open(source, items=items).build_index(tmp_path / "index")
    assert RelationStore.open(tmp_path / "index").item_files[0].path == items
    pl.DataFrame({"type": ["decision"], "id": ["a"], "label": ["Other one"]}).write_parquet(items)
    with pytest.raises(IndexUnusable, match=r"items.parquet has changed(.|\n)*--items"):
        RelationStore.open(tmp_path / "index")
    assert RelationStore.open(tmp_path / "index", stale="rebuild").find("other")["id"].to_list() == ["a"]


def test_frames_in_memory_are_kept_and_never_stale(tmp_path):
    parts = make_source("mixed", two_steps(), tmp_path / "s")
    index = RelationStore.open(parts).build_index(tmp_path / "index").index
    assert [file.path.parent for file in RelationStore.open(index).files] == [index]
    two_steps(more=1).write_parquet(parts[0])
    with pytest.raises(IndexUnusable, match=r"has changed(.|\n)*from Python"):
        RelationStore.open(index, stale="rebuild")


def test_items_in_memory_outlive_a_rebuild(source, tmp_path):
    items = pl.DataFrame({"type": ["decision"], "id": ["a"], "label": ["First"]})
    RelationStore.open(source, items=items).build_index(tmp_path / "index")
    two_steps().head(1).write_parquet(source)
    assert found(RelationStore.open(tmp_path / "index", stale="rebuild")) == ["a"]
    store = RelationStore.open(tmp_path / "index")
    assert store.find("first")["id"].to_list() == ["a"]
    assert connect(store).sql("select label from items").fetchall() == [("First",)]


def test_an_index_of_frames_can_be_built_over_itself(tmp_path):
    place = tmp_path / "index"
    RelationStore.open(two_steps()).build_index(place)
    assert found(RelationStore.open(place).build_index(place)) == ["a", "b"]
    assert RelationStore.open(place).check().is_empty()


def test_stale_is_one_of_three(folder):
    with pytest.raises(InvalidRequest, match="stale must be"):
        RelationStore.open(folder, stale="ignore")


# --- damage -------------------------------------------------------------------------------------------


def change(folder, **fields):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"format": "other"}, "of something else"),
        ({"version": 1}, "older format version 1"),
        ({"version": 99}, "or upgrade the package"),
        ({"version": None}, "format version None"),
        ({"edges": 3}, "not what the manifest says"),
        ({"nodes": "many"}, "damaged"),
        ({"files": {}}, "names no file"),
        ({"sources": None}, "damaged"),
        ({"kinds": None}, "damaged"),
    ],
)
def test_a_manifest_that_is_wrong(fields, told, folder):
    change(folder, **fields)
    with pytest.raises(IndexUnusable, match=told) as raised:
        RelationStore.open(folder)
    assert "lineage-kit index build" in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_a_manifest_that_is_none(content, folder):
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(IndexUnusable, match=r"manifest.json"):
        RelationStore.open(folder)


def test_every_file_missing_short_or_long_is_told(folder, tmp_path):
    for name in names(folder):
        for damage in ("missing", "short", "long"):
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            path = copy / name
            content = path.read_bytes()
            path.unlink()
            if damage != "missing":
                path.write_bytes(content[:-1] if damage == "short" else content + b"\0")
            if (name, damage) == ("manifest.json", "missing"):
                with pytest.raises(SchemaError, match="no index"):
                    RelationStore.open(copy)
            else:
                with pytest.raises(IndexUnusable, match=name):
                    RelationStore.open(copy)
            shutil.rmtree(copy)


def test_a_header_of_another_array(folder):
    """Of the same size, so that only the header can tell."""
    path = folder / "into.npy"
    array = np.load(path)
    np.save(path, array.view(np.dtype([(name, "i1") for name in array.dtype.names] + [("rest", "V6")])))
    with pytest.raises(IndexUnusable, match=r"into.npy holds \[\('source', 'i1'\)"):
        RelationStore.open(folder)
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(IndexUnusable, match=r"into.npy is damaged"):
        RelationStore.open(folder)


def test_verify_finds_one_changed_byte(folder):
    verify_files(folder)
    for name in names(folder):
        if name == "manifest.json":
            continue
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(IndexUnusable):
            verify_files(folder)
        (folder / name).write_bytes(content)
    verify_files(folder)


# --- builds that do not come to their end -------------------------------------------------------------


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


def test_an_error_in_a_build_leaves_nothing(source, tmp_path, monkeypatch):
    monkeypatch.setattr("lineage_kit.engines.index.builder.Build.texts", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        RelationStore.open(source).build_index(tmp_path / "index")
    assert names(tmp_path) == ["edges.parquet"]


def test_what_a_killed_build_left_is_cleared_and_an_old_index_put_back(source, folder, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder.rename(tmp_path / f".index.old-{gone.pid}-0123abcd")
    shutil.copytree(tmp_path / f".index.old-{gone.pid}-0123abcd", tmp_path / f".index.building-{gone.pid}-0123abcd")
    (tmp_path / f".index.building-{os.getpid()}-0123abcd").mkdir()  # of a build that goes on
    assert found(RelationStore.open(source).build_index(folder)) == ["a", "b"]
    assert names(tmp_path) == [f".index.building-{os.getpid()}-0123abcd", "edges.parquet", "index"]


def test_a_source_that_changes_during_the_build(source, tmp_path, monkeypatch):
    from lineage_kit import LineageKitError
    from lineage_kit.engines.index.builder import Build

    real = Build.texts

    def texts(self):
        real(self)
        os.utime(source, ns=(1, 1))

    monkeypatch.setattr(Build, "texts", texts)
    with pytest.raises(LineageKitError, match="not the rows this store was opened on"):
        RelationStore.open(source).build_index(tmp_path / "index")
    assert names(tmp_path) == ["edges.parquet"]


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


def test_a_large_index_gives_its_pages_back_and_answers_the_same(folder, monkeypatch):
    expected = RelationStore.open(folder)
    anchors = [("decision", "d1"), ("evidence", "e1")]
    monkeypatch.setattr(engine, "ALWAYS_MAPPED", 0)
    monkeypatch.setattr(engine, "RESIDENT", 0)
    large = RelationStore.open(folder)
    for anchor in anchors * 3:
        assert large.trace_lineage(*anchor) == expected.trace_lineage(*anchor)
        assert large.reachability(*anchor, direction="both") == expected.reachability(*anchor, direction="both")
