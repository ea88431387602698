"""What a store stands on: an index opens as any source does, and is told from a table."""

import shutil

import polars as pl
import pytest

from lineage_kit import InvalidRequest, LineageKitError, RelationStore, SchemaError, read_dsh
from support.shared import DATA
from support.small import found, two_steps


def test_an_index_opens_as_any_source_does(source, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in (folder, str(folder), [folder], "index", f"{folder}/"):
        store = RelationStore.open(place, max_depth_limit=20, supersede_limit=3)
        assert found(store, max_depth=20) == ["a", "b"]
        assert (store.index, store.max_depth_limit, store.supersede_limit) == (folder, 20, 3)
    assert [file.path for file in store.files] == [source]


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


def test_stale_is_one_of_three(folder):
    with pytest.raises(InvalidRequest, match="stale must be"):
        RelationStore.open(folder, stale="ignore")


def test_a_folder_written_anew_is_told_before_labels_of_another_generation(tmp_path):
    """Relations and labels are of one generation."""
    imported = read_dsh(DATA / "transcripts" / "dsh", progress=False)
    store = RelationStore.open(imported.write_parquet(tmp_path / "out"))
    assert store.find("a").height
    imported.write_parquet(tmp_path / "out")
    with pytest.raises(LineageKitError, match="the rows read now are not the rows"):
        store.find("a")
    assert RelationStore.open(tmp_path / "out").edge_count == store.edge_count


def test_a_folder_of_sessions_is_no_source_of_relations(tmp_path):
    place = read_dsh(DATA / "transcripts" / "dsh", progress=False).corpus().write_parquet(tmp_path / "out")
    with pytest.raises(SchemaError, match=r"the folder holds the sessions of a corpus and no relations\.parquet"):
        RelationStore.open(place)
