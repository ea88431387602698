"""Case folding of texts, and a pattern that lets an engine find candidates without it."""

from __future__ import annotations

import functools


@functools.cache
def folds_further() -> str:
    """A pattern of the characters whose case folding is more than their lower case: sharp s, ligatures and so on.

    A text without any of them folds to its lower case, which every engine knows; only the others need Python.

    Example:
        >>> "ß" in folds_further(), "s" in folds_further()
        (True, False)
    """
    further = [one for one in map(chr, range(128, 0x1FFFF)) if one.casefold() != one.lower() or len(one.lower()) > 1]
    return f"[{''.join(further)}\u03a3]"  # and capital sigma, whose lower case depends on its place in a word
