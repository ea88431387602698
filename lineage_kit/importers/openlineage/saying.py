"""What a run says: each pair of nodes, how sure it is, and which part of the event states it (rules O6 to O8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lineage_kit.importers.openlineage.content import CUTTING, DROPPED, Content, Name, Output
from lineage_kit.importers.openlineage.naming import Naming, Node

TRUST = {"asserted": 0, "observed": 1, "inferred": 2}
UNSURE = 0.5


class Pair(NamedTuple):
    """A relation between two nodes, and the job that it is of."""

    source: Node
    kind: str
    target: Node
    job: str | None


class Said(NamedTuple):
    """How sure a pair is, and what states it."""

    edge_class: str
    confidence: float
    stated_as: str

    @property
    def rank(self) -> tuple[int, float, str]:
        """What sorts the surest first."""
        return TRUST[self.edge_class], -self.confidence, self.stated_as


class Told(NamedTuple):
    """All that a run says, the names of datasets folded."""

    pairs: dict[Pair, Said]
    crossed: int
    """Pairs of an input and an output of which nothing says that one rests on the other."""
    cuts: frozenset[tuple[Node, str]]
    """Datasets whose life a change ends, each with the change."""


def told_by(
    contents: Iterable[Content], job: Name | None, naming: Naming, *, edge_class: str, confidence: float
) -> Told:
    """What the events of one run, or one declaration, say together."""
    inputs: dict[Node, None] = {}
    outputs: dict[Node, Output] = {}
    parents: set[Name] = set()
    for content in contents:
        inputs.update(dict.fromkeys(map(naming.dataset, content.inputs)))
        if content.parent is not None:
            parents.add(content.parent)
        for output in content.outputs:
            node = naming.dataset(output.name)
            outputs[node] = outputs[node].with_more(output) if node in outputs else output
    owner = None if job is None else naming.job(job)
    pairs: dict[Pair, Said] = {}

    def say(source: Node, kind: str, target: Node, said: Said) -> None:
        pair = Pair(source, kind, target, None if owner is None else owner[1])
        if pair not in pairs or said.rank < pairs[pair].rank:
            pairs[pair] = said

    def stated(by: str) -> Said:
        return Said(edge_class, confidence, by)

    written = {
        node: output for node, output in outputs.items() if not any(word in DROPPED for word, _ in output.changes)
    }
    crossed = 0
    for source, target, by, sure in _sources(list(inputs), written, naming):
        crossed += not sure
        unsure = Said("inferred", min(UNSURE, confidence), by)
        say(source, "derives_from", target, stated(by) if sure or edge_class == "asserted" else unsure)
    for node, output in written.items():
        for source, kind, target in _columns(node, output, naming):
            say(source, kind, target, stated("columnLineage"))
        if owner is not None:
            say(node, "produced_by", owner, stated("run"))
    if owner is not None:
        for node in inputs:
            say(owner, "depends_on", node, stated("run"))
        for parent in map(naming.job, parents):
            if parent != owner:
                say(owner, "child_of", parent, stated("parent"))
    for node, output in outputs.items():
        for word, former in output.changes:
            if word == "RENAME" and former is not None and naming.dataset(former) != node:
                say(node, "supersedes", naming.dataset(former), stated("lifecycleStateChange"))
    cuts = {(node, word) for node, output in outputs.items() for word, _ in output.changes if word in CUTTING}
    return Told(pairs, 0 if edge_class == "asserted" else crossed, frozenset(cuts))


def _sources(read: list[Node], outputs: dict[Node, Output], naming: Naming) -> Iterator[tuple[Node, Node, str, bool]]:
    """Output, input, what states it, and whether it is known that the one rests on the other."""
    named: set[Node] = set()
    for node, output in outputs.items():
        names = output.sources if output.explicit is None else output.explicit
        by = "columnLineage" if output.explicit is None else "lineage"
        for source in dict.fromkeys(map(naming.dataset, sorted(names))):
            named.add(source)
            yield node, source, by, True
    sure = len(outputs) == 1 or len(read) == 1
    for node, output in outputs.items():
        if output.explicit is None:  # an explicit lineage takes nothing else
            yield from ((node, source, "run", sure) for source in read if source not in named)


def _columns(node: Node, output: Output, naming: Naming) -> Iterator[tuple[Node, str, Node]]:
    """The columns of an output, and what they come from (rule O7)."""
    direct = {(column, field) for column, field, is_direct in output.columns if is_direct}
    for column, (name, other) in sorted({(column, field) for column, field, _ in output.columns}):
        kind = "derives_from" if (column, (name, other)) in direct else "depends_on"
        yield naming.column(output.name, column), kind, naming.column(name, other)
    for name, field in sorted(output.whole, key=repr):
        if field is not None:
            yield node, "uses_column", naming.column(name, field)
