"""Records of a graph, from whichever export, as nodes and edges of one shape (rules G1 and G2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

NODE_LISTS = {
    "nodes": None,
    "entities": None,
    "episodes": "episode",
    "communities": "community",
    "sagas": "saga",
}
"""Lists of nodes in one object, and what the name of a list says of those in it."""
EDGE_LISTS = ("edges", "facts", "mentions", "rels", "relationships")
LABELS = {"Episodic": "episode", "Community": "community", "Saga": "saga", "Entity": "entity"}
"""Labels of nodes in the graph, those that decide first."""
MENTIONS, MEMBER, EPISODE, NEXT, FACT = "MENTIONS", "HAS_MEMBER", "HAS_EPISODE", "NEXT_EPISODE", "RELATES_TO"
KINDS = {MENTIONS, MEMBER, EPISODE, NEXT, FACT}


class Record(NamedTuple):
    """A record before it is known what it is: where it stood, and what the list that it stood in says."""

    held: Any
    listed: str | None = None
    edge: bool | None = None


class NodeRecord(NamedTuple):
    """A node: its uuid, its sort, its own fields, and the number by which edges of the export know it."""

    uuid: str
    type: str
    fields: dict[str, Any]
    number: str | None


class EdgeRecord(NamedTuple):
    """An edge: its ends as the export names them, by uuid or by number."""

    uuid: str | None
    label: str | None
    fields: dict[str, Any]
    source: str | None
    target: str | None
    numbered: bool


def records_in(value: Any) -> Iterator[Record]:
    """The records of a JSON value: itself, those of a list, or those of the lists of one object."""
    if isinstance(value, list):
        yield from (Record(one) for one in value)
    elif (
        isinstance(value, dict)
        and not _is_record(value)
        and any(isinstance(value.get(name), (list, dict)) for name in (*NODE_LISTS, *EDGE_LISTS))
    ):
        for name, part in value.items():
            edge = name in EDGE_LISTS
            if not edge and name not in NODE_LISTS:
                continue
            if isinstance(part, dict):  # by their numbers
                part = [{"id": key, **one} if isinstance(one, dict) else one for key, one in part.items()]
            if not isinstance(part, list):
                part = [part]
            yield from (Record(one, None if edge else NODE_LISTS[name], edge) for one in part)
    else:
        yield Record(value)


def _is_record(value: dict[str, Any]) -> bool:
    return "uuid" in value or "properties" in value or value.get("type") in ("node", "relationship")


def read_record(record: Record) -> NodeRecord | EdgeRecord | None:
    """A node or an edge; None for what is neither.

    Raises:
        ValueError: a node or an edge of the wrong shape.
    """
    held = record.held
    if not isinstance(held, dict):
        raise ValueError("no object")
    if "properties" in held or held.get("type") in ("node", "relationship"):
        fields = held.get("properties")
        if fields is None:
            fields = {}
        if not isinstance(fields, dict):
            raise ValueError("properties that are no object")
        if held.get("type") == "relationship" or "start" in held or record.edge:
            ends = [_number(held.get(end)) for end in ("start", "end")]
            label = held.get("label")
            return EdgeRecord(_text(fields.get("uuid")), _text(label), fields, ends[0], ends[1], True)
        return _node(fields, held.get("labels"), record.listed, _number(held))
    if "source_node_uuid" in held or "target_node_uuid" in held or record.edge:
        ends = [_text(held.get(f"{end}_node_uuid")) for end in ("source", "target")]
        label = held.get("label") or held.get("type")
        return EdgeRecord(_text(held.get("uuid")), _text(label), held, ends[0], ends[1], False)
    if "uuid" in held:
        return _node(held, held.get("labels"), record.listed, None)
    return None


def _node(fields: dict[str, Any], labels: Any, listed: str | None, number: str | None) -> NodeRecord:
    uuid = _text(fields.get("uuid"))
    if uuid is None:
        raise ValueError("a node without a uuid")
    known = [label for label in texts(labels) if label in LABELS]
    if fields.get("content") is not None or fields.get("source_description") is not None:
        type = "episode"
    elif known:
        type = next(LABELS[label] for label in LABELS if label in known)
    else:
        type = listed or "entity"
    return NodeRecord(uuid, type, fields, number)


def _number(held: Any) -> str | None:
    """The number by which an export knows a node."""
    value = held.get("id") if isinstance(held, dict) else held
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    return str(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def texts(held: Any) -> list[str]:
    """A list of texts, which may itself have become a text: JSON, or joined by commas.

    Example:
        >>> texts(["a", 1]), texts('["a", "b"]'), texts("a, b"), texts(None)
        (['a'], ['a', 'b'], ['a', 'b'], [])
    """
    if isinstance(held, str):
        try:
            read = json.loads(held)
        except (ValueError, RecursionError):
            read = [part.strip() for part in held.split(",")]
        held = read if isinstance(read, list) else [held]
    return [one for one in held if isinstance(one, str) and one] if isinstance(held, list) else []
