"""The walk of one anchor against every peer: what loading costs, what the first answer costs, and every later one."""

from functools import partial
from pathlib import Path

import polars as pl

from benchmarks.graphs import late_nodes, parquet
from benchmarks.lineage_kit_peer import Ours, discard, index_folder, usable_index
from benchmarks.measure import timed_in_turn
from benchmarks.peers.igraph import Igraph
from benchmarks.peers.peer import Peer
from benchmarks.results import Section
from benchmarks.subprocess_peer import Apart
from benchmarks.walk_table import DEPTH, NAMED, PEERS, REACH, TRACE, Loads, Walked


def walk(edges: int, runs: int, fresh: int, nodes: int, folder: Path) -> Section:
    """One size of graph, and the anchor whose lineage is closest to this many nodes."""
    path = parquet(edges, folder)
    usable_index(path)
    node = _anchor(path, edges, nodes)
    expected = _expected(path, node)
    with Apart(Ours) as ours:
        walked = Walked(edges, before=ours.call("nothing").peak)
    walked.loads = {peer: Loads() for peer in PEERS if peer.limit is None or edges <= peer.limit}
    kept: dict[type[Peer], Apart] = {}
    try:
        # The peers of the last round stay, to be asked on.
        for last in [False] * (fresh - 1) + [True]:
            _build_and_open(path, node, walked)
            for peer, loads in walked.loads.items():
                kept[peer] = _loaded(peer, path, node, loads, expected)
                if not last:
                    kept.pop(peer).close()
        with Apart(Ours) as ours:
            ours.call("open", index_folder(path))
            ours.call("ask", *node)
            _count(ours, kept, walked)
            walked.warm = _warm(ours, kept, runs)
    finally:
        for process in kept.values():
            process.close()
    return walked.section()


def _anchor(path: Path, edges: int, nodes: int) -> tuple[str, str]:
    """Of a few dozen late nodes; much of the lineage must be the peers' to walk, and not stem from replacements."""
    late = late_nodes(edges, 60)
    with Apart(Ours) as ours:
        ours.call("open", index_folder(path))
        sizes = ours.call("sizes", late, DEPTH).value
        reaches = ours.call("reaches", late, DEPTH).value
    shared = [
        (abs(size - nodes), node) for node, size, reach in zip(late, sizes, reaches, strict=True) if 4 * reach > size
    ]
    return min(shared)[1]


def _expected(path: Path, node: tuple[str, str]) -> pl.DataFrame:
    with Apart(Ours) as ours:
        ours.call("open", index_folder(path))
        ours.call("ask", *node)
        ours.call("reach", DEPTH)
        return pl.DataFrame(ours.call("visited").value).sort("type", "id")


def _build_and_open(path: Path, node: tuple[str, str], walked: Walked) -> None:
    folder = discard(path)
    with Apart(Ours) as ours:
        walked.build.add(ours.call("build", path, folder))
    for source, loads in ((folder, walked.opened), (path, walked.scanned)):
        with Apart(Ours) as ours:
            loads.add(ours.call("open", source), ours.call("ask", *node), ours.call("trace", DEPTH))


def _loaded(peer: type[Peer], path: Path, node: tuple[str, str], loads: Loads, expected: pl.DataFrame) -> Apart:
    """A process with a peer that has loaded the graph, and has answered rightly once."""
    process = Apart(peer)
    calls = process.call("load", path), process.call("ask", *node), process.call("walk", DEPTH)
    found = process.call("visited").value.select("type", "id").sort("type", "id")
    if not found.equals(expected):
        process.close()
        raise SystemExit(f"{peer.name} visits {found.height:,} nodes, lineage_kit {expected.height:,}, or others")
    loads.add(*calls)
    return process


def _count(ours: Apart, kept: dict[type[Peer], Apart], walked: Walked) -> None:
    """Nodes and edges of the answers. Every peer looks at the same edges; igraph counts them."""
    ours.call("reach", DEPTH)
    walked.reached = ours.call("nodes").value
    ours.call("trace", DEPTH)
    walked.nodes, walked.read = ours.call("nodes").value, ours.call("edges").value
    if Igraph in kept:
        walked.touched = kept[Igraph].call("edges_touched", DEPTH).value


def _warm(ours: Apart, kept: dict[type[Peer], Apart], runs: int) -> dict[str, float]:
    things = {TRACE: partial(ours.seconds, "trace", DEPTH), REACH: partial(ours.seconds, "reach", DEPTH)}
    for peer, process in kept.items():
        things[peer.name] = partial(process.seconds, "walk", DEPTH)
        if peer is Igraph:
            things[NAMED] = partial(process.seconds, "walk_named", DEPTH)
    return timed_in_turn(things, runs)
