"""From arrays of integers to frames: which edge describes a node (rule L8), and the texts of what was found."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl

from lineage_kit.engines.reader import KEY_BITS, Ints, Reader, distinct
from lineage_kit.relations.walk import KEY_MASK, Met

TRUST = pl.col("edge_class").replace_strict({"asserted": 0, "observed": 1}, default=2, return_dtype=pl.Int8)


class Names:
    """The (type, id) of the keys of one question."""

    def __init__(self, reader: Reader, pairs: Ints) -> None:
        self._keys = distinct(pairs & KEY_MASK)
        self._names = reader.names(self._keys)

    def of(self, pairs: Ints, prefix: str = "") -> pl.DataFrame:
        """Columns `<prefix>type` and `<prefix>id`, a row a pair."""
        named = self._names[np.searchsorted(self._keys, pairs & KEY_MASK)]
        return named.rename({name: prefix + name for name in ("type", "id")})


class Rows:
    """The source rows of the edges of one answer."""

    def __init__(self, reader: Reader, met: list[Met], as_of: datetime | None) -> None:
        self._edges = distinct(Met.join(met).edge)
        invalid = pl.col("invalid_at").is_not_null()
        if as_of is not None:
            invalid = (pl.col("invalid_at") <= as_of).fill_null(False)
        self._frame = reader.rows(self._edges)
        self._invalidated = self._frame.select(invalidated=invalid).to_series()

    def of(self, edges: Ints, *columns: str) -> pl.DataFrame:
        """The rows of these edges, in this order; all columns, or these."""
        frame = self._frame.select(columns) if columns else self._frame
        return frame[np.searchsorted(self._edges, edges)]

    def invalidated(self, edges: Ints) -> pl.Series:
        """Whether each of these edges is invalidated. Apart from the rows, which may have a column of that name."""
        return self._invalidated[np.searchsorted(self._edges, edges)]


def described(reaching: Met, rows: Rows, names: Names) -> pl.DataFrame:
    """One row a pair: the edge that describes it, the best by rule L8 among those that reached it first.

    Columns: pair, relation_kind, edge_class, confidence, invalidated, direction, via_type, via_id. For lineages the
    direction never decides, since all edges of one step point the same way.
    """
    candidates = pl.concat(
        [
            pl.DataFrame({"pair": reaching.far, "outgoing": ~reaching.incoming, "edge": reaching.edge}),
            rows.of(reaching.edge, "relation_kind", "edge_class", "confidence"),
            rows.invalidated(reaching.edge).to_frame(),
            names.of(reaching.near, "via_"),
        ],
        how="horizontal",
    )
    alone = pl.col("pair").is_unique()
    contested = candidates.filter(~alone)
    if contested.height:
        best = contested.sort(
            "pair",
            TRUST,
            -pl.col("confidence"),
            "invalidated",
            "relation_kind",
            "outgoing",
            "via_type",
            "via_id",
            "edge_class",
            "edge",
            nulls_last=True,
        ).unique("pair", keep="first", maintain_order=True)
        candidates = pl.concat([candidates.filter(alone), best])
    direction = pl.when("outgoing").then(pl.lit("outgoing")).otherwise(pl.lit("incoming"))
    return candidates.with_columns(direction=direction).drop("outgoing", "edge").sort("pair")


def anchors_of(pairs: Ints) -> Ints:
    """The anchor numbers of these pairs."""
    return pairs >> KEY_BITS
