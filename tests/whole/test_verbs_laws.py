"""What holds between the answers to different questions, on random graphs; and that each level is one read."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from lineage_kit import RelationStore
from lineage_kit.engines.csr.reader import CsrReader
from lineage_kit.engines.frames.reader import FramesReader
from support import strategies as some
from support.cases import nodes_of
from support.small import edge
from support.sources import frame, make_source
from support.verb_stores import opened

clocks = st.fixed_dictionaries({"as_of": some.as_of, "known_at": some.known_at})
engines = st.sampled_from(["arrays", "arrays", "arrays", "frames", "index"])
HELD = ["outdated_support", "current"]  # the same seen from either end


def by_node(trace, *columns):
    """The values of some columns for each node."""
    rows = trace.nodes.select("type", "id", *columns).rows()
    return {row[:2]: row[2:] for row in rows}


@some.FEWER
@given(some.graphs(), some.depths, clocks, engines)
def test_an_impact_is_the_inverse_of_the_lineages(graph, max_depth, clock, engine):
    """No chain of eight nodes at most is cut by a limit of ten hops."""
    edges, _ = graph
    nodes = sorted(nodes_of(edges))
    assume(nodes)
    with opened(engine, edges) as store:
        lineages, impacts = (many(nodes, max_depth, **clock) for many in (store.trace_lineage_many, store.impact_many))
    down = {(a, e): row for a in nodes for e, row in by_node(lineages[a], "depth").items()}
    up = {(a, e): row for e in nodes for a, row in by_node(impacts[e], "depth").items()}
    assert up == down
    complete = {"lineage": [a for a in nodes if not lineages[a].truncated]}
    complete["impact"] = [e for e in nodes if not impacts[e].truncated]
    flags_down = {(a, e): row for a in complete["lineage"] for e, row in by_node(lineages[a], *HELD).items()}
    flags_up = {(a, e): row for e in complete["impact"] for a, row in by_node(impacts[e], *HELD).items()}
    both = flags_down.keys() & flags_up.keys()
    event(f"pairs compared: {min(len(both), 3)} or more")
    assert {pair: flags_up[pair] for pair in both} == {pair: flags_down[pair] for pair in both}


@some.PROFILE
@given(some.graphs(), some.depths, some.limits, clocks, st.booleans())
def test_a_complete_trace_has_final_flags(graph, max_depth, limit, clock, impact):
    edges, anchor = graph
    store = RelationStore.open(frame(edges), max_depth_limit=some.MAX_DEPTH_LIMIT, supersede_limit=limit)
    question = store.impact if impact else store.trace_lineage
    trace = question(*anchor, max_depth, **clock)
    assume(not trace.truncated)
    for deeper in range(max_depth + 1, some.MAX_DEPTH_LIMIT + 1):
        assert question(*anchor, deeper, **clock).nodes.equals(trace.nodes)


@some.FEWER
@given(some.graphs(), some.depths, some.limits, clocks, engines, st.booleans())
def test_a_path_walks_along_routes(graph, max_depth, limit, clock, engine, impact):
    """Each step has its edge, that edge is a route, and the steps join up from the anchor to the node."""
    edges, anchor = graph
    with opened(engine, edges, supersede_limit=limit) as store:
        trace = (store.impact if impact else store.trace_lineage)(*anchor, max_depth, **clock)
    for node in trace.nodes.select("type", "id").rows():
        path, routes = trace.path(*node), trace.routes(*node)
        steps = path.nodes.select("type", "id").rows()
        assert (steps[0], steps[-1]) == (anchor, node)
        assert set(path.edges["edge"]) <= set(routes["edge"]) <= set(trace.edges["edge"])
        assert len(steps) == path.edges.height + 1
        for (one, other), row in zip(pairwise(steps), path.edges.to_dicts(), strict=True):
            ends = (row["source_type"], row["source_id"]), (row["target_type"], row["target_id"])
            forwards = (row["role"] == "walk") != impact
            assert ends == ((one, other) if forwards else (other, one))


@some.FEWER
@given(some.graphs(), some.depths, clocks, engines, st.booleans())
def test_nothing_differs_from_itself(graph, max_depth, clock, engine, impact):
    edges, anchor = graph
    with opened(engine, edges) as store:
        question = store.impact if impact else store.trace_lineage
        diff = question(*anchor, max_depth, **clock).diff(question(*anchor, max_depth, **clock))
    assert not diff
    assert (diff.nodes.height, diff.edges.height, diff.scalars) == (0, 0, {})


# --- reads -----------------------------------------------------------------------------------------------

QUESTIONS = ("keys", "out", "into", "resting", "answer", "known")


@pytest.fixture
def calls(monkeypatch):
    """The names of the readers' reads of edges, as they are made."""
    made = []

    def counted(reader, name):
        real = getattr(reader, name)

        def read(self, *args, **kwargs):
            made.append(name)
            return real(self, *args, **kwargs)

        monkeypatch.setattr(reader, name, read)

    for reader in (FramesReader, CsrReader):
        for name in QUESTIONS:
            counted(reader, name)
    return made


def reads_of(calls):
    """How many reads of edges there were."""
    return sum(Counter(calls)[name] for name in ("out", "into", "resting"))


def tower(levels, width):
    """`width` nodes a level, each resting on one of the level below; the lowest rests on the anchor `e`."""
    edges = [edge(f"0-{place}", "e") for place in range(width)]
    for level in range(1, levels):
        edges += [edge(f"{level}-{place}", f"{level - 1}-{place}") for place in range(width)]
    return edges


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet"])
@pytest.mark.parametrize("width", [1, 300])
def test_an_impact_reads_once_a_level(kind, width, calls, tmp_path):
    store = RelationStore.open(make_source(kind, tower(3, width), tmp_path / "s"))
    calls.clear()
    trace = store.impact("decision", "e", 5)
    assert trace.nodes.height == 3 * width
    # What the anchor replaces; then a level and its hop for each of three levels, and a level that finds nothing.
    assert reads_of(calls) <= 2 * 4 + 2
    assert trace.stats["reads"].sum() == reads_of(calls)
    assert trace.stats["reads"].max() <= 3


@pytest.mark.parametrize("width", [1, 300])
def test_an_impact_reads_once_a_hop(width, calls):
    """Each node of the first level replaces one that replaced another."""
    edges = tower(1, width)
    for hop in range(3):
        older = [f"r{hop}-{place}" if hop else f"0-{place}" for place in range(width)]
        edges += [edge(node, f"r{hop + 1}-{place}", "supersedes") for place, node in enumerate(older)]
    store = RelationStore.open(frame(edges))
    trace = store.impact("decision", "e")
    assert trace.nodes["hop"].value_counts(sort=False).sort("hop").rows() == [(hop, width) for hop in range(4)]
    few = reads_of(calls)
    assert few <= 9  # with width, nothing changes: see the other parameter
    calls.clear()
    assert trace.path("decision", "r3-0").nodes.height == 5
    assert trace.routes("decision", "r3-0").height == 4
    assert not trace.diff(trace)
    assert trace.flagged.height == 3 * width
    assert calls == []  # path, routes, diff and flagged read nothing


def test_a_batch_of_impacts_reads_no_more_than_one(calls):
    store = RelationStore.open(frame(tower(3, 300)))
    store.impact("decision", "0-7")
    single = reads_of(calls)
    calls.clear()
    many = store.impact_many([("decision", f"0-{place}") for place in range(300)])
    assert reads_of(calls) == single
    assert many.nodes.height == 600
