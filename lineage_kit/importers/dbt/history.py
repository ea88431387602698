"""The manifests of one project, in their order: when each relation began, and when it was gone (rules D6 and D7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from lineage_kit.importers.dbt.manifest import Manifest, Node, Stated

FRACTION = re.compile(r"\.(\d+)")


class Dated(NamedTuple):
    """A manifest, and when it was made: in microseconds, with the digits beyond them."""

    at: int | None
    finer: str
    manifest: Manifest


class Life(NamedTuple):
    """A relation from the manifest that first had it to the one that no longer did; null: since before, or to today."""

    stated: Stated
    confidence: float
    began: int | None
    ended: int | None
    file: str


def order_of(dated: Dated) -> tuple[bool, int, str, str]:
    """Those of unknown time first, then by time to nine digits, then by path."""
    return dated.at is not None, dated.at or 0, dated.finer, dated.manifest.file


def finer_than_micros(text: Any) -> str:
    """The seventh to ninth digit of the fraction of a second.

    Example:
        >>> finer_than_micros("2026-05-01T00:00:00.1234567891Z"), finer_than_micros("2026-05-01T00:00:00Z")
        ('789', '000')
    """
    found = FRACTION.search(text) if isinstance(text, str) else None
    return (found[1] if found else "").ljust(9, "0")[6:9]


def lives(manifests: Iterable[Dated]) -> list[Life]:
    """Every life of every relation; the manifests come in their order."""
    found: list[Life] = []
    standing: dict[Stated, Life] = {}
    for number, (at, _, manifest) in enumerate(manifests):
        gone = [stated for stated in standing if stated not in manifest.relations]
        found += [standing.pop(stated)._replace(ended=at) for stated in gone]
        for stated, confidence in manifest.relations.items():
            if stated in standing:
                standing[stated] = standing[stated]._replace(confidence=confidence)
            else:
                standing[stated] = Life(stated, confidence, at if number else None, None, manifest.file)
    return found + list(standing.values())


def described(manifests: Iterable[Dated]) -> dict[Node, dict[str, Any]]:
    """Every node, as the first manifest that has it tells of it."""
    nodes: dict[Node, dict[str, Any]] = {}
    for _, _, manifest in manifests:
        for id, node in manifest.nodes.items():
            nodes.setdefault(manifest.node(id), node)
    return nodes
