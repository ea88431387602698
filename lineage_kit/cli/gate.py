"""`--fail-on`: which answers a script should not go on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from lineage_kit.cli.process import note
from lineage_kit.errors import InvalidRequest
from lineage_kit.view import generic
from lineage_kit.wording import counted

if TYPE_CHECKING:
    from lineage_kit.relations.diff import LineageDiff

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


def changes(name: str | None) -> Callable[[LineageDiff], list[str]]:
    """From `worse` or `any` to what a diff holds of it, in words.

    Raises:
        InvalidRequest: another word, before anything is read.
    """
    if name not in (None, "worse", "any"):
        raise InvalidRequest(f"--fail-on takes worse or any; not {name!r}")

    def found(diff: LineageDiff) -> list[str]:
        if name is None or not diff:
            return []
        worse = int(diff.nodes["worse"].sum())
        told = [f"{counted(worse, 'node')} WORSE"] if worse else []
        if name == "any":
            told.append(f"{counted(diff.nodes.height, 'node')} and {counted(diff.edges.height, 'edge')} differ")
            told += [f"{scalar} differs" for scalar in diff.scalars]
        return told

    return found


def reject(found: list[str]) -> None:
    """End with exit code 1 if a gate found something, and say what.

    Raises:
        Exit: it found something.
    """
    if found:
        note(f"lineage-kit: rejected by --fail-on: {'; '.join(found)}", "bold red")
        raise typer.Exit(1)
