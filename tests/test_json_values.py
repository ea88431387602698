"""Numbers, texts, equality and copies of JSON values."""

import copy
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.json_values import clean, column_integer, copied, equal, integral
from support import session_model as model

NOTHING = [True, False, np.True_, "1", b"1", "", None, [1], {}, 0.5, np.float64(0.5), float("nan"), float("inf")]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5]) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("value", [1, 1.0, np.int64(1), np.uint8(1), np.float32(1), Decimal(1)], ids=repr)
def test_a_number_with_an_integral_value_is_that_integer(value):
    assert (integral(value), type(integral(value))) == (1, int)


@pytest.mark.parametrize("value", NOTHING, ids=repr)
def test_anything_else_is_no_integer(value):
    assert integral(value) is None
    assert column_integer(value) is None


def test_a_column_holds_what_fits_into_64_bits():
    assert integral(2**70) == integral(float(2**70)) == 2**70
    assert (column_integer(2**63 - 1), column_integer(2**63), column_integer(1e300)) == (2**63 - 1, None, None)


def test_half_of_a_surrogate_pair_is_replaced():
    assert [clean(text) for text in (None, "a", "ä", "\ud800", "\ud83d\ude00")] == [None, "a", "ä", "\ufffd", "😀"]


@given(json_values, json_values)
def test_equality_is_that_of_the_model(one, other):
    assert equal(one, copy.deepcopy(one))
    assert equal(one, other) is equal(other, one) is model.same(one, other)


@given(json_values)
def test_a_copy_is_equal_and_shares_nothing(value):
    again = copied(value)
    assert repr(again) == repr(value)
    if isinstance(value, (list, dict)):
        assert again is not value


def test_no_depth_is_too_much():
    deep = other = 0
    for _ in range(100_000):
        deep, other = [deep], [other]
    again = copied(deep)
    assert equal(again, other)
    while isinstance(again, list):  # taken apart from outside, since freeing it at once would recurse
        (again,) = again
    assert again == 0
