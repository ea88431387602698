"""Arrays of integers against their plain meaning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.engines import integer_arrays
from lineage_kit.engines.integer_arrays import distinct, marked, ranges, sorting


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=20))
def test_ranges_are_gathered_one_after_the_other(stretches):
    first = np.array([begin for begin, _ in stretches], np.int64)
    last = first + np.array([size for _, size in stretches], np.int64)
    which, place = ranges(first, last)
    expected = [(at, begin + step) for at, (begin, size) in enumerate(stretches) for step in range(size)]
    assert list(zip(which.tolist(), place.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 2**62), max_size=20))
def test_distinct_values_come_sorted(values):
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


@pytest.mark.parametrize("width", [0, 63])
@given(st.lists(st.integers(0, 2**62), max_size=20))
def test_sorting_gives_the_places_and_the_values_in_order(width, values):
    held = np.array(values, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integer_arrays, "WIDTH", width)
        order, ordered = sorting(held)
    assert ordered.tolist() == sorted(values)
    assert held[order].tolist() == ordered.tolist()
    assert sorted(order.tolist()) == list(range(len(values)))


@given(st.lists(st.integers(0, 9), max_size=5))
def test_marks_are_at_the_places_and_nowhere_else(places):
    assert marked(np.array(places, np.int64), 10).tolist() == [place in places for place in range(10)]
