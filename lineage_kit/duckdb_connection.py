"""DuckDB connections of our own: how one is made, what it is handed, and how a name is quoted."""

from __future__ import annotations

import itertools
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

import duckdb
import polars as pl

NUMBERS = itertools.count()
"""Relations that meet in one query must not share the name of a parameter or of a table."""
OPEN: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
"""Connections of our own that are still there."""


def own_connection() -> duckdb.DuckDBPyConnection:
    """A private in-memory DuckDB connection: UTC, no extensions fetched, rows in no promised order."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # A name in a query means a table, never a variable of whatever Python code happens to be running.
            "python_enable_replacements": "false",
        }
    )
    # What does not fit into memory goes where temporary files belong, not into the working directory.
    place = Path(tempfile.gettempdir(), f"lineage_kit-{os.getpid()}-{next(NUMBERS)}")
    connection.execute("set temp_directory = $place", {"place": str(place)})
    for setting in ("TimeZone='UTC'", "preserve_insertion_order=false", "enable_progress_bar=false"):
        connection.execute(f"set {setting}")
    OPEN.add(connection)
    return connection


def interrupt_queries() -> None:
    """End whatever runs on a connection of our own, from any thread.

    DuckDB looks for signals itself, but only between tasks, which may take minutes.
    """
    for connection in list(OPEN):
        with suppress(duckdb.Error):  # it is closed
            connection.interrupt()


def stored(frame: pl.DataFrame, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """A frame as a table of the connection, where its cursors see it too."""
    connection.execute("create schema if not exists taken_in")
    name = f"taken_in.frame_{next(NUMBERS)}"
    connection.from_arrow(frame.to_arrow()).create(name)
    return connection.table(name)


def quoted(identifier: str) -> str:
    """An SQL identifier, quoted; values never travel this way.

    Example:
        >>> print(quoted("source id"), quoted('a "b"').count('"'))
        "source id" 6
    """
    return '"' + identifier.replace('"', '""') + '"'
