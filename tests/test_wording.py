"""Numbers with their nouns."""

import pytest

from lineage_kit.wording import counted, shown


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [(0, "node", "0 nodes"), (1, "node", "1 node"), (2, "edge", "2 edges"), (1_234_567, "row", "1,234,567 rows")],
)
def test_a_number_has_its_noun_in_the_plural_where_it_is_one(number, noun, words):
    assert counted(number, noun) == words


def test_a_long_value_is_cut_in_a_message():
    assert shown("x" * 200, 10) == "'xxxxxxxx…"
    assert shown([1, 2]) == "[1, 2]"
