"""What is known of an answer whose rows were fetched from the user's own table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import polars as pl

from lineage_kit.engines.columns import EDGE_ORDER, framed, picked
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.protocol import EdgeFacts, Moment, Names
from lineage_kit.engines.trust import TRUST, UNTRUSTED, qualities
from lineage_kit.schema import ROW


class FramesAnswer:
    """The rows of an answer, sorted by row number and each of them once, and the names of its nodes."""

    def __init__(
        self,
        rows: pl.DataFrame,
        names: Names,
        edges: Ints,
        at: Moment,
        labels: Callable[[pl.DataFrame], pl.DataFrame],
    ) -> None:
        self.names = names
        self._labels = labels
        self._rows = rows
        self._places = np.searchsorted(rows[ROW].to_numpy(), edges)
        self._at = at

    @cached_property
    def ranks(self) -> Ints:
        """Numbers by which the keys sort as their names do."""
        return _ranks(pl.DataFrame(self.names._asdict()), ("type", "id"))

    @cached_property
    def _facts(self) -> EdgeFacts:
        rows = self._rows
        invalid = pl.col("invalid_at").is_not_null()
        if self._at.as_of is not None:
            invalid &= pl.col("invalid_at") <= self._at.as_of
        if self._at.known_at is not None:
            invalid &= pl.coalesce("expired_at", "invalid_at") <= self._at.known_at
        trust = rows["edge_class"].replace_strict(TRUST, default=UNTRUSTED, return_dtype=pl.Int64).to_numpy()
        return EdgeFacts(
            quality=qualities(trust, rows["confidence"].fill_null(np.nan).to_numpy()),
            invalidated=rows.select(invalid.fill_null(False)).to_series().to_numpy(),
            kind=rows["relation_kind"].rank("dense").cast(pl.Int64).to_numpy(),
        )

    @cached_property
    def _display_rank(self) -> Ints:
        return _ranks(self._rows, EDGE_ORDER)

    def facts(self, edges: Ints) -> EdgeFacts:
        """The facts of these edges."""
        at, (quality, invalidated, kind) = self._places[edges], self._facts
        return EdgeFacts(quality[at], invalidated[at], kind[at])

    def invalidated(self, edges: Ints) -> Bools:
        """Which of these edges have been invalidated."""
        return self._facts.invalidated[self._places[edges]]

    def display_rank(self, edges: Ints) -> Ints:
        """Numbers by which edges sort as people are shown them."""
        return self._display_rank[self._places[edges]]

    def attributes(self, edges: Ints) -> dict[str, pl.Series]:
        """The kind, class and confidence of these edges, and whether they are invalidated."""
        at = self._places[edges]
        texts = {name: picked(self._rows[name], at) for name in ("relation_kind", "edge_class", "confidence")}
        return {**texts, "invalidated": pl.Series(self._facts.invalidated[at])}

    def rows(self, edges: Ints, source: Ints, target: Ints) -> pl.DataFrame:
        """The rows of these edges; the names of their ends are in them."""
        return self._rows[self._places[edges]]

    def row_numbers(self, edges: Ints) -> Ints:
        """The row numbers of these edges."""
        return self._rows[ROW].to_numpy()[self._places[edges]]

    def labels(self, nodes: Ints) -> pl.Series:
        """What the items call these nodes."""
        asked = framed(self.names.at(nodes))
        return asked.join(self._labels(asked), on=["type", "id"], how="left", maintain_order="left")["label"]


def _ranks(frame: pl.DataFrame, columns: tuple[str, ...]) -> Ints:
    """The place that each row has when they are sorted by these columns."""
    order = frame.select(pl.arg_sort_by(*columns, nulls_last=True)).to_series().to_numpy()
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.arange(order.size)
    return ranks
