"""Values as JSON has them: which number is an integer, which text UTF-8 can hold, and copies of any depth."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any


def integral(value: Any) -> int | None:
    """The integer a number stands for (1.0 is 1); None for bools, texts, fractions and everything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    index = getattr(value, "__index__", None)
    if index is not None:
        return int(index())
    try:
        return int(value) if float(value).is_integer() and not isinstance(value, (str, bytes)) else None
    except (TypeError, ValueError, OverflowError):
        return None


def clean(text: str | None) -> str | None:
    """Text that UTF-8 can hold: a lone surrogate becomes the replacement character (the record keeps it)."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def copied(value: Any) -> Any:
    """A deep copy of JSON-like data, without recursion, so that no depth is too much."""
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
