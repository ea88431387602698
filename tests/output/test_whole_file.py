"""A file is written whole or not at all, and nothing is left beside it."""

import stat

import pytest

from lineage_kit.output.whole_file import whole_file, write_whole


def test_a_file_appears_whole_and_alone(tmp_path):
    write_whole(tmp_path / "a.txt", b"one")
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_fails_leaves_the_old_one(tmp_path):
    place = tmp_path / "a.txt"
    place.write_bytes(b"old")

    def half():
        with whole_file(place) as unfinished:
            unfinished.write_bytes(b"half of the new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert place.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_others_may_read_it_as_they_may_any_new_file(tmp_path):
    write_whole(tmp_path / "a.txt", b"one")
    (tmp_path / "b.txt").write_bytes(b"two")
    one, two = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.txt", "b.txt"))
    assert one == two


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a.txt", b"one")
