"""What a trace must answer, written the slow way: plain dicts, sets and loops, straight from the rules.

Nothing here is shared with the package. An edge is a dict of the canonical column names; columns
that it lacks are null. A node is the pair (type, id).
"""

import math
from typing import Any

WALK = ("depends_on", "derives_from")
NODE_FIELDS = (
    "depth", "hop", "type", "id", "relation_kind", "edge_class", "confidence", "invalidated",
    "superseded", "outdated_support", "current", "via_type", "via_id",
)  # fmt: skip
RING_FIELDS = (
    "depth", "type", "id", "relation_kind", "edge_class", "confidence", "invalidated",
    "direction", "via_type", "via_id",
)  # fmt: skip


class Edge:
    """One row as the rules see it: defaults applied, and invalidated or not as of the moment asked about."""

    def __init__(self, row, raw, as_of, known_at):
        self.row = row
        self.source = (raw["source_type"], raw["source_id"])
        self.target = (raw["target_type"], raw["target_id"])
        self.kind = raw["relation_kind"]
        self.edge_class = "asserted" if raw.get("edge_class") is None else raw["edge_class"]
        confidence = raw.get("confidence")
        self.confidence = None if confidence is None or math.isnan(confidence) else confidence
        ended = raw.get("invalid_at")
        noticed = raw.get("expired_at") or ended
        self.invalidated = (
            ended is not None and (as_of is None or ended <= as_of) and (known_at is None or noticed <= known_at)
        )

    def rank(self):
        """Class, confidence, live: the smaller, the better it describes a node (first half of L8)."""
        known = {"asserted": 0, "observed": 1}
        strength = -math.inf if self.confidence is None else self.confidence
        return (known.get(self.edge_class, 2), self.confidence is None, -strength, self.invalidated)


def exists(raw, as_of, known_at):
    """L4, K2: an edge that is recorded or valid only later does not exist yet."""
    recorded, valid = raw.get("created_at"), raw.get("valid_at")
    by = as_of if known_at is None else known_at
    return (recorded is None or by is None or recorded <= by) and (valid is None or as_of is None or valid <= as_of)


def edges_as_of(raws, as_of, known_at=None):
    return [Edge(row, raw, as_of, known_at) for row, raw in enumerate(raws) if exists(raw, as_of, known_at)]


def best_by_node(found, order):
    """The describing edge of each node, out of (node, via, edge, …) tuples."""
    best: dict[Any, Any] = {}
    for arrival in found:
        node = arrival[0]
        if node not in best or order(arrival) < order(best[node]):
            best[node] = arrival
    return best


def describing_order(arrival):
    """L8: class, confidence, live, kind, where from, class text, row."""
    _, via, edge = arrival
    return (*edge.rank(), edge.kind, via, edge.edge_class, edge.row)


