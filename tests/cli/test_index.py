"""`lineage-kit index`, and the other commands on an index."""

import polars as pl
import pytest

from support.commands import call
from support.shared import DATA
from support.small import two_steps


@pytest.fixture
def folder(capsys, tmp_path):
    place = tmp_path / "index"
    items = ("--items", DATA / "items.parquet")
    code, out, err = call(capsys, "index", "build", DATA / "decisions.parquet", *items, "--out", place)
    assert (code, err) == (0, "")
    assert "up to date with its sources" in out
    return place


def test_other_commands_take_an_index(folder, capsys):
    """Answers equal those from the file; SQL may read nothing but what the index was built from."""
    plain = ("--data", DATA / "decisions.parquet", "--items", DATA / "items.parquet")
    for words in (
        ("trace", "decision", "dec-2026-0417"),
        ("trace", "decision", "dec-2026-0417", "--format", "json", "--as-of", "2026-04-23T12:00:00Z"),
        ("trace", "decision", "nobody"),
        ("reach", "evidence", "ev-7f3a91c2", "--direction", "incoming"),
        ("find", "load test"),
        ("check",),
        ("sql", "select count(*) from relations"),
        ("sql", "from items order by all limit 3"),
        ("sql", "from trace_summary('decision', 'dec-2026-0417')"),
    ):
        code, out, _ = call(capsys, *words, "--data", folder)
        assert code == 0, words
        assert out == call(capsys, *words, *plain)[1], words
    assert call(capsys, "sql", f"from read_parquet('{DATA / 'rfc_relations.parquet'}')", "--data", folder)[0] == 2


def test_info_says_what_is_in_it(folder, capsys):
    code, out, _ = call(capsys, "index", "info", folder, "--verify")
    assert code == 0
    for text in ("3,360", "'depends_on'", "decisions.parquet", "items.parquet", "up to date", "Every byte"):
        assert text in out


def test_info_of_a_stale_and_of_a_damaged_index(tmp_path, capsys):
    source, place = tmp_path / "edges.parquet", tmp_path / "index"
    two_steps().write_parquet(source)
    assert call(capsys, "index", "build", source, "--out", place, "--memory-limit", "1GB", "--temp", tmp_path)[0] == 0
    two_steps().head(1).write_parquet(source)
    code, out, _ = call(capsys, "index", "info", place)
    assert code == 0
    assert "STALE" in out
    code, _, err = call(capsys, "trace", "decision", "d1", "--data", place)
    assert code == 2
    assert err.count("\n") == 1
    assert "lineage-kit index build" in err
    content = (place / "edges.npy").read_bytes()
    (place / "edges.npy").write_bytes(content[:-1] + b"\7")
    assert call(capsys, "index", "info", place)[0] == 0
    code, _, err = call(capsys, "index", "info", place, "--verify")
    assert (code, err.count("\n")) == (2, 1)
    assert "edges.npy" in err
    (place / "edges.npy").unlink()
    assert call(capsys, "index", "info", place)[0] == 2
    assert call(capsys, "index", "info", tmp_path / "nowhere")[0] == 2


def test_build_maps_columns_and_kinds(tmp_path, capsys):
    source, place = tmp_path / "it's mine.parquet", tmp_path / "index"
    pl.DataFrame({"from": ["d1"], "to": ["e1"], "rel": ["BASED_ON"]}).write_parquet(source)
    mapping = ["--column", "from=source_id", "--column", "to=target_id", "--column", "rel=relation_kind"]
    mapping += ["--kind", "BASED_ON=depends_on", "--source-type", "decision", "--target-type", "evidence"]
    assert call(capsys, "index", "build", source, *mapping, "--out", place)[0] == 0
    code, out, _ = call(capsys, "trace", "decision", "d1", "--data", place, "--format", "csv")
    assert code == 0
    assert "evidence,e1" in out
    code, _, err = call(capsys, "trace", "decision", "d1", "--data", place, "--source-type", "x")
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = call(capsys, "index", "build", tmp_path / "none.parquet", "--out", place)
    assert code == 2
    assert "no such file" in err
    assert call(capsys, "trace", "decision", "d1", "--data", place)[0] == 0
    source.unlink()
    err = call(capsys, "trace", "decision", "d1", "--data", place)[2]
    for word in mapping:
        assert word in err
