"""What `reachability` answers: rings of nodes at each hop distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lineage_kit.engines.reader import Reader
from lineage_kit.relations.describe import Names, Rows, described
from lineage_kit.relations.request import Direction, Node
from lineage_kit.relations.trace import Origin, counted
from lineage_kit.relations.walk import Met, reach_walk


@dataclass(frozen=True, eq=False, repr=False)
class Reachability:
    """The nodes within a number of hops of an anchor, ring by ring.

    Attributes:
        anchor: the node asked about, a `Node(type, id)`.
        anchor_known: False when no relation mentions the anchor at all.
        relation_kind: the kinds followed, a sorted tuple, or None for all.
        direction: `outgoing` (source to target), `incoming`, or `both`.
        max_depth: how many rings.
        truncated: True exactly when an unvisited node lies one hop past the last ring.
        nodes: one row a node, sorted by depth, type, id. depth (Int64), type, id, relation_kind, edge_class
            (String), confidence (Float64), invalidated (Boolean), direction (String: of the edge), via_type, via_id
            (String): the node of the ring before whose edge reached it.
        rings: exactly `max_depth` frames, the rows of `nodes` at each depth; empty ones included.

    Example:
        >>> import lineage_kit, polars as pl
        >>> edges = pl.DataFrame({
        ...     "source_type": ["decision"] * 2, "source_id": ["d1", "d2"], "target_type": ["evidence"] * 2,
        ...     "target_id": ["e1", "e1"], "relation_kind": ["depends_on"] * 2})
        >>> lineage_kit.RelationStore.open(edges).reachability("evidence", "e1", direction="incoming")
        Reachability(evidence e1 incoming: 2 nodes in rings 2, 0, 0; complete)
    """

    anchor: Node
    anchor_known: bool
    relation_kind: tuple[str, ...] | None
    direction: Direction
    max_depth: int
    truncated: bool
    nodes: pl.DataFrame
    rings: tuple[pl.DataFrame, ...]
    origin: Origin | None = None

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reachability):
            return NotImplemented
        return self._asked() == other._asked() and self.nodes.equals(other.nodes)

    def _asked(self) -> tuple[Any, ...]:
        return (
            self.anchor,
            self.anchor_known,
            self.relation_kind,
            self.direction,
            self.max_depth,
            self.truncated,
        )

    def __repr__(self) -> str:
        if not self.anchor_known:
            state = "ANCHOR UNKNOWN: no relation mentions it"
        else:
            sizes = ", ".join(f"{ring.height:,}" for ring in self.rings)
            state = f"{counted(self.nodes.height, 'node')} in rings {sizes}; "
            state += "TRUNCATED by max_depth" if self.truncated else "complete"
        return f"Reachability({self.anchor.type} {self.anchor.id} {self.direction}: {state})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lineage_kit.view import bundle

        return bundle(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}


def reach(
    reader: Reader,
    anchor: Node,
    kinds: tuple[str, ...] | None,
    direction: Direction,
    max_depth: int,
    origin: Origin | None,
) -> Reachability:
    """Walk the rings and describe their nodes."""
    asked = pl.DataFrame([anchor], schema={"type": pl.String, "id": pl.String}, orient="row")
    out, into = direction != "incoming", direction != "outgoing"
    walk = reach_walk(reader, reader.keys(asked), max_depth, kinds, out=out, into=into)
    reaching = Met.join(walk.reaching)
    rows = Rows(reader, [reaching], None)
    names = Names(reader, walk.visited)
    found = walk.found
    order = np.argsort(found.pair)
    pair = found.pair[order]
    depth = pl.DataFrame({"depth": found.depth[order].astype(np.int64)})
    edge = described(reaching, rows, names).drop("pair")
    nodes = pl.concat([depth, names.of(pair), edge], how="horizontal")
    nodes = nodes.select(
        "depth",
        "type",
        "id",
        "relation_kind",
        "edge_class",
        "confidence",
        "invalidated",
        "direction",
        "via_type",
        "via_id",
    ).sort("depth", "type", "id")
    met_any = any(met.edge.size for met in walk.walked)
    return Reachability(
        anchor=anchor,
        anchor_known=met_any or bool(reader.known(asked)[0]),
        relation_kind=kinds,
        direction=direction,
        max_depth=max_depth,
        truncated=bool((~walk.seen(walk.past_end.far)).any()),
        nodes=nodes,
        rings=tuple(nodes.filter(pl.col("depth") == ring + 1) for ring in range(max_depth)),
        origin=origin,
    )
