"""Files into lines, lines into records: what every importer rests on, whatever the format."""

import gzip
import json
import os

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.importers.pipeline import files
from lineage_kit.importers.pipeline.files import Broken, LogFile, lines_of, log_files
from lineage_kit.importers.pipeline.findings import KINDS, Findings
from lineage_kit.importers.pipeline.json_lines import Unparsed, records_of


class AnyRecord(msgspec.Struct):
    """A record of which only one field is looked at, as an importer would."""

    n: object = None


DECODE = msgspec.json.Decoder(AnyRecord).decode


def log_of(tmp_path, content, name="log.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    return LogFile(path, name)


def read(file, **options):
    """The values of n, unparsed pieces as (size, reason), and the report as {kind: (line, count)}."""
    findings = Findings()
    found = list(records_of(file, DECODE, findings, **options))
    values = [one.value.n if isinstance(one.value, AnyRecord) else (one.value.size, one.value.reason) for one in found]
    report = {kind: (line, count) for _, kind, line, count, _, _ in findings.frame().rows()}
    return values, report, found


# ---- files


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
    os.symlink(tmp_path / "a" / "x.jsonl", tmp_path / "link.jsonl")
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


# ---- records


def test_only_a_newline_byte_ends_a_line(tmp_path):
    values, report, _ = read(log_of(tmp_path, '{"n": "a\u2028b\u2029c\x85d"}\n'.encode()))
    assert (values, report) == (["a\u2028b\u2029c\x85d"], {})


def test_marks_line_ends_and_blank_lines_are_nothing(tmp_path):
    content = b'\xef\xbb\xbf{"n": 1}\r\n\r\n   \n\n{"n": 2}\r\n\xef\xbb\xbf{"n": 3}'
    values, report, found = read(log_of(tmp_path, content))
    assert (values, report) == ([1, 2, 3], {})
    assert [one.line for one in found] == [1, 5, 6]
    assert [json.loads(one.raw) for one in found] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_blank_line_may_be_a_fault(tmp_path):
    values, report, found = read(log_of(tmp_path, b'{"n": 1}\n\n{"n": 2}\n'), blank_is_fault=True)
    assert values == [1, (0, "a blank line"), 2]
    assert report == {"unparsed_line": (2, 1)}
    assert found[1].value.blank


def test_glued_records_are_separated(tmp_path):
    values, report, found = read(log_of(tmp_path, b'{"n": 1}\n{"n": 2}{"n": 3} {"n": 4}\n{"n": 5}{"n": \n'))
    assert values[:-1] == [1, 2, 3, 4, 5]
    assert values[-1] == (5, "Expecting value at character 14")
    assert report == {"glued_records": (2, 2), "unparsed_line": (3, 1)}
    assert [one.line for one in found] == [1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("line", [b'"massive error"', b"42", b"[1]", b"null", b"true", b"not JSON", b"{'n': 1}"])
def test_what_is_no_object_is_unparsed(line, tmp_path):
    values, report, _ = read(log_of(tmp_path, b'{"n": 1}\n' + line + b'\n{"n": 2}\n'))
    assert values[0] == 1
    assert values[1][0] == len(line)
    assert values[2] == 2
    assert report == {"unparsed_line": (2, 1)}


def test_a_torn_tail_is_told_apart_and_not_there_yet_while_live(tmp_path):
    file = log_of(tmp_path, b'{"n": 1}\n{"n": 2}{"n": "ab')
    values, report, _ = read(file)
    assert values[:2] == [1, 2]
    assert report == {"torn_tail": (2, 1)}
    assert read(file, live=True)[0] == [1, 2]


def test_a_whole_last_line_needs_no_newline(tmp_path):
    file = log_of(tmp_path, b'{"n": 1}\n{"n": 2}')
    values, report, found = read(file)
    assert (values, report) == ([1, 2], {})
    assert [one.ended for one in found] == [True, False]


def test_halves_of_surrogate_pairs_and_bad_bytes_are_replaced(tmp_path):
    content = b'{"n": "\\ud83d\\ude00 \\ud800"}\n{"n": "\xff\xfe"}\n{"other": "\xff", "n": 3}\n'
    values, report, found = read(log_of(tmp_path, content))
    assert values == ["\U0001f600 \ufffd", "\ufffd\ufffd", 3]
    assert report == {"replaced_surrogates": (1, 1), "invalid_utf8": (2, 2)}
    assert [json.loads(one.raw.decode()) for one in found][2] == {"other": "\ufffd", "n": 3}


def test_numbers_no_json_knows_stay_readable(tmp_path):
    values, report, found = read(
        log_of(tmp_path, b'{"n": NaN}\n{"n": -Infinity}\n{"n": 1e999}\n{"n": 1, "t": "a\tb"}\n')
    )
    assert values == ["NaN", "-Infinity", "1e999", 1]
    assert report == {}
    assert json.loads(found[3].raw) == {"n": 1, "t": "a\tb"}


def test_what_is_nested_too_deep_is_unparsed(tmp_path):
    deep = b'{"n": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    values, _, _ = read(log_of(tmp_path, deep + b'\n{"n": 1}\n'))
    assert values[0] == (len(deep), "nested too deep")
    assert values[1:] == [1]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \r\n", b"\xef\xbb\xbf"])
def test_a_file_without_a_record_is_told(content, tmp_path):
    assert read(log_of(tmp_path, content))[:2] == ([], {"empty_file": (None, 1)})


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=30), st.sampled_from([b'{"n": 1}', b'{"n":', b"\xef\xbb\xbf", b'"\\ud800"'])))
)
def test_any_bytes_are_read_and_no_line_is_lost(tmp_path_factory, pieces):
    content = b"".join(pieces)
    _, report, found = read(log_of(tmp_path_factory.mktemp("log"), content))
    blank = [not line.strip(b" \t\r\n\xef\xbb\xbf") for line in content.split(b"\n")]
    seen = {one.line for one in found}
    assert {number for number, empty in enumerate(blank, 1) if not empty} <= seen
    unparsed = sum(isinstance(one.value, Unparsed) for one in found)
    kinds = ("unparsed_line", "torn_tail", "corrupt_log")
    assert unparsed == sum(count for kind, (_, count) in report.items() if kind in kinds)


# ---- findings


def test_a_report_counts_by_file_and_kind_and_names_the_first_place():
    findings = Findings()
    findings.add("broken_parent", "b", 7, "u7")
    findings.add("broken_parent", "b", 3, "u3")
    findings.add("empty_file", "a")
    findings.add("rewind", "b", 5, "u5", count=0)
    rows = findings.frame().drop("meaning").rows()
    assert rows == [("a", "empty_file", None, 1, None), ("b", "broken_parent", 3, 2, "u3")]
    assert (findings.count("broken_parent"), findings.count("broken_parent", "a")) == (2, 0)


def test_the_kinds_are_a_closed_list():
    assert len(KINDS) == 34
    with pytest.raises(AssertionError):
        Findings().add("something else", "a")
