"""Answers of a corpus: how sessions are sorted, what is found, and that answers are detached."""

import copy

import polars as pl
import pytest

from lineage_kit import InvalidRequest, MemorySessions, SessionCorpus, SessionLog
from support.session_small import live, log, noted, said, story


def test_sessions_are_sorted_newest_first_then_by_id():
    logs = [("b", 5), ("a", 5), ("Z", None), ("new", 9), ("ä", 5), ("B", 5), ("y", None)]
    corpus = live(*(log(name, [], **({} if at is None else {"createdAt": at})) for name, at in logs))
    assert corpus.sessions()["session_id"].to_list() == ["new", "B", "a", "b", "ä", "Z", "y"]


def test_find_is_literal_and_folds_case():
    events = [said(0, "Die STRASSE a.b"), said(1, "straße axb"), noted(2), said(3, "100%_*")]
    corpus = live(log("s1", events), log("s2", [said(0, "ΣΊΣΥΦΟΣ")]))

    def refs(pattern):
        return corpus.find(pattern)["ref"].to_list()

    assert refs("Straße") == refs("strasse") == ["s1#0", "s1#1"]
    assert (refs("A.B"), refs("%_*"), refs("σίσυφος")) == (["s1#0"], ["s1#3"], ["s2#0"])
    assert refs('"TURN": 2') == ["s1#2"]  # an event without text is searched in its payload
    assert (refs("callId"), refs("[")[:1]) == ([], ["s1#2"][:0])
    for empty in ("", None):
        with pytest.raises(InvalidRequest, match="pattern"):
            corpus.find(empty)


# ---- detachment


def spoil(value):
    """Change everything that can be changed in a raw value."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value["spoiled"] = True
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.append("spoiled")


def spoil_frame(frame):
    """Change a frame in place, as far as Polars lets one."""
    for name in frame.columns:
        if frame.height and frame.schema[name] in (pl.Int64, pl.Boolean, pl.String):
            frame[0, name] = None
    frame.drop_in_place(frame.columns[-1])
    frame.insert_column(0, pl.lit("spoiled").alias("spoiled"))


def answers(corpus):
    """Everything that a corpus says of session s1."""
    window, session = corpus.read_event("s1", 0, 1, 3), corpus.read_session("s1")
    traced = corpus.trace_session("s1")
    raw = [window.target, window.events, session.records(), session.record(0), window.session.extra]
    raw += [session.header.extra, traced.target.extra, corpus.trace_event("s1", 0).session.extra]
    raw += [record.extra for record in traced.ancestors] + [node.session.extra for node in traced.descendants]
    frames = [corpus.sessions(), corpus.events("s1"), corpus.surface("s1"), corpus.event_traces(), corpus.relations()]
    frames += [corpus.event_traces("s1"), corpus.find("first"), traced.frame, corpus.trace_event("s1", 0).frame]
    return raw, [*frames, session.events]


def corpora(folder):
    extra = {"mood": {"today": ["good"]}}
    logs = [log("s1", parentSession="s0", **extra), log("s0", **extra), log("s2", parentSession="s1", **extra)]
    yield live(*logs)
    yield SessionCorpus(persisted=MemorySessions(logs))
    yield SessionCorpus.open(live(*logs).write_parquet(folder))


def test_nothing_reachable_from_an_answer_changes_a_later_one(tmp_path):
    for corpus in corpora(tmp_path):
        first = copy.deepcopy(answers(corpus))
        raw, frames = answers(corpus)
        for value in raw:
            spoil(value)
        for frame in frames:
            spoil_frame(frame)
        again = answers(corpus)
        assert again[0] == first[0]
        assert all(one.equals(other) for one, other in zip(again[1], first[1], strict=True))


def test_a_log_that_was_read_is_detached_too():
    source = MemorySessions([log("s1")])
    corpus = SessionCorpus(live=source)
    read = corpus.read_session("s1")
    spoil_frame(read.events)
    spoil(read.records())
    assert corpus.events("s1").height == 4
    assert corpus.read_session("s1").records() == story()
    assert isinstance(read, SessionLog)


def test_a_trace_of_two_calls_is_equal_but_not_the_same():
    corpus = live(log("s1", mood=[1]))
    one, other = corpus.trace_event("s1", 0), corpus.trace_event("s1", 0)
    assert one == other == copy.deepcopy(one)
    assert one.session.extra is not other.session.extra
    assert corpus.trace_session("s1") == corpus.trace_session("s1")
    assert one != corpus.trace_event("s1", 2)
