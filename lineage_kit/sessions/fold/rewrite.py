"""Whether one tool result is a faithful rewrite of another: the content of its blocks may change, nothing else."""

from __future__ import annotations

import json
import operator
from typing import Any

from lineage_kit.json_values import equal

DECODE = json.JSONDecoder().decode


def rewrite_fault(old: str | None, new: str | None) -> tuple[str, str] | None:
    """What was found and what was expected, when `new` is no rewrite of `old`; both are JSON payloads.

    Example:
        >>> before = '{"message": {"id": 1, "content": [{"type": "text", "content": "long"}]}}'
        >>> after = '{"message": {"content": [{"content": "cut", "type": "text"}], "id": 1}}'
        >>> rewrite_fault(before, after) is None
        True
        >>> rewrite_fault(before, after.replace("1", "2"))
        ('another data.message', 'all equal but the content of the blocks')
    """
    if old is None and new is None:
        return None
    before, after = _parts(old), _parts(new)
    for parts, which in ((before, "replaced"), (after, "replacing")):
        if isinstance(parts, str):
            return f"the {which} event {parts}", "data and data.message objects, message.content a list"
    # Without true and false in the texts, Python's own equality is the one of JSON, and much faster.
    flags = "true" in old or "false" in old or "true" in new or "false" in new  # type: ignore[operator]
    alike = equal if flags else operator.eq
    for name, one, other in zip(("data", "data.message", "first block"), before, after, strict=True):
        if not alike(one, other):
            return f"another {name}", "all equal but the content of the blocks"
    return None


def _parts(payload: str | None) -> tuple[dict[str, Any], dict[str, Any], Any] | str:
    """Data without its message, the message without its content, the first block without its content; or why not."""
    if payload is None:
        return "has no payload"
    try:
        data = DECODE(payload)
    except (ValueError, RecursionError):
        return "has a payload that is not JSON"
    if not isinstance(data, dict):
        return "has data that is no object"
    message = data.pop("message", None)
    if not isinstance(message, dict):
        return "has no data.message object"
    content = message.pop("content", None)
    if not isinstance(content, list):
        return "has no message.content list"
    first = content[0] if content else {}
    if isinstance(first, dict):
        first.pop("content", None)
    return data, message, first
