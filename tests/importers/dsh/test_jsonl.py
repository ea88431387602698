"""Damaged dsh logs: where the readable part ends, what stands for the damage, and when a log is corrupt."""

import gzip
import json

import pyarrow as pa
import pytest

from lineage_kit import CorruptSession, SessionCorpus, SessionQueryError
from lineage_kit.importers.live import JsonlSessions
from support.dsh_written import TURN_END, answer, event, header, line, log, numbered, packed, read, rows, told, user

WHOLE = log(user("a"), packed(["x", "y"]), answer("b"), TURN_END)
LINES = WHOLE.splitlines(keepends=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


def imported(path, content):
    path.write_bytes(content)
    got = read(path)
    assert got.corpus().check().rows() == []
    return got


def types(got):
    return [type for (type,) in rows(got, "type")]


def live(path):
    return JsonlSessions(path, format="dsh")


def reason(got):
    return json.loads(rows(got, "payload")[-1][0])


def test_a_last_line_that_is_cut(path):
    got = imported(path, WHOLE[:-20])
    assert types(got) == [
        "user/message", "assistant/chunk", "assistant/chunk", "assistant/message", "unparsed"
    ]  # fmt: skip
    assert told(got) == [("torn_tail", 5, 1)]
    assert reason(got)["bytes"] == len(LINES[-1]) - 20
    # What is being written is not there yet.
    corpus = SessionCorpus(live=live(path))
    assert corpus.events("s1")["type"].to_list() == types(got)[:-1]
    path.write_bytes(WHOLE)
    assert corpus.events("s1")["type"].to_list()[-1] == "turn/end"


def test_text_after_the_last_newline_is_no_record_though_it_could_be_read(path):
    got = imported(path, WHOLE[:-1])
    assert types(got)[-2:] == ["assistant/message", "unparsed"]
    assert told(got) == [("torn_tail", 5, 1)]
    assert reason(got) == {"bytes": len(LINES[-1]) - 1, "reason": "the last line does not end in a newline"}
    assert live(path).load_session("s1").events.height == 4
    # Several records there are one torn line.
    got = imported(path, WHOLE[:-1] + b" " + line(event("turn/start", seq=5))[:-5])
    assert (types(got)[-2:], told(got)[-1]) == (["assistant/message", "unparsed"], ("torn_tail", 5, 1))


def test_a_torn_line_of_several_pieces_is_one(path):
    torn = b'"type":"session","version":0}'
    got = imported(path, WHOLE + torn)
    assert (types(got)[-1], told(got), reason(got)["bytes"]) == ("unparsed", [("torn_tail", 6, 1)], len(torn))
    got = imported(path, torn)
    assert told(got) == [("missing_header", 1, 1), ("torn_tail", 1, 1)]


def test_a_header_alone(path):
    path.write_bytes(line(header())[:-1])
    assert read(path).sessions.collect()["session_id"].to_list() == ["s1"]
    assert live(path).list_sessions().height == 0
    path.write_bytes(line(header())[:-9])
    got = read(path)
    assert (types(got), told(got)) == (["unparsed"], [("missing_header", 1, 1), ("torn_tail", 1, 1)])
    assert live(path).list_sessions().height == 0


DAMAGES = {
    "cut": LINES[2][:-9] + b"\n",
    "blank": b"\n",
    "blank with a carriage return": b"\r\n",
    "no record": b"[1]\n",
    "no type": b'{"seq":1}\n',
    "a gap": line(event("turn/start", seq=2)),
    "again": LINES[1],
    "a row with a gap": LINES[2].replace(b'"seq0":1', b'"seq0":4'),
    "zeros": b"\0\0\0\0\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_that_a_turn_end_follows(path, damage):
    bad = DAMAGES[damage]
    got = imported(path, b"".join([*LINES[:2], bad, *LINES[3:]]))
    assert rows(got, "seq", "type", "line") == [(0, "user/message", 2), (1, "unparsed", 3)]
    # The two lines that follow are told, and the damaged one.
    assert told(got) == [("corrupt_log", 3, 2), ("unparsed_line", 3, 1)]
    assert reason(got)["reason"] == got.report.filter(kind="corrupt_log")["example"][0]
    with pytest.raises(CorruptSession, match="line 3: "):
        live(path).load_session("s1")
    with pytest.raises(SessionQueryError) as raised:
        SessionCorpus(persisted=live(path)).trace_event("s1", 0)
    assert raised.value.code == "SESSION_QUERY_CORRUPT_SESSION"
    assert live(path).list_sessions()["session_id"].to_list() == ["s1"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_that_no_turn_end_follows(path, damage):
    bad = DAMAGES[damage]
    got = imported(path, b"".join([*LINES[:2], bad, *LINES[3:-1], LINES[-1][:-3]]))
    assert rows(got, "seq", "type", "line") == [(0, "user/message", 2), (1, "unparsed", 3)]
    assert told(got) == [("unparsed_line", 3, 2), ("torn_tail", 5, 1)]
    assert live(path).load_session("s1").events["type"].to_list() == ["user/message"]


def test_what_only_speaks_of_the_end_of_a_turn_is_none(path):
    said = user('{"type": "turn/end"}', data={"content": '{"type":"turn/end"}', "x": {"type": "turn/end"}})
    got = imported(path, LINES[0] + b"\n" + line(said))
    assert told(got) == [("unparsed_line", 2, 2)]
    # But one among several records of a line is one.
    got = imported(path, LINES[0] + b"\n" + line(said)[:-1] + line(TURN_END))
    assert told(got) == [("corrupt_log", 2, 1), ("unparsed_line", 2, 1)]


def test_two_records_on_one_line(path):
    records = [line(record)[:-1] for record in numbered(user("a"), answer("b"), packed(["x", "y"]), user("c"))]
    got = imported(path, LINES[0] + records[0] + records[1] + b"\n" + records[2] + b" " + records[3] + b"\n")
    assert rows(got, "seq", "type", "line") == [
        (0, "user/message", 2),
        (1, "assistant/message", 2),
        (2, "assistant/chunk", 3),
        (3, "assistant/chunk", 3),
        (4, "user/message", 3),
    ]
    assert told(got) == [("glued_records", 2, 2)]
    got = imported(path, LINES[0][:-1] + WHOLE[len(LINES[0]) :])
    assert (got.counts["events"], told(got)) == (5, [("glued_records", 1, 1)])


def test_bytes_that_mean_nothing(path):
    got = imported(path, b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r\n"))
    assert (rows(got, "type", "text", "line"), told(got)) == (rows(imported(path, WHOLE), "type", "text", "line"), [])
    got = imported(path, log(user("one\u2028line\u0085"), TURN_END))
    assert (rows(got, "text"), told(got)) == ([("one\u2028line\u0085",), (None,)], [])


def test_texts_that_are_no_text(path):
    half = WHOLE.replace(b'"text":"a"', b'"text":"a\\ud83d"').replace(b'"x"', b'"x\\udc00"')
    got = imported(path, half)
    assert (rows(got, "text")[0], told(got)) == (("a\ufffd",), [("replaced_surrogates", 2, 2)])
    assert json.loads(rows(got, "payload")[1][0])["chunk"]["text"] == "x\ufffd"
    got = imported(path, WHOLE.replace(b'"text":"a"', b'"text":"a\xff"'))
    assert (rows(got, "text")[0], told(got)) == (("a\ufffd",), [("invalid_utf8", 2, 1)])


@pytest.mark.parametrize("ending", ["session.jsonl.zstd", "flat.jsonl.zst"])
def test_frames_of_zstd(tmp_path, ending):
    path = tmp_path / ending
    parts = (LINES[0], b"".join(LINES[1:3]), LINES[3], LINES[4])
    framed = [pa.compress(part, codec="zstd", asbytes=True) for part in parts]
    got = imported(path, b"".join(framed))
    assert (types(got)[-1], told(got)) == ("turn/end", [])
    # A last frame that is torn: what stands before it is there.
    torn = b"".join(framed)[: -len(framed[-1]) // 2]
    got = imported(path, torn)
    assert types(got) == ["user/message", "assistant/chunk", "assistant/chunk", "assistant/message", "unparsed"]
    assert {kind for kind, *_ in told(got)} <= {"corrupt_log", "torn_tail"}
    assert live(path).load_session("s1").events["type"].to_list() == types(got)[:-1]


def test_a_torn_frame_that_holds_some_lines(tmp_path):
    path = tmp_path / "s1.jsonl.zstd"
    texts = [user(f"{number} {number * 7919}") for number in range(2_000)]
    whole = log(*texts)
    first = len(line(header()))
    frame = pa.compress(whole[first:], codec="zstd", asbytes=True)
    path.write_bytes(pa.compress(whole[:first], codec="zstd", asbytes=True) + frame[: len(frame) // 2])
    got = read(path)
    count = got.counts["events"]
    assert rows(got, "type") == [("user/message",)] * (count - 1) + [("unparsed",)]
    assert live(path).load_session("s1").events.height == count - 1


def test_gzip_that_is_cut(tmp_path):
    path = tmp_path / "s1.jsonl.gz"
    got = imported(path, gzip.compress(WHOLE))
    assert (types(got)[-1], told(got)) == ("turn/end", [])
    got = imported(path, gzip.compress(WHOLE)[:-12])
    assert types(got)[-1] == "unparsed"
    assert "corrupt_log" in got.report["kind"]


def test_a_torn_frame_behind_a_damaged_line(tmp_path):
    path = tmp_path / "s1.jsonl.zstd"
    frame = pa.compress(LINES[3], codec="zstd", asbytes=True)
    path.write_bytes(pa.compress(b"".join([*LINES[:2], b"\n"]), codec="zstd", asbytes=True) + frame[:-4])
    got = read(path)
    assert types(got) == ["user/message", "unparsed"]
    assert {"corrupt_log", "unparsed_line"} <= set(got.report["kind"])
    assert live(path).load_session("s1").events.height == 1
