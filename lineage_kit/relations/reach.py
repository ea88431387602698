"""What `reachability` answers: rings of nodes at each hop distance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lineage_kit.engines.columns import framed, picked
from lineage_kit.engines.integer_arrays import marked
from lineage_kit.engines.protocol import Moment, Names, Reader
from lineage_kit.pictured import Displayed
from lineage_kit.relations.path import Path, path_of
from lineage_kit.relations.request import Direction, Node
from lineage_kit.relations.trace import Origin, same_nodes
from lineage_kit.relations.walk.describing_edge import describing
from lineage_kit.relations.walk.frames import in_order
from lineage_kit.relations.walk.level_loop import TraversedEdges, reach_walk
from lineage_kit.wording import counted

WAYS = pl.Series("direction", ["outgoing", "incoming"])


@dataclass(frozen=True, eq=False, repr=False)
class Reachability(Displayed):
    """The nodes within a number of hops of an anchor, ring by ring.

    Attributes:
        anchor: the node asked about, a `Node(type, id)`.
        anchor_known: False when no relation mentions the anchor at all.
        relation_kind: the kinds followed, a sorted tuple, or None for all.
        direction: `outgoing` (source to target), `incoming`, or `both`.
        max_depth: how many rings.
        as_of: the instant the relations were seen at, or None for all of them.
        known_at: by when what is seen had to be known, or None for whenever.
        truncated: True exactly when an unvisited node lies one hop past the last ring.
        unknown_kinds: those of the kinds asked for that no relation of the store has, at any time.
        kinds_there: the kinds that it has, where some are unknown; otherwise none.
        nodes: one row a node, sorted by depth, type, id. depth (Int64), type, id, relation_kind, edge_class
            (String), confidence (Float64), invalidated (Boolean), direction (String: of the edge), via_type, via_id
            (String: the node of the ring before whose edge reached it), label (String, null without one).
        rings: exactly `max_depth` frames in the columns of `nodes`, the rows at each depth; empty ones included.

    Example:
        >>> store.reachability("evidence", "e1", direction="incoming")
        Reachability(evidence e1 incoming: 2 nodes in rings 2, 0, 0; complete)
    """

    anchor: Node
    anchor_known: bool
    relation_kind: tuple[str, ...] | None
    direction: Direction
    max_depth: int
    as_of: datetime | None
    known_at: datetime | None
    truncated: bool
    nodes: pl.DataFrame
    rings: tuple[pl.DataFrame, ...]
    unknown_kinds: tuple[str, ...] = ()
    kinds_there: tuple[str, ...] = ()
    anchor_label: str | None = None
    origin: Origin | None = None

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reachability):
            return NotImplemented
        return self._asked() == other._asked() and same_nodes(self.nodes, other.nodes)

    def path(self, type: str, id: str) -> Path:
        """Why a node is here: the way to it, ring by ring, along the edges that describe the nodes.

        Args:
            type: the type of the node.
            id: its id.

        Returns:
            The way, the anchor first, without edges, which rings do not keep.

        Raises:
            InvalidRequest: a node that is in no ring; near names are told.

        Example:
            >>> store.reachability("decision", "d1").path("evidence", "e1")
            Path(decision d1 > evidence e1)
        """
        return path_of(self, type, id)

    def _asked(self) -> tuple[Any, ...]:
        return (
            self.anchor,
            self.anchor_known,
            self.relation_kind,
            self.direction,
            self.max_depth,
            self.as_of,
            self.known_at,
            self.truncated,
            self.unknown_kinds,
        )

    def __repr__(self) -> str:
        if not self.anchor_known:
            state = "ANCHOR UNKNOWN: no relation mentions it"
        else:
            sizes = ", ".join(f"{ring.height:,}" for ring in self.rings)
            state = f"{counted(self.nodes.height, 'node')} in rings {sizes}; "
            state += "TRUNCATED by max_depth" if self.truncated else "complete"
        if self.unknown_kinds:
            state += f"; UNKNOWN KIND{'S' * (len(self.unknown_kinds) > 1)}: {', '.join(self.unknown_kinds)}"
        return f"Reachability({self.anchor.type} {self.anchor.id} {self.direction}: {state})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}


class Reachabilities(NamedTuple):
    """What can be reached from many anchors, from one batched walk.

    Attributes:
        nodes: anchor_type, anchor_id (String), then those of `Reachability.nodes`; sorted by anchor first.
        summary: one row an anchor, sorted by anchor: anchor_type, anchor_id (String), anchor_known, truncated
            (Boolean), nodes (Int64), label (String, null without one).

    Example:
        >>> store.reachability_many([("decision", "d1"), ("decision", "d9")]).summary.rows()
        [('decision', 'd1', True, False, 1, None), ('decision', 'd9', False, False, 0, None)]
    """

    nodes: pl.DataFrame
    summary: pl.DataFrame


def reach(
    reader: Reader, anchors: pl.DataFrame, kinds: tuple[str, ...] | None, direction: Direction, max_depth: int
) -> Reachabilities:
    """Walk the rings of all anchors at once and describe their nodes."""
    out, into = direction != "incoming", direction != "outgoing"
    walk = reach_walk(reader, reader.keys(anchors), max_depth, kinds, out=out, into=into)
    traversed, keys = TraversedEdges.join(walk.walked), walk.keys
    answer = reader.answer(keys, traversed.edge)
    order = in_order(walk, answer)
    best = describing(traversed, answer, keys, walk.visited.count)
    edge, via, incoming = (column[order] for column in best)
    anchor = walk.anchors_of(order)
    nodes = framed(
        {
            **Names(anchors["type"], anchors["id"]).at(anchor, "anchor_"),
            "depth": walk.of_steps()["depth"][order],
            **answer.names.at(order),
            **answer.attributes(edge),
            "direction": picked(WAYS, incoming),
            **answer.names.at(via, "via_"),
            "label": answer.labels(order),
        }
    )
    anchor_known = marked(walk.anchors_of(traversed.frontier_node), anchors.height)
    if not anchor_known.all():
        anchor_known[~anchor_known] = reader.known(anchors.filter(~pl.Series(anchor_known)))
    beyond = walk.anchors_of(walk.unseen(walk.past_end))
    summary = anchors.select(anchor_type="type", anchor_id="id").with_columns(
        anchor_known=pl.Series(anchor_known),
        truncated=pl.Series(marked(beyond, anchors.height)),
        nodes=pl.Series(np.bincount(anchor, minlength=anchors.height), dtype=pl.Int64),
        label=answer.labels(np.arange(anchors.height)),
    )
    return Reachabilities(nodes, summary)


def reachability_of(
    answer: Reachabilities,
    node: Node,
    kinds: tuple[str, ...] | None,
    direction: Direction,
    max_depth: int,
    at: Moment,
    unknown: tuple[tuple[str, ...], tuple[str, ...]],
    origin: Origin,
) -> Reachability:
    """The rings of the only anchor of a walk; `unknown` are the kinds no relation has, and those there are."""
    nodes = answer.nodes.drop("anchor_type", "anchor_id")
    return Reachability(
        anchor=node,
        anchor_known=bool(answer.summary["anchor_known"][0]),
        relation_kind=kinds,
        direction=direction,
        max_depth=max_depth,
        as_of=at.as_of,
        known_at=at.known_at,
        truncated=bool(answer.summary["truncated"][0]),
        nodes=nodes,
        rings=tuple(nodes.filter(pl.col("depth") == ring + 1) for ring in range(max_depth)),
        unknown_kinds=unknown[0],
        kinds_there=unknown[1],
        anchor_label=answer.summary["label"][0],
        origin=origin,
    )
