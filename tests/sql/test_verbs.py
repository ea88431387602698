"""The macros on the conformance cases: one statement asks all of them, and gives what the file and the objects say."""

import polars as pl
import pytest

from lineage_kit import RelationStore, connect
from support.cases import instant, load_cases
from support.rows import same_rows
from support.sources import frame, make_source

CASES = [case for case in load_cases("verbs") if case["verb"] in ("lineage", "impact", "path")]
QUESTIONS = {"lineage": "trace_lineage", "impact": "impact"}
ARGUMENTS = "max_depth := a.max_depth, as_of := a.as_of, known_at := a.known_at"


def walk_of(case):
    return case.get("of", case["verb"])


def asked_in(case):
    """What a case asks, in one table with all the others: its nodes have types of their own."""
    node = case.get("node", {"type": "", "id": ""})
    return {
        "name": case["name"],
        "type": f"{case['name']}/{case['anchor']['type']}",
        "id": case["anchor"]["id"],
        "to_type": f"{case['name']}/{node['type']}",
        "to_id": node["id"],
        "max_depth": case["max_depth"],
        "as_of": instant(case["as_of"]),
        "known_at": instant(case.get("known_at")),
    }


@pytest.fixture(scope="module", params=["eager", "parquet"])
def store(request, tmp_path_factory):
    edges = [
        {**edge, **{f"{end}_type": f"{case['name']}/{edge[f'{end}_type']}" for end in ("source", "target")}}
        for case in CASES
        for edge in case["edges"]
    ]
    return RelationStore.open(make_source(request.param, frame(edges), tmp_path_factory.mktemp("verbs") / "s"))


def answered(store, walk, macro, keys="a.type, a.id"):
    """The answers to all cases of a walk, from one statement."""
    schema = {"max_depth": pl.Int64, "as_of": pl.Datetime("us", "UTC"), "known_at": pl.Datetime("us", "UTC")}
    asked = [asked_in(case) for case in CASES if walk_of(case) == walk]
    connection = connect(store, asked=pl.DataFrame(asked, schema_overrides=schema))
    return connection.sql(f"select a.name, n.* from asked a, {macro}({keys}, {ARGUMENTS}) n").pl()


@pytest.fixture(scope="module")
def traces(store):
    """For each walk, its cases with the answers of the object."""
    found = {walk: [] for walk in QUESTIONS}
    for case in CASES:
        told = asked_in(case)
        clocks = {clock: told[clock] for clock in ("as_of", "known_at")}
        question = getattr(store, QUESTIONS[walk_of(case)])
        found[walk_of(case)].append((case, question(told["type"], told["id"], told["max_depth"], **clocks)))
    return found


def named(case, rows):
    return rows.select(pl.lit(case["name"]).alias("name"), pl.all())


@pytest.mark.parametrize(
    ("walk", "macros"),
    [
        ("lineage", ("trace_lineage", "trace_edges", "trace_frontier")),
        ("impact", ("trace_impact", "impact_edges", "impact_frontier")),
    ],
)
def test_frames_are_those_of_the_objects(store, traces, walk, macros):
    for macro, part in zip(macros, ("nodes", "edges", "frontier"), strict=True):
        expected = pl.concat(named(case, getattr(trace, part)) for case, trace in traces[walk])
        assert expected.height
        same_rows(answered(store, walk, macro), expected)


@pytest.mark.parametrize(("walk", "macro"), [("lineage", "trace_summary"), ("impact", "impact_summary")])
def test_summaries_and_nodes_are_those_of_the_file(store, walk, macro):
    summary = {row["name"]: row for row in answered(store, walk, macro).iter_rows(named=True)}
    nodes = answered(store, walk, f"trace_{walk}").sort("name", "depth", "hop", "type", "id")
    by_case = {name: rows for (name,), rows in nodes.group_by("name")}
    count = 0
    for case in CASES:
        if case["verb"] != walk:
            continue
        count += 1
        expected, told = case["expected"], summary[case["name"]]
        for scalar in ("truncated", "truncated_by", "anchor_superseded"):
            assert told[scalar] == expected[scalar], case["name"]
        rows = by_case.get(case["name"], nodes.clear()).drop("name").to_dicts()
        for row in rows:
            for column in ("type", "via_type"):
                row[column] = row[column].removeprefix(f"{case['name']}/")
        wanted = [{"label": None, **row} for row in expected["nodes"]]
        assert rows == wanted, case["name"]
    assert count > 90


@pytest.mark.parametrize("walk", QUESTIONS)
def test_paths_are_those_of_the_file(store, traces, walk):
    found = answered(store, walk, f"{walk}_path", "a.type, a.id, a.to_type, a.to_id").sort("name", "step")
    by_case = {name: rows for (name,), rows in found.group_by("name", maintain_order=True)}
    count = 0
    for case, trace in traces[walk]:
        if case["verb"] != "path":
            continue
        count += 1
        expected = case["expected"]["path"]
        if expected is None:
            assert case["name"] not in by_case
            continue
        rows = by_case[case["name"]].drop("name")
        told = asked_in(case)
        assert rows.equals(trace.path(told["to_type"], told["to_id"]).nodes)
        assert rows.select(pl.col("type").str.split("/").list.last(), "id").to_dicts() == expected
    assert count > 20
