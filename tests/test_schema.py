"""Every frame that goes out has the columns that `schema.py` says, and every docstring tells the same ones."""

import inspect
import re

import polars as pl
import pytest

import lineage_kit
from lineage_kit import MemorySessions, ParquetSessions, RelationStore, SessionCorpus, SessionLog, schema
from lineage_kit.schema_forms import DTYPES
from support import public
from support.shared import DATA

SCHEMAS = {
    "Audit.findings": schema.AUDIT_FINDINGS,
    "Audit.new_since": schema.AUDIT_SUMMARY,
    "Audit.summary": schema.AUDIT_SUMMARY,
    "ImpactTrace.edges": schema.EDGES,
    "ImpactTrace.flagged": schema.FLAGGED,
    "ImpactTrace.frontier": schema.FRONTIER,
    "ImpactTrace.nodes": schema.NODES,
    "ImpactTrace.routes": schema.EDGES,
    "ImpactTrace.stats": schema.LEVELS,
    "ImpactTrace.superseding": schema.EDGES.without("role"),
    "ImpactTraces.edges": schema.EDGES.after(*schema.ANCHOR),
    "ImpactTraces.frontier": schema.FRONTIER.after(*schema.ANCHOR),
    "ImpactTraces.nodes": schema.NODES.after(*schema.ANCHOR),
    "ImpactTraces.stats": schema.LEVELS,
    "ImpactTraces.summary": schema.SUMMARY,
    "Imported.events": schema.IMPORTED_EVENTS,
    "Imported.items": schema.IMPORTED_ITEMS,
    "Imported.relations": schema.STATED,
    "Imported.report": schema.REPORT,
    "Imported.sessions": schema.IMPORTED_SESSIONS,
    "ImportedRelations.items": schema.STATED_ITEMS,
    "ImportedRelations.relations": schema.STATED_RELATIONS,
    "ImportedRelations.report": schema.REPORT,
    "JsonlSessions.list_sessions": schema.IMPORTED_SESSIONS,
    "LineageDiff.edges": schema.DIFF_EDGES,
    "LineageDiff.nodes": schema.DIFF_NODES,
    "LineageTrace.edges": schema.EDGES,
    "LineageTrace.flagged": schema.FLAGGED,
    "LineageTrace.routes": schema.EDGES,
    "LineageTrace.superseding": schema.EDGES.without("role"),
    "LineageTrace.frontier": schema.FRONTIER,
    "LineageTrace.nodes": schema.NODES,
    "LineageTrace.stats": schema.LEVELS,
    "LineageTraces.edges": schema.EDGES.after(*schema.ANCHOR),
    "LineageTraces.frontier": schema.FRONTIER.after(*schema.ANCHOR),
    "LineageTraces.nodes": schema.NODES.after(*schema.ANCHOR),
    "LineageTraces.stats": schema.LEVELS,
    "LineageTraces.summary": schema.SUMMARY,
    "MemorySessions.list_sessions": schema.SESSIONS,
    "Path.edges": schema.EDGES,
    "Path.nodes": schema.PATH_NODES,
    "ParquetSessions.list_sessions": schema.SESSIONS,
    "ParquetSessions.read_events": schema.EVENTS,
    "Reachabilities.nodes": schema.RINGS.after(*schema.ANCHOR),
    "Reachabilities.summary": schema.RINGS_SUMMARY,
    "Reachability.nodes": schema.RINGS,
    "Reachability.rings": schema.RINGS,
    "RelationStore.check": schema.CHECKS,
    "RelationStore.edges": schema.NODE_EDGES,
    "RelationStore.find": schema.FOUND,
    "RelationStore.items": schema.ITEMS,
    "RelationStore.labels": schema.LABELS,
    "RelationStore.rejected": schema.REJECTED,
    "SessionCorpus.all_events": schema.ALL_EVENTS,
    "SessionCorpus.check": schema.VIOLATIONS,
    "SessionCorpus.event_traces": schema.EVENT_TRACES,
    "SessionCorpus.events": schema.CORPUS_EVENTS,
    "SessionCorpus.find": schema.EVENTS_FOUND,
    "SessionCorpus.import_report": schema.REPORT,
    "SessionCorpus.relations": schema.STATED,
    "SessionCorpus.session_tree": schema.SESSION_TREE,
    "SessionCorpus.sessions": schema.CORPUS_SESSIONS,
    "SessionCorpus.surface": schema.STANDING,
    "SessionEventTrace.frame": schema.EVENT_FRAME,
    "SessionLineageTrace.frame": schema.SESSION_FRAME,
    "SessionLog.events": schema.EVENTS.without("session_id"),
}
SHOWN = {"LineageExplorer.frame", "SessionExplorer.frame"}
"""Whichever frame is on the screen."""

