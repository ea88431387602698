"""Folders that appear whole: what is replaced, what is refused, what two writers and a reader see."""

import errno
import os

import pytest

from lineage_kit import InvalidRequest, LineageKitError
from lineage_kit.output import generation
from lineage_kit.output.folder_manifest import IMPORT, SESSIONS, manifest_in, write_tables_manifest
from lineage_kit.output.generation import new_generation, refuse_no_folder, steady


def write(place, text="one", sort=IMPORT, name="a.txt"):
    with new_generation(place, sort) as unfinished:
        (unfinished / name).write_text(text)
        write_tables_manifest(unfinished, sort)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("exchanges", [True, False])
def test_one_generation_after_the_other(exchanges, tmp_path, monkeypatch):
    if not exchanges:
        monkeypatch.setattr(generation, "exchange", lambda *paths: False)
    for text, name in (("one", "a.txt"), ("two", "a.txt"), ("three", "b.txt")):
        write(tmp_path / "out", text, name=name)
        assert names(tmp_path / "out") == sorted([name, "manifest.json"])
        assert (tmp_path / "out" / name).read_text() == text
    assert names(tmp_path) == ["out"]


def test_the_folder_keeps_who_may_read_it(tmp_path):
    """A folder that was made for oneself alone stays so, and what is built beside it is so from the first moment."""
    place = tmp_path / "private"
    place.mkdir(0o700)
    for _ in range(2):
        with new_generation(place, IMPORT) as unfinished:
            assert oct(unfinished.stat().st_mode & 0o777) == "0o700"
            write_tables_manifest(unfinished, IMPORT)
        assert oct(place.stat().st_mode & 0o777) == "0o700"


def test_a_block_that_fails_leaves_nothing(tmp_path):
    def half():
        with new_generation(tmp_path / "out", IMPORT) as unfinished:
            (unfinished / "a.txt").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert names(tmp_path) == []


def test_another_sort_of_ours_is_left_alone(tmp_path):
    write(tmp_path / "out")
    with pytest.raises(
        InvalidRequest, match=r"out holds an import of transcripts, not the sessions of a corpus\. .*out-2"
    ):
        write(tmp_path / "out", sort=SESSIONS)
    with pytest.raises(InvalidRequest, match="holds an import of transcripts"):
        refuse_no_folder(tmp_path / "out", SESSIONS)


def test_the_name_in_the_hint_is_free(tmp_path):
    for name in ("out", "out-2"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(InvalidRequest, match=r"is a file.*out-3$"):
        write(tmp_path / "out")


def test_the_folder_that_one_is_in_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidRequest, match="is the folder that you are in"):
        write(".")


def test_what_comes_at_the_last_moment_stays(tmp_path, monkeypatch):
    """Between the last look and the exchange, somebody puts a file of their own into the folder."""
    place = tmp_path / "out"
    write(place)
    real = generation.exchange

    def late(*paths):
        (place / "notes.txt").write_text("mine")
        monkeypatch.setattr(generation, "exchange", real)
        return real(*paths)

    monkeypatch.setattr(generation, "exchange", late)
    with pytest.raises(InvalidRequest, match=r"holds 'notes\.txt', which this package did not put there"):
        write(place, "two")
    assert ((place / "a.txt").read_text(), (place / "notes.txt").read_text()) == ("one", "mine")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("exchanges", [True, False])
def test_another_writer_that_comes_first_is_followed(exchanges, tmp_path, monkeypatch):
    if not exchanges:
        monkeypatch.setattr(generation, "exchange", lambda *paths: False)
    with new_generation(tmp_path / "out", IMPORT) as unfinished:
        write_tables_manifest(unfinished, IMPORT)
        write(tmp_path / "out", "other")
    assert names(tmp_path / "out") == ["manifest.json"]
    assert names(tmp_path) == ["out"]


def test_a_place_that_cannot_be_moved_to_is_one_line(tmp_path, monkeypatch):
    def busy(*paths):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    write(tmp_path / "out")
    monkeypatch.setattr(generation, "exchange", busy)
    with pytest.raises(InvalidRequest, match=r"out cannot be written: Device or resource busy$"):
        write(tmp_path / "out")
    assert manifest_in(tmp_path / "out") is not None


def test_a_reading_is_repeated_until_nothing_changed_meanwhile():
    states = iter([1, 2, 2, 3, 3, 3])
    reads = iter([KeyError("half"), "half", "whole"])

    def read():
        found = next(reads)
        if isinstance(found, Exception):
            raise found
        return found

    assert steady(read, lambda: next(states)) == "whole"
    numbers = iter(range(10_000))
    with pytest.raises(LineageKitError, match="keep changing"):
        steady(lambda: None, lambda: next(numbers))
    with pytest.raises(ZeroDivisionError):
        steady(lambda: 1 / 0, lambda: None)
