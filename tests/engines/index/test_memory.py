"""A build keeps to its limit: what is sized by it, how nodes are counted in spans, what is said of too small a one."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from lineage_kit import InvalidRequest
from lineage_kit.engines.index.memory import Memory
from lineage_kit.engines.index.sort import count_starts
from support.shared import ROOT

BUILD = """
import sys, threading, time
from pathlib import Path
import numpy as np, polars as pl
from lineage_kit.door.table_sources import TableSources
from lineage_kit.engines.index.build import build_index

def anonymous():
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon", "RssShmem")))

def watch():
    while True:
        peak[0] = max(peak[0], anonymous())
        time.sleep(0.005)

folder, limit = Path(sys.argv[1]), sys.argv[2]
peak = [0]
threading.Thread(target=watch, daemon=True).start()
build_index(TableSources([folder / "edges.parquet"]), folder / "index", memory_limit=limit)
print(peak[0])
"""


@pytest.mark.parametrize(
    ("limit", "size"), [("1GB", 10**9), ("1.5 gb", 1_500_000_000), ("512MiB", 1 << 29), (" 4GB ", 4 * 10**9)]
)
def test_a_size_is_shared_out(limit, size):
    memory = Memory.of(limit)
    assert memory.duckdb == size * 4 // 5
    assert memory.duckdb + 8 * memory.range + 16 * memory.nodes < 1.1 * size
    assert memory.threads >= 1


@pytest.mark.parametrize(
    "limit", ["much", "4", "GB", "-1GB", "0GB", "4XB", "4 G B", "80%", "1e9b", 5, 4.0, b"4GB", True]
)
def test_what_is_no_size(limit):
    with pytest.raises(InvalidRequest, match="memory_limit must be a size such as '4GB', got"):
        Memory.of(limit)


def test_a_limit_that_was_too_small_is_answered_with_one_that_works():
    assert (Memory.of("20MB").more, Memory.of("150MB").more) == ("200MB", "300MB")


@pytest.mark.parametrize("nodes", [0, 1, 7, 100])
@pytest.mark.parametrize("span", [None, 1, 3, 99])
def test_counting_spans_of_nodes_is_counting_all_of_them(nodes, span):
    rng = np.random.default_rng(nodes)
    codes = rng.integers(0, nodes + 1, 500 * bool(nodes)).astype(np.uint32)  # the last code is that of no edge
    parts = rng.integers(0, 3, codes.size)
    start, first, second = np.empty(nodes + 1, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    count_starts(codes, lambda at: parts[at], start, (first, second), Memory(None, None, 1, 50, 50, span))
    held = (codes, codes[parts == 0], codes[parts < 2])
    sizes, ones, twos = (np.bincount(one, minlength=nodes + 1)[:nodes] for one in held)
    assert start.tolist() == [0, *np.cumsum(sizes)]
    assert first.tolist() == (start[:-1] + ones).tolist()
    assert second.tolist() == (start[:-1] + twos).tolist()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says what cannot be taken back")
def test_a_build_keeps_to_its_limit(tmp_path):
    """Within half as much again, the interpreter and its libraries included."""
    rng = np.random.default_rng(7)
    source = rng.integers(1, 600_000, 2_000_000)
    ids = {"source_id": source, "target_id": source // 2}
    frame = pl.DataFrame({name: pl.Series(number).cast(pl.String) for name, number in ids.items()})
    words = {"source_type": "node", "target_type": "node", "relation_kind": "depends_on"}
    frame.with_columns(**{name: pl.lit(text) for name, text in words.items()}).write_parquet(tmp_path / "edges.parquet")
    command = [sys.executable, "-c", BUILD, str(tmp_path), "250MB"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.stderr == ""
    assert int(run.stdout) < 1.5 * 250_000_000
