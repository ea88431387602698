"""The visited set against a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.relations.walk import visited
from lineage_kit.relations.walk.visited import Visited

BATCHES = st.lists(st.lists(st.integers(0, 60), max_size=30), max_size=12)


@given(st.sets(st.integers(0, 60), max_size=5), BATCHES, st.integers(0, 40))
def test_visited_numbers_everything_once_in_order(first, batches, small):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visited, "SMALL", small)
        seen = Visited(np.array(sorted(first), np.int64))
        model = {value: number for number, value in enumerate(sorted(first))}
        for batch in batches:
            new = sorted(set(batch) - set(model))
            for value in new:
                model[value] = len(model)
            numbers, fresh = seen.enter(np.array(batch, np.int64))
            assert fresh.tolist() == new
            assert numbers.tolist() == [model[value] for value in batch]
        assert seen.count == len(model)
        assert seen.pairs.tolist() == list(model)
        assert seen.numbers(np.arange(70)).tolist() == [model.get(value, -1) for value in range(70)]
