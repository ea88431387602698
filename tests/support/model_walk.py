"""The walk of a lineage and of an impact, the slow way: sets, dicts and loops over all edges.

Of each edge two things are asked. *Which way it leads*: a walk edge from source to target, a supersedes edge from the
item replaced to its replacement; an impact walks the same ways backwards. *Whether it carries*: whether a route may
use it.
"""

from typing import Any

from support.model_rows import edges_at

NODE_FIELDS = (
    "depth", "hop", "type", "id", "relation_kind", "edge_class", "confidence", "invalidated",
    "superseded", "outdated_support", "current", "via_type", "via_id",
)  # fmt: skip


def leads(edge):
    """From where to where an edge leads, as P2 says it."""
    return (edge.source, edge.target) if edge.walks else (edge.target, edge.source)


def reached(start, steps):
    """Everything that the steps, (from, to) pairs, reach from a node; the node itself too."""
    found, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for one, other in steps:
            if one == here and other not in found:
                found.add(other)
                todo.append(other)
    return found


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


class Walk:
    """L2 to L12 for one anchor; with `backwards`, I1 to I4."""

    def __init__(self, raws, anchor, max_depth, supersede_limit, as_of, known_at, backwards):
        self.edges = edges_at(raws, as_of, known_at)
        self.anchor, self.max_depth, self.supersede_limit = anchor, max_depth, supersede_limit
        self.backwards = backwards
        self.visited = {anchor}
        self.nodes = {}  # node -> (depth, hop, via, edge)
        self.walked = {}  # row -> edge, walk edges of expanded nodes
        self.replacing = {}  # row -> edge, supersedes edges met while resolving
        self.last_hops = []  # one set of nodes for each level whose chain hit the limit

    def near_and_far(self, edge):
        """The end of an edge that this walk comes from, and the one it goes to."""
        start, end = leads(edge)
        return (end, start) if self.backwards else (start, end)

    def from_here(self, nodes, wanted):
        """(far, near, edge) of each edge of the wanted sort that goes on from one of these nodes."""
        ends = [(*self.near_and_far(edge), edge) for edge in self.edges if wanted(edge)]
        return [(far, near, edge) for near, far, edge in ends if near in nodes]

    def walk_from(self, nodes):
        return self.from_here(nodes, lambda edge: edge.walks)

    def replace_from(self, nodes):
        return self.from_here(nodes, lambda edge: edge.replaces)

    def run(self):
        level = {self.anchor} | self.resolve({self.anchor}, 0)
        depth = 0
        while level and depth < self.max_depth:
            depth += 1
            found = self.walk_from(level)
            self.walked.update({edge.row: edge for _, _, edge in found})
            new = self.enter(found, depth, 0)
            level = new | self.resolve(new, depth)
        self.last_level = level

    def resolve(self, level, depth):
        """L5, L7: the replacements of a level (backwards: what it replaces), and theirs, up to the limit of hops."""
        all_reached, frontier = set(), level
        for hop in range(1, self.supersede_limit + 1):
            found = self.replace_from(frontier)
            self.replacing.update({edge.row: edge for _, _, edge in found})
            frontier = self.enter(found, depth, hop)
            all_reached |= frontier
            if not frontier:
                return all_reached
        self.last_hops.append(frontier)
        return all_reached

    def enter(self, found, depth, hop):
        """L3: take in the nodes not seen before, each by its describing edge."""
        unseen = [arrival for arrival in found if arrival[0] not in self.visited]
        best = best_by_node(unseen, describing_order)
        for node, via, edge in best.values():
            self.nodes[node] = (depth, hop, via, edge)
        self.visited |= set(best)
        return set(best)

    def peek(self):
        """L9: the (far, near, edge) one step past where the walk stopped, by reason."""
        past_cuts = [arrival for nodes in self.last_hops for arrival in self.replace_from(nodes)]
        return {"max_depth": self.walk_from(self.last_level), "supersede_limit": past_cuts}

    def stopped_at(self):
        """L9: the nodes with something unvisited one step past them, by reason."""
        return {
            reason: {near for far, near, _ in found if far not in self.visited} for reason, found in self.peek().items()
        }

    def replacements(self, node):
        """L10: the supersedes edges from other nodes that point at this one."""
        return [edge for edge in self.edges if edge.replaces and edge.target == node]

    def supported(self, live):
        """L11', L12, I4: the nodes that a route joins to the anchor, over live edges only or over all."""
        peeked = [edge for far, _, edge in self.peek()["max_depth"] if far in self.visited]
        steps = []
        for edge in [*self.walked.values(), *self.replacing.values(), *peeked]:
            start, end = leads(edge)
            replaced = any(not other.invalidated for other in self.replacements(start))
            if (edge.walks and replaced) or (live and edge.invalidated):
                continue
            steps.append((end, start) if self.backwards else (start, end))
        return reached(self.anchor, steps)

    def node_rows(self):
        supported, current = self.supported(live=False), self.supported(live=True)
        rows = []
        for node, (depth, hop, via, edge) in self.nodes.items():
            values = (
                depth, hop, *node, edge.kind, edge.edge_class, edge.confidence, edge.invalidated,
                bool(self.replacements(node)), node not in supported, node in current, *via,
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
