"""A session lineage as a graph."""

from lineage_kit import MemorySessions, SessionCorpus, SessionLog
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph.data import SHOWN


def corpus(*logs):
    return SessionCorpus(live=MemorySessions([SessionLog.from_records(header, events) for header, events in logs]))


def test_a_family_of_sessions():
    parents = [("root", None), ("me", "root"), ("kid", "me"), ("kid2", "me"), ("grandkid", "kid")]
    family = corpus(*(({"id": id, **({"parentSession": up} if up else {})}, []) for id, up in parents))
    data = graph_data(family.trace_session("me"), SHOWN).data
    assert [(node["id"], node["depth"], node["via"]) for node in data["nodes"]] == [
        ("root", 0, 1), ("me", 1, -1), ("kid", 2, 1), ("kid2", 2, 1), ("grandkid", 3, 2),
    ]  # fmt: skip
    assert [(each["source"], each["target"], each["role"]) for each in data["edges"]] == [
        (1, 0, "child"), (2, 1, "child"), (3, 1, "child"), (4, 2, "child"),
    ]  # fmt: skip
    assert (data["anchor"], data["total"]) == (1, 5)


def test_a_parent_that_is_not_there_is_said_to_be():
    data = graph_data(corpus(({"id": "me", "parentSession": "gone"}, [])).trace_session("me"), SHOWN).data
    assert [(node["id"], node["flags"]) for node in data["nodes"]] == [("gone", ["missing"]), ("me", [])]
    assert data["total"] == 2


def test_of_a_long_chain_the_nearest_are_kept():
    logs = [({"id": f"s{n}", **({"parentSession": f"s{n - 1}"} if n else {})}, []) for n in range(20_000)]
    data = graph_data(corpus(*logs).trace_session("s9000"), 50).data
    assert data["total"] == 20_000
    kept = [int(node["id"][1:]) for node in data["nodes"] if node["kept"]]
    assert (min(kept), max(kept), len(kept)) == (6_500, 11_499, 5_000)
    shown = [number for level in data["levels"] for number in level["few"]["nodes"]]
    assert len(shown) == 50
    assert data["anchor"] in shown
