"""Everything this package raises on purpose.

Each error says what happened, where, and what to do about it. Catch `LineageKitError` to catch them all;
`InvalidRequest` and `SchemaError` are `ValueError`s too, so code that does not know the package still copes.
"""

from __future__ import annotations

__all__ = [
    "CorruptSession",
    "IndexUnusable",
    "InvalidRequest",
    "LineageKitError",
    "SchemaError",
    "SessionQueryError",
]


class LineageKitError(Exception):
    """Base of every error this package raises on purpose.

    Raised as itself only when a source changed, or lost its row order, while a store was reading it.

    Example:
        >>> issubclass(SchemaError, LineageKitError) and issubclass(SchemaError, ValueError)
        True
    """

    @classmethod
    def source_changed(cls, what: str) -> LineageKitError:
        """A second read of a source gave other rows than the first."""
        return cls(
            f"{what}: the rows read now are not the rows this store was opened on.\n"
            "Hint: the file was rewritten, or the lazy query has no fixed row order; "
            "open the store again (and sort or collect the query first)."
        )


class InvalidRequest(LineageKitError, ValueError):
    """A question that cannot be asked: an empty anchor, a depth out of bounds, a time without a zone.

    Example:
        >>> raise InvalidRequest("max_depth must be an integer from 1 to 10, got 11")
        Traceback (most recent call last):
        ...
        lineage_kit.errors.InvalidRequest: max_depth must be an integer from 1 to 10, got 11
    """


class SchemaError(LineageKitError, ValueError):
    """A table that is not what it should be; `problems` lists every problem found, one text each.

    Example:
        >>> error = SchemaError.of("edges.parquet", ["column target_id is missing"])
        >>> error.problems
        ('column target_id is missing',)
    """

    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, where: str, problems: list[str]) -> SchemaError:
        """All problems of one source in one error."""
        if len(problems) == 1:
            error = cls(f"{where}: {problems[0]}")
        else:
            head = f"{where}: {len(problems)} problems with this table"
            error = cls("\n".join([head, *(f"  - {problem}" for problem in problems)]))
        error.problems = tuple(problems)
        return error


class IndexUnusable(LineageKitError):
    """A lineage index that is stale, foreign, newer than this version, or damaged.

    Example:
        >>> issubclass(IndexUnusable, LineageKitError)
        True
    """


class CorruptSession(LineageKitError):
    """What a session source raises when a stored log cannot be decoded.

    Example:
        >>> issubclass(CorruptSession, LineageKitError)
        True
    """


SESSION_CODES = (
    "SESSION_QUERY_SESSION_NOT_FOUND",
    "SESSION_QUERY_EVENT_NOT_FOUND",
    "SESSION_QUERY_INVALID_LINEAGE",
    "SESSION_QUERY_INVALID_SURFACE",
    "SESSION_QUERY_INVALID_WINDOW",
    "SESSION_QUERY_SOURCE_CONFLICT",
    "SESSION_QUERY_PERSISTENCE_FAILED",
    "SESSION_QUERY_CORRUPT_SESSION",
)


class SessionQueryError(LineageKitError):
    """A session question that has no answer; `code` is one of `SESSION_CODES`, the cause is kept.

    Example:
        >>> SessionQueryError.of("SESSION_NOT_FOUND", "there is no session 's1'").code
        'SESSION_QUERY_SESSION_NOT_FOUND'
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    @classmethod
    def of(cls, short: str, message: str) -> SessionQueryError:
        """The error of a short code, without the common prefix."""
        code = f"SESSION_QUERY_{short}"
        assert code in SESSION_CODES, code
        return cls(code, message)

    def __reduce__(self) -> tuple[type[SessionQueryError], tuple[str, str]]:
        return type(self), (self.code, self.message)
