"""Sessions in SQL: the corpus as it was when the connection was made, and `trace_event` as a table macro."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import polars as pl
import pyarrow as pa

from lineage_kit.duckdb_connection import stored
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.store import RelationStore
from lineage_kit.schema import ALL_EVENTS, CORPUS_SESSIONS, EVENT_TRACES, FINDINGS, ONE_EVENT, SESSION_TREE
from lineage_kit.schema_forms import Schema
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sql.macros import add_function

EXAMPLES = 3


def add_sessions(connection: duckdb.DuckDBPyConnection, corpus: SessionCorpus | None) -> None:
    """The views `sessions`, `events`, `event_traces` and `session_tree`, and the macro `trace_event`.

    The views are tables underneath, filled once: all four show one state of the corpus, and joins cost what joins cost.
    """
    views: dict[str, tuple[Schema, Callable[[SessionCorpus], pl.DataFrame]]] = {
        "sessions": (CORPUS_SESSIONS, SessionCorpus.sessions),
        "events": (ALL_EVENTS, SessionCorpus.all_events),
        "event_traces": (EVENT_TRACES, SessionCorpus.event_traces),
        "session_tree": (SESSION_TREE, SessionCorpus.session_tree),
    }
    for name, (schema, read) in views.items():
        frame = schema.empty() if corpus is None else _with_own(read(corpus), schema)
        stored(frame, connection).create_view(name)
    _trace_event(connection, corpus)


def _with_own(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The columns of a view, then the source's own, but for names that SQL cannot tell from those before them."""
    spelt = {name.casefold() for name in schema.names}
    own = []
    for name in frame.columns:
        if name.casefold() not in spelt:
            spelt.add(name.casefold())
            own.append(name)
    return frame.select(*schema.names, *own)


def _trace_event(connection: duckdb.DuckDBPyConnection, corpus: SessionCorpus | None) -> None:
    def rows_of(session_ids: pa.ChunkedArray, seqs: pa.ChunkedArray) -> pa.Array:
        asked = pl.DataFrame({"session_id": pl.from_arrow(session_ids), "seq": pl.from_arrow(seqs)})
        return _traced(corpus, asked.with_row_index("asked"))

    function = add_function(connection, "trace_event", rows_of, ["varchar", "bigint"], ONE_EVENT)
    connection.execute(
        "create macro trace_event(session_id, seq) as table "
        f"select unnest({function}(session_id::varchar, seq::bigint), recursive := true)"
    )


def _traced(corpus: SessionCorpus | None, asked: pl.DataFrame) -> pa.Array:
    """One row a question: every session is loaded and folded once for a whole vector."""
    if corpus is None:
        raise InvalidRequest("this connection has no corpus to trace in. Hint: connect(corpus=…)")
    rows: dict[int, list[dict[str, object]]] = {}
    questions = asked.drop_nulls(["session_id", "seq"])
    for group in questions.partition_by("session_id", maintain_order=True):
        traces = corpus.trace_events(group["session_id"][0], group["seq"].to_list())
        for number, trace in zip(group["asked"].to_list(), traces, strict=True):
            target = trace.target
            values = (
                trace.ref,
                target.session_id,
                target.seq,
                target.type,
                target.time,
                target.surface,
                trace.replaced_by,
                list(trace.replacement_chain),
                list(trace.replaced_event_seqs),
                list(trace.source_event_seqs),
                list(trace.derived_event_seqs),
            )
            rows[number] = [dict(zip(ONE_EVENT.names, values, strict=True))]
    lists = [rows.get(number) for number in asked["asked"].to_list()]
    return pl.Series(lists, dtype=pl.List(ONE_EVENT.row)).to_arrow()


def add_findings(
    connection: duckdb.DuckDBPyConnection, store: RelationStore | None, corpus: SessionCorpus | None
) -> None:
    """The view `findings`: what the checks of the store and of the corpus say, and what an import said of its logs."""

    def read() -> pl.DataFrame:
        found = [FINDINGS.empty()]
        if store is not None:
            found.append(store.check().select(pl.lit("relations").alias("origin"), pl.all()))
        if corpus is not None:
            by_rule = corpus.check().group_by("rule", maintain_order=True)
            counted = by_rule.agg(pl.len().cast(pl.Int64), pl.col("message").head(EXAMPLES))
            found.append(
                counted.select(
                    origin=pl.lit("sessions"),
                    finding="rule",
                    count="len",
                    message=pl.concat_str(pl.lit("broken: "), "rule"),
                    examples="message",
                )
            )
            found.append(_of_import(corpus.import_report()))
        return pl.concat(found).sort("origin", "finding")

    def rows_of(once: pa.ChunkedArray) -> pa.Array:
        rows = read().to_struct().implode().cast(pl.List(FINDINGS.row))
        return pl.concat([rows] * len(once)).to_arrow()

    function = add_function(connection, "findings", rows_of, ["bigint"], FINDINGS, fresh=True)
    listed = ", ".join(f'one."{column}"' for column in FINDINGS.names)
    connection.execute(f"create view findings as select {listed} from (select unnest({function}(1)) as one)")


def _of_import(report: pl.DataFrame) -> pl.DataFrame:
    """The report of an import, one row a kind; the examples say where it was found first in the first files."""
    where = pl.when(pl.col("line").is_null()).then("file").otherwise(pl.format("{}:{}", "file", "line"))
    by_kind = report.group_by("kind", maintain_order=True)
    counted = by_kind.agg(pl.col("count").sum(), pl.col("meaning").first(), examples=where.head(EXAMPLES))
    return counted.select(
        origin=pl.lit("import"), finding="kind", count="count", message="meaning", examples="examples"
    )
