"""Indexes of a small table, and what lies in a folder."""

import polars as pl
import pytest

from lineage_kit import RelationStore
from support.small import two_steps


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "edges.parquet"
    two_steps(confidence=0.5, own=pl.lit("x")).write_parquet(path)
    return path


@pytest.fixture
def folder(source, tmp_path):
    place = tmp_path / "index"
    RelationStore.open(source).build_index(place)
    return place


def names(folder):
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())
