"""A layer: edges of a graph that end at another time, and edges beside those of the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lineage_kit.engines.csr.from_frame import graph_of
from lineage_kit.engines.csr.graph import Array, Graph
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.csr.override import Override
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.layered.scale import Scale
from lineage_kit.schema import LABELS, RELATIONS, ROW, SUPERSEDES, WALKED


@dataclass(frozen=True)
class Layer:
    """What lies over a graph.

    Attributes:
        override: edges of the graph, by place, that become invalid at another time.
        added: canonical rows of further edges, with their own columns and row numbers.
    """

    override: Override
    added: pl.DataFrame

    def ending(self, graph: Graph, places: Ints, at: int) -> Layer:
        """With edges of the graph invalid at a time, if not at an earlier one."""
        return Layer(self.override.ending(graph, np.unique(places), at), self.added)

    def ending_added(self, rows: Ints, at: int) -> Layer:
        """With edges that were added, by row number, invalid at a time, if not at an earlier one."""
        moment = pl.Series([at]).cast(pl.Datetime("us", "UTC"))[0]
        ends = pl.col(ROW).is_in(rows.tolist()) & (pl.col("invalid_at").is_null() | (pl.col("invalid_at") >= moment))
        added = self.added.with_columns(
            invalid_at=pl.when(ends).then(pl.lit(moment)).otherwise("invalid_at"),
            expired_at=pl.when(~ends).then("expired_at"),
        )
        return Layer(self.override, added)

    def adding(self, rows: pl.DataFrame) -> Layer:
        """With further rows."""
        return Layer(self.override, pl.concat([self.added, rows], how="diagonal"))


class LaidOut:
    """The added edges of a layer as a small graph, and where its nodes and edges lie in the large one."""

    def __init__(self, layer: Layer, base: Graph, nodes: Nodes, labels: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        self.layer = layer
        self._base, self.base_edges = base, base.edges.held.size
        self.graph, self.nodes, own = graph_of(layer.added)
        self.own = own
        names = self.nodes.names(np.arange(self.nodes.count))
        self.names = pl.DataFrame([names.type.alias("type"), names.id.alias("id")])
        found = nodes.find(self.names)
        self.found = found
        self.strange = self.names.filter(pl.Series(found < 0))
        self._labels = labels

    @cached_property
    def scale(self) -> Scale:
        """What codes of the graph and of the layer are called in an answer that has edges of both."""
        return Scale(self._base, self.graph)

    @cached_property
    def labels(self) -> pl.Series:
        """What the items call the nodes that the graph has not."""
        told = self._labels(self.strange) if self.strange.height else LABELS.empty()
        return self.strange.join(told, on=["type", "id"], how="left", maintain_order="left")["label"]

    @cached_property
    def before(self) -> Ints:
        """By added edge, the place of the edge of the graph before which it is shown, among those of its kind.

        That is in the order by source, part of its stretch, target, kind, class, confidence with nulls last; among
        equals the edges of the graph, whose rows come first.
        """
        edges, found = self.graph.edges.held, self.found
        first: Ints = self.graph.ends.held["out_start"].astype(np.int64)
        starts = np.arange(self.nodes.count).repeat(first[1:] - first[:-1])
        return np.array([self._before(int(found[starts[edge]]), edges[edge]) for edge in range(edges.size)], np.int64)

    def _before(self, source: int, edge: Array) -> int:
        ends = self._base.ends.held
        if source < 0:
            return int(ends["out_start"][-1 - source])
        kind = self.graph.kinds[int(edge["kind"])]
        first, last = self._stretch(source, kind)
        held, target = self._base.edges.held, int(self.found[int(edge["target"])])
        there = held["target"][first:last].astype(np.int64)
        if target < 0:
            return first + int((there < -1 - target).sum())
        place = first + int((there < target).sum())
        for at in range(place, first + int((there <= target).sum())):
            if self._shown(held[at]) > (kind, self.graph.classes[int(edge["edge_class"])], *_confidence(edge)):
                return at
            place = at + 1
        return place

    def _stretch(self, source: int, kind: str) -> tuple[int, int]:
        """Where the edges of a node lie that are of the part of this kind."""
        here, after = self._base.ends.held[source], self._base.ends.held["out_start"][source + 1]
        bounds = [int(here[name]) for name in ("out_start", "out_walked", "out_superseding")] + [int(after)]
        part = 0 if kind in WALKED else 1 if kind == SUPERSEDES else 2
        return bounds[part], bounds[part + 1]

    def _shown(self, edge: Array) -> tuple[str, str, bool, float]:
        return (
            self._base.kinds[int(edge["kind"])],
            self._base.classes[int(edge["edge_class"])],
            *_confidence(edge),
        )


def _confidence(edge: Array) -> tuple[bool, float]:
    """What confidence sorts as, nulls last."""
    value = float(edge["confidence"]) if "confidence" in (edge.dtype.names or ()) else np.nan
    return (True, 0.0) if np.isnan(value) else (False, value)


def nothing(own: pl.DataFrame | None) -> Layer:
    """A layer that changes nothing; `own` is an empty frame with the graph's columns of its own."""
    rows = RELATIONS.empty()
    if own is not None:
        rows = rows.hstack(own.clear())
    return Layer(Override.none(), rows.with_columns(pl.lit(None, pl.Int64).alias(ROW)))
