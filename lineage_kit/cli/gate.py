"""`--fail-on`: which answers a script should not go on with."""

from __future__ import annotations

from collections.abc import Callable

from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.view.text import FLAGS
from lineage_kit.wording import counted

NAMES = ("invalidated", "superseded", "truncated", "outdated", "unknown")


def failures(names: str | None) -> Callable[[LineageTrace], list[str]]:
    """From a comma-separated list of flags to what of them an answer holds, in words.

    Raises:
        InvalidRequest: a name that is no flag, before anything is read.
    """
    asked = [name.strip() for name in names.split(",")] if names is not None else []
    for name in asked:
        if name not in NAMES:
            raise InvalidRequest(f"--fail-on takes {', '.join(NAMES)}; not {name!r}")

    def found(trace: LineageTrace) -> list[str]:
        holds: dict[str, str | None] = {
            "invalidated": _nodes(trace, "invalidated"),
            "superseded": "the anchor is SUPERSEDED" if trace.anchor_superseded else _nodes(trace, "superseded"),
            "truncated": f"TRUNCATED by {' and '.join(trace.truncated_by)}" if trace.truncated else None,
            "outdated": _nodes(trace, "outdated_support"),
            "unknown": None if trace.anchor_known else "UNKNOWN ANCHOR",
        }
        return [told for name in NAMES if name in asked and (told := holds[name])]

    return found


def _nodes(trace: LineageTrace, flag: str) -> str | None:
    count = int(trace.nodes[flag].sum())
    return f"{counted(count, 'node')} {FLAGS[flag]}" if count else None
