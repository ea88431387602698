"""Small tables that several tests start from."""

from support.sources import frame


def edge(source, target, kind="depends_on", **more):
    """An edge between two decisions."""
    return {
        "source_type": "decision",
        "source_id": source,
        "target_type": "decision",
        "target_id": target,
        "relation_kind": kind,
        **more,
    }


def two_steps(**columns):
    """d1 -> a -> b as a frame of the required columns, with more columns beside them."""
    return frame([edge("d1", "a"), edge("a", "b")], list(edge("", ""))).with_columns(**columns)


def found(store, **asked):
    """The ids that a trace of d1 finds."""
    return store.trace_lineage("decision", "d1", **asked).nodes["id"].to_list()
