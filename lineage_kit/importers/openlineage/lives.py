"""The lives of a pair: from its first observation to the change that ended it (rules O10 to O12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lineage_kit.importers.openlineage.naming import Node
from lineage_kit.importers.openlineage.saying import Pair, Said

UNKNOWN = -(2**63)
"""Stands for a time that is not known: such an observation is older than all others."""
DROP, DROPPED, OVERWRITTEN, UNDECLARED = "DROP", "dropped", "overwritten", "no longer declared"
CUT = ("derives_from", "depends_on", "produced_by", "uses_column")
"""The kinds of relations that end with a dataset."""


class Seen(NamedTuple):
    """A pair was stated: when, how surely, and by which run (None for a declaration)."""

    at: int
    said: Said
    run: str | None


class Cut(NamedTuple):
    """Something ended what was last seen before `start`; it ended at `end`."""

    start: int
    end: int
    word: str


class Life(NamedTuple):
    """A pair while it held."""

    said: Said
    began: int | None
    ended: int | None
    reason: str | None
    runs: int
    last_seen: int | None
    last_run: str | None


def lives_of(seen: Iterable[Seen], cuts: Iterable[Cut]) -> list[Life]:
    """Observations apart where a cut began after one and not after the next; each part is a life.

    Example:
        >>> said = Said("observed", 1.0, "run")
        >>> [life[1:4] for life in lives_of([Seen(5, said, "a"), Seen(9, said, "b")], [Cut(6, 8, "overwritten")])]
        [(5, 8, 'overwritten'), (9, None, None)]
    """
    ordered = sorted(seen, key=lambda one: (one.at, one.run or ""))
    starts = sorted(cuts)
    found: list[Life] = []
    part: list[Seen] = []
    at = 0
    for one in ordered:
        if part and at < len(starts) and starts[at].start <= one.at:
            found.append(_life(part, starts[at]))
            part = []
        while at < len(starts) and starts[at].start <= one.at:
            at += 1
        part.append(one)
    if part:
        found.append(_life(part, starts[at] if at < len(starts) else None))
    return found


def _life(part: list[Seen], cut: Cut | None) -> Life:
    known = [one.at for one in part if one.at != UNKNOWN]
    runs = [one for one in part if one.run is not None]
    return Life(
        min((one.said for one in part), key=lambda said: said.rank),
        min(known, default=None),
        None if cut is None else cut.end,
        None if cut is None else cut.word,
        len(runs),
        max(known, default=None),
        runs[-1].run if runs else None,
    )


def cuts_of(pair: Pair, changes: Mapping[Node, list[Cut]]) -> list[Cut]:
    """What cuts a pair, of the changes of every dataset.

    What was dropped ends what it came from, what came from it and who depends on it; what was written anew ends only
    what it came from.
    """
    if pair.kind not in CUT or pair.source == pair.target:
        return []
    source, target = _dataset_of(pair.source), _dataset_of(pair.target)
    found = list(changes.get(source, ())) if source is not None else []
    if target is not None and target != source:
        found += [cut for cut in changes.get(target, ()) if cut.word == DROPPED]
    return found


def _dataset_of(node: Node) -> Node | None:
    """The dataset that a node is, or is a column of."""
    type, id = node
    if type == "column":
        return "dataset", id.rpartition("#")[0]
    return node if type == "dataset" else None