VIEWS = {
    "relations": schema.RELATIONS.then(schema.EDGE),
    "items": schema.ITEMS,
    "lineage_traces": schema.TRACES,
    "lineage_nodes": schema.NODES.after(schema.TRACES.columns[0]),
    "lineage_edges": schema.EDGES.after(schema.TRACES.columns[0]),
    "lineage_frontier": schema.FRONTIER.after(schema.TRACES.columns[0]),
    "replacements": schema.REPLACEMENTS,
    "sessions": schema.CORPUS_SESSIONS,
    "events": schema.ALL_EVENTS,
    "event_traces": schema.EVENT_TRACES,
    "session_tree": schema.SESSION_TREE,
    "findings": schema.FINDINGS,
}
MACROS = {
    "trace_lineage('decision', 'dec-2026-0417')": schema.NODES,
    "trace_edges('decision', 'dec-2026-0417')": schema.EDGES,
    "trace_frontier('decision', 'dec-2026-0417', max_depth := 1)": schema.FRONTIER,
    "trace_summary('decision', 'dec-2026-0417')": schema.SUMMARY,
    "reachability('decision', 'dec-2026-0417')": schema.RINGS,
    "trace_impact('evidence', 'ev-7f3a91c2')": schema.NODES,
    "impact_edges('evidence', 'ev-7f3a91c2')": schema.EDGES,
    "impact_frontier('evidence', 'ev-7f3a91c2', max_depth := 1)": schema.FRONTIER,
    "impact_summary('evidence', 'ev-7f3a91c2')": schema.SUMMARY,
    "lineage_path('decision', 'dec-2026-0417', 'evidence', 'ev-7f3a91c2')": schema.PATH_NODES,
    "impact_path('evidence', 'ev-7f3a91c2', 'decision', 'dec-2026-0417')": schema.PATH_NODES,
    "audit('decision')": schema.AUDIT_SUMMARY,
    "trace_event((select min(session_id) from sessions), 0)": schema.ONE_EVENT,
}


@pytest.fixture(scope="module")
def given():
    """Every public frame, from the data that comes with the package."""
    store = RelationStore.open(DATA / "decisions.parquet", items=DATA / "items.parquet")
    corpus = SessionCorpus.open(DATA)
    read = lineage_kit.read_claude_code(DATA / "transcripts" / "claude_code", progress=False)
    live = lineage_kit.JsonlSessions(DATA / "transcripts" / "codex", format="codex")
    stored = ParquetSessions(sessions=DATA / "sessions.parquet", events=DATA / "events.parquet")
    log = SessionLog.from_records({"id": "s"}, [{"seq": 0, "type": "user/message", "surfaceOp": "append"}])
    anchor = store.find("dec-2026-0417", 1).row(0)[:2]
    session = corpus.sessions()["session_id"][0]
    objects = {
        "Audit": store.audit([anchor], progress=False),
        "ImpactTrace": store.impact(*anchor),
        "ImpactTraces": store.impact_many([anchor]),
        "Imported": read,
        "ImportedRelations": lineage_kit.read_dbt(DATA / "relations" / "dbt", progress=False),
        "LineageDiff": store.trace_lineage(*anchor).diff(store.trace_lineage(*anchor, 1)),
        "Path": store.trace_lineage(*anchor).path(*anchor),
        "JsonlSessions": live,
        "LineageTrace": store.trace_lineage(*anchor),
        "LineageTraces": store.trace_lineage_many([anchor]),
        "MemorySessions": MemorySessions([log]),
        "ParquetSessions": stored,
        "Reachabilities": store.reachability_many([anchor]),
        "Reachability": store.reachability(*anchor),
        "RelationStore": store,
        "SessionCorpus": corpus,
        "SessionEventTrace": corpus.trace_event(session, 0),
        "SessionLineageTrace": corpus.trace_session(session),
        "SessionLog": log,
    }
    arguments = {
        "RelationStore.edges": anchor,
        "RelationStore.find": ("dec",),
        "Audit.new_since": (objects["Audit"],),
        "ImpactTrace.routes": anchor,
        "LineageTrace.routes": anchor,
        "RelationStore.items": (pl.DataFrame([anchor], ["type", "id"], orient="row"),),
        "RelationStore.labels": (pl.DataFrame([anchor], ["type", "id"], orient="row"),),
        "SessionCorpus.events": (session,),
        "SessionCorpus.find": ("cache",),
        "SessionCorpus.surface": (session,),
    }

    def frame(name):
        cls, _, member = name.partition(".")
        value = getattr(objects[cls], member)
        return value(*arguments.get(name, ())) if callable(value) else value

    return frame


