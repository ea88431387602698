"""The files of an import: found in folders, opened however packed, cut into lines."""

import gzip
import os

import pyarrow as pa
import pytest

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.importers.pipeline import files
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of, log_files, readable
from lineage_kit.importers.pipeline.json_lines import Unparsed
from support.log_files import log_of, read


def test_folders_are_searched_and_names_do_not_depend_on_where_they_lie(tmp_path):
    for place in ("one", "two"):
        (tmp_path / place / "b" / "c").mkdir(parents=True)
        for name in ("z.jsonl", "b/a.jsonl.gz", "b/c/x.ndjson.zst", "b/note.txt", "b/meta.json"):
            (tmp_path / place / name).touch()
    names = [[file.name for file in log_files(tmp_path / place)] for place in ("one", "two")]
    assert names == [["b/a.jsonl.gz", "b/c/x.ndjson.zst", "z.jsonl"]] * 2


def test_a_named_file_is_read_whatever_it_is_called(tmp_path):
    (tmp_path / "notes.txt").touch()
    assert [file.name for file in log_files(str(tmp_path / "notes.txt"))] == ["notes.txt"]


def test_the_same_file_by_two_ways_is_one(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "a" / "x.jsonl")
    found = log_files([tmp_path / "a", tmp_path / "a" / "x.jsonl", tmp_path / "link.jsonl"])
    assert [file.name for file in found] == ["a/x.jsonl"]


@pytest.mark.parametrize("given_path", [[], "nowhere.jsonl", 5, [None]])
def test_what_is_no_path_is_told(given_path):
    with pytest.raises((InvalidRequest, TypeError)):
        log_files(given_path)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("s1.jsonl", "s1"),
        ("s1.jsonl.gz", "s1"),
        ("s.1.JSONL.zstd", "s.1"),
        ("agent-a", "agent-a"),
        ("x.json.x", "x.json.x"),
    ],
)
def test_stems(name, stem, tmp_path):
    assert LogFile(tmp_path / name, name).stem == stem


def frames(lines):
    return b"".join(bytes(pa.compress(line, codec="zstd", asbytes=True)) for line in lines)


PACKINGS = {"plain": b"".join, "gzip": lambda lines: gzip.compress(b"".join(lines)), "zstd": frames}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("part", [1, 7, 1 << 20])
def test_lines_are_the_same_however_packed_and_read(packing, part, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PART", part)
    lines = [b'{"n": 1}\n', b"\n", b'{"n": "' + b"x" * 100 + b'"}\n', b'{"n": 2}']
    file = log_of(tmp_path, PACKINGS[packing](lines))
    got = [
        (group.number + place, line, group.offset + sum(map(len, group.lines[:place])) + place, group.ended)
        for group in lines_of(file)
        for place, line in enumerate(group.lines)
    ]
    assert [line for _, line, _, _ in got] == [line.removesuffix(b"\n") for line in lines]
    assert [number for number, *_ in got] == [1, 2, 3, 4]
    assert [offset for _, _, offset, _ in got] == [0, 9, 10, 120]
    assert [ended for *_, ended in got] == [True, True, True, False]


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_cut_packed_data_give_what_can_be_unpacked(packing, tmp_path):
    lines = [b'{"n": %d, "text": "%s"}\n' % (n, os.urandom(40).hex().encode()) for n in range(2_000)]
    whole = PACKINGS[packing](lines)
    file = log_of(tmp_path, whole[: len(whole) * 2 // 3])
    values, report, found = read(file)
    assert len(values) > 1_000
    assert values[: len(values) - 2] == list(range(len(values) - 2))
    assert report["corrupt_log"][1] == 1
    assert isinstance(found[-1].value, Unparsed)
    assert read(file, live=True)[1] == {}  # the rest is not there yet


def test_progress_is_told_in_bytes_on_disk(tmp_path):
    file = log_of(tmp_path, gzip.compress(b'{"n": 1}\n' * 300_000))
    told = []
    for _ in lines_of(file, told.append):
        pass
    assert sum(told) == file.size


def test_a_file_that_cannot_be_opened_is_a_finding_and_an_error_while_live(tmp_path):
    file = LogFile(tmp_path, "a folder")
    values, report, _ = read(file)
    assert values == [(0, "Is a directory")]
    assert report == {"corrupt_log": (1, 1)}
    with pytest.raises(LineageKitError, match="a folder: Is a directory"):
        read(file, live=True)
    with pytest.raises(Broken):
        list(lines_of(file))


def test_only_a_newline_byte_ends_a_line(tmp_path):
    values, report, _ = read(log_of(tmp_path, '{"n": "a\u2028b\u2029c\x85d"}\n'.encode()))
    assert (values, report) == (["a\u2028b\u2029c\x85d"], {})


def test_file_names_that_are_no_text(tmp_path):
    assert readable("a" + chr(0xD800) + "b") == "a\ufffdb"
    try:
        (tmp_path / os.fsdecode(b"\xff.jsonl")).write_bytes(b"{}\n")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    (file,) = log_files(tmp_path)
    assert (file.name, file.stem) == ("\ufffd.jsonl", "\ufffd")
    assert file.size == 3
