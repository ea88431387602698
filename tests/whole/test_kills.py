"""Killed at random moments, or written by two at once: readers find whole generations, and users their own files."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from lineage_kit import LineageKitError, RelationStore, SessionCorpus
from lineage_kit.engines.index.manifest import verify_files
from lineage_kit.output.folder_manifest import damaged, manifest_in
from lineage_kit.relations.audit.baseline import Baseline
from support.writers import Killed, make_source, moments

TIMES = 100
SEEDS = {"import": 1, "sessions": 2, "index": 3, "output": 4, "audit": 5}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def whole(what, place):
    """Whether something is there; whatever is, is whole."""
    if not place.exists():
        return False
    if what == "output":
        assert json.loads(place.read_text())["nodes"]
        return True
    assert manifest_in(place) is not None
    assert list(damaged(place)) == []
    if what == "index":
        verify_files(place)
        assert RelationStore.open(place).trace_lineage("decision", "7", 3).nodes["id"].to_list() == ["8", "9", "10"]
    elif what == "audit":
        assert Baseline.read(place).summary["id"].len() >= 2_000
    else:  # with little effort, since it is looked at hundreds of times
        sessions, events = (pl.read_parquet(place / f"{name}.parquet") for name in ("sessions", "events"))
        assert sessions["session_id"].to_list() == events["session_id"].unique().sort().to_list()
    return True


@pytest.mark.parametrize(
    ("what", "before"),
    [
        ("import", "fresh"),
        ("import", "over an old one"),
        ("sessions", "over an old one"),
        ("index", "fresh"),
        ("index", "over an old one"),
        ("output", "over an old one"),
        ("audit", "fresh"),
        ("audit", "over an old one"),
    ],
)
def test_killed_a_hundred_times(what, before, tmp_path):
    """Half of a folder or file is never there; a file of the user's beside it is never touched."""
    source = make_source(tmp_path / "source", 0)
    (tmp_path / "out").mkdir()
    place, mine = tmp_path / "out" / "place", tmp_path / "out" / ".place.mine"
    mine.write_text("mine")
    with Killed(what, source, place) as writing:
        takes = sorted(writing.after(100) for _ in range(3))[1]
        there = []
        for seconds in moments(takes, SEEDS[what], TIMES):
            if before == "fresh":
                shutil.rmtree(place, ignore_errors=True) if what != "output" else place.unlink(missing_ok=True)
            writing.after(seconds)
            there.append(whole(what, place))
        assert before == "fresh" or all(there)
        writing.after(100)
    assert whole(what, place)
    if what in ("import", "sessions"):
        assert SessionCorpus.open(place).check().rows() == []
    assert names(tmp_path / "out") == [".place.mine", "place"]
    assert mine.read_text() == "mine"


# ---- two writers, and a reader throughout

WRITES = """
import sys
from support.writers import WRITERS

what, source, place, times = sys.argv[1:]
for _ in range(int(times)):
    WRITERS[what](source, place)
"""

ASKED = {
    "import": {
        "sessions": lambda place: SessionCorpus.open(place).sessions(),
        "all_events": lambda place: SessionCorpus.open(place).all_events(),
        "relations": lambda place: SessionCorpus.open(place).relations(),
        "import_report": lambda place: SessionCorpus.open(place).import_report(),
        "find": lambda place: RelationStore.open(place).find("s", limit=10_000),
        "check": lambda place: SessionCorpus.open(place).check(),
    },
    "sessions": {
        "event_traces": lambda place: SessionCorpus.open(place).event_traces(),
        "surface": lambda place: SessionCorpus.open(place).surface("s0"),
        "check": lambda place: SessionCorpus.open(place).check(),
    },
    "index": {
        "trace": lambda place: RelationStore.open(place, stale="use").trace_lineage("decision", "1995", 10).nodes,
        "find": lambda place: RelationStore.open(place, stale="use").find("end", limit=10),
    },
    "audit": {
        "summary": lambda place: Baseline.read(place).summary,
        "findings": lambda place: Baseline.read(place).findings,
    },
    "output": {"file": lambda place: pl.DataFrame({"text": [place.read_text()]})},
}
MAY_SAY_CHANGED = ("find", "trace")
"""Questions to a store, which was opened on one generation and says when it finds another."""


@pytest.mark.parametrize("what", SEEDS)
def test_two_writers_at_once_and_a_reader(what, tmp_path):
    """A hundred times each; every answer is that of the one or of the other, and neither writer fails."""
    sources = [make_source(tmp_path / f"source {number}", number) for number in (0, 5)]
    expected = {name: [] for name in ASKED[what]}
    for number, source in enumerate(sources):
        place = tmp_path / f"alone {number}"
        subprocess.run([sys.executable, "-c", WRITES, what, source, place, "1"], check=True, cwd=TESTS)
        for name, ask in ASKED[what].items():
            expected[name].append(ask(place))
    (tmp_path / "out").mkdir()
    place = tmp_path / "out" / "place"
    times = str(TIMES)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITES, what, source, place, times], stderr=subprocess.PIPE, text=True, cwd=TESTS
        )
        for source in sources
    ]
    seen = {name: set() for name in expected}
    changed = 0
    while any(writer.poll() is None for writer in writers):
        time.sleep(0.02)
        if not place.exists():
            assert not any(seen.values()), "there was a moment without a folder"
            continue
        for name, ask in ASKED[what].items():
            try:
                answer = ask(place)
            except LineageKitError as error:
                if name not in MAY_SAY_CHANGED or not ("anew" in str(error) or "rows read now" in str(error)):
                    raise
                changed += 1
                continue
            which = [number for number, one in enumerate(expected[name]) if answer.equals(one)]
            assert which, (name, answer)
            seen[name].update(which)
    for writer in writers:
        assert (writer.wait(), writer.stderr.read()) == (0, "")
        writer.stderr.close()
    assert all(seen.values()), (seen, changed)
    assert whole(what, place)
    assert names(tmp_path / "out") == ["place"]


TESTS = Path(__file__).resolve().parents[1]
