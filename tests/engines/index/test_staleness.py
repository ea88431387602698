"""An index whose sources have changed says so before it is used."""

import polars as pl
import pytest

from lineage_kit import IndexUnusable, RelationStore, SchemaError, connect
from support.small import edge, found, two_steps
from support.sources import frame, make_source


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
        used.build_index(folder.parent / "another")
    assert not (folder.parent / "another").exists()
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


def test_items_in_memory_outlive_a_rebuild(source, tmp_path):
    items = pl.DataFrame({"type": ["decision"], "id": ["a"], "label": ["First"]})
    RelationStore.open(source, items=items).build_index(tmp_path / "index")
    two_steps().head(1).write_parquet(source)
    assert found(RelationStore.open(tmp_path / "index", stale="rebuild")) == ["a"]
    store = RelationStore.open(tmp_path / "index")
    assert store.find("first")["id"].to_list() == ["a"]
    assert connect(store).sql("select label from items").fetchall() == [("First",)]
