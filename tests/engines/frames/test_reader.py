"""The edges of one read, handed to every key that asked for them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.engines.frames.reader import spread

KEYS = st.integers(0, 6)


@given(st.lists(st.tuples(KEYS, KEYS), max_size=12), st.lists(KEYS, max_size=6))
def test_a_key_that_was_asked_for_twice_has_its_edges_twice(read, keys):
    here, there = (np.array(side, np.int64) for side in zip(*read, strict=True)) if read else (np.empty(0, int),) * 2
    batch = spread(np.arange(len(read)), here, there, np.array(keys, np.int64))
    expected = [
        (edge, asked, neighbour)
        for asked, key in enumerate(keys)
        for edge, (end, neighbour) in enumerate(read)
        if end == key
    ]
    assert list(zip(*(column.tolist() for column in batch), strict=True)) == expected
