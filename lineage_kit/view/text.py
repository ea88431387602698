"""Untrusted text made fit to show, and flags put into words."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple


class Flag(NamedTuple):
    """A flag in words: beside a node, on the edge of its box, and as a sentence (empty where the word says it all)."""

    word: str
    tag: str
    meaning: str = ""


FLAGS = {
    "invalidated": Flag("INVALIDATED", "invalidated", "The edge that reached it has been invalidated."),
    "superseded": Flag("SUPERSEDED", "superseded", "Another item replaces it."),
    "outdated_support": Flag("OUTDATED SUPPORT", "outdated", "It supports only an outdated revision."),
}
"""The flags of a node by their columns, in the order in which they are told."""
MARKS = FLAGS | {
    "cut": Flag("TRUNCATED HERE", "cut", "The walk stopped here, with more beyond."),
    "shadowed": Flag("SHADOWED", "SHADOWED"),
    "missing": Flag("NOT THERE", "NOT THERE"),
    "worse": Flag("WORSE", "worse", "It has a flag that it had not before."),
    "added": Flag("ADDED", "added", "It was not there before."),
    "removed": Flag("REMOVED", "removed", "It was there before, and is not any more."),
}
"""All that a tree or a graph may say of a node: its flags, and what no column tells."""


def visible(text: str, limit: int = 60) -> str:
    r"""The text with everything invisible or reordering spelt out, and cut (saying so) at `limit` characters.

    Example:
        >>> visible("a\nb\u202ec")
        'a\\nb\\u202ec'
        >>> visible("x" * 100, limit=10)
        'xxxxxxxxx… (100 characters)'
    """
    shown = text if len(text) <= limit else text[: limit - 1]
    shown = "".join(_spelt(character) for character in shown)
    return shown if len(text) <= limit else f"{shown}… ({len(text):,} characters)"


def _spelt(character: str) -> str:
    if character == "\u200d" or unicodedata.category(character) not in (
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
    ):
        return character
    return character.encode("unicode_escape").decode("ascii")


def named(type: str, id: str, label: str | None = None) -> str:
    """A node as people read it.

    Example:
        >>> named("decision", "d42", "Ship on Friday")
        'decision d42 “Ship on Friday”'
    """
    base = f"{visible(type, 40)} {visible(id)}"
    return f"{base} “{visible(label, 80)}”" if label else base


def flags(node: Mapping[str, Any]) -> list[str]:
    """The flags of a node in words.

    Example:
        >>> flags({"invalidated": True, "superseded": False, "outdated_support": True})
        ['INVALIDATED', 'OUTDATED SUPPORT']
    """
    return [words.word for flag, words in FLAGS.items() if node.get(flag)]


def trust(edge_class: str, confidence: float | None) -> str:
    """Class and confidence of an edge.

    Example:
        >>> trust("observed", 0.8), trust("asserted", None)
        ('observed 0.80', 'asserted')
    """
    return visible(edge_class, 30) if confidence is None else f"{visible(edge_class, 30)} {confidence:.2f}"


def moment(at: datetime) -> str:
    """A time in UTC, to the second where it is whole.

    Example:
        >>> from datetime import UTC
        >>> moment(datetime(2026, 3, 1, 12, tzinfo=UTC))
        '2026-03-01T12:00:00Z'
    """
    return at.isoformat().replace("+00:00", "Z")
