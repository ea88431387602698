"""A thousand staged rows to take from, in memory or spilled to disk."""

from pathlib import Path

import pytest

from lineage_kit.importers.pipeline import staging
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.staging import StagedRows
from support.staged_rows import row_of


@pytest.fixture(params=["in memory", "on disk"])
def staged(request, tmp_path, monkeypatch):
    """A thousand staged rows of two files in pieces of a hundred; on disk all but what is being filled."""
    monkeypatch.setattr(staging, "ROWS", 100)
    folder = tmp_path if request.param == "on disk" else None
    held = StagedRows(folder, keep=1)
    for name in ("s1.jsonl", "s2.jsonl"):
        held.begin(LogFile(Path(name), name))
        for number in range(500):
            assert held.add(row_of(number), 100) == len(held) - 1
    held.flush()
    assert held.spilled == (folder is not None)
    return held
