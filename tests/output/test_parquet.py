"""Parquet files of our own: what is read back, and the checksums of their pages."""

import polars as pl
import pyarrow.parquet as pq
import pytest

from lineage_kit.output.parquet import Writer, write_frame

FRAME = pl.DataFrame(
    {
        "text": ["a", None, "c" * 1000],
        "number": [1, 2, None],
        "time": pl.Series([0, None, 10**15]).cast(pl.Datetime("us", "UTC")),
        "op": [{"op": "append", "start": None}, None, {"op": "replace", "start": 3}],
        "cites": [[1, 2], None, []],
        "flag": [True, None, False],
    }
)


def test_frames_come_back_as_they_were(tmp_path):
    write_frame(FRAME, tmp_path / "one.parquet", long=("text",))
    assert pl.read_parquet(tmp_path / "one.parquet").equals(FRAME)
    with Writer(tmp_path / "two.parquet", FRAME.schema, "none", repeated=("flag",)) as writer:
        for part in (FRAME, FRAME.clear(), FRAME):
            writer.write(part)
    assert pl.read_parquet(tmp_path / "two.parquet").equals(pl.concat([FRAME, FRAME]))
    write_frame(FRAME.clear(), tmp_path / "none.parquet")
    assert pl.read_parquet(tmp_path / "none.parquet").schema == FRAME.schema


def test_pages_carry_checksums(tmp_path):
    """A reader that looks at them finds a byte that has changed."""
    frame = pl.DataFrame({"id": [f"event {number * 7919}" for number in range(2000)]})
    path = tmp_path / "one.parquet"
    with Writer(path, frame.schema, "none", repeated=()) as writer:
        writer.write(frame)
    content = path.read_bytes()
    at = content.index(b"event 7919")
    path.write_bytes(content[: at + 6] + b"8" + content[at + 7 :])
    assert pq.ParquetFile(path).read()["id"][1].as_py() == "event 8919"
    with pytest.raises(OSError, match="CRC checksum"):
        pq.ParquetFile(path, page_checksum_verification=True).read()
