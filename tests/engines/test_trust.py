"""Class and confidence in one number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.engines.trust import qualities


@given(st.lists(st.tuples(st.integers(0, 2), st.none() | st.sampled_from([-0.0, 0.0, 0.25, 1.0, -3.5, 1e300]))))
def test_quality_sorts_as_class_and_confidence_do(edges):
    trust = np.array([trust for trust, _ in edges], np.int64)
    confidence = np.array([np.nan if said is None else said for _, said in edges])
    found = qualities(trust, confidence)

    def plain(one):
        return (one[0], one[1] is None, 0 if one[1] is None else -one[1])

    for one, quality in zip(edges, found, strict=True):
        for other, another in zip(edges, found, strict=True):
            assert (quality < another) == (plain(one) < plain(other))
