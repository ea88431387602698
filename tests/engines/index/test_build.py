"""What an index is built from, and within which limits."""

import os

import pytest

from lineage_kit import IndexUnusable, InvalidRequest, LineageKitError, RelationStore, connect
from lineage_kit.engines.index.builder import Build
from support.indexes import names
from support.small import found, two_steps
from support.sources import make_source


def test_a_relative_path_is_remembered_from_anywhere(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RelationStore.open("edges.parquet").build_index("index")
    monkeypatch.chdir("/")
    store = RelationStore.open(tmp_path / "index")
    assert connect(store).sql("select count(*) from relations").fetchall() == [(2,)]
    assert store.check().is_empty()


def test_an_index_of_an_index(folder, tmp_path):
    for source in (folder, RelationStore.open(two_steps()).build_index(tmp_path / "frames").index):
        copy = RelationStore.open(source).build_index(tmp_path / "copy")
        assert found(copy) == ["a", "b"]
        assert copy.check().is_empty()


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


def test_frames_in_memory_are_kept_and_never_stale(tmp_path):
    parts = make_source("mixed", two_steps(), tmp_path / "s")
    index = RelationStore.open(parts).build_index(tmp_path / "index").index
    assert [file.path.parent for file in RelationStore.open(index).files] == [index]
    two_steps(more=1).write_parquet(parts[0])
    with pytest.raises(IndexUnusable, match=r"has changed(.|\n)*from Python"):
        RelationStore.open(index, stale="rebuild")


def test_an_index_of_frames_can_be_built_over_itself(tmp_path):
    place = tmp_path / "index"
    RelationStore.open(two_steps()).build_index(place)
    assert found(RelationStore.open(place).build_index(place)) == ["a", "b"]
    assert RelationStore.open(place).check().is_empty()


def test_an_error_in_a_build_leaves_nothing(source, tmp_path, monkeypatch):
    monkeypatch.setattr("lineage_kit.engines.index.builder.Build.texts", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        RelationStore.open(source).build_index(tmp_path / "index")
    assert names(tmp_path) == ["edges.parquet"]


def test_a_source_that_changes_during_the_build(source, tmp_path, monkeypatch):
    real = Build.texts

    def texts(self):
        real(self)
        os.utime(source, ns=(1, 1))

    monkeypatch.setattr(Build, "texts", texts)
    with pytest.raises(LineageKitError, match="not the rows this store was opened on"):
        RelationStore.open(source).build_index(tmp_path / "index")
    assert names(tmp_path) == ["edges.parquet"]
