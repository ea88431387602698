"""Whether one tool result is a faithful rewrite of another: the content of its blocks may change, nothing else."""

from __future__ import annotations

import json
from typing import Any


def rewrite_fault(old: str | None, new: str | None) -> tuple[str, str] | None:
    """What was found and what was expected, when `new` is no rewrite of `old`; both are JSON payloads.

    Example:
        >>> before = '{"message": {"id": 1, "content": [{"type": "text", "content": "long"}]}}'
        >>> after = '{"message": {"content": [{"content": "cut", "type": "text"}], "id": 1}}'
        >>> rewrite_fault(before, after) is None
        True
        >>> rewrite_fault(before, after.replace("1", "2"))
        ('another data.message', 'everything outside message.content equal')
    """
    if old is None and new is None:
        return None
    both: list[tuple[dict[str, Any], dict[str, Any], list[Any]]] = []
    for payload, which in ((old, "replaced"), (new, "replacing")):
        try:
            data = None if payload is None else json.loads(payload)
        except (ValueError, RecursionError):
            return f"the {which} event's payload is not JSON", "JSON"
        message = data.get("message") if isinstance(data, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not (isinstance(data, dict) and isinstance(message, dict) and isinstance(content, list)):
            return (
                f"the {which} event has no data.message.content list",
                "data and data.message objects, content a list",
            )
        both.append((data, message, content))
    (old_data, old_message, old_content), (new_data, new_message, new_content) = both
    if not same({**old_data, "message": None}, {**new_data, "message": None}):
        return "other data", "everything outside message.content equal"
    if not same({**old_message, "content": None}, {**new_message, "content": None}):
        return "another data.message", "everything outside message.content equal"
    if not same(_frame_of(old_content), _frame_of(new_content)):
        return "another first block", "the first blocks equal but for their content"
    return None


def _frame_of(content: list[Any]) -> Any:
    """The first block without its content; no block is an empty one."""
    if not content:
        return {}
    first = content[0]
    return {key: value for key, value in first.items() if key != "content"} if isinstance(first, dict) else first


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: true is not 1, 1.0 is 1, key order never matters, array order does.

    Without recursion, so that deep nesting cannot exhaust the stack.
    """
    work = [(one, other)]
    while work:
        left, right = work.pop()
        if isinstance(left, bool) or isinstance(right, bool):
            if left is not right:
                return False
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            work += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            work += zip(left, right, strict=True)
        elif isinstance(left, (dict, list)) or isinstance(right, (dict, list)) or left != right:
            return False
    return True
