"""What the importers share, where a table or a decoder could not take what a log holds."""

import json
import os
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from lineage_kit.importers.pipeline.files import LogFile, log_files, readable
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import Unparsed, records_of
from lineage_kit.importers.pipeline.session_plan import APPEND, NONE, SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRow, StagedRows, column_of
from lineage_kit.importers.pipeline.tables import build_tables

FILE = LogFile(Path("s1.jsonl"), "s1.jsonl")


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None, None],
        ["a", None, "é\u2028"],
        [b"a", None, "é\u2028".encode()],
        ["a", b"b", None, "é", "é".encode()],
        ["", b"", "\x00", b"\x00"],
        ["x" * 100_000, None],
    ],
)
def test_texts_and_bytes_make_one_column(values):
    column = column_of(values, pa.large_string())
    assert column.type == pa.large_string()
    assert column.to_pylist() == [value.decode() if isinstance(value, bytes) else value for value in values]


def test_a_record_without_type_and_time_lacks_a_time():
    staged = StagedRows(None)
    staged.begin(FILE)
    for row in (StagedRow(None, 1), StagedRow("unparsed", 2), StagedRow("x", 3)):
        staged.add(row, 10)
    findings = Findings()
    plan = SessionPlan(FILE, {"session_id": "s1"}, np.arange(3), np.full(3, NONE, np.int8))
    list(build_tables([plan], staged, findings))
    assert findings.frame().select("kind", "line", "count").rows() == [("missing_time", 1, 2)]


def test_a_staged_row_may_be_larger_than_a_piece(tmp_path):
    staged = StagedRows(tmp_path, keep=1)
    staged.begin(FILE)
    large = b'{"x": "%s"}' % (b"y" * (20 << 20))
    for payload in (b"{}", large, b"{}", large):
        staged.add(StagedRow("user/message", 1, payload=payload), len(payload))
    plan = SessionPlan(FILE, {"session_id": "s1"}, np.arange(4), np.full(4, APPEND, np.int8))
    parts = list(build_tables([plan], staged, Findings()))
    assert [part.sessions.height for part in parts] == [1, *[0] * (len(parts) - 1)]
    lengths = [length for part in parts for length in part.events["payload"].str.len_bytes()]
    assert lengths == [2, len(large), 2, len(large)]


def test_citations_of_many_events():
    staged = StagedRows(None)
    staged.begin(FILE)
    count = 120_000
    for number in range(count):
        staged.add(("user/message", number), 10)
    plan = SessionPlan(
        FILE,
        {"session_id": "s1"},
        np.arange(count),
        np.full(count, APPEND, np.int8),
        replaced={count - 1: (0, count - 2)},
        citations={count - 1: range(count - 1)},
    )
    last = list(build_tables([plan], staged, Findings()))[-1].events
    assert last["source_event_seqs"][-1].len() == count - 1
    assert last["surface_op"][-1] == {"op": "replace", "start": 0, "end": count - 2}


def test_file_names_that_are_no_text(tmp_path):
    assert readable("a" + chr(0xD800) + "b") == "a\ufffdb"
    try:
        (tmp_path / os.fsdecode(b"\xff.jsonl")).write_bytes(b"{}\n")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    (file,) = log_files(tmp_path)
    assert (file.name, file.stem) == ("\ufffd.jsonl", "\ufffd")
    assert file.size == 3


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "NaN"])
def test_numbers_that_only_patience_reads(tmp_path, number):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"n": {number}}}\n{{"n": 1}}{{"n": {number}}}\n')
    found = list(records_of(LogFile(path, "a.jsonl"), msgspec.json.decode, Findings()))
    assert [one.value for one in found] == [{"n": number}, {"n": 1}, {"n": number}]
    assert json.loads(found[0].raw) == {"n": number}
    assert not any(isinstance(one.value, Unparsed) for one in found)
