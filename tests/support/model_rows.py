"""The rows of a table as the rules see them at a moment of two clocks, and tables rewritten by a supposition.

An edge is a dict of the canonical column names; columns that it lacks are null. A node is the pair (type, id).
"""

import math

WALK = ("depends_on", "derives_from")


class Edge:
    """One row: defaults applied, and invalidated or not at the moment asked about."""

    def __init__(self, row, raw, as_of, known_at):
        self.row = row
        self.source, self.target = ends_of(raw)
        self.kind = raw["relation_kind"]
        self.edge_class = "asserted" if raw.get("edge_class") is None else raw["edge_class"]
        confidence = raw.get("confidence")
        self.confidence = None if confidence is None or math.isnan(confidence) else confidence
        self.invalidated = is_invalidated(raw, as_of, known_at)

    @property
    def walks(self):
        return self.kind in WALK

    @property
    def replaces(self):
        """L5: a self-supersedes edge is ignored."""
        return self.kind == "supersedes" and self.source != self.target

    def rank(self):
        """Class, confidence, live: the smaller, the better it describes a node (first half of L8)."""
        known = {"asserted": 0, "observed": 1}
        strength = -math.inf if self.confidence is None else self.confidence
        return (known.get(self.edge_class, 2), self.confidence is None, -strength, self.invalidated)


def ends_of(raw):
    return (raw["source_type"], raw["source_id"]), (raw["target_type"], raw["target_id"])


def is_invalidated(raw, as_of, known_at):
    """L4 and K3: it has become invalid, and with known_at one had also noticed."""
    ended, noticed = raw.get("invalid_at"), raw.get("expired_at")
    if ended is None or (as_of is not None and ended > as_of):
        return False
    return known_at is None or (ended if noticed is None else noticed) <= known_at


def exists(raw, as_of, known_at):
    """L4: with as_of alone, what is recorded or valid only later is not there; K2: with known_at, each has a clock."""
    created, valid = raw.get("created_at"), raw.get("valid_at")
    recorded_by = as_of if known_at is None else known_at
    recorded = created is None or recorded_by is None or created <= recorded_by
    return recorded and (valid is None or as_of is None or valid <= as_of)


def edges_at(raws, as_of, known_at=None):
    return [Edge(row, raw, as_of, known_at) for row, raw in enumerate(raws) if exists(raw, as_of, known_at)]


def mentioned(raws, node):
    """L15: does any relation, of whatever kind and time, mention this node?"""
    return any(node in ends_of(raw) for raw in raws)


# --- suppositions --------------------------------------------------------------------------------------


def invalid_from(raw, at):
    """The row invalid from `at` on, or from the earlier time that it has already."""
    ended = raw.get("invalid_at")
    if ended is not None and ended < at:
        return raw
    return {**raw, "invalid_at": at, "expired_at": None}


def with_ended_items(raws, ended):
    """L16: every walk edge into an item that has ended counts as invalid from then on. `ended`: node -> time."""
    rows = []
    for raw in raws:
        at = ended.get(ends_of(raw)[1])
        rows.append(invalid_from(raw, at) if at is not None and raw["relation_kind"] in WALK else raw)
    return rows


def what_if(raws, at, *, withdraw=(), invalidate=(), supersede=(), add=()):
    """W1 to W5: the changed table. `invalidate`: (source, target, kind); `supersede`: (old node, new node)."""
    rows = []
    for raw in raws:
        source, target = ends_of(raw)
        withdrawn = raw["relation_kind"] in WALK and target in withdraw
        named = (source, target, raw["relation_kind"]) in invalidate
        rows.append(invalid_from(raw, at) if withdrawn or named else raw)
    return [*rows, *add, *(superseding(old, new, at) for old, new in supersede)]


def superseding(old, new, at):
    """W3: one more supersedes edge new -> old."""
    return {
        "source_type": new[0],
        "source_id": new[1],
        "target_type": old[0],
        "target_id": old[1],
        "relation_kind": "supersedes",
        "edge_class": "asserted",
        "created_at": at,
    }
