"""Two places change at one moment, and a name that is taken stays so."""

import sys

import pytest

from lineage_kit.output.exchange import exchange, move_to_free

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems fall back to renames")


@linux
def test_folders_and_files_change_places(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").write_text("b")
    assert exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "b"
    assert (tmp_path / "b").is_dir()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "none")


@linux
def test_a_taken_name_stays(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    with pytest.raises(FileExistsError):
        move_to_free(tmp_path / "a", tmp_path / "b")
    assert move_to_free(tmp_path / "a", tmp_path / "c")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"b": "b", "c": "a"}


def test_other_systems_say_that_they_cannot(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert not exchange(tmp_path / "a", tmp_path / "b")
    assert not move_to_free(tmp_path / "a", tmp_path / "b")
