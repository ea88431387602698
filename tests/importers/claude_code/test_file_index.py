"""Look-ups in the sorted columns of a file's index."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.importers.claude_code.file_index import among, firsts


@given(st.lists(st.integers(-3, 3)), st.lists(st.integers(-3, 3)))
def test_sorted_look_ups(keys, others):
    keys, others = np.array(keys, np.int64), np.array(others, np.int64)
    assert among(keys, others).tolist() == np.isin(keys, others).tolist()
    for mine, known in zip(firsts(keys), np.unique(keys, return_index=True), strict=True):
        assert mine.tolist() == known.tolist()
