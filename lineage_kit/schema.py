"""Every table that comes in and every frame that goes out, once: names, dtypes, meaning, order.

Docstrings and the tables in `docs/` are held against this file by tests, and so is every public frame.
"""

from __future__ import annotations

from lineage_kit.schema_forms import Column, Schema

ROW = "edge"
"""The 0-based row number that every opened source carries."""

WALKED = ("depends_on", "derives_from")
"""The kinds a lineage follows, from source to target."""
SUPERSEDES = "supersedes"
"""The kind that leads from a replacement (source) to what it replaces (target)."""
KNOWN_CLASSES = ("asserted", "observed", "inferred")
"""Trust classes, highest first; others are kept as they are and rank below `observed` like `inferred`."""


ENDS = ("source_type", "source_id", "target_type", "target_id")
"""The columns that name the two ends of an edge."""

# ---- columns that several tables have

TYPE = Column("type", "text", "the type of the node")
ID = Column("id", "text", "the id of the node, compared exactly")
LABEL = Column("label", "text", "what a person calls it; null without one")
ANCHOR = (
    Column("anchor_type", "text", "the type of the item asked about"),
    Column("anchor_id", "text", "its id"),
)
ANCHOR_KNOWN = Column("anchor_known", "flag", "whether any relation mentions the anchor")
TRUNCATED = Column("truncated", "flag", "something unvisited lies one step past where the walk stopped")
EDGE = Column(ROW, "integer", "the 0-based row of the edge in the source as read")
DEPTH = Column("depth", "integer", "levels from the anchor")
REACHED_BY = (
    Column("relation_kind", "text", "the kind of the edge that reached it"),
    Column("edge_class", "text", "its trust class"),
    Column("confidence", "number", "its confidence; null without one"),
    Column("invalidated", "flag", "whether that edge has been invalidated"),
)
VIA = (
    Column("via_type", "text", "the type of the node whose edge reached it"),
    Column("via_id", "text", "its id"),
)
REF = Column("ref", "text", "the event as a node: `<session_id>#<seq>`")
SESSION_ID = Column("session_id", "text", "the session", "non-null")
SEQ = Column("seq", "integer", "the position of the event in its log, from 0", "present")
COUNT = Column("count", "integer", "how often")

# ---- tables that come in

RELATIONS = Schema(
    "relations",
    (
        Column("source_type", "text", "the type of the item that rests on the other, or replaces it", "non-empty"),
        Column("source_id", "text", "its id", "non-empty"),
        Column("target_type", "text", "the type of the item rested on, or replaced", "non-empty"),
        Column("target_id", "text", "its id", "non-empty"),
        Column("relation_kind", "text", "`depends_on`, `derives_from`, `supersedes`, or any other", "non-null"),
        Column("edge_class", "text", "the trust class: `asserted` (the default), `observed`, `inferred`, or any other"),
        Column("confidence", "number", "how sure the statement is, 0 to 1"),
        Column("created_at", "time", "when the relation was recorded"),
        Column("valid_at", "time", "since when it holds"),
        Column("invalid_at", "time", "since when it no longer holds"),
        Column("expired_at", "time", "when the system noticed that it no longer holds"),
    ),
    own=True,
)
"""One row an edge: the source rests on, or replaces, the target."""

ITEMS = Schema(
    "items",
    (
        Column("type", "text", "the type of the node", "non-empty"),
        Column("id", "text", "its id", "non-empty"),
        LABEL,
        Column("text", "text", "what it says"),
        Column("created_at", "time", "when the item came to be"),
        Column("ended_at", "time", "since when it no longer stands"),
        Column("end_reason", "text", "why it no longer stands"),
        Column("state", "text", "what became of it, in the words of its own tool"),
    ),
    own=True,
)
"""What a person calls a node."""

SESSIONS = Schema(
    "sessions",
    (
        SESSION_ID,
        Column("parent_session", "text", "the session it was begun from; null for a root"),
        Column("created_at", "time", "when it began"),
        Column("version", "text", "of the tool that wrote it"),
        Column("cwd", "text", "the working directory"),
        Column("origin", "text", "what began it"),
        Column("title", "text", "what a person calls it"),
        Column("seed_length", "integer", "events that were copied from the parent"),
        Column("delegation_depth", "integer", "how many agents stand above it"),
    ),
    own=True,
)
"""One row a session."""

