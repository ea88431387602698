"""Where dsh keeps its logs, what they are called there, and which sessions the files of an import make."""

import gzip

import pyarrow as pa
import pytest

from lineage_kit.importers.run import read_logs
from support.dsh_written import answer, event, header, line, links, log, numbered, packed, read, rows, told, user


def frames(*parts):
    """Each part as a zstd frame of its own, as dsh appends them."""
    return b"".join(pa.compress(part, codec="zstd", asbytes=True) for part in parts)


def sessions(got, *columns):
    return got.sessions.select(columns or "session_id").collect().rows()


@pytest.fixture
def home(tmp_path):
    """Writes the file of a session where dsh would."""

    def write(session, content, name="session.jsonl.zstd"):
        folder = tmp_path / "sessions" / "--w--" / session
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        return folder / name

    return write


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


def test_the_latest_generation_counts(tmp_path, home):
    home("s1", log(user("old")), "session.jsonl")
    home("s1", log(user("newer")), "session.v2.jsonl")
    home("s1", frames(log(user("newest"))), "session.v10.jsonl.zstd")
    old = home("s2", log(user("alone"), head=header(id="s2")), "session.jsonl")
    got = read(tmp_path)
    assert rows(got, "session_id", "text") == [("s1", "newest"), ("s2", "alone")]
    assert told(got, "kind", "example") == [("side_file", "a later generation is beside it")] * 2
    # Files that are named are read, whatever stands beside them.
    home("s2", log(user("later")), "session.v3.jsonl")
    assert rows(read(old), "text") == [("alone",)]


def test_a_log_without_a_header_is_named_after_its_place(tmp_path, home):
    home("s~002F1~D83D~DE00", b"".join(map(line, numbered(user("a")))), "session.jsonl")
    (tmp_path / "flat.jsonl").write_bytes(b"".join(map(line, numbered(user("b"), user("c")))))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    got = read(tmp_path)
    assert rows(got, "session_id", "seq", "text") == [("flat", 0, "b"), ("flat", 1, "c"), ("s/1😀", 0, "a")]
    assert sessions(got, "version", "created_at", "delegation_depth") == [(None,) * 3] * 2
    assert told(got) == [("empty_file", None, 1), ("missing_header", 1, 1), ("missing_header", 1, 1)]


def test_headers(tmp_path):
    heads = {
        "1": header(id="1", createdAt=True, cwd=5, origin="subagent", parentSession="0"),
        "2": header(id="2", version=9, delegationDepth=None),
        "3": header(id="3", version="x", seedLength=-1, delegationDepth=2),
        "4": header(id=None, delegationDepth=None, version=3),
        "5": header(id=["5"], createdAt=7.0),
        "": header(id=""),
    }
    for name, head in heads.items():
        (tmp_path / f"f{name}.jsonl").write_bytes(log(user(), head=head))
    got = read(tmp_path)
    assert sessions(got, "session_id", "version", "cwd", "origin", "delegation_depth", "seed_length") == [
        ("", "0", "/w", None, 0, None),
        ("1", "0", None, "subagent", 0, None),
        ("2", "9", "/w", None, None, None),
        ("3", None, "/w", None, 2, None),
        ("f4", "3", "/w", None, None, None),
        ("f5", "0", "/w", None, 0, None),
    ]
    assert told(got, "file", "kind", "line", "example") == [
        (f"f{number}.jsonl", "damaged_header", 1, example)
        for number, example in enumerate(
            (
                "createdAt is True, cwd is 5",
                "version 9",
                "version is 'x', seedLength is -1",
                "no id",
                "id is ['5']",
            ),
            1,
        )
    ]
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
    from datetime import UTC, datetime

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
