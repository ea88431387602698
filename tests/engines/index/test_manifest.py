"""What is not right with the files of an index is said before they are used."""

import json
import shutil

import numpy as np
import pytest

from lineage_kit import IndexUnusable, RelationStore, SchemaError
from lineage_kit.engines.index.manifest import verify_files
from lineage_kit.output.folder_manifest import rendered
from support.indexes import names


def change(folder, **fields):
    path = folder / "manifest.json"
    path.write_bytes(rendered({**json.loads(path.read_bytes()), **fields}))


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


def test_a_manifest_with_one_other_letter_is_damaged(folder):
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"depends_on", b"depends_in"))
    with pytest.raises(IndexUnusable, match=r"manifest.json is damaged"):
        RelationStore.open(folder)


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
