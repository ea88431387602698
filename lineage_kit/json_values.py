"""Values as JSON has them: which number is an integer, which text UTF-8 can hold, equality and copies of any depth."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

LARGEST = 2**63 - 1
"""The largest integer that a column can hold."""


def integral(value: Any) -> int | None:
    """The integer a number stands for (1.0 is 1); None for bools, texts, fractions and everything else.

    Example:
        >>> integral(1.0), integral(2**70), integral(True), integral("1"), integral(0.5)
        (1, 1180591620717411303424, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    index = getattr(value, "__index__", None)
    if index is not None:
        return int(index())
    if isinstance(value, (str, bytes, np.bool_)):
        return None
    try:
        return int(value) if float(value).is_integer() else None
    except (TypeError, ValueError, OverflowError):
        return None


def column_integer(value: Any) -> int | None:
    """The integer that a JSON number stands for, where a column of integers can hold it; else None.

    Example:
        >>> column_integer(3.0), column_integer(True), column_integer(2**63), column_integer(None)
        (3, None, None, None)
    """
    number = integral(value) if isinstance(value, (int, float)) else None
    return number if number is not None and abs(number) <= LARGEST else None


def clean(text: str | None) -> str | None:
    r"""Text that UTF-8 can hold: a lone surrogate becomes the replacement character (the record keeps it).

    Example:
        >>> clean("\ud800 and ä") == "\ufffd and ä"
        True
    """
    if text is None or text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def copied(value: Any) -> Any:
    """A deep copy of JSON-like data, without recursion, so that no depth is too much.

    Example:
        >>> given = {"a": [1, {"b": 2}]}
        >>> copied(given) == given, copied(given)["a"] is given["a"]
        (True, False)
    """
    holder: list[Any] = [value]
    work: list[tuple[Any, Any]] = [(holder, 0)]
    while work:
        place, key = work.pop()
        held = place[key]
        if isinstance(held, Mapping):
            place[key] = fresh = dict(held)
            work += [(fresh, inner) for inner in fresh]
        elif isinstance(held, (list, tuple)):
            place[key] = listed = list(held)
            work += [(listed, inner) for inner in range(len(listed))]
        elif not isinstance(held, (str, int, float, type(None))):
            place[key] = copy.deepcopy(held)
    return holder[0]


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: true is not 1, 1.0 is 1, key order never matters, array order does.

    Without recursion, so that deep nesting cannot exhaust the stack.

    Example:
        >>> equal({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}), equal([1], [True])
        (True, False)
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
