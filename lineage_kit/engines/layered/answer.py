"""What is known of an answer that has edges of a graph and of a layer over it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import CsrAnswer
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.layered.layer import LaidOut
from lineage_kit.engines.protocol import EdgeFacts
from lineage_kit.engines.trust import TRUST, UNTRUSTED, qualities
from lineage_kit.schema import RELATIONS, ROW


class LayeredAnswer:
    """Edges are called by their place; `added` says which of them are of the layer."""

    def __init__(self, base: CsrAnswer, more: CsrAnswer, added: Bools, laid: LaidOut, labels: dict[int, str]) -> None:
        self.names, self.ranks = base.names, base.ranks
        self._base, self._more, self._laid, self._called = base, more, laid, labels
        more.names = base.names
        self._added = added
        self._any = bool(added.any())
        self._place = np.where(added, added.cumsum() - 1, (~added).cumsum() - 1) if self._any else np.arange(added.size)

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges, those of graph and layer in numbers that compare."""
        if not self._any:
            return self._base.facts(edges)
        scale = self._scale
        quality, kind = np.empty(edges.size, np.int64), np.empty(edges.size, np.int64)
        for added, places, side in self._sides(edges):
            facts = side.facts(self._place[edges[places]])
            tables = scale[added]
            quality[places] = tables[0][1][tables[0][0].searchsorted(facts.quality)]
            kind[places] = tables[1][1][tables[1][0].searchsorted(facts.kind)]
        return EdgeFacts(quality, self.invalidated(edges), kind)

    @cached_property
    def _scale(self) -> list[list[tuple[Ints, Ints]]]:
        """For graph and layer, the numbers of qualities and kinds that they use, and what these are for both."""
        told = []
        for side, count in ((self._base, int((~self._added).sum())), (self._more, int(self._added.sum()))):
            facts = side.facts(np.arange(count))
            rows = []
            for column in (facts.quality, facts.kind):
                values, first = np.unique(column, return_index=True)
                rows.append((values, side.attributes(first)))
            told.append(rows)
        classes = [rows[0][1]["edge_class"] for rows in told]
        trust = [c.replace_strict(TRUST, default=UNTRUSTED, return_dtype=pl.Int64).to_numpy() for c in classes]
        confidence = [rows[0][1]["confidence"].fill_null(np.nan).to_numpy() for rows in told]
        quality = qualities(np.concatenate(trust), np.concatenate(confidence))
        texts = pl.concat([rows[1][1]["relation_kind"] for rows in told])
        kind = texts.rank("dense").cast(pl.Int64).to_numpy()
        at_quality, at_kind = trust[0].size, told[0][1][0].size
        return [
            [(told[0][0][0], quality[:at_quality]), (told[0][1][0], kind[:at_kind])],
            [(told[1][0][0], quality[at_quality:]), (told[1][1][0], kind[at_kind:])],
        ]

    def invalidated(self, edges: Ints) -> Bools:
        """Which of these edges have been invalidated."""
        if not self._any:
            return self._base.invalidated(edges)
        found = np.empty(edges.size, np.bool_)
        for _, places, side in self._sides(edges):
            found[places] = side.invalidated(self._place[edges[places]])
        return found

    def display_rank(self, edges: Ints) -> Ints:
        """Places in the order in which the edges of the graph lie, those of the layer between them."""
        if not self._any:
            return self._base.display_rank(edges)
        room = (self._laid.before.size + 1).bit_length()
        rank = np.empty(edges.size, np.int64)
        for added, places, side in self._sides(edges):
            at = side.display_rank(self._place[edges[places]])
            rank[places] = (self._laid.before[at] << room) + at if added else ((at + 1) << room) - 1
        return rank

    def attributes(self, edges: Ints) -> dict[str, pl.Series]:
        """The kind, class and confidence of these edges, and whether they are invalidated."""
        if not self._any:
            return self._base.attributes(edges)
        order, parts = self._parted(edges)
        told = [side.attributes(at) for side, at in parts]
        return {name: pl.concat([one[name] for one in told])[order] for name in told[0]}

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The rows of these edges, with the columns of both."""
        order, parts = self._parted(edges)
        ends = [(source[places], target[places]) for _, places, _ in self._sides(edges)]
        told = [side.rows(at, *end) for (side, at), end in zip(parts, ends, strict=True)]
        frame = pl.concat(told, how="diagonal")[order] if self._any else told[0]
        names = [name for name in self._laid.layer.added.columns if name not in (*RELATIONS.names, ROW)]
        missing = [name for name in names if name not in frame.columns]
        frame = frame.with_columns(
            pl.lit(None, dtype=self._laid.layer.added.schema[name]).alias(name) for name in missing
        )
        return frame.select(*RELATIONS.names, *names, ROW)

    def row_numbers(self, edges: Ints) -> Ints:
        """The row numbers of these edges."""
        if not self._any:
            return self._base.row_numbers(edges)
        found = np.empty(edges.size, np.int64)
        for _, places, side in self._sides(edges):
            found[places] = side.row_numbers(self._place[edges[places]])
        return found

    def labels(self, nodes: Ints) -> pl.Series:
        """What the items call these nodes."""
        found = self._base.labels(nodes)
        if not self._called:
            return found
        told = [self._called.get(int(node)) for node in nodes]
        return pl.Series(told, dtype=pl.String).alias(found.name).fill_null(found)

    def _sides(self, edges: Ints) -> list[tuple[int, Ints, CsrAnswer]]:
        """For graph and layer: 0 or 1, which of these edges are its own, and its answer."""
        added = self._added[edges]
        return [(0, np.flatnonzero(~added), self._base), (1, np.flatnonzero(added), self._more)]

    def _parted(self, edges: Ints) -> tuple[Ints, list[tuple[CsrAnswer, Ints]]]:
        """Edges of graph and layer apart, and what brings them back into this order."""
        sides = self._sides(edges)
        order = np.empty(edges.size, np.int64)
        order[np.concatenate([places for _, places, _ in sides])] = np.arange(edges.size)
        return order, [(side, self._place[edges[places]]) for _, places, side in sides]
