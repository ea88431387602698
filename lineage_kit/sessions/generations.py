"""Calls of a corpus that see one generation of a folder, however often somebody writes to it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from lineage_kit.output.generation import steady
from lineage_kit.sessions.listing import Listing


class HasListing(Protocol):
    """A corpus."""

    _listing: Listing


C = TypeVar("C", bound=HasListing)
P = ParamSpec("P")
T = TypeVar("T")


def one_generation(method: Callable[Concatenate[C, P], T]) -> Callable[Concatenate[C, P], T]:
    """A method that is called again if the stored files were others when it ended than when it began."""

    @wraps(method)
    def called(self: C, /, *args: P.args, **options: P.kwargs) -> T:
        return in_one_generation(self._listing, lambda: method(self, *args, **options))

    return called


def in_one_generation(listing: Listing, read: Callable[[], T]) -> T:
    """What a reading of the sources gives, from one generation of the stored files."""
    return steady(read, listing.persisted.generation)


CALLS_BETWEEN = 4
"""Calls between a method that is asked and what asks it, its own aside; for warnings, which name the asking line."""
