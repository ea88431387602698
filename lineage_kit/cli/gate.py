"""`--fail-on`: which answers a script should not go on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lineage_kit.errors import InvalidRequest
from lineage_kit.view import generic

REJECTED = {
    "invalidated": ("invalidated",),
    "superseded": ("anchor_superseded", "superseded"),
    "truncated": ("truncated",),
    "outdated": ("outdated_support",),
    "unknown": ("unknown_anchor",),
}
"""What may be asked for, and the kinds of notices that it stands for; of several the first is told."""


def failures(names: str | None) -> Callable[[Any], list[str]]:
    """From a comma-separated list of flags to what of them an answer holds, in words.

    Raises:
        InvalidRequest: a name that is no flag, before anything is read.
    """
    asked = [name.strip() for name in names.split(",")] if names is not None else []
    for name in asked:
        if name not in REJECTED:
            raise InvalidRequest(f"--fail-on takes {', '.join(REJECTED)}; not {name!r}")

    def found(result: Any) -> list[str]:
        if not asked:
            return []
        notices = {notice.kind: notice.brief for notice in generic.summary(result).notices}
        held = [
            [notices[kind] for kind in kinds if kind in notices] for name, kinds in REJECTED.items() if name in asked
        ]
        return [briefs[0] for briefs in held if briefs]

    return found