def test_every_public_frame_is_in_the_table():
    assert public.frames() - SHOWN == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_public_frame_has_the_columns_of_its_schema(given, name):
    frame, wanted = given(name), SCHEMAS[name]
    for part in frame if isinstance(frame, tuple) else [frame]:
        got = dict(part.collect_schema())
        own = {column for column in got if column not in wanted}
        assert not own or wanted.own
        assert [(column, dtype) for column, dtype in got.items() if column not in own] == list(wanted.polars.items())


def sql_types(answer):
    return dict(zip(answer.columns, (str(kind).casefold() for kind in answer.types), strict=True))


@pytest.mark.parametrize(("name", "wanted"), [*VIEWS.items(), *MACROS.items()])
def test_a_view_or_macro_has_the_columns_of_its_schema(name, wanted):
    store = RelationStore.open(DATA / "decisions.parquet", items=DATA / "items.parquet")
    corpus = SessionCorpus.open(DATA)
    trace = store.trace_lineage("decision", "dec-2026-0417")
    for connection in (lineage_kit.connect(store, corpus, {"doubted": trace}), lineage_kit.connect()):
        if name in MACROS and connection is not None and not connection.sql("from relations").fetchall():
            continue  # a macro without a store is an error
        got = sql_types(connection.sql(f"from {name}"))
        known = {"timestamptz": "timestamp with time zone"}
        expected = {
            column.name: known.get(column.dtype.sql, column.dtype.sql)
            for column in wanted
            if column.holds != "surface_op"
        }
        assert {column: got[column] for column in expected} == expected
        assert [column for column in got if column in wanted] == list(wanted.names)


# ---- what docstrings tell

SPOKEN = "|".join(re.escape(dtype.name) for dtype in DTYPES.values())
TOLD = re.compile(rf"((?:[a-z_]+,\s+)*[a-z_]+)\s+\(({SPOKEN})(?=[\s:;,)])")


def spelt_out(*schemas):
    return ", ".join(f"{column.name} ({column.dtype.name})" for one in schemas for column in one)


PHRASES = {
    "the columns of the relations table": spelt_out(schema.RELATIONS),
    "those of the relations table": spelt_out(schema.RELATIONS),
    "those of the sessions table": spelt_out(schema.SESSIONS),
    "the sessions table": spelt_out(schema.SESSIONS),
    "the events table": spelt_out(schema.EVENTS),
    "those of `events`": spelt_out(schema.CORPUS_EVENTS),
    "those of `LineageTrace.nodes`": spelt_out(schema.NODES),
    "those of `LineageTrace.edges`": spelt_out(schema.EDGES),
    "those of `LineageTrace.frontier`": spelt_out(schema.FRONTIER),
    "the columns of `LineageTrace.stats`": spelt_out(schema.LEVELS),
    "those of `Reachability.nodes`": spelt_out(schema.RINGS),
    "the columns of `nodes`": spelt_out(schema.RINGS),
    "those of `nodes` up to via_id": spelt_out(schema.NODES.without("label")),
    "those of `LineageTrace.flagged`": spelt_out(schema.FLAGGED),
    "the columns of `edges` without role": spelt_out(schema.EDGES.without("role")),
    "the columns of `LineageTrace.edges`": spelt_out(schema.EDGES),
    "those of `Audit.summary`": spelt_out(schema.AUDIT_SUMMARY),
}
"""What a docstring may say instead of a list."""


def told_columns(text, phrases):
    """The columns that a text names with their dtypes, in order: `type, id (String), degree (Int64: …)`."""
    flat = re.sub(r"\s+", " ", text)
    flat = re.sub(r",? (and )?the sources?'s? own,?", ",", flat)
    flat = re.sub(r",? and ", ", ", flat)
    for phrase, columns in phrases.items():
        flat = flat.replace(phrase, columns)
    return [(name, dtype) for names, dtype in TOLD.findall(flat) for name in re.split(r",\s+", names)]


def documentation(name):
    """The docstring of a method or property, or what the class says of an attribute."""
    cls, _, member = name.partition(".")
    thing = getattr(lineage_kit, cls)
    own = inspect.getattr_static(thing, member, None)
    text = inspect.getdoc(own.func if hasattr(own, "attrname") else own) if own is not None else None
    if own is not None and text and (inspect.isfunction(own) or isinstance(own, property)) and "(String" in text:
        return text
    entries = re.split(r"\n(?=[ ]{0,4}[a-z_, ]+:)", inspect.getdoc(thing) or "")
    return next((entry for entry in entries if re.match(rf"\s*([a-z_]+, )*{member}(, [a-z_]+)*:", entry)), text or "")


@pytest.mark.parametrize("name", sorted(set(SCHEMAS)))
def test_a_docstring_tells_the_columns_of_its_schema(name):
    expected = [(column.name, column.dtype.name) for column in SCHEMAS[name]]
    text = documentation(name)
    assert expected in (told_columns(text, {}), told_columns(text, PHRASES)), text
