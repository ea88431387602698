"""Qualities of a layer find their place between those of the graph, in the order that all of them together have."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.engines.csr.from_frame import graph_of
from lineage_kit.engines.layered.scale import Scale
from lineage_kit.engines.trust import TRUST, UNTRUSTED
from support.small import edge
from support.sources import frame

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["asserted", "observed", "inferred", "guessed"]),
        st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1)),
    ),
    min_size=1,
    max_size=8,
)


def graph(rows):
    edges = frame([edge("a", f"b{place}") for place in range(len(rows))]).with_columns(
        edge_class=pl.Series([row[0] for row in rows]),
        confidence=pl.Series([row[1] for row in rows], dtype=pl.Float64),
        **{name: pl.lit(None, pl.Datetime("us", "UTC")) for name in ("created_at", "valid_at", "invalid_at")},
        expired_at=pl.lit(None, pl.Datetime("us", "UTC")),
        edge=pl.int_range(len(rows)),
    )
    return graph_of(edges)[0]


def wanted(row):
    """Trust, then high confidence, nulls last."""
    edge_class, confidence = row
    return TRUST.get(edge_class, UNTRUSTED), confidence is None, -(confidence or 0.0)


@given(ROWS, ROWS)
def test_they_sort_as_in_one_table(base, layer):
    one, other = graph(base), graph(layer)
    scale = Scale(one, other)
    shared = [(one.edges.held["quality"].astype(np.int64) + 1) * scale.room, scale.quality]
    told = [
        (wanted(rows[row]), int(quality))
        for rows, side, qualities in zip((base, layer), (one, other), shared, strict=True)
        for row, quality in zip(side.edges.held["row"], qualities, strict=True)
    ]
    for (key, quality), (other_key, other_quality) in ((a, b) for a in told for b in told):
        assert (key < other_key, key == other_key) == (quality < other_quality, quality == other_quality)
