"""Random small graphs that hold every awkward thing a relations table may hold."""

import os
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support.model_rows import ends_of

PROFILE = settings(
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    max_examples=250,
    suppress_health_check=[HealthCheck.too_slow],
)
FEWER = settings(PROFILE, max_examples=60)

MAX_DEPTH_LIMIT = 10
KINDS = ["depends_on", "derives_from", "supersedes", "cites", "child_of", "Depends_On", "supersedes ", ""]
CLASSES = [None, "asserted", "observed", "inferred", "guess", "ASSERTED", ""]
CONFIDENCES = [None, float("nan"), 0.0, -0.0, 0.5, 0.5000001, 1.0]
DAYS = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(4)]
TICK = timedelta(microseconds=1)
BOUNDARIES = sorted({moment + shift for moment in DAYS for shift in (-TICK, timedelta(0), TICK)})

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
types = st.sampled_from(["decision", "task", "evidence", "Task"])
depths = st.sampled_from([1, 1, 2, 2, 3]) | st.integers(1, MAX_DEPTH_LIMIT)
limits = st.sampled_from([1, 1, 2, 3, 4])
# Weighted, or most traces would be empty: many edges that a walk follows, few that do not exist yet.
as_of = st.sampled_from([None] * 12 + DAYS * 3 + BOUNDARIES)
classes = st.sampled_from([None] * 6 + CLASSES)  # equal more often than not: ties are what L8 is about
known_at = as_of
confidences = st.sampled_from([None] * 6 + CONFIDENCES)
moments = st.sampled_from([None] * 6 + DAYS)
kinds = st.sampled_from(["depends_on"] * 8 + ["supersedes"] * 8 + KINDS)


@st.composite
def nodes(draw):
    """Three to eight nodes; some share an id under another type, some are made of any text at all."""
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "A"]) | ids, min_size=2, max_size=4, unique=True))
    return draw(st.lists(st.tuples(types, st.sampled_from(names)), min_size=3, max_size=8, unique=True))


@st.composite
def edge(draw, universe):
    source, target = draw(st.sampled_from(universe)), draw(st.sampled_from(universe))
    return {
        "source_type": source[0],
        "source_id": source[1],
        "target_type": target[0],
        "target_id": target[1],
        "relation_kind": draw(kinds),
        "edge_class": draw(classes),
        "confidence": draw(confidences),
        "created_at": draw(moments),
        "valid_at": draw(moments),
        "invalid_at": draw(moments),
        "expired_at": draw(moments),
    }


@st.composite
def chain(draw, universe):
    """A path through the universe by one kind: long walks and long replacement chains, cycles too."""
    kind = draw(st.sampled_from(["depends_on", "supersedes"]))
    path = draw(st.lists(st.sampled_from(universe), min_size=3, max_size=8, unique=True))
    steps = pairwise(path)
    ends = [(later, earlier) if kind == "supersedes" else (earlier, later) for earlier, later in steps]
    return [
        {
            "source_type": source[0],
            "source_id": source[1],
            "target_type": target[0],
            "target_id": target[1],
            "relation_kind": kind,
        }
        for source, target in ends
    ]


@st.composite
def graphs(draw):
    """(edges, anchor): the anchor is nearly always a node of the graph."""
    universe = draw(nodes())
    fewest = draw(st.sampled_from([0, 8, 12, 16]))
    edges = draw(st.lists(edge(universe), min_size=fewest, max_size=20))
    for piece in draw(st.lists(chain(universe), max_size=3)):
        edges += piece
    edges += draw(st.lists(st.sampled_from(edges), max_size=2)) if edges else []  # rows equal in everything
    walkable = [(row["source_type"], row["source_id"]) for row in edges if row["relation_kind"] == "depends_on"]
    anchor = draw(st.sampled_from(walkable * 3 + universe + [("decision", "nobody")]))
    return edges, anchor


kind_filters = (
    st.none()
    | st.sampled_from(["depends_on", "supersedes", "nothing", ""])
    | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True)
)
directions = st.sampled_from(["both", "outgoing", "incoming", "both"])


@st.composite
def suppositions(draw, edges):
    """(at, change) as `model_rows.what_if` takes them; what is named is there, and something is supposed."""
    there = sorted({end for row in edges for end in ends_of(row)})
    universe = there or [("decision", "a"), ("task", "b")]
    rows = sorted({(*ends_of(row), row["relation_kind"]) for row in edges})
    pairs = st.tuples(st.sampled_from(universe), st.sampled_from([*universe, ("task", "new")]))
    change = {
        "withdraw": draw(some_of(there)),
        "invalidate": draw(some_of(rows)),
        "supersede": draw(st.lists(pairs.filter(lambda pair: pair[0] != pair[1]), max_size=2, unique=True))
        if there
        else [],
        "add": draw(st.lists(edge(universe), max_size=2)),
    }
    if not any(change.values()):
        change["add"] = [draw(edge(universe))]
    return draw(st.sampled_from(BOUNDARIES)), change


def some_of(values):
    return st.lists(st.sampled_from(values), max_size=2, unique=True) if values else st.just([])


@st.composite
def ended_items(draw, edges):
    """Some nodes of a graph, and when each ended; null where it has not."""
    there = sorted({end for row in edges for end in ends_of(row)})
    ended = st.sampled_from([None, *BOUNDARIES])
    nodes = draw(st.lists(st.sampled_from(there), max_size=4, unique=True)) if there else []
    return {node: draw(ended) for node in nodes}
