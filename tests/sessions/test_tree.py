"""Where each session stands, held against walking up by hand."""

from hypothesis import given
from hypothesis import strategies as st

from lineage_kit import SessionRecord
from lineage_kit.sessions.tree import child_relations, session_tree
from support import session_strategies as some

NAMES = [f"s{number}" for number in range(6)]


def upward(parents, name):
    """The ancestors that are there, nearest first, and whether the chain ends; a cycle is cut where it closes."""
    above, at = [], parents[name]
    while at in parents and at != name and at not in above:
        above.append(at)
        at = parents[at]
    return above, at is None


@some.FEWER
@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from([None, "gone", *NAMES]), max_size=6))
def test_root_depth_and_descendants_are_those_of_walking_up(parents):
    records = {name: SessionRecord(name, parent) for name, parent in parents.items()}
    rows = {row["session_id"]: row for row in session_tree(records).to_dicts()}
    assert list(rows) == sorted(parents)
    above = {name: upward(parents, name) for name in parents}
    for name, row in rows.items():
        ancestors, ends = above[name]
        assert row["parent_session"] == parents[name]
        assert row["complete"] is ends
        assert row["root_session"] == (None if not ends else ancestors[-1] if ancestors else name)
        if ends:
            assert row["depth"] == len(ancestors)
            assert row["descendants"] == sum(name in others for others, _ in above.values())


def test_a_session_is_the_child_of_its_parent_there_or_not():
    records = {"s1": SessionRecord("s1"), "s2": SessionRecord("s2", "s1"), "s3": SessionRecord("s3", "gone")}
    kin = child_relations(records).select("source_type", "source_id", "relation_kind", "target_type", "target_id")
    assert kin.rows() == [
        ("session", "s2", "child_of", "session", "s1"),
        ("session", "s3", "child_of", "session", "gone"),
    ]
