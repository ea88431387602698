"""What a dsh event says of other events by their seqs: a replaced range, citations, runs of numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

LARGEST = 2**63 - 1
BOUNDS = ({"op", "start", "end"}, {"op", "startSeq", "endSeq"})
"""The keys of a replacement, by version."""


class Cited(NamedTuple):
    """The citations of an event."""

    earlier: Any
    """Those of earlier events, in their order: a list, or a range where they are one."""
    late: int
    """How many others there were."""
    example: str | None


def whole(value: Any) -> int | None:
    """A whole number that a column can hold.

    Example:
        >>> whole(3.0), whole(True), whole("3"), whole(2**63)
        (3, None, None, None)
    """
    if value.__class__ is float and value.is_integer():
        value = int(value)
    return value if value.__class__ is int and -LARGEST <= value <= LARGEST else None


def run_of(given: Any) -> tuple[int, int] | None:
    """The first and the last of a run of numbers: a number alone, or a pair that later versions write for a run.

    Example:
        >>> run_of(4), run_of([4, 9]), run_of([9, 4]), run_of(-1)
        ((4, 4), (4, 9), None, None)
    """
    pair = given if given.__class__ is list and len(given) == 2 else (given, given)
    first, last = whole(pair[0]), whole(pair[1])
    return (first, last) if first is not None and last is not None and 0 <= first <= last else None


def replaced_by(op: Any) -> tuple[int, int] | None:
    """The range that a surfaceOp replaces, if it has the exact shape of a replacement.

    Example:
        >>> replaced_by({"op": "replace", "startSeq": 2, "endSeq": 4}), replaced_by({"op": "replace", "start": 2})
        ((2, 4), None)
    """
    if not isinstance(op, dict) or op.get("op") != "replace" or op.keys() not in BOUNDS:
        return None
    start, end = ("start", "end") if "start" in op else ("startSeq", "endSeq")
    first, last = whole(op[start]), whole(op[end])
    return None if first is None or last is None else (first, last)


def cited_by(given: list[Any], seq: int) -> Cited:
    """Which earlier events the one with `seq` cites.

    Example:
        >>> cited_by([4, 5, 6], 9).earlier, cited_by([2, [4, 6], 9], 9)
        (range(4, 7), Cited(earlier=[2, 4, 5, 6], late=1, example='9'))
    """
    first, last = given[0], given[-1]
    if first.__class__ is int and last.__class__ is int and first > 1 and last < seq and last - first == len(given) - 1:
        # An answer cites all the chunks it came in. What is equal to a number above 1 is no True, and read as that.
        run = range(first, last + 1)
        if given == list(run):
            return Cited(run, 0, None)
    if set(map(type, given)) == {int} and min(given) >= 0 and max(given) < seq:
        run = range(first, last + 1)
        return Cited(run if len(run) == len(given) and given == list(run) else given, 0, None)
    earlier: list[int] = []
    late, example = 0, None
    for one in given:
        run_here = run_of(one)
        beyond = 1
        if run_here is not None:
            first, last = run_here
            earlier += range(first, min(last + 1, seq))
            beyond = last - max(first, seq) + 1
        if beyond > 0:
            late += beyond
            example = example or str(one)[:40]
    return Cited(earlier, late, example)
