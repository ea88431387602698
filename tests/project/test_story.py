"""The story in `data/`: what is committed is what the script makes, and its plot is told by the traces."""

import importlib.util
import re
from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from lineage_kit import RelationStore
from lineage_kit.view import bundle
from support.shared import DATA

FILES = ["decisions.parquet", "items.parquet"]
WALKED = ["depends_on", "derives_from"]


def load_script():
    spec = importlib.util.spec_from_file_location("build_story", DATA / "build_story.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    script.build(folder)
    return folder


@pytest.fixture(scope="module")
def relations():
    return pl.read_parquet(DATA / "decisions.parquet")


@pytest.fixture(scope="module")
def items():
    return pl.read_parquet(DATA / "items.parquet")


@pytest.fixture(scope="module")
def store():
    return RelationStore.open(DATA / "decisions.parquet", items=DATA / "items.parquet")


@pytest.fixture(scope="module")
def doubted(store):
    return store.trace_lineage(*script.DOUBTED)


@pytest.fixture(scope="module")
def all_decisions(store, items):
    return store.trace_lineage_many(items.filter(type="decision").select("type", "id"))


def ids(nodes, *flags):
    return nodes.filter(*flags)["id"].to_list()


def node(trace, item):
    return trace.nodes.row(by_predicate=(pl.col("type") == item[0]) & (pl.col("id") == item[1]), named=True)


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


def test_schemas(relations, items):
    text, time = pl.String, pl.Datetime("us", "UTC")
    assert dict(relations.schema) == {
        "source_type": text,
        "source_id": text,
        "target_type": text,
        "target_id": text,
        "relation_kind": text,
        "edge_class": text,
        "confidence": pl.Float64,
        "created_at": time,
        "valid_at": time,
        "invalid_at": time,
        "author": text,
        "note": text,
    }
    assert dict(items.schema) == {"type": text, "id": text, "label": text, "text": text, "created_at": time}


def test_every_node_has_an_item_and_a_readable_label(relations, items):
    ends = [relations.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    nodes = pl.concat(ends).unique().filter(pl.col("type") != "event")  # `test_story_sessions.py` looks at those
    assert nodes.join(items, on=["type", "id"], how="anti").height == 0
    assert items.height == items["id"].n_unique() == items["label"].n_unique()
    assert items.select("type", "id", "label", "created_at").null_count().sum_horizontal().item() == 0
    assert items["label"].str.len_chars().is_between(12, 80).all()
    told = pl.concat([items["label"], items["text"].drop_nulls()])
    assert not told.str.contains(r"[{}<>]|^[a-z]|^ | $").any()


def test_times_are_those_of_the_half_year(relations, items):
    at = items.select(pl.col("id"), pl.col("created_at"))
    told = relations.select("source_id", "target_id", "relation_kind", noted="created_at")
    told = told.join(at.rename({"id": "source_id", "created_at": "source_at"}), on="source_id")
    told = told.join(at.rename({"id": "target_id", "created_at": "target_at"}), on="target_id")
    assert told.filter(pl.col("noted") < pl.max_horizontal("source_at", "target_at")).height == 0
    assert relations["created_at"].max() < datetime(2026, 7, 1, tzinfo=UTC)
    for prefix in ("dec", "TSK", "clm", "asm"):  # numbers are given in order
        assert items.filter(pl.col("id").str.starts_with(prefix)).sort("id")["created_at"].is_sorted()
    # What rests on something is younger, but for premises added to a draft, a task in a cycle and the ring.
    rests = told.filter(
        pl.col("relation_kind").is_in([*WALKED, "supersedes"]), pl.col("source_at") < pl.col("target_at")
    )
    assert sorted(rests.select("source_id", "target_id").rows()) == [
        ("clm-0071", "clm-0080"),
        ("dec-2026-0248", "TSK-0891"),
        ("dec-2026-0417", "asm-0161"),
        ("dec-2026-0417", "ev-9d20c6b1"),
    ]


# ---- the plot


def test_the_wrong_premise_is_three_hops_up(doubted):
    assert doubted.anchor_known
    assert not doubted.anchor_superseded
    assert (doubted.truncated, doubted.nodes.height, doubted.nodes["depth"].max()) == (False, 27, 5)
    hops = [node(doubted, item) for item in script.PATH[1:]]
    assert [hop["depth"] for hop in hops] == [1, 2, 3]
    assert [(hop["via_type"], hop["via_id"]) for hop in hops] == script.PATH[:-1]
    assert script.PATH[-1] == script.WRONG
    into_wrong = doubted.edges.filter(target_id=script.WRONG[1], role="walk")
    assert into_wrong.select("source_id", "edge_class", "confidence", "invalid_at").rows() == [
        ("clm-0187", "asserted", 0.95, script.WITHDRAWN)
    ]
    assert "Withdrawn by reviewer" in into_wrong["note"].item()


def test_flags_of_the_doubted_decision(doubted):
    assert ids(doubted.nodes, pl.col("invalidated")) == [script.WRONG[1]]
    assert ids(doubted.nodes, pl.col("superseded")) == [script.WRONG[1]]
    assert not node(doubted, script.WRONG)["outdated_support"]
    # Its replacement stands beside it; only what LT-31 alone was made of is outdated.
    better = node(doubted, script.BETTER)
    assert (better["depth"], better["hop"], better["via_id"]) == (3, 1, script.WRONG[1])
    outdated = doubted.nodes.filter("outdated_support")
    assert outdated.select("depth", "id").rows() == [
        (4, script.sessions.CONCLUSION),
        (4, "ev-18c4d2aa"),
        (4, "ev-a6690b3e"),
    ]
    assert node(doubted, ("evidence", "ev-0b9fa364"))["via_id"] == "ev-d81e3c57"
    sound = node(doubted, script.SOUND)
    assert not any(sound[flag] for flag in ("invalidated", "superseded", "outdated_support"))


def test_the_draft_stood_and_the_decision_did_not(store, doubted):
    assert script.BEFORE < script.WITHDRAWN < script.DECIDED
    draft = store.trace_lineage(*script.DOUBTED, as_of=script.BEFORE)
    assert not draft.truncated
    assert draft.nodes.height == 19
    assert node(draft, script.WRONG)["depth"] == 3
    assert not draft.nodes.select(pl.any_horizontal("invalidated", "superseded", "outdated_support").any()).item()
    taken = store.trace_lineage(*script.DOUBTED, as_of=script.DECIDED)
    assert_frame_equal(taken.nodes, doubted.nodes)


def test_the_trace_ends_at_events_of_sessions(relations, doubted):
    events = doubted.nodes.filter(type="event")
    assert events.select("depth", "id", "via_id").sort("depth", "via_id").rows() == [
        (2, events["id"][0], "ev-9d20c6b1"),
        (3, events["id"][1], "ev-3bc87d19"),
        (4, script.sessions.CONCLUSION, script.WRONG[1]),
        (4, script.sessions.BETTER, script.BETTER[1]),
    ]
    # In this table, nothing is said of what the events rest on.
    assert set(events["id"]).isdisjoint(relations.filter(pl.col("relation_kind").is_in(WALKED))["source_id"])


def test_what_else_rests_on_the_wrong_premise(store, items):
    rests = store.reachability(*script.WRONG, relation_kind=WALKED, direction="incoming", max_depth=5)
    assert not rests.truncated
    assert [ring["id"].to_list() for ring in rests.rings] == [
        ["clm-0187", "clm-0191", "clm-0198", "dec-2026-0359", "dec-2026-0371"],
        [
            "dec-2026-0352",
            "dec-2026-0364",
            "dec-2026-0368",
            "dec-2026-0376",
            "dec-2026-0380",
            "dec-2026-0402",
            "TSK-1139",
        ],
        ["dec-2026-0385", "dec-2026-0409", "dec-2026-0417", "dec-2026-0431", "TSK-1131", "TSK-1158"],
        ["dec-2026-0437", "TSK-1460", "TSK-1462"],
        ["TSK-1466"],
    ]
    decisions = rests.nodes.filter(type="decision").select("type", "id")
    others = decisions.filter(pl.col("id") != script.DOUBTED[1])
    assert others.height == 12
    summary = store.trace_lineage_many(others).summary
    assert summary.filter("anchor_superseded")["anchor_id"].sort().to_list() == [
        "dec-2026-0371",
        "dec-2026-0376",
        "dec-2026-0380",
    ]
    assert ids(rests.nodes, pl.col("invalidated")) == ["clm-0187", "dec-2026-0371"]


def test_the_incident_leads_to_the_doubted_decision(store):
    around = store.edges(*script.INCIDENT)
    related = around.filter(relation_kind="relates_to", direction="outgoing")
    assert script.DOUBTED in related.select("target_type", "target_id").rows()
    assert store.find("retry limit")["id"].to_list()[0] == script.DOUBTED[1]
    assert store.find("Load test LT-31")["id"].to_list() == [script.WRONG[1], script.BETTER[1]]


def test_the_trace_reads_on_one_screen(doubted):
    lines = bundle(doubted)["text/plain"].splitlines()
    assert len(lines) <= 33
    assert max(map(len, lines)) <= 170
    assert lines[1:5] == [
        "! 1 node INVALIDATED.",
        "! 1 node SUPERSEDED.",
        "! 3 nodes OUTDATED SUPPORT.",
        "26 premises over 5 levels, 1 replacement (max_depth 5). Complete: nothing was cut.",
    ]


# ---- the other decisions


def test_few_decisions_have_an_invalidated_premise(all_decisions):
    summary = all_decisions.summary
    assert summary.height == 129
    hit = summary.filter(pl.col("invalidated") > 0)["anchor_id"].sort().to_list()
    minor = [id for _, id in script.MINOR]
    assert hit[:3] == minor
    assert hit[3:] == [f"dec-2026-0{number}" for number in (352, 364, 371, 380, 385, 409, 417, 437)]
    wrong = all_decisions.nodes.filter("invalidated", pl.col("id") == script.WRONG[1])["anchor_id"]
    assert sorted(wrong) == hit[3:]


def test_cut_lineages(store, all_decisions):
    cut = all_decisions.summary.filter("truncated").select("anchor_id", pl.col("truncated_by").list.join("+"))
    assert sorted(cut.rows()) == [
        (script.CUT_BY_LIMIT[1], "supersede_limit"),
        ("dec-2026-0437", "max_depth"),
        (script.CUT_BY_DEPTH[1], "max_depth"),
    ]
    deep = script.CUT_BY_DEPTH
    assert store.trace_lineage(*deep).frontier.select("type", "id").rows() == [("evidence", "ev-c8e1573a")]
    assert [store.trace_lineage(*deep, depth).truncated for depth in (6, 7)] == [True, False]
    long = [
        RelationStore.open(DATA / "decisions.parquet", supersede_limit=limit).trace_lineage(*script.CUT_BY_LIMIT)
        for limit in (13, 14)
    ]
    assert [trace.truncated for trace in long] == [True, False]
    assert long[1].nodes["hop"].max() == 14


def test_revisions_splits_and_rings(store):
    assert store.trace_lineage(*script.BENCHMARK).nodes["hop"].to_list() == list(range(6))
    assert store.trace_lineage(*script.POLICY).nodes["hop"].to_list() == list(range(5))
    split = store.trace_lineage(*script.SPLIT)
    assert split.anchor_superseded
    assert ids(split.nodes, pl.col("depth") == 0) == ["dec-2026-0193", "dec-2026-0195", "dec-2026-0198"]
    tasks = store.trace_lineage("task", "TSK-0640").nodes
    assert ids(tasks, pl.col("depth") == 0) == ["TSK-0752", "TSK-0753", "TSK-0755"]
    for item, rests_on in zip(script.CYCLE, script.CYCLE[1:] + script.CYCLE[:1], strict=True):
        trace = store.trace_lineage(*item)
        assert node(trace, rests_on)["depth"] == 1
        assert {(row["type"], row["id"]) for row in trace.nodes.iter_rows(named=True)} == set(script.CYCLE) - {item}
    for item in script.RING:
        trace = store.trace_lineage(*item)
        assert trace.anchor_superseded
        assert trace.nodes.filter("superseded").height == 2


def test_more_premises_are_inferred_as_time_goes_by(relations, items):
    made = items.filter(type="decision").select(source_id="id", month=pl.col("created_at").dt.month())
    edges = relations.filter(relation_kind="depends_on", source_type="decision").join(made, on="source_id")
    inferred = edges.group_by("month").agg((pl.col("edge_class") == "inferred").sum(), pl.len()).sort("month")
    assert inferred.row(0) == (1, 2, 63)
    assert inferred.row(-1) == (6, 30, 84)
    assert made["month"].unique().sort().to_list() == [1, 2, 3, 4, 5, 6]


# ---- the oddities


def test_what_check_finds(store):
    assert store.check().select("finding", "count").rows() == [
        ("duplicate edge", 4),
        ("invalid before created", 1),
        ("self-supersedes", 1),
        ("supersede ring", 1),
        ("unknown class", 3),
    ]


def odd_rows(relations):
    """The rows that check() finds, the ring left out."""
    same = (pl.col("source_id") == pl.col("target_id")) & (pl.col("relation_kind") == "supersedes")
    early = (pl.col("invalid_at") < pl.col("created_at")).fill_null(False)
    unknown = ~pl.col("edge_class").is_in(["asserted", "observed", "inferred"])
    return relations.filter(same | early | unknown | relations.is_duplicated()).unique(maintain_order=True)


def test_readme_tells_of_every_count_and_oddity(relations, items):
    readme = (DATA / "README.md").read_text(encoding="utf-8").split("# The story\n")[1]
    for table in (relations, items):
        assert f"| {table.height:,} |" in readme
    assert not [name for name in ("author", "note", "confidence", "valid_at") if f"`{name}`" not in readme]
    for column in ("relation_kind", "edge_class"):
        counts = relations[column].value_counts().filter(pl.col("count") > 2)
        told = [f"`{name}` {count:,}" for name, count in counts.iter_rows()]
        # `supersedes` has a row of its own, where the count follows the bar.
        assert not [text for text in told if text not in readme.replace("` | ", "` ")]
    words = {"evidence": "pieces of evidence"}
    types = items["type"].value_counts().iter_rows()
    assert not [name for name, count in types if f" {count} {words.get(name, name + 's')}" not in readme]
    odd = odd_rows(relations)
    assert odd.height == 9
    assert not [id for id in odd["source_id"].to_list() + odd["target_id"].to_list() if f"`{id}`" not in readme]
    known = set(items["id"])
    assert not [id for id in re.findall(r"`((?:dec|TSK|clm|asm|ev)-[^`]+)`", readme) if id not in known]


def test_second_opinions_and_starts_to_come(relations):
    pairs = relations.group_by("source_id", "target_id", "relation_kind").agg(
        pl.col("edge_class").unique().sort(), pl.col("confidence").n_unique().alias("confidences")
    )
    several = pairs.filter(pl.col("edge_class").list.len() > 1)
    assert several.height == 51
    assert several["confidences"].to_list() == [2] * 51
    assert several["edge_class"].unique().to_list() == [["asserted", "inferred"]]
    assert several.filter(source_id=script.DOUBTED[1])["target_id"].to_list() == [script.SOUND[1]]
    later = relations.filter(pl.col("valid_at") > pl.col("created_at"))
    assert later["relation_kind"].to_list() == ["supersedes"] * 7
    ended = relations.filter(pl.col("invalid_at").is_not_null())
    assert (ended.height, ended["relation_kind"].is_in(["assigned_to", "blocks"]).sum()) == (139, 134)
