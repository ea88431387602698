"""Staged rows: columns of what records say, taken by number, in memory or spilled to disk."""

import numpy as np
import pyarrow as pa
import pytest

from lineage_kit.importers.pipeline.staging import TYPES, column_of


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


def test_staged_rows_are_taken_by_number_in_any_order(staged):
    wanted = np.array([0, 99, 100, 7, 5, 501, 999, 250, 251, 252])
    taken = staged.take(wanted)
    assert taken["text"].to_list() == [f"text {number % 500}" for number in wanted]
    assert taken["file"].to_list() == [["s1.jsonl", "s2.jsonl"][int(number >= 500)] for number in wanted]
    counts = [count for count, _ in staged.weigh(wanted)]
    assert counts == [2, 1, 2, 1, 1, 3]
    assert [count for count, _ in staged.weigh(range(50, 260))] == [50, 100, 60]
    assert all(100 < each < 200 for _, each in staged.weigh(np.arange(1_000)))
    assert staged.take(np.arange(1_000))["line"].to_list() == [*range(1, 501)] * 2


def test_numbers_no_column_can_hold_become_null():
    values = column_of([1, 2**70, None, "5", True, 2.5], TYPES["tokens_in"])
    assert values.to_pylist() == [1, None, None, None, None, None]
