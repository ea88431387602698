"""A file is written whole or not at all, and nothing is left beside it."""

import stat

import pytest

from lineage_kit import InvalidRequest
from lineage_kit.output import whole_file as whole
from lineage_kit.output.unfinished import new_file
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
            unfinished.write(b"half of the new")
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


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InvalidRequest, match=r"a.txt cannot be written: there is no folder .*none"):
        write_whole(tmp_path / "none" / "a.txt", b"one")


@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("what", ["new", "old"])
def test_what_came_at_the_last_moment_is_put_back(what, exchanges, tmp_path, monkeypatch):
    """Between the last look at the place and the move, somebody makes a link there: where the system can, it stays."""
    place, mine = tmp_path / "a.txt", tmp_path / "mine.txt"
    mine.write_text("mine")
    if what == "old":
        place.write_text("old")
    real = getattr(whole, "exchange" if what == "old" else "move_to_free")
    came = []

    def late(*paths):
        if not came:
            came.append(place.unlink(missing_ok=True))
            place.symlink_to(mine)
        return real(*paths) if exchanges else False

    monkeypatch.setattr(whole, real.__name__, late)
    if exchanges:
        with pytest.raises(InvalidRequest, match="is a link to"):
            write_whole(place, b"one")
        assert place.is_symlink()
    else:
        write_whole(place, b"one")
    assert mine.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "mine.txt"]


def test_what_a_killed_writer_left_is_cleared(tmp_path):
    (tmp_path / ".a.txt.lineage-kit-new-0123456789abcdef").write_text("half")
    (tmp_path / ".a.txt.of-mine").write_text("mine")
    with new_file(tmp_path / "a.txt") as (goes_on, _):
        write_whole(tmp_path / "a.txt", b"one")
        assert {path.name for path in tmp_path.iterdir()} == {".a.txt.of-mine", "a.txt", goes_on.name}
