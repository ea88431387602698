"""One manifest: its nodes, and the relations that it states (rules D1 to D5)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from lineage_kit.importers.pipeline.findings import Findings

SECTIONS = (
    "nodes",
    "sources",
    "exposures",
    "metrics",
    "semantic_models",
    "saved_queries",
    "unit_tests",
    "functions",
)
Node = tuple[str, str]


class Stated(NamedTuple):
    """A relation of one manifest."""

    source: Node
    kind: str
    target: Node


class Manifest:
    """What a manifest says; everything of the wrong shape is counted."""

    def __init__(self, held: dict[str, Any], file: str, findings: Findings) -> None:
        self.file = file
        self._findings = findings
        self.nodes: dict[str, dict[str, Any]] = {}
        for section in SECTIONS:
            self._take(section, held.get(section))
        disabled = held.get("disabled")
        self._disabled: dict[str, Any] = disabled if isinstance(disabled, dict) else {}
        self.relations: dict[Stated, float] = {}
        for id, node in self.nodes.items():
            self._parents(id, node)
        self._compare(held.get("parent_map"))
        for newer, older in self._versions():
            self.relations[Stated(self.node(newer), "supersedes", self.node(older))] = 1.0

    def _take(self, section: str, part: Any) -> None:
        if part is None:
            return
        if not isinstance(part, dict):
            self._findings.add("bad_record", self.file, None, section)
            return
        for key, node in part.items():
            if not isinstance(node, dict):
                self._findings.add("bad_record", self.file, None, key[:100])
                continue
            id = node.get("unique_id", key)
            if not isinstance(id, str) or not id:
                self._findings.add("bad_record", self.file, None, key[:100])
            elif id in self.nodes:
                self._findings.add("duplicate_record", self.file, None, id[:100])
            else:
                self.nodes[id] = node

    def node(self, id: str) -> Node:
        """The type and id of a node, whether it is here or not."""
        told = self.nodes.get(id, {}).get("resource_type")
        return (told if isinstance(told, str) and told else id.partition(".")[0]), id

    def _parents(self, id: str, node: dict[str, Any]) -> None:
        for parent in self._listed(id, node):
            if parent in self.nodes:
                confidence = 1.0
            else:
                confidence = 0.0
                kind = "disabled_reference" if parent in self._disabled else "dangling_reference"
                self._findings.add(kind, self.file, None, parent[:100])
            stated = Stated(self.node(id), "depends_on", self.node(parent))
            if stated in self.relations:
                self._findings.add("duplicate_record", self.file, None, id[:100])
            self.relations[stated] = confidence

    def _listed(self, id: str, node: dict[str, Any]) -> list[str]:
        """The parents that a node names."""
        depends = node.get("depends_on")
        if depends is None:
            return []
        listed = depends.get("nodes") if isinstance(depends, dict) else depends
        if listed is None:
            return []
        if not isinstance(depends, dict) or not isinstance(listed, list):
            self._findings.add("bad_record", self.file, None, id[:100])
            return []
        named = [parent for parent in listed if isinstance(parent, str) and parent]
        self._findings.add("bad_record", self.file, None, id[:100], len(listed) - len(named))
        return named

    def _compare(self, parent_map: Any) -> None:
        """Count nodes of which the map of parents says otherwise (rule D4)."""
        if parent_map is None:
            return
        if not isinstance(parent_map, dict):
            self._findings.add("bad_record", self.file, None, "parent_map")
            return
        stated: dict[str, set[str]] = {}
        for source, kind, target in self.relations:
            if kind == "depends_on":
                stated.setdefault(source[1], set()).add(target[1])
        for id, parents in parent_map.items():
            if id not in self.nodes:
                continue
            told = {one for one in parents if isinstance(one, str)} if isinstance(parents, list) else None
            if told != stated.get(id, set()):
                self._findings.add("parent_map_differs", self.file, None, id[:100])

    def _versions(self) -> list[tuple[str, str]]:
        """Of the versions of each model up to the latest, each with the one before it (rule D5)."""
        models: dict[tuple[str, str], list[tuple[tuple[int, float, str], str]]] = {}
        latest: dict[tuple[str, str], tuple[int, float, str]] = {}
        for id, node in self.nodes.items():
            version = _order(node.get("version"))
            if node.get("resource_type") != "model" or version is None:
                continue
            model = (str(node.get("package_name")), str(node.get("name")))
            models.setdefault(model, []).append((version, id))
            upto = _order(node.get("latest_version"))
            if upto is not None:
                latest[model] = max(upto, latest.get(model, upto))
        pairs = []
        for model, versions in models.items():
            known = sorted(one for one in versions if model not in latest or one[0] <= latest[model])
            pairs += [(newer, older) for (_, older), (_, newer) in pairwise(known)]
        return pairs


def _order(version: Any) -> tuple[int, float, str] | None:
    """What a version sorts by: numbers before texts, a text that is a number as one.

    Example:
        >>> sorted([10, "beta", 9, "2"], key=_order), _order(None)
        (['2', 9, 10, 'beta'], None)
    """
    if version is None or isinstance(version, (bool, list, dict)):
        return None
    try:
        number = float(version)
    except (ValueError, OverflowError):
        number = float("nan")
    return (1, 0.0, str(version)) if number != number else (0, number, "")
