"""The sessions in `data/`: what is committed is what the script makes, every log is sound, and the plot ends in one."""

import importlib.util
import json
import re

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import ParquetSessions, RelationStore, SessionCorpus
from lineage_kit.sessions.records import error_of, text_of
from support.shared import DATA

FILES = ["sessions.parquet", "events.parquet"]
SURFACE = ["user/message", "assistant/message", "tool/result"]
CACHE_ON = "response cache    ON"
DOUBTED, WRONG = ("decision", "dec-2026-0417"), "ev-7f3a91c2"


def load_script():
    spec = importlib.util.spec_from_file_location("build_sessions", DATA / "build_sessions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()
KEY = [script.MEASUREMENT, script.PRUNED, script.COMPACTION, script.CONCLUSION]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    script.build(folder)
    return folder


@pytest.fixture(scope="module")
def sessions():
    return pl.read_parquet(DATA / "sessions.parquet")


@pytest.fixture(scope="module")
def events():
    ref = pl.concat_str("session_id", pl.lit("#"), "seq")
    return pl.read_parquet(DATA / "events.parquet").with_columns(ref=ref)


@pytest.fixture(scope="module")
def corpus():
    return SessionCorpus(persisted=ParquetSessions(sessions=DATA / "sessions.parquet", events=DATA / "events.parquet"))


@pytest.fixture(scope="module")
def traces(corpus):
    return corpus.event_traces()


@pytest.fixture(scope="module")
def decisions():
    return pl.read_parquet(DATA / "decisions.parquet")


@pytest.fixture(scope="module")
def union(corpus):
    return RelationStore.open([DATA / "decisions.parquet", corpus.relations()], items=DATA / "items.parquet")


def place(ref):
    session_id, _, seq = ref.rpartition("#")
    return session_id, int(seq)


def row(frame, ref):
    return frame.row(by_predicate=pl.col("ref") == ref, named=True)


# ---- the files


@pytest.mark.parametrize("name", FILES)
def test_committed_table_is_what_the_script_makes(name, made):
    assert_frame_equal(pl.read_parquet(DATA / name), pl.read_parquet(made / name))
    # Another release of Polars may write the same table in other bytes.
    lock = (DATA.parent / "requirements.lock").read_text(encoding="utf-8")
    if f"\npolars=={pl.__version__} " in f"\n{lock}":
        assert (DATA / name).read_bytes() == (made / name).read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_script_makes_the_same_bytes_twice(name, made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    load_script().build(tmp_path)
    assert (made / name).read_bytes() == (tmp_path / name).read_bytes()


def test_schemas_and_sizes(sessions, events):
    text, number, time = pl.String, pl.Int64, pl.Datetime("us", "UTC")
    assert dict(sessions.schema) == {
        "session_id": text,
        "parent_session": text,
        "created_at": time,
        "version": text,
        "cwd": text,
        "origin": text,
        "title": text,
        "seed_length": number,
        "delegation_depth": number,
    }
    assert dict(events.drop("ref").schema) == {
        "session_id": text,
        "seq": number,
        "time": time,
        "type": text,
        "surface_op": pl.Struct({"op": text, "start": number, "end": number}),
        "source_event_seqs": pl.List(number),
        "payload": text,
        "text": text,
        "is_error": pl.Boolean,
    }
    assert 30 <= sessions.height <= 60
    assert 3_000 <= events.height <= 8_000
    assert sum((DATA / name).stat().st_size for name in FILES) < 400_000
    assert sessions["session_id"].is_sorted()
    assert_frame_equal(events, events.sort("session_id", "seq"))


def test_every_log_is_sound(corpus):
    assert corpus.check().height == 0
    assert SessionCorpus.open(DATA).check().height == 0


def test_written_anew_they_are_the_same(corpus, tmp_path, sessions, events):
    corpus.write_parquet(tmp_path)
    assert_frame_equal(pl.read_parquet(tmp_path / "sessions.parquet"), sessions)
    assert_frame_equal(pl.read_parquet(tmp_path / "events.parquet"), events.drop("ref"))


# ---- what a log holds


def test_payloads_are_those_of_a_harness(events):
    for event in events.iter_rows(named=True):
        data = json.loads(event["payload"])
        assert error_of(data) == event["is_error"]
        if event["type"] in SURFACE:
            message = data["message"]
            assert message["id"]
            assert message["role"] == {"tool/result": "tool"}.get(event["type"], event["type"].split("/")[0])
            assert text_of(data) == event["text"] != ""
        else:
            assert text_of(data) in (None, event["text"])
    ids = events.filter(pl.col("type").is_in(SURFACE)).select(
        "session_id", pl.col("payload").str.json_path_match("$.message.id"), pl.col("surface_op").struct.field("op")
    )
    # A pruned result keeps the message of the one it stands for.
    again = ids.group_by("session_id", "payload").len().filter(pl.col("len") > 1)
    assert again.height
    assert again["len"].max() == 2


def test_texts_are_finished(events, sessions):
    told = events["text"].drop_nulls()
    assert not told.str.contains(r"[{}]|None|^ | $").any()
    # Nothing of the machine that made them.
    everything = pl.concat([told, events["payload"], sessions["cwd"], sessions["title"]])
    assert not everything.str.contains(r"/(home|root|work|tmp|Users|var/lib)\b|localhost").any()
    assert sessions["cwd"].str.starts_with("/srv/tollgate").all()
    assert sessions["title"].str.contains(r"^(planner|researcher|coder|reviewer|operator): \S").all()


def test_a_log_has_what_real_ones_have(events, sessions):
    counts = dict(events["type"].value_counts().iter_rows())
    for name in ("turn/start", "turn/end", "step/start", "step/end", "tool/call", "compaction/start",
                 "compaction/summary", "compaction/end", "pruning/start", "session/title", "session/end-seed",
                 "approval/asked", "approval/answered", "assistant/attempt", "hook/ran", "agent/inbox/spliced",
                 "subagent/started", "subagent/ended", "request/header"):  # fmt: skip
        assert counts[name] > 3
    answered = events.filter(pl.col("surface_op").struct.field("op") == "append", type="tool/result")
    assert counts["tool/call"] > answered.height  # some were interrupted
    origins = dict(sessions["origin"].value_counts().iter_rows())
    assert origins == {"main": 33, "subagent": 12, "fork": 4}
    assert sessions["delegation_depth"].max() == 2


def test_times_go_forward_and_fit_the_headers(events, sessions):
    assert events.group_by("session_id").agg(pl.col("time").is_sorted())["time"].all()
    own = events.join(sessions, on="session_id").filter(pl.col("seq") >= pl.col("seed_length").fill_null(0))
    assert own.filter(pl.col("time") < pl.col("created_at")).height == 0
    parents = sessions.join(sessions, left_on="parent_session", right_on="session_id", suffix="_of_parent")
    assert parents.filter(pl.col("created_at") < pl.col("created_at_of_parent")).height == 0


def test_answers_cite_what_they_rest_on(events, traces):
    cites = pl.col("source_event_seqs").list.len() > 0
    answers = events.filter(pl.col("type") == "assistant/message")
    assert answers.filter(cites).height / answers.height > 0.6
    results = events.filter(pl.col("type") == "tool/result")
    assert results.filter(cites).height == results.height
    # Errors are cited by what the agent says next.
    errors = traces.filter(pl.col("ref").is_in(events.filter("is_error")["ref"].implode()))
    assert errors.height > 30
    assert errors.filter(pl.col("derived_event_seqs").list.len() > 0).height == errors.height


# ---- what replaces what


def test_replacements_are_nested_many_deep(events, traces):
    assert traces["chain_length"].max() >= 4
    replaced = traces.filter(pl.col("surface") == "shadowed")
    assert replaced.height > 800
    summaries = events.filter(pl.col("surface_op").struct.field("op") == "replace", pl.col("type") != "tool/result")
    assert summaries["type"].unique().sort().to_list() == ["assistant/message", "user/message"]
    # Summaries of summaries: how many of the replacers of an event are themselves no pruned results.
    nested = traces.filter(pl.col("ref").is_in(summaries["ref"].implode()))
    assert nested["chain_length"].max() >= 4
    prunings = events.filter(pl.col("surface_op").struct.field("op") == "replace", type="tool/result")
    assert prunings.height > 20


def test_a_compaction_loses_text(events, traces):
    of = traces.filter(pl.col("replaced_event_seqs").list.len() > 1).select("session_id", "ref", "replaced_event_seqs")
    size = pl.col("text").str.len_chars()
    lengths = events.select("session_id", replaced_event_seqs="seq", size=size)
    removed = of.explode("replaced_event_seqs").join(lengths, on=["session_id", "replaced_event_seqs"])
    sums = removed.group_by("ref").agg(pl.col("size").sum()).join(events, on="ref")
    assert sums.filter(pl.col("text").str.len_chars() * 2 > pl.col("size")).height == 0


# ---- whose child a session is


def test_forks_share_the_seed_of_their_parent(events, sessions):
    forks = sessions.filter(origin="fork")
    assert forks["seed_length"].null_count() == sessions.filter(pl.col("origin") != "fork")["seed_length"].count() == 0
    for fork in forks.iter_rows(named=True):
        length = fork["seed_length"]
        seed, parent = (
            events.filter(session_id=session_id).head(length).drop("session_id", "ref")
            for session_id in (fork["session_id"], fork["parent_session"])
        )
        assert_frame_equal(seed, parent)
        rest = events.filter(session_id=fork["session_id"])["type"].to_list()[length:]
        assert rest[0] == "session/end-seed"
        assert len(rest) > 5
    # One fork is a fork of a fork, and one has a compaction in its seed.
    assert forks.filter(pl.col("parent_session").is_in(forks["session_id"].implode())).height == 1
    assert place(script.COMPACTION)[1] < forks.filter(parent_session=script.SESSION)["seed_length"].item()


def test_subagents_hand_back_their_last_statement(events, sessions):
    subagents = sessions.filter(pl.col("origin") == "subagent", pl.col("session_id") != script.ORPHAN)
    for child in subagents.iter_rows(named=True):
        said = events.filter(session_id=child["session_id"], type="assistant/message")["text"][-1]
        asked = events.filter(session_id=child["parent_session"], type="subagent/started")
        assert asked.filter(pl.col("payload").str.contains(child["session_id"])).height == 1
        assert events.filter(session_id=child["parent_session"], type="tool/result", text=said).height == 1


def test_only_the_orphan_and_its_child_are_incomplete(corpus, sessions):
    incomplete = [id for id in sessions["session_id"] if not corpus.trace_session(id).complete]
    child = sessions.filter(parent_session=script.ORPHAN)["session_id"].item()
    assert incomplete == [script.ORPHAN, child]
    orphan = corpus.trace_session(script.ORPHAN)
    assert orphan.unresolved_parent_id == sessions.filter(session_id=script.ORPHAN)["parent_session"].item()
    assert orphan.ancestors == ()
    assert [node.session.session_id for node in orphan.descendants] == [child]


# ---- the plot


def test_the_fact_was_measured_cut_and_summed_up(corpus, events):
    measured, pruned, summary, said = (row(events, ref) for ref in KEY)
    assert [event["type"] for event in (measured, pruned, summary, said)] == [
        "tool/result", "tool/result", "user/message", "assistant/message",
    ]  # fmt: skip
    assert CACHE_ON in measured["text"]
    assert len(measured["text"].splitlines()) > 20
    for event in (pruned, summary, said):
        assert "240 ms" in event["text"]
        assert "cache" not in event["text"]
    assert "p99 240 ms at twice the peak" in summary["text"]
    assert [event["time"].date().isoformat() for event in (measured, pruned, summary, said)] == [
        "2026-03-31", "2026-04-01", "2026-04-02", "2026-04-02",
    ]  # fmt: skip
    seqs = [place(ref)[1] for ref in KEY]
    traced = [corpus.trace_event(*place(ref)) for ref in KEY]
    assert [trace.target.surface for trace in traced] == ["shadowed", "shadowed", "current", "current"]
    assert [trace.replaced_by for trace in traced] == [seqs[1], seqs[2], None, None]
    assert [trace.replacement_chain for trace in traced] == [(seqs[1], seqs[2]), (seqs[2],), (), ()]
    assert traced[1].replaced_event_seqs == (seqs[0],)
    assert seqs[1] in traced[2].replaced_event_seqs
    assert set(traced[2].replaced_event_seqs) <= set(traced[2].source_event_seqs)
    assert traced[3].source_event_seqs == (seqs[0],)
    assert {seqs[1], seqs[3]} < set(traced[0].derived_event_seqs)


def test_what_the_model_saw_when_it_concluded(corpus, traces, events):
    """The surface just before the conclusion: the summary, and the question."""
    session_id, seq = place(script.CONCLUSION)
    mine = traces.filter(session_id=session_id).join(events.select("ref", "text"), on="ref")
    before = mine.filter(
        pl.col("surface") != "log-only",
        pl.col("seq") < seq,
        pl.col("replaced_by").is_null() | (pl.col("replaced_by") >= seq),
    ).sort("covers_from")
    assert before["ref"][0] == script.COMPACTION
    assert before.height == 2
    assert not before["text"].str.contains("cache").any()
    # It is still in the log, and in the seed of the fork that was asked again in May.
    found = corpus.find("response cache    on")
    assert found["ref"].to_list() == [script.MEASUREMENT, found["ref"][1]]
    fork = corpus.trace_session(found["session_id"][1])
    assert [record.session_id for record in fork.ancestors] == [session_id]
    assert "I cannot tell" in " ".join(corpus.surface(found["session_id"][1])["text"])


def test_every_event_that_a_decision_derives_from_exists(decisions, events):
    derived = decisions.filter(target_type="event")
    assert derived.select("relation_kind", "edge_class").unique().rows() == [("derives_from", "observed")]
    assert derived.height == 29
    assert derived["source_type"].unique().sort().to_list() == ["decision", "evidence"]
    known = derived.join(events, left_on="target_id", right_on="ref")
    assert known.height == derived.height
    assert set(known["type"]) == {"assistant/message"}
    assert known.filter(pl.col("source_event_seqs").list.len().fill_null(0) == 0).height == 0
    # It was said before the item was made, and the edge was noted after that.
    items = pl.read_parquet(DATA / "items.parquet").select("id", item_at="created_at")
    times = known.join(items, left_on="source_id", right_on="id")
    assert times.filter((pl.col("time") > pl.col("item_at")) | (pl.col("item_at") > pl.col("created_at"))).height == 0
    grounds = dict(derived.select("source_id", "target_id").iter_rows())
    assert (grounds[WRONG], grounds["ev-c04be815"]) == (script.CONCLUSION, script.BETTER)
    assert grounds["dec-2026-0448"] == script.WITHDRAWAL
    assert grounds == {item: ground.ref for item, ground in script.tell().grounds.items()}
    others = decisions.filter(source_type="event")
    assert others.select("source_id", "relation_kind", "target_id").rows() == [(script.WITHDRAWAL, "mentions", WRONG)]


def test_what_is_said_of_an_item_is_what_its_label_says(decisions, events):
    """The numbers of a label are those of the event, or of what the event cites."""
    labels = dict(pl.read_parquet(DATA / "items.parquet").select("id", "label").iter_rows())
    by_ref = dict(events.select("ref", "text").iter_rows())
    derived = decisions.filter(target_type="event", source_type="evidence")
    for item, ref in derived.select("source_id", "target_id").iter_rows():
        cited = row(events, ref)["source_event_seqs"]
        told = " ".join([by_ref[ref], *(by_ref[f"{place(ref)[0]}#{seq}"] for seq in cited)])
        label = re.sub(r"\b\d+ (January|February|March|April|May|June|December)", "", labels[item])
        assert not [number for number in re.findall(r"\b\d[\d,]*", label) if number not in told], (label, told)


def test_the_lineage_of_the_doubted_decision_ends_at_the_event(union):
    trace = union.trace_lineage(*DOUBTED, max_depth=7)
    assert not trace.truncated
    places = trace.nodes.filter(type="event").select("id", "depth", "hop", "via_id", "superseded", "outdated_support")
    at = {id: rest for id, *rest in places.iter_rows()}
    assert at[script.CONCLUSION] == [4, 0, WRONG, False, True]
    assert at[script.MEASUREMENT] == [5, 0, script.CONCLUSION, True, True]
    assert at[script.PRUNED] == [5, 1, script.MEASUREMENT, True, True]
    assert at[script.COMPACTION] == [5, 2, script.PRUNED, False, True]
    assert trace.nodes.height <= 60
    short = union.trace_lineage(*DOUBTED, max_depth=5)
    assert (short.truncated, short.truncated_by) == (True, ("max_depth",))
    assert {("event", script.MEASUREMENT), ("event", script.COMPACTION)} <= set(
        short.frontier.select("type", "id").rows()
    )


def test_readme_tells_of_the_sessions(sessions, events, traces):
    readme = (DATA / "README.md").read_text(encoding="utf-8").split("# The sessions\n")[1]
    assert f"| {sessions.height:,} |" in readme
    assert f"| {events.height:,} |" in readme
    assert not [name for frame in (sessions, events.drop("ref")) for name in frame.columns if f"`{name}`" not in readme]
    for column, frame in (("origin", sessions), ("surface", traces)):
        told = [f"{count:,} {name}" for name, count in frame[column].value_counts().iter_rows()]
        assert not [text for text in told if text not in readme]
    for ref in KEY:
        assert f"#{place(ref)[1]}" in readme
    assert script.SESSION in readme
