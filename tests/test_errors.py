"""The tree of errors: what a caller may catch, and that errors travel."""

import pickle

import pytest

from lineage_kit import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_one_of_the_package(name):
    assert issubclass(getattr(errors, name), errors.LineageKitError)


def test_bad_input_is_a_value_error_too():
    assert issubclass(errors.InvalidRequest, ValueError)
    assert issubclass(errors.SchemaError, ValueError)


def test_one_problem_is_one_line_and_several_are_a_list():
    assert str(errors.SchemaError.of("a.parquet", ["no id"])) == "a.parquet: no id"
    both = errors.SchemaError.of("a.parquet", ["no id", "no type"])
    assert str(both) == "a.parquet: 2 problems with this table\n  - no id\n  - no type"
    assert both.problems == ("no id", "no type")


def test_a_session_error_keeps_its_code_through_a_pickle():
    error = pickle.loads(pickle.dumps(errors.SessionQueryError.of("EVENT_NOT_FOUND", "no event 3")))
    assert (error.code, error.message) == ("SESSION_QUERY_EVENT_NOT_FOUND", "no event 3")
