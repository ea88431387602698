"""Frames compared as sets of rows: SQL promises no order, and columns go by their names."""


def same_rows(got, expected):
    """Assert that two frames have the same columns, dtypes and rows, in any order."""
    assert dict(got.schema) == dict(expected.schema)
    assert sorted(map(repr, got.select(expected.columns).rows())) == sorted(map(repr, expected.rows()))
