"""Smeldr's database: read-only, in whatever state another process has left it or holds it."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

import lineage_kit
from lineage_kit import LineageKitError, RelationStore, SchemaError

TABLES = """
create table smeldr_relations (id text primary key, source_type text, source_id text, target_type text,
    target_id text, relation_kind text, edge_class text, confidence real, valid_at datetime, invalid_at datetime,
    attributes text, created_at datetime, updated_at datetime);
create table smeldr_decisions (id text primary key, slug text, status text, created_at text, decision_number text,
    body text);
"""
EDGE = (
    "insert into smeldr_relations values (?, 'Decision', ?, 'Decision', ?, ?, 'asserted', null, null, null, '{}', ?, ?)"
)
ZONED = "2026-06-02 09:15:00.123456789 +0530 +0530 m=+12.3"


def make(path, *, wal=False):
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("pragma journal_mode = wal")
    connection.executescript(TABLES)
    for number, (source, kind, target) in enumerate([("d2", "depends_on", "d1"), ("d3", "supersedes", "d1")]):
        connection.execute(EDGE, (f"e{number}", source, target, kind, ZONED, ZONED))
    for id, status in (("d1", "superseded"), ("d2", "ratified"), ("d3", "ratified")):
        connection.execute(
            "insert into smeldr_decisions values (?, ?, ?, ?, ?, ?)", (id, id, status, 1, id.upper(), "Why")
        )
    connection.commit()
    return connection


def read(path):
    return lineage_kit.read_smeldr(path, progress=False)


def state(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("wal", [False, True])
def test_opened_as_it_is_and_nothing_is_written(wal, tmp_path):
    make(tmp_path / "smeldr.db", wal=wal).close()
    before = state(tmp_path)
    store = RelationStore.open(tmp_path / "smeldr.db")
    trace = store.trace_lineage("Decision", "d2")
    assert trace.nodes.select("id", "superseded", "label").rows() == [("d1", True, "D1"), ("d3", False, "D3")]
    assert trace.edges["created_at"][0].isoformat() == "2026-06-02T03:45:00.123456+00:00"
    assert store.find("D2")["id"].to_list() == ["d2"]
    assert state(tmp_path) == before


def test_a_log_ahead_of_the_database_is_read_with_it(tmp_path):
    """As a killed writer leaves it: the rows are in the log only."""
    with closing(make(tmp_path / "a.db", wal=True)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute(EDGE, ("e9", "d9", "d2", "depends_on", ZONED, ZONED))
        connection.commit()
        (tmp_path / "left").mkdir()
        for ending in ("", "-wal"):
            shutil.copy(tmp_path / f"a.db{ending}", tmp_path / "left" / f"a.db{ending}")
    before = state(tmp_path / "left")
    assert "d9" in read(tmp_path / "left" / "a.db").relations.collect()["source_id"]
    assert state(tmp_path / "left") == before


def test_one_that_is_being_written_is_read_as_it_was(tmp_path):
    """What another process has not committed is not there yet."""
    with closing(make(tmp_path / "a.db", wal=True)) as connection:
        connection.isolation_level = None
        connection.execute("begin immediate")
        connection.execute(EDGE, ("e9", "d9", "d2", "depends_on", ZONED, ZONED))
        assert read(tmp_path / "a.db").counts["relations"] == 2
        connection.execute("commit")
        assert read(tmp_path / "a.db").counts["relations"] == 3


HELD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin exclusive")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_locked_one_is_an_error_that_says_so(tmp_path, monkeypatch):
    make(tmp_path / "a.db").close()
    monkeypatch.setattr("lineage_kit.importers.smeldr.database.PATIENCE", 0.1)
    holder = subprocess.Popen(
        [sys.executable, "-c", HELD, tmp_path / "a.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LineageKitError, match=r"a.db is locked by another process.*import it again"):
            read(tmp_path / "a.db")
    finally:
        holder.communicate()
    assert read(tmp_path / "a.db").counts["relations"] == 2


@pytest.mark.skipif(os.name == "nt", reason="a folder is made read-only by its mode")
def test_in_a_folder_that_cannot_be_written(tmp_path):
    folder = tmp_path / "fixed"
    folder.mkdir()
    make(folder / "a.db", wal=True).close()
    folder.chmod(0o500)
    try:
        assert read(folder / "a.db").counts["relations"] == 2
    finally:
        folder.chmod(0o700)


def test_a_damaged_one_is_reported_and_never_opened_as_if_whole(tmp_path):
    make(tmp_path / "a.db").close()
    data = bytearray((tmp_path / "a.db").read_bytes())
    page = len(data) // 2
    data[page : page + 2_000] = b"\xff" * 2_000
    (tmp_path / "a.db").write_bytes(data)
    imported = read(tmp_path / "a.db")
    if "corrupt_log" in imported.report["kind"]:
        with pytest.raises(SchemaError, match="the database is damaged"):
            RelationStore.open(tmp_path / "a.db")
    (tmp_path / "b.db").write_bytes(bytes(data[:5_000]))
    with pytest.raises(LineageKitError, match=r"b\.db"):
        RelationStore.open(tmp_path / "b.db")


def test_a_database_of_something_else(tmp_path):
    with closing(sqlite3.connect(tmp_path / "notes.db")) as connection:
        connection.execute("create table notes (text text)")
        connection.commit()
    assert read(tmp_path / "notes.db").report.select("kind", "example").rows() == [
        ("side_file", "no table smeldr_relations")
    ]
    with pytest.raises(SchemaError, match=r"an SQLite database, but of no tool.*Known are: smeldr"):
        RelationStore.open(tmp_path / "notes.db")


def test_rows_of_the_wrong_shape_are_counted(tmp_path):
    with closing(make(tmp_path / "a.db")) as connection:
        connection.execute("insert into smeldr_relations (id, source_type) values ('bad', 'Decision')")
        connection.execute(
            "insert into smeldr_relations values ('x', 'Decision', x'ff00', 'Decision', 'd1', 'k', 3, 'high', "
            "'soon', '0001-01-01 00:00:00 +0000 UTC', '{}', '2026-01-01 00:00:00', null)"
        )
        connection.commit()
    found = dict(read(tmp_path / "a.db").report.select("kind", "count").rows())
    assert found["missing_endpoint"] == 1
    assert found["bad_record"] >= 1


def test_an_edge_that_is_told_with_more_beside_it(tmp_path):
    edge = {
        "id": "1",
        "source_type": "D",
        "source_id": "b",
        "target_type": "D",
        "target_id": "a",
        "relation_kind": "depends_on",
        "edge_class": "asserted",
        "created_at": "2026-01-01T00:00:00Z",
    }
    (tmp_path / "d.json").write_text(json.dumps({"dependents": [{"edge": edge, "depth": 1}]}))
    assert read(tmp_path).relations.select("source_id", "target_id").collect().rows() == [("b", "a")]
