"""`lineage-kit diff`: what changed in an answer between two times, two states of knowledge, or two tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from lineage_kit.cli.gate import changes, reject
from lineage_kit.cli.option_groups import DiffAnswer, Instants, TableOptions, Walk, with_groups
from lineage_kit.cli.options import Id, OfImpact, Type
from lineage_kit.errors import InvalidRequest


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The two answers that are compared; refused before anything is read if they would be one."""

    as_of: Annotated[
        list[str] | None,
        typer.Option(
            "--as-of", metavar="TIME", help="See the relations as of this instant; twice: before, then after."
        ),
    ] = None
    known_at: Annotated[
        list[str] | None,
        typer.Option(
            "--known-at", metavar="TIME", help="See of them what was known at this instant; twice: before, then after."
        ),
    ] = None
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="FILE", help="The relations after, where --data is before; repeatable."),
    ] = None

    def __post_init__(self) -> None:
        for option, given in (("--as-of", self.as_of), ("--known-at", self.known_at)):
            if len(given or []) > 2:
                raise InvalidRequest(f"{option} is given {len(given or [])} times. Hint: once before, once after")
        if not self.against and max(len(self.as_of or []), len(self.known_at or [])) < 2:
            raise InvalidRequest("nothing to compare. Hint: give --as-of twice, --known-at twice, or --against FILE")

    @property
    def instants(self) -> tuple[Instants, Instants]:
        """The clocks before and after; one that is given once is the same in both."""
        (as_of, as_of_after), (known_at, known_at_after) = _both(self.as_of), _both(self.known_at)
        return {"as_of": as_of, "known_at": known_at}, {"as_of": as_of_after, "known_at": known_at_after}


def _both(given: list[str] | None) -> tuple[str | None, str | None]:
    return (given[0], given[-1]) if given else (None, None)


@with_groups()
def diff(
    *,
    type: Type,
    id: Id,
    walk: Walk,
    sides: Sides,
    of_impact: OfImpact = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="WHAT", help="Exit 1 when a node got worse (worse), or when anything changed (any)."
        ),
    ] = None,
    answer: DiffAnswer,
    table: TableOptions,
) -> None:
    """Show what changed in what an item rests on: nodes added, removed, changed, and which of them got worse.

    Example: lineage-kit diff decision dec-2026-0417 --data data/decisions.parquet
    --as-of 2026-04-23T12:00:00Z --as-of 2026-05-14T12:00:00Z

    As a gate in CI: lineage-kit diff rfc RFC2616 --data data/rfc_relations.parquet
    --against data/rfc_relations.parquet --fail-on worse
    """
    rejects = changes(fail_on)
    stores = [walk.open(table)]
    stores.append(replace(walk, data=sides.against).open(table) if sides.against else stores[0])
    before, after = (
        (store.impact if of_impact else store.trace_lineage)(type, id, walk.max_depth, **instants)
        for store, instants in zip(stores, sides.instants, strict=True)
    )
    result = before.diff(after)
    answer.write(result)
    reject(rejects(result))
