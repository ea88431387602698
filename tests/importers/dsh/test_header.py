"""Headers of dsh logs, and what the place of a file says where they do not."""

from support.dsh_written import frames, header, line, log, numbered, read, rows, sessions, told, user


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