EVENTS = Schema(
    "events",
    (
        Column("session_id", "text", "the session", "present"),
        SEQ,
        Column("time", "time", "when it was logged"),
        Column("type", "text", "what kind of event it is, e.g. `user/message`"),
        Column("surface_op", "surface_op", "op, start, end: how it changes the surface; null for log-only events"),
        Column("source_event_seqs", "integers", "the earlier events it cites"),
        Column("payload", "text", "what was logged, as JSON"),
        Column("text", "text", "what a person would read"),
        Column("is_error", "flag", "whether it tells of a failure"),
    ),
    own=True,
)
"""One row an event of an append-only log."""

FLAT_EVENTS = EVENTS.without("surface_op", "source_event_seqs")
"""What the door checks of events; the two nested columns have shapes of their own (see `sessions/log.py`)."""

# ---- what a lineage answers

NODES = Schema(
    "nodes",
    (
        DEPTH,
        Column("hop", "integer", "0 = walked, 1.. = replacement hop"),
        TYPE,
        ID,
        *REACHED_BY,
        Column("superseded", "flag", "whether another item replaces it"),
        Column("outdated_support", "flag", "whether it supports only a revision that has been replaced"),
        Column("current", "flag", "whether some route is live throughout and leaves no replaced item by its premises"),
        *VIA,
        LABEL,
    ),
    "depth, hop, type, id",
)
FLAGS = ("invalidated", "superseded", "outdated_support")
"""The columns of `nodes` that say of a node that it does not stand."""
ROLE = Column("role", "text", "`walk` or `replacement`")
EDGES = RELATIONS.after(ROLE).then(EDGE).called("edges", "role, source, target, kind, class, confidence, edge")
NODE = Schema("node", (TYPE, ID), "type, id")
FRONTIER = NODE.then(LABEL).called("frontier")
LEVELS = Schema(
    "stats",
    (
        DEPTH,
        Column("frontier", "integer", "nodes the level began with"),
        Column("edges_read", "integer", "edges read"),
        Column("new_nodes", "integer", "nodes found"),
        Column("reads", "integer", "batched reads"),
        Column("seconds", "number", "wall-clock time"),
    ),
    "depth",
)
SCALARS = (
    *ANCHOR,
    ANCHOR_KNOWN,
    Column("anchor_superseded", "flag", "whether another item replaces the anchor"),
    Column("max_depth", "integer", "levels allowed"),
    Column("as_of", "time", "the instant the relations were seen at; null for all of them"),
    Column("known_at", "time", "by when what is seen had to be known; null for whenever"),
    TRUNCATED,
    Column("truncated_by", "texts", "`max_depth`, `supersede_limit`, or both"),
    Column("nodes", "integer", "nodes found"),
    Column("edges", "integer", "edges of the trace"),
)
SUMMARY = Schema(
    "summary",
    (
        *SCALARS,
        Column("frontier", "integer", "nodes where the walk was cut"),
        Column("invalidated", "integer", "nodes with this flag"),
        Column("superseded", "integer", "nodes with this flag"),
        Column("outdated_support", "integer", "nodes with this flag"),
        LABEL,
    ),
    "anchor_type, anchor_id",
)
_WAY = Column("path", "text", "the way from the anchor: each node's type and id, joined by ` > `")
FLAGGED = NODES.without("label").then(_WAY, LABEL).called("flagged")
PATH_NODES = NODES.after(Column("step", "integer", "steps from the anchor, from 0")).called("nodes of a path", "step")
TRACES = Schema("lineage_traces", (Column("trace", "text", "the name of the trace"), *SCALARS), "trace")

# ---- what changed between two traces, and which of many still stand

DIFFERENT = Column("change", "text", "`added`, `removed` or `changed`")
DIFF_NODES = Schema(
    "nodes of a diff",
    (
        TYPE,
        ID,
        DIFFERENT,
        Column("columns", "texts", "the columns that changed, in the order of `nodes`; empty unless changed"),
        Column("worse", "flag", "whether it has a flag after that it had not before"),
        *(
            Column(f"{column.name}_{when}", column.holds, f"{column.name} {when}")
            for column in NODES.without("type", "id", "label")
            for when in ("before", "after")
        ),
        LABEL,
    ),
    "type, id",
)
DIFF_EDGES = RELATIONS.after(Column("change", "text", "`added` or `removed`"), ROLE).called(
    "edges of a diff", "change, role, source, target, kind, class, confidence, then the other columns"
)
AUDIT_SUMMARY = Schema(
    "audit summary",
    (
        Column("type", "text", "the type of the item audited"),
        Column("id", "text", "its id"),
        Column("verdict", "text", "`unknown`, `withdrawn`, `stale`, `cut` or `stands`"),
        Column("premises", "integer", "nodes at hop 0"),
        Column("replacements", "integer", "the other nodes"),
        Column("invalidated", "integer", "nodes with this flag"),
        Column("superseded", "integer", "nodes with this flag"),
        Column("outdated_support", "integer", "nodes with this flag"),
        Column("anchor_superseded", "flag", "whether another item replaces the one audited"),
        TRUNCATED,
        Column("nearest_flag", "text", "the first flag of the first node that has one; null without one"),
        Column("nearest_type", "text", "the type of that node"),
        Column("nearest_id", "text", "its id"),
        Column("nearest_depth", "integer", "its depth"),
        Column("nearest_hop", "integer", "its hop"),
        LABEL,
    ),
    "type, id",
)
AUDIT_FINDINGS = FLAGGED.after(*ANCHOR).called("audit findings", "anchor_type, anchor_id, depth, hop, type, id")

