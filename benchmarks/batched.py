"""The lineages of thousands of anchors from one call, against igraph's call with a list of vertices."""

from functools import partial
from pathlib import Path

import polars as pl

from benchmarks.graphs import parquet, some_sources
from benchmarks.lineage_kit_peer import Ours, index_folder, usable_index
from benchmarks.measure import timed_in_turn
from benchmarks.peers.igraph import Igraph
from benchmarks.results import Section, shown
from benchmarks.subprocess_peer import Apart
from benchmarks.walk_table import AIMED

DEPTH = 3
NODES, EDGES = "lineage_kit: trace_lineage_many, summary and nodes", "lineage_kit: the same, and edges"
REACH, BARE = "lineage_kit: reachability_many, the peer's walk", "igraph: neighborhood of a list"
NAMED = "igraph, with types and ids in a frame"
TARGETS = {NODES: "10 or less"}


def many(edges: int, anchors: int, runs: int, folder: Path) -> Section | None:
    """A batch from all over the graph; nothing where the peer does not reach."""
    if edges > Igraph.limit:
        return None
    path = parquet(edges, folder)
    usable_index(path)
    asked = some_sources(edges, anchors)
    with Apart(Ours) as ours, Apart(Igraph) as igraph:
        ours.call("open", index_folder(path))
        igraph.call("load", path)
        for process in (ours, igraph):
            process.call("ask_many", asked)
        ours.call("reach_many", DEPTH)
        igraph.call("walk_many", DEPTH)
        reached = ours.call("visited").value
        if not _same(reached, igraph.call("visited_many").value):
            raise SystemExit("igraph and lineage_kit visit other nodes; nothing was timed")
        touched = igraph.call("edges_touched_many", DEPTH).value
        ours.call("many_with_edges", DEPTH)
        nodes, read = ours.call("nodes").value, ours.call("edges").value
        things = {
            NODES: partial(ours.seconds, "many", DEPTH),
            EDGES: partial(ours.seconds, "many_with_edges", DEPTH),
            REACH: partial(ours.seconds, "reach_many", DEPTH),
            BARE: partial(igraph.seconds, "walk_many", DEPTH),
            NAMED: partial(igraph.seconds, "walk_many_named", DEPTH),
        }
        seconds = timed_in_turn(things, runs)
    section = Section(f"Many anchors, {edges:,} edges")
    section.note(
        f"{asked.height:,} anchors, depth {DEPTH}: {nodes:,} nodes and {read:,} edges with replacements; without them "
        f"{reached.height:,} nodes over {touched:,} edges, the same for both."
    )
    rows = []
    for name, median in seconds.items():
        found = nodes if name in (NODES, EDGES) else reached.height
        target = TARGETS.get(name, "") if edges == AIMED else ""
        rows.append((name, shown(median), f"{found:,}", f"{median / seconds[BARE]:.2f}", target))
    section.table("All of them in one call", ("warm, loaded", "median", "nodes", "to igraph", "target"), rows)
    return section


def _same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    order = ["anchor_type", "anchor_id", "type", "id"]
    return one.select(order).sort(order).equals(other.select(order).sort(order))
