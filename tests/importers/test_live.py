"""`JsonlSessions`: transcripts that another program is writing now."""

import json
import shutil

import polars as pl
import pytest

import lineage_kit
from lineage_kit import InvalidRequest, JsonlSessions, MemorySessions, SessionCorpus, SessionLog, SessionQueryError
from support.shared import DATA

TRANSCRIPTS = DATA / "transcripts"
FORMATS = {"claude-code": "claude_code", "codex": "codex", "dsh": "dsh"}
USER = '{"type": "user", "uuid": "%s", "parentUuid": %s, "sessionId": "s1", "message": {"content": "%s"}}\n'


@pytest.fixture
def growing(tmp_path):
    """A log of one record, and what appends to it."""
    path = tmp_path / "s1.jsonl"

    def append(text):
        with path.open("a", encoding="utf-8") as file:
            file.write(text)

    append(USER % ("u1", "null", "hello"))
    return path, append


def test_each_call_reads_what_is_there(growing):
    path, append = growing
    corpus = SessionCorpus(live=JsonlSessions(path, format="claude-code"))
    assert corpus.surface("s1")["text"].to_list() == ["hello"]
    append(USER % ("u2", '"u1"', "and on"))
    assert corpus.surface("s1")["text"].to_list() == ["hello", "and on"]
    assert corpus.trace_event("s1", 1).target.surface == "current"
    assert corpus.sessions().select("session_id", "live").rows() == [("s1", True)]


def test_a_torn_last_line_is_not_there_yet(growing):
    path, append = growing
    corpus = SessionCorpus(live=JsonlSessions(path, format="claude-code"))
    line = USER % ("u2", '"u1"', "half")
    append(line[:40])
    assert corpus.events("s1").height == 1
    append(line[40:])
    assert corpus.events("s1").select("seq", "type", "text").rows()[1] == (1, "user/message", "half")
    # An import of the same file, at the same moment, keeps the torn line as an event.
    append(line[:40])
    events = lineage_kit.read_claude_code(path, progress=False).events.collect()
    assert events["type"].to_list() == ["user/message", "user/message", "unparsed"]


@pytest.mark.parametrize(("format", "folder"), FORMATS.items())
def test_live_logs_are_the_imported_ones(format, folder):
    live = SessionCorpus(live=JsonlSessions(TRANSCRIPTS / folder, format=format))
    read = getattr(lineage_kit, f"read_{folder}")
    stored = read(TRANSCRIPTS / folder, progress=False).corpus()
    assert live.check().rows() == []
    whole = pl.col("type") != "unparsed"
    assert live.all_events().equals(stored.all_events().filter(whole))
    assert live.event_traces().height == stored.all_events().filter(whole).height
    for session_id in live.sessions()["session_id"]:
        assert live.trace_session(session_id) is not None
        events = live.events(session_id)
        assert events.equals(stored.events(session_id).filter(whole)) or "unparsed" in stored.events(session_id)["type"]


def test_bulk_calls_read_the_files_once(monkeypatch):
    source = JsonlSessions(TRANSCRIPTS / "claude_code", format="claude-code")
    calls = []
    read = JsonlSessions._read
    monkeypatch.setattr(JsonlSessions, "_read", lambda self: calls.append(1) or read(self))
    SessionCorpus(live=source).event_traces()
    assert len(calls) == 2  # the listing, and all logs


def test_sessions_without_events_cost_no_reading_of_their_own(tmp_path, monkeypatch):
    for name in ("s1", "s2", "s3"):
        header = {"type": "session", "version": 0, "id": name, "createdAt": 5, "cwd": "/w", "delegationDepth": 0}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(header) + "\n")
    source = JsonlSessions(tmp_path, format="dsh")
    calls = []
    read = JsonlSessions._read
    monkeypatch.setattr(JsonlSessions, "_read", lambda self: calls.append(1) or read(self))
    assert SessionCorpus(live=source).check().rows() == []
    assert source.list_sessions().height == 3
    assert len(calls) == 3  # the listing and all logs by the check, and the listing of this test


def test_live_wins_over_the_stored_session(tmp_path):
    imported = lineage_kit.read_codex(TRANSCRIPTS / "codex", progress=False)
    imported.write_parquet(tmp_path / "out")
    shutil.copytree(TRANSCRIPTS / "codex", tmp_path / "logs")
    [log] = (tmp_path / "logs").rglob("*.jsonl")
    with log.open("a") as file:
        message = '{"type":"message","role":"user","content":[{"type":"input_text","text":"Thanks."}]}'
        file.write(f'{{"timestamp":"2026-10-07T10:00:00.000Z","type":"response_item","payload":{message}}}\n')
    persisted = SessionCorpus.open(tmp_path / "out")._listing.persisted
    corpus = SessionCorpus(live=JsonlSessions(tmp_path / "logs", format="codex"), persisted=persisted)
    [session_id] = corpus.sessions()["session_id"]
    assert corpus.sessions().select("live", "persisted").rows() == [(True, True)]
    assert corpus.surface(session_id)["text"].to_list()[-1] == "Thanks."


def test_a_damaged_dsh_log_is_corrupt_while_live(tmp_path):
    [log] = (TRANSCRIPTS / "dsh").rglob("*.jsonl")
    lines = log.read_bytes().split(b"\n")
    lines[3] = lines[3][:50]
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join(lines))
    source = JsonlSessions(path, format="dsh")
    [session_id] = source.list_sessions()["session_id"]
    with pytest.raises(lineage_kit.CorruptSession, match=r"session\.jsonl, line 4"):
        source.load_session(session_id)
    corpus = SessionCorpus(live=source)
    assert corpus.check().select("session_id", "rule").rows() == [(session_id, "the session can be read")]
    with pytest.raises(SessionQueryError, match="CORRUPT_SESSION"):
        SessionCorpus(persisted=source).trace_event(session_id, 0)


def test_an_unknown_session_is_a_key_error():
    with pytest.raises(KeyError):
        JsonlSessions(TRANSCRIPTS / "codex", format="codex").load_session("nobody")
    with pytest.raises(SessionQueryError, match="SESSION_NOT_FOUND"):
        SessionCorpus(live=JsonlSessions(TRANSCRIPTS / "codex", format="codex")).events("nobody")


def test_a_wrong_format_and_a_missing_path_are_told_at_once(tmp_path):
    with pytest.raises(InvalidRequest, match="claude-code, codex, dsh"):
        JsonlSessions(TRANSCRIPTS, format="aider")
    with pytest.raises(InvalidRequest, match="there is no such file or folder"):
        JsonlSessions(tmp_path / "nowhere", format="codex")


def test_it_is_a_source_like_any_other():
    source = JsonlSessions(TRANSCRIPTS / "codex", format="codex")
    assert isinstance(source, lineage_kit.SessionSource)
    assert repr(source).endswith("codex, format='codex')")
    log = SessionLog.from_records({"id": "held"}, [])
    both = SessionCorpus(live=MemorySessions([log]), persisted=source)
    assert both.sessions().height == 2
