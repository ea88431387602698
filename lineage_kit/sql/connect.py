"""`connect`: one DuckDB connection with everything on it."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from lineage_kit.door.sources import File, in_memory
from lineage_kit.duckdb_connection import own_connection, stored
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sql.macros import add_macros
from lineage_kit.sql.sessions import add_findings, add_sessions
from lineage_kit.sql.views import add_relations, add_traces

WRITING = frozenset(
    {"alter", "analyze", "attach", "call", "checkpoint", "copy", "create", "delete", "detach", "drop", "execute"}
    | {"export", "import", "insert", "install", "load", "merge", "prepare", "truncate", "update", "vacuum"}
)
"""Words with which a statement does more than read."""
VIEWS = (
    "relations",
    "items",
    "lineage_traces",
    "lineage_nodes",
    "lineage_edges",
    "lineage_frontier",
    "replacements",
    "sessions",
    "events",
    "event_traces",
    "session_tree",
    "findings",
)


def connect(
    store: RelationStore | None = None,
    corpus: SessionCorpus | None = None,
    traces: Mapping[str, LineageTrace] | LineageTraces | None = None,
    **frames: Any,
) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection on which relations, traces and your own frames can be joined, and the walk be called.

    The views are there whatever is given, always with all their columns; `docs/sql.md` lists them.
    Use a cursor (`connection.cursor()`) per thread. Traces inside SQL run on the store's own connection, so a query
    may read the store's views and trace in one statement.

    Args:
        store: what `relations`, `items`, `replacements` and the macros that walk read.
        corpus: what `sessions`, `events`, `event_traces` and `session_tree` show, as it is now, and what the macro
            `trace_event` reads; connect again to see what has been logged since.
        traces: what the `lineage_*` views show: a mapping of names to lineages, or the answer of `trace_lineage_many`.
        **frames: your own dataframes, each a table by its name.

    Returns:
        The connection, with the views relations, items, replacements, lineage_traces, lineage_nodes, lineage_edges,
        lineage_frontier, sessions, events, event_traces, session_tree and findings, and the macros trace_lineage,
        trace_edges, trace_frontier, trace_summary, lineage_path, trace_impact, impact_edges, impact_frontier,
        impact_summary, impact_path, reachability, audit and trace_event.

    Raises:
        InvalidRequest: a frame with the name of a view, or something that is no lineage.

    Example:
        >>> connection = lineage_kit.connect(store, decisions=pl.DataFrame({"id": ["d1"], "made_by": ["planner"]}))
        >>> connection.sql("select made_by, t.id from decisions d, trace_lineage('decision', d.id) t").fetchall()
        [('planner', 'e1'), ('planner', 'e2')]
    """
    names: dict[str, str] = {view: view for view in VIEWS}
    for name in frames:  # names in SQL do not know upper from lower case
        other = names.setdefault(name.lower(), name)
        if other != name or name in VIEWS:
            what = "a view" if other in VIEWS else f"the frame {other!r} too"
            raise InvalidRequest(f"{name!r} is the name of {what}. Hint: give the frame another name")
    connection = own_connection()
    add_relations(connection, store)
    add_traces(connection, traces)
    add_macros(connection, store)
    add_sessions(connection, corpus)
    add_findings(connection, store, corpus)
    for name, frame in frames.items():
        if isinstance(frame, str):
            raise InvalidRequest(
                f"{name}={frame!r} is a text. Hint: give a dataframe; a Parquet file can be read in SQL itself"
            )
        stored(in_memory(frame), connection).create_view(name)
    return connection


def read_only(connection: duckdb.DuckDBPyConnection, files: Iterable[File]) -> None:
    """From now on the connection reads these files and no other, writes none, loads nothing, and stays that way."""
    paths = [form for file in files for form in (str(file.path), glob.escape(str(file.path)))]
    connection.execute("set allowed_paths = $paths", {"paths": paths})
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def only_query(text: str) -> str:
    """The text of one single query.

    Raises:
        InvalidRequest: several statements, none, or one that is no query.

    Example:
        >>> only_query("copy relations to 'x.csv'")
        Traceback (most recent call last):
        ...
        lineage_kit.errors.InvalidRequest: only a query can be run here, not COPY
    """
    try:
        statements = duckdb.extract_statements(text)
    except duckdb.Error as error:
        raise InvalidRequest(f"not SQL: {' '.join(str(error).split())}") from error
    if len(statements) != 1:
        raise InvalidRequest(f"give exactly one query; there are {len(statements)} statements")
    kind = statements[0].type
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise InvalidRequest(f"only a query can be run here, not {kind.name}")
    # A query may hold other statements inside (in a WITH, or explained), and whatever may be read may be written.
    tokens = duckdb.tokenize(text)
    ends = [at for at, _ in tokens[1:]] + [len(text.encode())]
    for (start, token), end in zip(tokens, ends, strict=True):
        word = text.encode()[start:end].decode(errors="replace").strip().lower()
        if token == duckdb.token_type.keyword and word in WRITING:
            raise InvalidRequest(
                f"{word.upper()} cannot be used here: a query only reads. "
                f'Hint: if it is the name of a column, write "{word}" in double quotes'
            )
    return text