# ---- what reachability and the other questions of a store answer

RINGS = Schema(
    "rings",
    (
        DEPTH,
        TYPE,
        ID,
        *REACHED_BY,
        Column("direction", "text", "`outgoing` or `incoming`: which way the edge was followed"),
        *VIA,
        LABEL,
    ),
    "depth, type, id",
)
RINGS_SUMMARY = Schema(
    "rings summary",
    (*ANCHOR, ANCHOR_KNOWN, TRUNCATED, Column("nodes", "integer", "nodes found"), LABEL),
    "anchor_type, anchor_id",
)
FOUND = Schema(
    "found nodes",
    (
        TYPE,
        ID,
        LABEL,
        Column("match", "text", "`id`, `id start`, `label`, `label start`, `in id` or `in label`"),
        Column("degree", "integer", "edge ends at the node"),
    ),
    "match, degree (high to low), type, id",
)
LABELS = Schema("labels", (TYPE, ID, LABEL), "type, id")
NODE_EDGES = (
    RELATIONS.after(Column("direction", "text", "`incoming` or `outgoing`; a loop is outgoing"))
    .then(EDGE)
    .called("edges of a node", "direction, source, target, kind, class, confidence, edge")
)
REJECTED = RELATIONS.then(EDGE, Column("reason", "text", "why it was set aside")).called("rejected", "edge")
CHECKS = Schema(
    "findings of a store",
    (
        Column("finding", "text", "what was found"),
        COUNT,
        Column("message", "text", "what it means"),
        Column("examples", "texts", "where"),
    ),
    "finding",
)
FINDINGS = CHECKS.after(Column("origin", "text", "`relations`, `sessions` or `import`")).called(
    "findings", "origin, finding"
)
REPLACEMENTS = Schema(
    "replacements",
    (
        TYPE,
        ID,
        Column("replacement_type", "text", "the type of an item that came to stand in its place"),
        Column("replacement_id", "text", "its id"),
        Column("steps", "integer", "supersedes edges between the two, at least"),
        Column("is_current", "flag", "whether nothing replaces the replacement"),
    ),
)

# ---- what a corpus answers

