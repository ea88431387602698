"""What the view `replacements` must say, written the slow way."""

from typing import Any

SCHEMA = ("type", "id", "replacement_type", "replacement_id", "steps", "is_current")


def replacements(edges):
    """Every item with each item that came to stand in its place: the pair, fewest steps, is_current.

    Edges are dicts; an item that supersedes itself replaces nothing, and no item replaces itself by way of a ring.
    """
    newer: dict[Any, Any] = {}
    for edge in edges:
        old, new = (edge["target_type"], edge["target_id"]), (edge["source_type"], edge["source_id"])
        if edge["relation_kind"] == "supersedes" and old != new:
            newer.setdefault(old, set()).add(new)
    found = []
    for item in newer:
        seen, level, steps = {item}, {item}, 0
        while level:
            steps += 1
            level = set().union(*(newer.get(node, set()) for node in level)) - seen
            seen |= level
            found += [(*item, *replacement, steps, replacement not in newer) for replacement in level]
    return sorted(found)
