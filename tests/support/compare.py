"""Results of the package as the plain values that ``model`` gives, to be compared with ``==``."""

from support import model


def pairs(frame):
    return list(zip(frame["type"].to_list(), frame["id"].to_list(), strict=True))


def plain_trace(trace):
    """A LineageTrace as ``model.trace_lineage`` writes it."""
    return {
        "anchor_known": trace.anchor_known,
        "anchor_superseded": trace.anchor_superseded,
        "truncated": trace.truncated,
        "truncated_by": trace.truncated_by,
        "frontier": pairs(trace.frontier),
        "nodes": trace.nodes.select(model.NODE_FIELDS).to_dicts(),
        "edges": list(zip(trace.edges["role"].to_list(), trace.edges["edge"].to_list(), strict=True)),
        "describing": trace.describing.to_list(),
    }


def plain_reachability(found):
    """A Reachability as ``model.reachability`` writes it."""
    return {
        "nodes": found.nodes.select(model.RING_FIELDS).to_dicts(),
        "rings": [ring.select(model.RING_FIELDS).to_dicts() for ring in found.rings],
        "truncated": found.truncated,
        "unknown_kinds": set(found.unknown_kinds),
    }


def edges_without_rows(trace):
    """``trace.edges`` as dicts without the row number, which depends on the order of rows."""
    return sorted(trace.edges.drop("edge").to_dicts(), key=repr)


def differences(got, expected):
    """The fields that differ, each with both values: what a failing case should show."""
    return {
        field: {"got": got[field], "expected": expected[field]} for field in expected if got[field] != expected[field]
    }
