"""Numbers with their nouns, and values in a message."""

from __future__ import annotations

from typing import Any


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it is one.

    Example:
        >>> counted(1, "node"), counted(1204, "node")
        ('1 node', '1,204 nodes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shown(value: Any, limit: int = 80) -> str:
    """A value in a message, cut when long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def is_unicode(text: str) -> bool:
    r"""Whether a text can be written down: half of a surrogate pair cannot.

    Example:
        >>> is_unicode("naïve"), is_unicode("\ud83d")
        (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
