"""What a trace must answer, written the slow way: plain dicts, sets and loops, straight from the rules.

Nothing here, in ``model_rows``, ``model_walk`` and ``model_verbs`` is shared with the package. An edge is a dict of the
canonical column names; columns that it lacks are null. A node is the pair (type, id).
"""

from support.model_rows import edges_at, mentioned
from support.model_walk import NODE_FIELDS, Walk, best_by_node

__all__ = ["NODE_FIELDS", "RING_FIELDS", "impact", "reachability", "trace_lineage"]

RING_FIELDS = (
    "depth", "type", "id", "relation_kind", "edge_class", "confidence", "invalidated",
    "direction", "via_type", "via_id",
)  # fmt: skip


def trace_lineage(raws, type_, id_, max_depth=5, *, supersede_limit=10, as_of=None, known_at=None):
    """Everything a LineageTrace says, as plain values."""
    return told(raws, Walk(raws, (type_, id_), max_depth, supersede_limit, as_of, known_at, backwards=False))


def impact(raws, type_, id_, max_depth=5, *, supersede_limit=10, as_of=None, known_at=None):
    """Everything an ImpactTrace says, as plain values."""
    return told(raws, Walk(raws, (type_, id_), max_depth, supersede_limit, as_of, known_at, backwards=True))


def told(raws, walk):
    walk.run()
    stopped, nodes = walk.stopped_at(), walk.node_rows()
    return {
        "anchor_known": mentioned(raws, walk.anchor),
        "anchor_superseded": bool(walk.replacements(walk.anchor)),
        "truncated": any(stopped.values()),
        "truncated_by": tuple(reason for reason, nodes in stopped.items() if nodes),
        "frontier": sorted(set().union(*stopped.values())),
        "nodes": nodes,
        "edges": walk.edge_rows(),
        "describing": [walk.nodes[row["type"], row["id"]][3].row for row in nodes],
    }


def reachability(raws, type_, id_, *, relation_kind=None, direction="outgoing", max_depth=3, as_of=None, known_at=None):
    """Rings of hop distance over the kinds asked for; nothing is left out for being invalidated."""
    kinds = [relation_kind] if isinstance(relation_kind, str) else relation_kind
    edges = [edge for edge in edges_at(raws, as_of, known_at) if kinds is None or edge.kind in kinds]
    present = {raw["relation_kind"] for raw in raws}

    def steps(level):
        found = []
        for edge in edges:
            if direction in ("outgoing", "both") and edge.source in level:
                found.append((edge.target, edge.source, edge, "outgoing"))
            if direction in ("incoming", "both") and edge.target in level:
                found.append((edge.source, edge.target, edge, "incoming"))
        return [arrival for arrival in found if arrival[0] not in visited]

    def order(arrival):
        _, via, edge, way = arrival
        return (*edge.rank(), edge.kind, way, via, edge.edge_class, edge.row)

    anchor = (type_, id_)
    visited, level, rings = {anchor}, {anchor}, []
    for depth in range(1, max_depth + 1):
        best = best_by_node(steps(level), order)
        rows = []
        for node in sorted(best):
            _, via, edge, way = best[node]
            values = (depth, *node, edge.kind, edge.edge_class, edge.confidence, edge.invalidated, way, *via)
            rows.append(dict(zip(RING_FIELDS, values, strict=True)))
        rings.append(rows)
        level = set(best)
        visited |= level
    return {
        "nodes": [row for ring in rings for row in ring],
        "rings": rings,
        "truncated": bool(steps(level)),
        "unknown_kinds": {kind for kind in kinds or [] if kind not in present},
    }
