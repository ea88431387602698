"""The sessions of a corpus as a person picks among them."""

from lineage_kit.view.widgets.session_picker import Sessions
from support.session_small import live, log


def kin(*headers):
    return Sessions(live(*(log(name, [], createdAt=at, **more) for at, (name, more) in enumerate(headers))).sessions())


def test_a_family_is_ancestors_siblings_and_descendants():
    known = kin(
        ("root", {}), ("a", {"parentSession": "root"}), ("b", {"parentSession": "root"}),
        ("b1", {"parentSession": "b"}), ("a1", {"parentSession": "a"}), ("else", {}),
    )  # fmt: skip
    rows = known.family("b")["rows"]
    assert [(row["id"], row["depth"], row["relation"]) for row in rows] == [
        ("root", 0, "ancestor"), ("a", 1, "sibling"), ("b", 1, "this session"), ("b1", 2, "descendant"),
    ]  # fmt: skip
    assert known.newest == "else"
    assert [row["id"] for row in known.family("else")["rows"]] == ["else"]


def test_a_parent_that_is_not_there_is_told_in_words():
    known = kin(("b", {"parentSession": "gone"}), ("c", {"parentSession": "gone"}), ("b1", {"parentSession": "b"}))
    told = known.family("b1")
    assert [(row["id"], row["missing"], row["orphan"]) for row in told["rows"]] == [
        ("gone", True, False), ("b", False, True), ("b1", False, False),
    ]  # fmt: skip
    assert told["note"] == "Parent gone is NOT THERE."
    assert [row["id"] for row in known.family("b")["rows"]] == ["gone", "b", "b1", "c"]


def test_rings_and_long_chains_end():
    known = kin(("a", {"parentSession": "b"}), ("b", {"parentSession": "a"}), ("me", {"parentSession": "me"}))
    assert known.family("a")["note"] == "The chain of parents comes back to a."
    assert [row["id"] for row in known.family("me")["rows"]] == ["me"]
    chain = [(f"s{depth}", {"parentSession": f"s{depth - 1}"} if depth else {}) for depth in range(3_000)]
    told = kin(*chain).family("s1500")
    assert (len(told["rows"]), told["total"]) == (200, 3_000)
    assert "s1500" in [row["id"] for row in told["rows"]]


def test_sessions_are_found_by_id_and_title_best_first():
    known = kin(("index-1", {}), ("x1", {"title": "Index again"}), ("x2", {"title": "the INDEX"}), ("index", {}))
    assert [one["id"] for one in known.find("index")["sessions"]] == ["index", "index-1", "x1", "x2"]
    assert known.find("nothing") == {"sessions": [], "total": 0}
    assert known.near("indx-1")[0]["id"] == "index-1"
