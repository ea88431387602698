"""Lines as records: whatever a line holds, something is made of it, or it is told why not."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import Unparsed, records_of
from support.log_files import log_of, read


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


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "NaN"])
def test_numbers_that_only_patience_reads(tmp_path, number):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"n": {number}}}\n{{"n": 1}}{{"n": {number}}}\n')
    found = list(records_of(LogFile(path, "a.jsonl"), msgspec.json.decode, Findings()))
    assert [one.value for one in found] == [{"n": number}, {"n": 1}, {"n": number}]
    assert json.loads(found[0].raw) == {"n": number}
    assert not any(isinstance(one.value, Unparsed) for one in found)
