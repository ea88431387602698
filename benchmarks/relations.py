"""The walk against DuckDB's recursive query, and the everyday notebook case."""

from pathlib import Path

import polars as pl

from benchmarks.graphs import NODES_PER_EDGE, node, parquet, relations
from benchmarks.measure import in_turn, report
from benchmarks.peers import RecursiveQuery
from lineage_kit import RelationStore

DEPTH = 10


def large(edges: int, runs: int, nodes: int, folder: Path) -> None:
    """Open and trace straight from a Parquet file, replacements and all, against the bare walk in SQL."""
    path = parquet(edges, folder)
    type, id = anchor(path, edges, nodes)
    trace = RelationStore.open(path).trace_lineage(type, id, DEPTH)
    walk_only = RelationStore.open(path, kinds={"supersedes": "not followed"}).trace_lineage(type, id, DEPTH)
    query = RecursiveQuery(path, table=False)
    same = query.visited(type, id, DEPTH) == set(walk_only.nodes.select("type", "id").iter_rows())
    if not same:
        raise SystemExit("the peers disagree about the visited set; nothing was timed")
    table = RecursiveQuery(path, table=True)
    store = RelationStore.open(path)
    seconds = in_turn(
        {
            "lineage_kit: open + trace, with replacements and flags": lambda: RelationStore.open(path).trace_lineage(
                type, id, DEPTH
            ),
            "lineage_kit: trace in an open store": lambda: store.trace_lineage(type, id, DEPTH),
            "DuckDB recursive query on the file, walked edges only": lambda: query.visited(type, id, DEPTH),
            "DuckDB: load the walked edges into a table": lambda: RecursiveQuery(path, table=True),
            "DuckDB recursive query on that table": lambda: table.visited(type, id, DEPTH),
        },
        runs,
    )
    title = (
        f"{edges:,} edges in Parquet, depth {DEPTH}: {walk_only.nodes.height:,} nodes walked; "
        f"with replacements {trace.nodes.height:,} nodes, {trace.edges.height:,} edges"
    )
    report(title, seconds, "DuckDB recursive query on the file, walked edges only")


def anchor(path: Path, edges: int, nodes: int) -> tuple[str, str]:
    """Of forty late nodes, the one whose walked lineage is closest in size to the size asked for."""
    newest = int(edges * NODES_PER_EDGE) - 1
    late = [node(newest - step * 97) for step in range(40)]
    store = RelationStore.open(path, kinds={"supersedes": "not followed"})
    sizes = store.trace_lineage_many(late, DEPTH).summary
    row = sizes.sort((pl.col("nodes") - nodes).abs(), "anchor_type", "anchor_id").row(0, named=True)
    return row["anchor_type"], row["anchor_id"]


def small(runs: int) -> None:
    """The everyday notebook case: a few thousand edges in memory."""
    frame = relations(2_000)
    type, id = node(int(2_000 * NODES_PER_EDGE) - 1)
    store = RelationStore.open(frame)
    trace = store.trace_lineage(type, id, 5)
    seconds = in_turn(
        {
            "open": lambda: RelationStore.open(frame),
            "trace, depth 5": lambda: store.trace_lineage(type, id, 5),
        },
        max(runs, 20),
    )
    report(f"2,000 edges in memory: {trace.nodes.height:,} nodes", seconds, None)
