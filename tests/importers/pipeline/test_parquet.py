"""Imported tables as Parquet: quick to write while they are put aside, packed where they are kept, the same rows."""

import polars as pl
import pyarrow.parquet as pq
import pytest

from lineage_kit.importers.pipeline.parquet import Writer, keep_table
from lineage_kit.schema import IMPORTED_EVENTS


def compressions(path):
    metadata = pq.ParquetFile(path).metadata
    groups = range(metadata.num_row_groups)
    return {metadata.row_group(group).column(0).compression for group in groups}


def events(count):
    return IMPORTED_EVENTS.empty().clear(count).with_columns(session_id=pl.lit("s1"), seq=pl.int_range(count))


@pytest.mark.parametrize(("compression", "is_copied"), [("none", False), ("zstd", True)])
def test_a_table_that_is_kept_is_packed_once(tmp_path, compression, is_copied):
    aside, kept = tmp_path / "aside.parquet", tmp_path / "kept.parquet"
    with Writer(aside, IMPORTED_EVENTS.polars, compression) as writer:
        for part in (events(7), events(0), events(5)):
            writer.write(part)
    keep_table(aside, kept)
    assert compressions(kept) == {"ZSTD"}
    assert (aside.read_bytes() == kept.read_bytes()) is is_copied
    assert pl.read_parquet(kept).equals(pl.concat([events(7), events(5)]))


def test_a_table_without_rows_keeps_its_columns(tmp_path):
    aside, kept = tmp_path / "aside.parquet", tmp_path / "kept.parquet"
    with Writer(aside, IMPORTED_EVENTS.polars, "none") as writer:
        writer.write(IMPORTED_EVENTS.empty())
    keep_table(aside, kept)
    assert pl.read_parquet(kept).schema == IMPORTED_EVENTS.polars
