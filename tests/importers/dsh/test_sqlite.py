"""Sessions in the database of former versions of dsh."""

import json
import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest

from lineage_kit import SessionCorpus
from lineage_kit.importers.live import JsonlSessions
from support.dsh_written import (  # fmt: skip
    BEGAN,
    TURN_END,
    answer,
    call,
    event,
    links,
    log,
    numbered,
    packed,
    read,
    replace,
    result,
    rows,
    told,
    user,
)

TABLES = """
create table sessions (id text primary key, version integer, created_at integer, cwd text, parent_session text,
  seed_length integer, origin text, delegation_depth integer, agent_preset text, incarnation text, revision integer);
create table events (session_id text, seq integer, type text, time integer, data, source_event_seqs blob,
  surface_op text, ignorable integer, primary key (session_id, seq));
"""


def varints(seqs):
    """The citations as dsh packs them: the first plain, then zigzag distances, seven bits a byte."""
    blob = bytearray()
    for place, seq in enumerate(seqs):
        number = seq
        if place:
            step = seq - seqs[place - 1]
            number = step * 2 if step >= 0 else -step * 2 - 1
        while number > 0x7F:
            blob.append(number & 0x7F | 0x80)
            number >>= 7
        blob.append(number)
    return bytes(blob)


def stored(record):
    """A row of the events table as dsh writes it."""
    is_row = "seq0" in record
    data = json.dumps(record["data"], ensure_ascii=False)
    if len(data) >= 4096:
        data = pa.compress(data.encode(), codec="zstd", asbytes=True)
    return (
        record.get("seq", record.get("seq0")),
        record["type"],
        record.get("time", record.get("time0")),
        data,
        varints(record["sourceEventSeqs"]) if "sourceEventSeqs" in record else None,
        json.dumps(record["surfaceOp"]) if "surfaceOp" in record else None,
        0 if is_row else 1 if record.get("ignorable") else None,
    )


@pytest.fixture
def database(tmp_path):
    """Writes a database of sessions, given as records by id; the headers get what is wanted."""

    def write(sessions, version=17, application=0x44534850, heads=None):
        path = tmp_path / "sessions.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as made:
            made.executescript(TABLES)
            made.execute(f"pragma application_id = {application}")
            made.execute(f"pragma user_version = {version}")
            for id, records in sessions.items():
                head = {"id": id, "version": 0, "created_at": BEGAN, "cwd": "/w", "delegation_depth": 0}
                head |= (heads or {}).get(id, {})
                places = ", ".join("?" * len(head))
                made.execute(f"insert into sessions ({', '.join(head)}) values ({places})", list(head.values()))
                made.executemany("insert into events values (?, ?, ?, ?, ?, ?, ?, ?)", [(id, *row) for row in records])
            made.commit()
        return path

    return write


RECORDS = [
    user("a" * 5_000),
    packed(["x", "y", "z"]),
    packed(["{", "}"], "tool-call-chunks"),
    answer("b", [*range(1, 6)]),
    call(),
    result(cites=[7]),
    answer("none", []),
    event("plugin/thing", {"x": 1}, ignorable=True),
    user("in short", sourceEventSeqs=[8, 0, 6], surfaceOp=replace(0, 6)),
    TURN_END,
]


