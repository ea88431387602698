"""What every import of relations does: files found, zones, texts dropped, folders written and refused."""

import polars as pl
import pytest

import lineage_kit
from lineage_kit import InvalidRequest
from support.shared import DATA

RELATIONS = DATA / "relations"
FORMATS = ("adr", "dbt", "graphiti", "openlineage", "prov", "smeldr")


def read(format, path, **options):
    return getattr(lineage_kit, f"read_{format}")(path, progress=False, **options)


@pytest.mark.parametrize("format", FORMATS)
def test_a_folder_written_and_opened_is_the_store_of_the_import(format, tmp_path):
    imported = read(format, RELATIONS / format)
    folder = imported.write_parquet(tmp_path / "out")
    names = ["items.parquet", "manifest.json", "relations.parquet", "report.parquet"]
    assert sorted(path.name for path in folder.iterdir()) == names
    store = lineage_kit.RelationStore.open(folder)
    assert store.check().equals(imported.store().check())
    for type, id in imported.items.select("type", "id").collect().iter_rows():
        assert store.trace_lineage(type, id) == imported.store().trace_lineage(type, id)
    imported.write_parquet(folder)  # over the earlier one


@pytest.mark.parametrize("format", FORMATS)
def test_texts_are_left_out_where_that_is_asked_for(format):
    kept, dropped = read(format, RELATIONS / format), read(format, RELATIONS / format, text="drop")
    assert dropped.items.collect()["text"].count() == 0
    assert dropped.relations.collect().equals(kept.relations.collect())
    assert dropped.items.collect()["id"].equals(kept.items.collect()["id"])
    facts = dropped.items.filter(type="fact").collect()
    assert facts["label"].count() == 0


def test_folders_of_tools_are_skipped_and_globs_taken(tmp_path):
    for name in (".git/x.md", "node_modules/y.md", ".decisions/0001-a.md", "docs/0002-b.md", "docs/0003-c.md"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("# 1. Title\n\n## Status\n\nAccepted\n")
    assert read("adr", tmp_path).items.collect()["id"].to_list() == [
        ".decisions/0001-a",
        "docs/0002-b",
        "docs/0003-c",
    ]
    assert read("adr", tmp_path / ".git").items.collect()["id"].to_list() == ["x"]
    assert read("adr", f"{tmp_path}/docs/*-b.md").items.collect()["id"].to_list() == ["0002-b"]
    with pytest.raises(InvalidRequest, match="no file or folder is called so"):
        read("adr", f"{tmp_path}/docs/*-z.md")
    with pytest.raises(InvalidRequest, match="there is no such file or folder"):
        read("adr", tmp_path / "nowhere")


def test_a_zone_applies_to_times_without_one(tmp_path):
    (tmp_path / "p.json").write_text(
        '{"used": {"_:u": {"prov:activity": "a", "prov:entity": "e", "prov:time": "2026-07-01T12:00:00"}}}'
    )
    plain, zoned = read("prov", tmp_path), read("prov", tmp_path, zone="Europe/Berlin")
    assert plain.relations.collect()["created_at"].to_list() == [None]
    assert plain.report["kind"].to_list() == ["naive_time", "undeclared_endpoint"]
    [created] = zoned.relations.collect()["created_at"]
    assert created.isoformat() == "2026-07-01T10:00:00+00:00"
    assert zoned.report["kind"].to_list() == ["undeclared_endpoint"]
    with pytest.raises(InvalidRequest, match="zone 'Mars' is the name of no time zone"):
        read("prov", tmp_path, zone="Mars")
    with pytest.raises(InvalidRequest, match="text must be 'keep' or 'drop'"):
        read("prov", tmp_path, text="some")


def test_what_is_not_an_import_of_relations_is_left_alone(tmp_path):
    imported = read("prov", RELATIONS / "prov")
    transcripts = lineage_kit.read_codex(DATA / "transcripts" / "codex", progress=False)
    transcripts.write_parquet(tmp_path / "sessions")
    with pytest.raises(InvalidRequest, match=r"holds an import of transcripts, not an import of relations.*name a new"):
        imported.write_parquet(tmp_path / "sessions")
    imported.write_parquet(tmp_path / "relations")
    with pytest.raises(InvalidRequest, match="holds an import of relations, not an import of transcripts"):
        transcripts.write_parquet(tmp_path / "relations")
    imported.store().build_index(tmp_path / "index", progress=False)
    with pytest.raises(InvalidRequest, match="holds an index of relations"):
        imported.write_parquet(tmp_path / "index")


def test_several_folders_bring_the_items_of_all_of_them(tmp_path):
    folders = [read(format, RELATIONS / format).write_parquet(tmp_path / format) for format in ("adr", "dbt")]
    store = lineage_kit.RelationStore.open(folders)
    labels = store.labels(
        pl.DataFrame({"type": ["adr", "model"], "id": ["0004-one-schema-per-team", "model.shop.orders"]})
    )
    assert labels["label"].to_list() == ["One schema per team", "orders"]
