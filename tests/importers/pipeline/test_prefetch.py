"""A generator that runs ahead of its reader: the same items, the same errors, and an end when it is asked for."""

import threading
from contextlib import closing
from itertools import count

import pytest

from lineage_kit.importers.pipeline.prefetch import QUEUED, Prefetch


def test_an_error_is_raised_where_the_generator_raised_it():
    def items():
        yield 1
        yield 2
        raise OSError("gone")

    found = []
    with closing(Prefetch(items)) as ahead, pytest.raises(OSError, match="gone"):
        found.extend(item for item in ahead)
    assert found == [1, 2]


def test_a_generator_without_end_stops_when_it_is_closed():
    given = []
    before = threading.active_count()

    def items():
        for number in count():
            given.append(number)
            yield number

    with closing(Prefetch(items)) as ahead:
        numbers = iter(ahead)
        assert [next(numbers), next(numbers)] == [0, 1]
    assert threading.active_count() == before
    assert len(given) <= 2 + QUEUED + 1