LIVE = (
    Column("live", "flag", "whether the live source has it"),
    Column("persisted", "flag", "whether the persisted source has it"),
)
CORPUS_SESSIONS = SESSIONS.then(*LIVE).called("sessions of a corpus", "created_at (newest first), session_id")
ALL_EVENTS = EVENTS.after(REF).called("all events", "session_id, seq")
SURFACE = Column("surface", "text", "`current`, `shadowed` or `log-only`")
CORPUS_EVENTS = Schema(
    "events of a session",
    (
        REF,
        *EVENTS.only("session_id", "seq", "time", "type"),
        SURFACE,
        *EVENTS.without("session_id", "seq", "time", "type"),
    ),
    "seq",
    own=True,
)
STANDING = CORPUS_EVENTS.after(Column("position", "integer", "the place on the surface, from 0")).called(
    "surface", "position"
)
_EVENT = (REF, SESSION_ID, Column("seq", "integer", "the position of the event in its log"))
_TIME, _KIND = EVENTS.only("time", "type").columns
_LISTS = (
    Column("replaced_event_seqs", "integers", "the surface events it replaced, in surface order"),
    Column("source_event_seqs", "integers", "the events it cites, as logged"),
    Column("derived_event_seqs", "integers", "the later events that cite it, ascending"),
)
_REPLACED_BY = Column("replaced_by", "integer", "the event that replaced it directly")
EVENT_TRACES = Schema(
    "event_traces",
    (
        *_EVENT,
        _KIND,
        _TIME,
        SURFACE,
        _REPLACED_BY,
        Column("final_replacement", "integer", "the last of the replacements, which stands now"),
        Column("chain_length", "integer", "how many replacements in a row"),
        *_LISTS,
        Column("covers_from", "integer", "the first appended event that a surface event stands for"),
        Column("covers_count", "integer", "how many it stands for"),
    ),
    "session_id, seq",
)
ONE_EVENT = Schema(
    "trace_event",
    (
        *_EVENT,
        _KIND,
        _TIME,
        SURFACE,
        _REPLACED_BY,
        Column("replacement_chain", "integers", "the replacements, up to the last"),
        *_LISTS,
    ),
)
EVENT_FRAME = Schema(
    "frame of an event trace",
    (
        Column("relation", "text", "`target`, `replacement`, `replaced`, `source` or `derived`"),
        Column("position", "integer", "from 0 within its relation"),
        SESSION_ID,
        Column("seq", "integer", "the position of the event in its log"),
        REF,
    ),
    "relation, position",
)
SESSION_FRAME = (
    SESSIONS.after(
        Column("relation", "text", "`ancestor`, `target` or `descendant`"),
        Column("depth", "integer", "generations from the target; negative upward"),
    )
    .then(*LIVE, Column("position", "integer", "preorder, from the oldest ancestor"))
    .called("frame of a session lineage", "position", own=False)
)
SESSION_TREE = Schema(
    "session_tree",
    (
        *SESSIONS.only("session_id", "parent_session"),
        Column("root_session", "text", "where its chain of parents ends; null where it does not"),
        Column("depth", "integer", "ancestors that are there"),
        Column("descendants", "integer", "sessions below it"),
        Column("complete", "flag", "whether the chain of parents ends at a root"),
    ),
    "session_id",
)
EVENTS_FOUND = Schema(
    "found events", (*_EVENT, _TIME, _KIND, Column("text", "text", "its text, or its payload")), "session_id, seq"
)
VIOLATIONS = Schema(
    "violations",
    (
        Column("session_id", "text", "the session; null for a fault of a whole source"),
        Column("seq", "integer", "the event"),
        Column("rule", "text", "the rule that is broken"),
        Column("message", "text", "rule, found and expected"),
    ),
    "session_id, seq, rule, message",
)
STATED = RELATIONS.without("valid_at", "invalid_at", "expired_at").called(
    "relations of a corpus", "source, target, kind", own=False
)

# ---- what an import gives

IMPORTED_SESSIONS = SESSIONS.then(Column("file", "text", "where it was read")).called(
    "imported sessions", "session_id", own=False
)
IMPORTED_EVENTS = EVENTS.then(
    Column("raw_type", "text", "the record's own type"),
    Column("record_id", "text", "its uuid or id"),
    Column("file", "text", "where it was read"),
    Column("line", "integer", "the line, from 1"),
    Column("byte_offset", "integer", "where its line begins in the unpacked file"),
    Column("model", "text", "the model that answered"),
    Column("tool_name", "text", "the tool called"),
    Column("tool_call_id", "text", "the id of the call"),
    Column("tokens_in", "integer", "tokens read"),
    Column("tokens_out", "integer", "tokens written"),
).called("imported events", "session_id, seq", own=False)
IMPORTED_ITEMS = ITEMS.without("text", "ended_at", "end_reason", "state").called(
    "imported items", "type, id", own=False
)
STATED_RELATIONS = (
    RELATIONS.without("expired_at")
    .then(
        Column("invalid_reason", "text", "why it ceased to hold; null while it holds"),
        Column("stated_as", "text", "the format's own word for the relation"),
        Column("file", "text", "where it was read first"),
    )
    .called(
        "imported relations",
        "source_type, source_id, relation_kind, target_type, target_id, created_at, invalid_at (nulls first), then the "
        "other columns",
        own=True,
    )
)
STATED_ITEMS = ITEMS.only("type", "id", "label", "text", "created_at", "state", "ended_at", "end_reason").called(
    "items of imported relations", "type, id", own=True
)
REPORT = Schema(
    "report",
    (
        Column("file", "text", "the file"),
        Column("kind", "text", "what was found, one of a closed list"),
        Column("line", "integer", "where first; null for the file as a whole"),
        COUNT,
        Column("example", "text", "an id, or what was found there"),
        Column("meaning", "text", "what was found, and what the import made of it"),
    ),
    "file, line (nulls first), kind",
)
REPORT_BY_KIND = Schema(
    "report by kind",
    (
        Column("kind", "text", "what was found"),
        COUNT,
        Column("files", "integer", "in how many files"),
        Column("first", "text", "its first place"),
        Column("meaning", "text", "what the import made of it"),
    ),
    "kind",
)