def test_the_same_as_a_log_of_lines(database, tmp_path):
    path = database({"s1": [stored(record) for record in numbered(*RECORDS)]})
    before = path.read_bytes()
    got = read(tmp_path)
    (tmp_path / "s1.jsonl").write_bytes(log(*RECORDS))
    lines = read(tmp_path / "s1.jsonl")
    apart = ("file", "line", "byte_offset", "payload")
    assert got.events.drop(apart).collect().equals(lines.events.drop(apart).collect())
    for (theirs,), (ours,) in zip(rows(got, "payload"), rows(lines, "payload"), strict=True):
        assert json.loads(theirs) == json.loads(ours)
    assert got.sessions.drop("file").collect().equals(lines.sessions.drop("file").collect())
    assert told(got, "kind", "count") == told(lines, "kind", "count")
    assert got.corpus().surface("s1")["seq"].to_list() == [11, 8, 9]
    assert got.corpus().check().rows() == []
    assert rows(got, "line", "byte_offset") == [(None, None)] * got.counts["events"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["s1.jsonl", "sessions.db"]
    assert path.read_bytes() == before


def test_several_sessions_and_their_headers(database):
    heads = {"c": {"parent_session": "p", "seed_length": 1, "origin": "subagent", "delegation_depth": 1}}
    path = database({"p": [stored(numbered(user())[0])], "c": [stored(numbered(user())[0])], "empty": []}, heads=heads)
    got = read(path)
    columns = ("session_id", "parent_session", "seed_length", "origin", "delegation_depth")
    assert got.sessions.select(columns).collect().rows() == [
        ("c", "p", 1, "subagent", 1),
        ("empty", None, None, None, 0),
        ("p", None, None, None, 0),
    ]
    assert links(got) == [("c", "forked_from", "session", "p", "asserted", 1.0)]
    corpus = SessionCorpus(live=JsonlSessions(path, format="dsh"))
    assert corpus.surface("p")["text"].to_list() == ["hi"]


DAMAGES = [
    {3: "{"},
    {3: b"\x28\xb5\x2f\xfd12"},
    {3: b"\xff"},
    {3: 5},
    {4: b"\x80"},
    {4: 7},
    {5: "{"},
    {0: 3},
    {1: None},
    {1: "text-chunks", 6: 0},
]
"""What a row of the database may hold by the place of its column."""


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
@pytest.mark.parametrize("ended", [True, False])
def test_a_damaged_row_ends_its_session(database, damage, ended):
    good = [stored(record) for record in numbered(user("a"), answer("b"), user("c"), user("d"), TURN_END)]
    rest = [good[4]] if ended else []
    bad = tuple(damage.get(place, value) for place, value in enumerate(good[1]))
    path = database({"s1": [good[0], bad, *([] if 0 in damage else [good[3]]), *rest], "s2": good})
    got = read(path)
    assert rows(got, "session_id", "type")[:2] == [("s1", "user/message"), ("s1", "unparsed")]
    assert got.counts["events"] == 7
    dropped = (0 if 0 in damage else 1) + ended
    if ended:
        assert told(got, "kind", "count") == [("corrupt_log", dropped), ("unparsed_line", 1)]
    else:
        assert told(got, "kind", "count") == [("unparsed_line", 1 + dropped)]
    assert got.corpus().check().rows() == []


def test_times_and_seqs_of_other_types(database):
    first, row = (stored(record) for record in numbered(user("a"), packed(["x", "y"])))
    path = database({"s1": [(0, first[1], "noon", *first[3:]), (1, row[1], b"noon", *row[3:])]})
    assert rows(read(path), "seq", "time") == [(0, None), (1, None), (2, None)]


def test_a_file_that_is_damaged_in_the_middle(database):
    records = [stored(record) for record in numbered(*(user(f"{number}" * 400) for number in range(400)))]
    path = database({"s1": records, "s2": records})
    whole = path.read_bytes()
    middle = len(whole) // 4096 // 2 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 8192 + whole[middle + 8192 :])
    got = read(path)
    assert got.sessions.collect()["session_id"].to_list() == ["s1", "s2"]
    assert "corrupt_log" in got.report["kind"]
    assert got.corpus().check().rows() == []


def test_other_databases(database, tmp_path):
    path = database({"s1": [stored(numbered(user())[0])]}, version=16)
    got = read(path)
    assert (got.counts["sessions"], told(got, "kind", "example")) == (1, [("damaged_header", "user_version 16")])
    path = database({"s1": []}, application=1)
    assert read(tmp_path).counts["files"] == 0
    path.write_bytes(path.read_bytes()[:68] + (0x44534850).to_bytes(4, "big") + b"\0" * 400)
    got = read(tmp_path)
    assert got.counts["sessions"] == 0
    assert told(got, "kind") == [("corrupt_log",)]
