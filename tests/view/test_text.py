"""Words for flags: one spelling each, that of their column, until a person reads them."""

from lineage_kit.schema import NODES
from lineage_kit.view.terminal import STYLES
from lineage_kit.view.text import FLAGS, MARKS


def test_a_flag_is_called_as_its_column():
    assert list(FLAGS) == ["invalidated", "superseded", "outdated_support"]
    assert set(FLAGS) <= set(NODES.names)
    assert list(MARKS)[: len(FLAGS)] == list(FLAGS)
    assert set(STYLES) <= set(MARKS)


def test_every_flag_has_a_word_and_a_meaning_of_its_own():
    assert len({words.word for words in MARKS.values()}) == len(MARKS)
    assert all(words.meaning for words in FLAGS.values())
