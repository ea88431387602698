"""Values and frames as JSON, CSV and Parquet."""

import json
from datetime import UTC, datetime

import polars as pl

from lineage_kit.view.export import csv_of, json_text, parquet_bytes

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_what_json_has_not_is_a_text():
    told = json_text({"at": AT, "far": float("inf"), "none": float("nan"), 1: (b"x", None, True)})
    assert json.loads(told) == {
        "at": "2026-03-01T12:00:00Z",
        "far": "inf",
        "none": "nan",
        "1": ["b'x'", None, True],
    }


def test_csv_holds_nested_values_as_json():
    frame = pl.DataFrame({"at": [AT], "op": [{"op": "replace", "start": 1}], "seqs": [None]}, schema_overrides={
        "at": pl.Datetime("us", "UTC"), "seqs": pl.List(pl.Int64),
    })  # fmt: skip
    assert csv_of(frame).splitlines() == [
        "at,op,seqs",
        '2026-03-01T12:00:00.000000Z,"{""op"": ""replace"", ""start"": 1}",',
    ]


def test_parquet_is_the_frame():
    frame = pl.DataFrame({"id": ["d1"], "depth": [1]})
    assert pl.read_parquet(parquet_bytes(frame)).equals(frame)
