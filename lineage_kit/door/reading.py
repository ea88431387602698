"""What goes wrong in another library while a source is read, as one line that names the source and the cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa

from lineage_kit.errors import LineageKitError, SchemaError

PanicException = pl.exceptions.PanicException
"""What Polars raises where its authors expected nothing to go wrong; it is no `Exception`."""
FOREIGN = (
    *(duckdb.Error, pl.exceptions.PolarsError, nw.exceptions.NarwhalsError, pa.ArrowException, PanicException),
    *(OSError, OverflowError, UnicodeError),
)
"""What reading a table raises that is none of ours."""


def cause(error: BaseException) -> str:
    r"""The first line of what an exception says, or its name.

    Example:
        >>> cause(OSError("gone\nfor good")), cause(OSError())
        ('gone', 'OSError')
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


@contextmanager
def reading(where: str) -> Iterator[None]:
    """While a source of this name is read.

    Raises:
        SchemaError: instead of whatever another library raises.

    Example:
        >>> with reading("edges.parquet"):
        ...     raise OSError("Out of buffer")
        Traceback (most recent call last):
        ...
        lineage_kit.errors.SchemaError: edges.parquet: it cannot be read: Out of buffer. Hint: ...
    """
    try:
        yield
    except (LineageKitError, AssertionError, MemoryError):
        raise
    except (Exception, PanicException) as error:  # a query may call functions of its own, which raise what they like
        raise unreadable(where, error) from error


def unreadable(where: str, error: BaseException) -> SchemaError:
    """The error that says so."""
    hint = "if it is a file, write it anew; if it is a query, run it by itself to see why it fails"
    return SchemaError.of(where, [f"it cannot be read: {cause(error)}. Hint: {hint}"])
