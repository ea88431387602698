"""The manifest of a folder: whose it is, what is in it that it does not name, and which files have changed."""

import json

import pytest

from lineage_kit.output.folder_manifest import (
    IMPORT,
    MANIFEST,
    damaged,
    manifest_in,
    strangers,
    write_tables_manifest,
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "a.bin").write_bytes(b"some bytes")
    (tmp_path / "ours" / "empty.bin").touch()
    write_tables_manifest(tmp_path / "ours", IMPORT)
    return tmp_path / "ours"


def told_of(folder):
    return [(one.path.name, one.what) for one in damaged(folder)]


def test_it_names_each_file_with_size_and_sha256(folder):
    told = manifest_in(folder)
    assert (told["format"], sorted(told["files"])) == ("lineage-kit import", ["a.bin", "empty.bin"])
    assert told["files"]["empty.bin"] == {
        "size": 0,
        "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    }
    assert told_of(folder) == []


def test_what_it_does_not_name_and_what_is_no_file_are_strangers(folder, tmp_path):
    (folder / "notes.txt").touch()
    (folder / "a.bin").unlink()
    (folder / "a.bin").mkdir()
    (folder / "empty.bin").unlink()
    (folder / "empty.bin").symlink_to(tmp_path)
    assert strangers(folder, manifest_in(folder)) == ["a.bin", "empty.bin", "notes.txt"]


def test_each_damage_is_told(folder):
    (folder / "a.bin").write_bytes(b"some bytez")
    (folder / "empty.bin").write_bytes(b"!")
    assert told_of(folder) == [
        ("a.bin", "its content is not what was written (SHA-256)"),
        ("empty.bin", "it has 1 bytes instead of 0"),
    ]
    (folder / "a.bin").unlink()
    assert told_of(folder)[0] == ("a.bin", "it cannot be read: No such file or directory")


def test_every_byte_of_the_manifest_counts(folder):
    """Whichever is another one, the file is known as ours and as damaged."""
    content = (folder / MANIFEST).read_bytes()
    for place in range(len(content)):
        for flip in (1, 0x29, 0x80):
            (folder / MANIFEST).write_bytes(content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :])
            assert [name for name, _ in told_of(folder)] == [MANIFEST], (place, flip)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"name": "a web page"}', b"[" * 100_000])
def test_a_manifest_of_something_else_is_not_ours(content, folder):
    (folder / MANIFEST).write_bytes(content)
    assert manifest_in(folder) is None
    assert told_of(folder) == []


def test_a_manifest_that_names_no_files_is_not_ours(folder):
    (folder / MANIFEST).write_text(json.dumps({"format": IMPORT, "files": []}))
    assert manifest_in(folder) is None
