"""The questions about one item: what it rests on, what rests on it, and why a node is in the answer."""

from __future__ import annotations

from typing import Annotated

import typer

from lineage_kit.cli.gate import failures, reject
from lineage_kit.cli.option_groups import Supposed, TableOptions, TraceAnswer, TreeAnswer, Walk, with_groups
from lineage_kit.cli.options import FailOn, Id, OfImpact, ToId, ToType, Type
from lineage_kit.errors import InvalidRequest
from lineage_kit.view.summary import unknown_anchor


@with_groups()
def trace(
    *,
    type: Type,
    id: Id,
    walk: Walk,
    seen: Supposed,
    fail_on: FailOn = None,
    answer: TraceAnswer,
    table: TableOptions,
) -> None:
    """Show what an item rests on, and what of it no longer stands.

    Each line of the tree tells depth, kind, class, confidence, and flags in words.

    Example: lineage-kit trace decision dec-2026-0417 --data data/decisions.parquet --items data/items.parquet

    As a gate in CI: lineage-kit trace pep PEP687 --data data/pep_relations.parquet --fail-on invalidated,unknown
    """
    rejects = failures(fail_on)
    store = seen.of(walk.open(table))
    result = store.trace_lineage(type, id, walk.max_depth, **seen.instants)
    answer.write(result)
    reject(rejects(result))


@with_groups()
def impact(
    *,
    type: Type,
    id: Id,
    walk: Walk,
    seen: Supposed,
    fail_on: FailOn = None,
    answer: TraceAnswer,
    table: TableOptions,
) -> None:
    """Show what rests on an item: what falls with it.

    The lineage turned round: an item is found here exactly when this one is found in its lineage.

    Example: lineage-kit impact evidence ev-7f3a91c2 --data data/decisions.parquet --items data/items.parquet

    As a gate in CI: lineage-kit impact pep PEP440 --data data/pep_relations.parquet --fail-on truncated,unknown
    """
    rejects = failures(fail_on)
    store = seen.of(walk.open(table))
    result = store.impact(type, id, walk.max_depth, **seen.instants)
    answer.write(result)
    reject(rejects(result))


@with_groups()
def why(
    *,
    type: Type,
    id: Id,
    to_type: ToType,
    to_id: ToId,
    walk: Walk,
    seen: Supposed,
    of_impact: OfImpact = False,
    routes: Annotated[
        bool, typer.Option("--routes", help="Show every edge on some way to it, not only the path.")
    ] = False,
    answer: TreeAnswer,
    table: TableOptions,
) -> None:
    """Show why a node is in the answer: the path from an item to it, step by step.

    An item or a node that is not there is bad input, told with those whose names are near.

    Example: lineage-kit why decision dec-2026-0417 evidence ev-7f3a91c2 --data data/decisions.parquet
    """
    store = seen.of(walk.open(table))
    ask = store.impact if of_impact else store.trace_lineage
    result = ask(type, id, walk.max_depth, **seen.instants)
    if not result.anchor_known:
        raise InvalidRequest(unknown_anchor(result.anchor, result.origin).text)
    answer.write(result.routes(to_type, to_id) if routes else result.path(to_type, to_id))
