"""Links as rows of the relations table: a session's own first, then those of its events, in order."""

import numpy as np

from lineage_kit.importers.pipeline.session_plan import Link
from support.staged_rows import made, planned


def test_links_are_sorted_by_who_states_them(staged):
    links = [
        Link(2, "refers_to", "event", "gone", "observed", 0.0),
        Link(None, "spawned_by", "event", "z#1", "observed"),
        Link(0, "refers_to", "event", "b#9"),
        Link(0, "refers_to", "event", "a#9"),
        Link(None, "forked_from", "session", "z"),
    ]
    plan = planned("a", range(3), links=links, parents=np.array([-1, 0, 1]))
    (_, events, relations), _, _ = made([plan, planned("b", range(3, 5), parents=np.array([-1, 0]))], staged)
    assert relations.select("source_id", "relation_kind", "target_id", "confidence").rows() == [
        ("a", "forked_from", "z", 1.0),
        ("a", "spawned_by", "z#1", 1.0),
        ("a#0", "refers_to", "a#9", 1.0),
        ("a#0", "refers_to", "b#9", 1.0),
        ("a#1", "child_of", "a#0", 1.0),
        ("a#2", "child_of", "a#1", 1.0),
        ("a#2", "refers_to", "gone", 0.0),
        ("b#1", "child_of", "b#0", 1.0),
    ]
    assert relations["created_at"].to_list() == [None, None, *events["time"].gather([0, 0, 1, 2, 2, 4])]
