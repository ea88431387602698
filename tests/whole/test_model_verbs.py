"""The brute-force model against every conformance case of the verbs, every field of each."""

import pytest

from support.model_cases import CASES, answer


def by_name(case):
    return case["name"]


def test_every_case_is_there():
    assert len(CASES) == 501


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_case(case):
    assert answer(case) == case["expected"]