class Trace:
    """The walk of L2 to L12 for one anchor, kept in sets and dicts; turned round, that of I1 to I4."""

    def __init__(self, raws, anchor, max_depth, supersede_limit, as_of, known_at=None, *, impact=False):
        self.edges = edges_as_of(raws, as_of, known_at)
        self.anchor, self.max_depth, self.supersede_limit = anchor, max_depth, supersede_limit
        self.impact = impact
        self.visited = {anchor}
        self.nodes = {}  # node -> (depth, hop, via, edge)
        self.walked = {}  # row -> edge, walk edges out of expanded nodes
        self.replacing = {}  # row -> edge, supersedes edges met while resolving
        self.last_hops = []  # one set of nodes for each level whose chain hit the limit

    def ends(self, edge):
        """Where an edge leads to, and where from, as the walk goes."""
        return (edge.target, edge.source) if (edge.kind in WALK) != self.impact else (edge.source, edge.target)

    def run(self):
        level = {self.anchor} | self.resolve({self.anchor}, 0)
        depth = 0
        while level and depth < self.max_depth:
            depth += 1
            found = []
            for edge in self.leading_on(level):
                self.walked[edge.row] = edge
                found.append((*self.ends(edge), edge))
            new = self.enter(found, depth, 0)
            level = new | self.resolve(new, depth)
        self.last_level = level

    def leading_on(self, level):
        return [edge for edge in self.edges if edge.kind in WALK and self.ends(edge)[1] in level]

    def resolve(self, level, depth):
        """L5, L7: the replacements of a level (or what it replaces), and theirs, up to the limit of hops."""
        reached, frontier = set(), level
        for hop in range(1, self.supersede_limit + 1):
            found = []
            for edge in self.hopping_on(frontier):
                self.replacing[edge.row] = edge
                found.append((*self.ends(edge), edge))
            frontier = self.enter(found, depth, hop)
            reached |= frontier
            if not frontier:
                return reached
        self.last_hops.append(frontier)
        return reached

    def hopping_on(self, nodes):
        return [
            edge
            for edge in self.edges
            if edge.kind == "supersedes" and edge.source != edge.target and self.ends(edge)[1] in nodes
        ]

    def replacements_of(self, node):
        return [
            edge
            for edge in self.edges
            if edge.kind == "supersedes" and edge.target == node and edge.source != edge.target
        ]

    def enter(self, found, depth, hop):
        """L3: take in the nodes not seen before, each by its describing edge."""
        unseen = [arrival for arrival in found if arrival[0] not in self.visited]
        best = best_by_node(unseen, describing_order)
        for node, via, edge in best.values():
            self.nodes[node] = (depth, hop, via, edge)
        self.visited |= set(best)
        return set(best)

    def stopped_at(self):
        """L9: the nodes with something unvisited one step past them, by reason."""
        by_depth = {
            self.ends(edge)[1] for edge in self.leading_on(self.last_level) if self.ends(edge)[0] not in self.visited
        }
        by_limit = {
            self.ends(edge)[1]
            for nodes in self.last_hops
            for edge in self.hopping_on(nodes)
            if self.ends(edge)[0] not in self.visited
        }
        return {"max_depth": by_depth, "supersede_limit": by_limit}

    def superseded(self, node):
        """L10."""
        return bool(self.replacements_of(node))

    def replaced_live(self, node):
        return any(not edge.invalidated for edge in self.replacements_of(node))

    def connected(self, *, live):
        """L11', L12, I4: the nodes that some route connects with the anchor, over live edges alone or over any."""
        peeked = [edge for edge in self.leading_on(self.last_level) if self.ends(edge)[0] in self.visited]
        usable = [edge for edge in (*self.walked.values(), *peeked) if not self.replaced_live(edge.source)]
        usable = [edge for edge in (*usable, *self.replacing.values()) if not (live and edge.invalidated)]
        reached, todo = {self.anchor}, [self.anchor]
        while todo:
            here = todo.pop()
            for edge in usable:
                far, near = self.ends(edge)
                if near == here and far not in reached:
                    reached.add(far)
                    todo.append(far)
        return reached

    def node_rows(self):
        supported, current = self.connected(live=False), self.connected(live=True)
        rows = []
        for node, (depth, hop, via, edge) in self.nodes.items():
            values = (
                depth, hop, *node, edge.kind, edge.edge_class, edge.confidence, edge.invalidated,
                self.superseded(node), node not in supported, node in current, *via,
            )  # fmt: skip
            rows.append(dict(zip(NODE_FIELDS, values, strict=True)))
        return sorted(rows, key=lambda row: (row["depth"], row["hop"], row["type"], row["id"]))

    def edge_rows(self):
        """(role, row number) in the order of ``trace.edges``."""
        roles = [("replacement", edge) for edge in self.replacing.values()]
        roles += [("walk", edge) for edge in self.walked.values()]

        def order(item):
            role, edge = item
            confidence = (edge.confidence is None, edge.confidence or 0.0)  # null last
            return (role, edge.source, edge.target, edge.kind, edge.edge_class, confidence, edge.row)

        return [(role, edge.row) for role, edge in sorted(roles, key=order)]


def mentioned(raws, node):
    """Does any relation, of whatever kind and time, mention this node?"""
    ends = [((raw["source_type"], raw["source_id"]), (raw["target_type"], raw["target_id"])) for raw in raws]
    return any(node in pair for pair in ends)


def trace_lineage(raws, type_, id_, max_depth=5, *, supersede_limit=10, as_of=None, known_at=None, impact=False):
    """Everything a trace says, as plain values."""
    trace = Trace(raws, (type_, id_), max_depth, supersede_limit, as_of, known_at, impact=impact)
    trace.run()
    stopped = trace.stopped_at()
    return {
        "anchor_known": mentioned(raws, (type_, id_)),
        "anchor_superseded": trace.superseded((type_, id_)),
        "truncated": any(stopped.values()),
        "truncated_by": tuple(reason for reason, nodes in stopped.items() if nodes),
        "frontier": sorted(set().union(*stopped.values())),
        "nodes": trace.node_rows(),
        "edges": trace.edge_rows(),
    }


def impact(raws, type_, id_, max_depth=5, **options):
    """Everything an impact says."""
    return trace_lineage(raws, type_, id_, max_depth, impact=True, **options)


def reachability(raws, type_, id_, *, relation_kind=None, direction="outgoing", max_depth=3):
    """Rings of hop distance over the kinds asked for; nothing is left out for being invalidated."""
    kinds = [relation_kind] if isinstance(relation_kind, str) else relation_kind
    edges = [edge for edge in edges_as_of(raws, None) if kinds is None or edge.kind in kinds]

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
    return {"nodes": [row for ring in rings for row in ring], "rings": rings, "truncated": bool(steps(level))}
