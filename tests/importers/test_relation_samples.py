"""Real samples of six formats: every row, count, finding and trace; in another order of files the same."""

import json
import shutil

import msgspec
import polars as pl
import pytest

import lineage_kit
from support.relation_samples import cases, expected, place, rows, summary, traces
from support.shared import SHARED

FORMATS = ("adr", "dbt", "graphiti", "openlineage", "prov", "smeldr")
CASES = [(format, case) for format in FORMATS for case in cases(format)]
IDS = [f"{format}-{case}" for format, case in CASES]
OMITTED = {"partial_export": 1}
"""A packet that says that it omits items: rule S10 counts it, the right answer beside the sample left it out."""


def read(format, *paths):
    return getattr(lineage_kit, f"read_{format}")(list(paths), progress=False)


def test_the_samples_are_at_hand():
    if not (SHARED / "relation_samples").exists():
        pytest.skip("../shared/relation_samples is not here: these tests need it")
    assert len(CASES) == 22


@pytest.mark.parametrize(("format", "case"), CASES, ids=IDS)
def test_a_sample(format, case):
    right = expected(format, case)
    imported = read(format, place(format, case))
    told = right["summary"]
    columns = told.pop("columns")
    if (format, case) == ("smeldr", "packet"):
        told["findings"] |= OMITTED
    assert summary(imported) == told
    assert rows(imported, columns) == sorted(right["rows"], key=repr)
    assert traces(imported, right["traces"]) == [
        {**one, "nodes": sorted(map(list, one["nodes"]))} for one in right["traces"]
    ]


def pieces(format, folder):
    """The values of the JSON files of a case, each to be a file or a line of its own."""
    found = []
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text(encoding="utf-8")
        try:
            whole = json.loads(text)
            found += whole if isinstance(whole, list) else [whole]
        except ValueError:
            for line in text.splitlines():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    found.append(None)
    return [one for one in found if one is not None]


SPLIT = [(format, case) for format, case in CASES if format in ("graphiti", "openlineage") or case == "export"]


@pytest.mark.parametrize("order", ["forward", "backward", "interleaved"])
@pytest.mark.parametrize(("format", "case"), SPLIT, ids=[f"{format}-{case}" for format, case in SPLIT])
def test_split_and_shuffled_it_is_the_same(format, case, order, tmp_path):
    whole = read(format, place(format, case))
    parts = pieces(format, place(format, case))
    if order == "backward":
        parts.reverse()
    elif order == "interleaved":
        parts = parts[1::2] + parts[::2]
    for number, part in enumerate(parts):
        (tmp_path / f"{number:04}.json").write_bytes(msgspec.json.encode(part))
    split = read(format, tmp_path)
    without = ["file", *(["run_id"] if format == "openlineage" else [])]
    assert split.relations.drop(without).collect().equals(whole.relations.drop(without).collect())
    assert split.items.collect().equals(whole.items.collect())
    found, before = (
        imported.report.filter(pl.col("kind") != "torn_tail").group_by("kind").agg(pl.col("count").sum()).sort("kind")
        for imported in (split, whole)
    )
    assert found.equals(before)


@pytest.mark.parametrize(("format", "case"), CASES, ids=IDS)
def test_each_file_by_its_name_is_the_same_as_the_folder(format, case, tmp_path):
    """Packed, or named one by one in any order."""
    folder = place(format, case)
    whole = read(format, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if len({path.parent for path in files}) == 1 and len(files) > 1:
        named = read(format, *reversed(files))
        assert named.relations.collect().equals(whole.relations.collect())
        assert named.report.equals(whole.report)
    if format in ("adr", "smeldr"):
        return
    packed = tmp_path / "packed"
    shutil.copytree(folder, packed)
    import gzip

    for path in [one for one in packed.rglob("*") if one.is_file()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    again = read(format, packed)
    assert again.relations.drop("file").collect().equals(whole.relations.drop("file").collect())
