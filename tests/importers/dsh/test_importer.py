"""Where dsh keeps its logs, what they are called there, and which sessions the files of an import make."""

import gzip
from datetime import UTC, datetime

import pytest

from lineage_kit import InvalidRequest
from lineage_kit.importers.run import read_logs
from support.dsh_written import (
    answer,
    call,
    event,
    frames,
    header,
    imported,
    links,
    log,
    packed,
    read,
    result,
    rows,
    sessions,
    told,
    user,
)


def test_the_tree_of_dsh(tmp_path, home):
    first, second = log(user("a"), packed(["x", "y"])), log(user("b"), head=header(id="s2", parentSession="s1"))
    home("s1", frames(*first.splitlines(keepends=True)))
    home("s2", second, "session.jsonl")
    home("s2", b"1234", "session.lock")
    home("s3", gzip.compress(log(user("c"), head=header(id="s3"))), "session.jsonl.gz")
    home("s3", b"no log", "notes.txt")
    got = read(tmp_path / "sessions")
    assert sessions(got, "session_id", "parent_session") == [("s1", None), ("s2", "s1"), ("s3", None)]
    assert rows(got, "session_id", "seq", "type", "line") == [
        ("s1", 0, "user/message", 2),
        ("s1", 1, "assistant/chunk", 3),
        ("s1", 2, "assistant/chunk", 3),
        ("s2", 0, "user/message", 2),
        ("s3", 0, "user/message", 2),
    ]
    assert told(got) == [("side_file", None, 1)]
    assert got.report["file"][0].endswith("s2/session.lock")
    assert links(got) == []
    assert got.corpus().check().rows() == []


def test_one_id_in_several_files(tmp_path):
    name = "{{sessionId}}"
    (tmp_path / "a.jsonl").write_bytes(log(user("later"), head=header(id=name, createdAt=9)))
    (tmp_path / "b.jsonl").write_bytes(log(user("first"), head=header(id=name, createdAt=5)))
    (tmp_path / "c.jsonl.zstd").write_bytes(frames(log(user("later"), head=header(id=name, createdAt=9))))
    (tmp_path / "d.jsonl").write_bytes(log(user("child"), head=header(id="d", parentSession=name, seedLength=0)))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.jsonl").write_bytes(log(user("again"), head=header(id=name, createdAt=9)))
    got = read(tmp_path)
    assert rows(got, "session_id", "text") == [
        ("d", "child"),
        (name, "first"),
        (f"{name}@a", "later"),
        (f"{name}@sub/a", "again"),
    ]
    assert told(got, "file", "kind", "count", "example") == [
        ("a.jsonl", "duplicate_session_id", 1, name),
        ("c.jsonl.zstd", "duplicate_record", 1, "a.jsonl"),
        ("sub/a.jsonl", "duplicate_session_id", 1, name),
    ]
    assert got.corpus().check().rows() == []


def test_a_seeded_session_keeps_its_seed(tmp_path):
    parent = [user("a"), answer("b"), event("session/title", {"title": "parent", "messageSeqs": []})]
    (tmp_path / "parent.jsonl").write_bytes(log(*parent, head=header(id="p")))
    seeded = [*parent, event("session/end-seed", {}), user("go on")]
    (tmp_path / "v0.jsonl").write_bytes(log(*seeded, head=header(id="c0", parentSession="p", seedLength=3)))
    marked = [*parent, event("session/end-seed", {"inherited": True}), event("session/end-seed", {}), user("go on")]
    later = header(id="c3", parentSession="gone", isSeeded=True, version=3)
    (tmp_path / "v3.jsonl").write_bytes(log(*marked, head=later))
    unmarked = header(id="c4", parentSession="p", isSeeded=True, version=3)
    (tmp_path / "v4.jsonl").write_bytes(log(*seeded, head=unmarked))
    got = read(tmp_path)
    assert sessions(got, "session_id", "parent_session", "seed_length") == [
        ("c0", "p", 3),
        ("c3", "gone", 3),
        ("c4", "p", None),
        ("p", None, None),
    ]
    assert links(got) == [
        ("c0", "forked_from", "session", "p", "asserted", 1.0),
        ("c3", "forked_from", "session", "gone", "asserted", 0.0),
        ("c4", "forked_from", "session", "p", "asserted", 1.0),
    ]
    assert [seq for (id, seq) in rows(got, "session_id", "seq") if id == "c0"] == [0, 1, 2, 3, 4]
    assert told(got, "file", "kind") == [("v4.jsonl", "damaged_header")]
    assert got.corpus().surface("c0")["text"].to_list() == ["a", "b", "go on"]


def test_a_child_that_names_the_call_it_came_from(tmp_path):
    called = event("tool/call", {"callId": "c7", "name": "subagent"})
    (tmp_path / "p.jsonl").write_bytes(log(user("a"), called, head=header(id="p")))
    (tmp_path / "c.jsonl").write_bytes(
        log(event("subagent/descriptor", {"parentCallId": "c7"}), head=header(id="c", parentSession="p"))
    )
    got = read(tmp_path)
    assert links(got) == [("c", "spawned_by", "event", "p#1", "observed", 1.0)]


def test_sessions_since(tmp_path):

    from lineage_kit.importers.dsh.importer import Dsh

    day = 86_400_000
    early = {**packed(["a", "b"], gaps=[5 * day]), "time0": 0}
    (tmp_path / "e.jsonl").write_bytes(log(event("turn/start", time=0), early, head=header(id="e")))
    (tmp_path / "l.jsonl").write_bytes(log(event("turn/start", time=9 * day), head=header(id="l")))
    options = {"progress": False, "live": True}

    def since(number):
        got = read_logs(Dsh, tmp_path, since=datetime(1970, 1, number, tzinfo=UTC), **options)
        return got.sessions.collect()["session_id"].to_list()

    assert (since(6), since(7), since(11)) == (["e", "l"], ["l"], [])


def test_text_can_be_left_out(path):
    records = [
        event("session/title", {"title": "t", "messageSeqs": []}),
        user(),
        packed(["a", "b"]),
        call(),
        result(cites=[4]),
    ]
    got = imported(path, *records, text="drop")
    assert rows(got, "payload", "text") == [(None, None)] * 6
    assert rows(got, "type", "record_id", "tool_name")[5] == ("tool/result", "r-c1", "bash")
    assert got.sessions.collect()["title"].to_list() == [None]
    assert got.corpus().check().rows() == []


def test_options_are_checked(path):
    path.write_bytes(log(user()))
    with pytest.raises(InvalidRequest, match="text must be"):
        read(path, text="some")
    with pytest.raises(InvalidRequest, match="no such file"):
        read(path.parent / "absent")
