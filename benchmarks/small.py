"""The everyday notebook case: a few thousand edges in memory."""

from benchmarks.graphs import node, node_count, relations
from benchmarks.measure import in_turn
from benchmarks.results import Section, shown
from lineage_kit import LineageTrace, RelationStore

EDGES = 2_000
DEPTH = 5


def small(runs: int) -> Section:
    """Open and trace, with no index."""
    frame = relations(EDGES)
    type, id = node(node_count(EDGES) - 1)
    store = RelationStore.open(frame)

    def trace() -> LineageTrace:
        trace = store.trace_lineage(type, id, DEPTH)
        _ = trace.nodes, trace.edges
        return trace

    found = trace()
    seconds = in_turn({"open": lambda: RelationStore.open(frame), f"trace, depth {DEPTH}": trace}, max(runs, 50))
    section = Section(f"A small table, {EDGES:,} edges")
    section.note(f"A Polars frame in memory, no index: {found.nodes.height:,} nodes, {found.edges.height:,} edges.")
    targets = {f"trace, depth {DEPTH}": "2 ms or less"}
    rows = [(name, shown(median), targets.get(name, "")) for name, median in seconds.items()]
    section.table("In an open notebook", ("what", "median", "target"), rows)
    return section
