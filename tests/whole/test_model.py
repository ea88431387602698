"""The brute-force model against every conformance case: this is what makes it worth comparing with."""

from datetime import UTC, datetime, timedelta

import pytest

from support import model
from support.cases import LINEAGE, REACHABILITY
from support.small import edge


def by_name(case):
    return case["name"]


def without_current(rows):
    """These cases do not say what is current; those of the verbs do."""
    return [{name: value for name, value in row.items() if name != "current"} for row in rows]


@pytest.mark.parametrize("case", LINEAGE, ids=by_name)
def test_lineage_case(case):
    expected = case["expected"]
    got = model.trace_lineage(case["edges"], case["anchor_type"], case["anchor_id"], case["max_depth"])
    assert without_current(got["nodes"]) == expected["nodes"]
    assert sorted(row for _, row in got["edges"]) == expected["edges"]
    assert [{"type": type_, "id": id_} for type_, id_ in got["frontier"]] == expected["frontier"]
    assert got["truncated"] == expected["truncated"]
    assert list(got["truncated_by"]) == expected["truncated_by"]
    assert got["anchor_superseded"] == expected["anchor_superseded"]


@pytest.mark.parametrize("case", REACHABILITY, ids=by_name)
def test_reachability_case(case):
    got = model.reachability(
        case["edges"],
        case["anchor_type"],
        case["anchor_id"],
        relation_kind=case["relation_kind"],
        direction=case["direction"],
        max_depth=case["max_depth"],
    )
    assert got["nodes"] == case["expected"]["nodes"]
    assert got["truncated"] == case["expected"]["truncated"]


def keys(rows):
    return {key for row in rows for key in row}


def test_every_field_of_the_cases_is_compared():
    """A field that a case has and these tests do not look at would be a hole."""
    lineage = [case["expected"] for case in LINEAGE]
    rings = [case["expected"] for case in REACHABILITY]
    assert keys(lineage) == {"truncated", "truncated_by", "anchor_superseded", "frontier", "nodes", "edges"}
    assert keys(row for expected in lineage for row in expected["nodes"]) == set(model.NODE_FIELDS) - {"current"}
    assert keys(rings) == {"nodes", "truncated"}
    assert keys(row for expected in rings for row in expected["nodes"]) == set(model.RING_FIELDS)


# The cases hold no as_of and no other limit than ten: these answers were worked out by hand from the rules.

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def ids(edges, **asked):
    return [row["id"] for row in model.trace_lineage(edges, "decision", "d1", **asked)["nodes"]]


@pytest.mark.parametrize("column", ["created_at", "valid_at"])
def test_an_edge_begins_to_exist_at_its_moment(column):
    edges = [edge("d1", "a", **{column: NOON})]
    assert ids(edges, as_of=NOON - TICK) == []
    assert ids(edges, as_of=NOON) == ["a"]
    assert ids(edges) == ["a"]
    assert model.trace_lineage(edges, "decision", "d1", as_of=NOON - TICK)["anchor_known"]


def test_the_later_of_two_beginnings_counts():
    edges = [edge("d1", "a", created_at=NOON - TICK, valid_at=NOON)]
    assert ids(edges, as_of=NOON - TICK) == []
    assert ids(edges, as_of=NOON) == ["a"]


def test_an_edge_is_invalidated_from_its_moment_on():
    edges = [edge("d1", "a", invalid_at=NOON)]
    for as_of, invalidated in [(NOON - TICK, False), (NOON, True), (None, True)]:
        got = model.trace_lineage(edges, "decision", "d1", as_of=as_of)
        assert [row["invalidated"] for row in got["nodes"]] == [invalidated], as_of


def test_a_replacement_that_does_not_exist_yet_outdates_nothing():
    edges = [edge("d1", "a"), edge("a", "b"), edge("a2", "a", "supersedes", created_at=NOON)]
    for as_of, nodes in [
        (NOON - TICK, {"a": False, "b": False}),
        (NOON, {"a": False, "a2": False, "b": True}),
    ]:
        got = model.trace_lineage(edges, "decision", "d1", as_of=as_of)
        assert {row["id"]: row["outdated_support"] for row in got["nodes"]} == nodes
        assert [row["superseded"] for row in got["nodes"] if row["id"] == "a"] == [as_of == NOON]


def test_a_withdrawn_replacement_is_followed_and_outdates_nothing():
    edges = [edge("d1", "a"), edge("a", "b"), edge("a2", "a", "supersedes", invalid_at=NOON)]
    for as_of, outdated in [(NOON - TICK, True), (NOON, False), (None, False)]:
        got = model.trace_lineage(edges, "decision", "d1", as_of=as_of)
        assert {row["id"]: row["outdated_support"] for row in got["nodes"]} == {
            "a": False,
            "a2": False,
            "b": outdated,
        }


def test_a_cut_chain_goes_on_from_its_last_revision():
    edges = [edge(f"r{n + 1}", f"r{n}", "supersedes") for n in range(3)] + [edge("d1", "r0"), edge("r1", "p")]
    got = model.trace_lineage(edges, "decision", "d1", supersede_limit=1)
    assert [(row["id"], row["depth"], row["hop"]) for row in got["nodes"]] == [
        ("r0", 1, 0),
        ("r1", 1, 1),
        ("p", 2, 0),
    ]
    assert got["truncated_by"] == ("supersede_limit",)
    assert got["frontier"] == [("decision", "r1")]
    assert {row["id"]: row["superseded"] for row in got["nodes"]} == {"r0": True, "r1": True, "p": False}
    assert {row["id"]: row["outdated_support"] for row in got["nodes"]}["p"]
    assert got["edges"] == [("replacement", 0), ("walk", 3), ("walk", 4)]


def test_a_cut_is_judged_on_all_that_was_visited():
    """What lies past the cut is reached by another way later on: then nothing is missing."""
    edges = [edge(f"r{n + 1}", f"r{n}", "supersedes") for n in range(2)] + [
        edge("d1", "r0"),
        edge("r0", "r2"),
    ]
    got = model.trace_lineage(edges, "decision", "d1", supersede_limit=1)
    assert not got["truncated"]
    assert got["frontier"] == []
