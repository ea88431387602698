"""An index of a small table, and that table, for the tests of this folder."""

from support.indexes import folder, source

__all__ = ["folder", "source"]
