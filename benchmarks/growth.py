"""What grows with the graph, when the answer stays the same size."""

import statistics
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.graphs import late_nodes, parquet
from benchmarks.lineage_kit_peer import Ours, discard, index_folder, usable_index
from benchmarks.measure import timed_in_turn
from benchmarks.results import Section, shown, size
from benchmarks.subprocess_peer import Apart


class Anchor(NamedTuple):
    """Who to ask about, how deep, and how many nodes that gives."""

    type: str
    id: str
    depth: int
    nodes: int


def growth(sizes: list[int], runs: int, fresh: int, nodes: int, folder: Path) -> Section:
    """Every size with the anchor and depth whose lineage comes closest to this many nodes."""
    paths = {edges: parquet(edges, folder) for edges in sizes}
    anchors = {edges: _anchor(usable_index(path), edges, nodes) for edges, path in paths.items()}
    build, opening, first, peaks = ({edges: list[float]() for edges in sizes} for _ in range(4))
    for _ in range(fresh):
        for edges, path in paths.items():
            index = discard(path)
            with Apart(Ours) as ours:
                build[edges].append(ours.call("build", path, index).seconds)
            with Apart(Ours) as ours:
                opening[edges].append(ours.call("open", index).seconds)
                ours.call("ask", *anchors[edges][:2])
                traced = ours.call("trace", anchors[edges].depth)
                first[edges].append(traced.seconds)
                peaks[edges].append(traced.peak)
    kept = {edges: Apart(Ours) for edges in sizes}
    try:
        for edges, process in kept.items():
            process.call("open", index_folder(paths[edges]))
            process.call("ask", *anchors[edges][:2])
        things = {
            str(edges): partial(process.seconds, "trace", anchors[edges].depth) for edges, process in kept.items()
        }
        medians = timed_in_turn(things, runs)
        counts = {edges: process.call("edges").value for edges, process in kept.items()}
    finally:
        for process in kept.values():
            process.close()
    section = Section("Growth")
    section.note(
        f"Indexes of graphs of growing size, each asked for a lineage of about {nodes:,} nodes: the anchor and the "
        f"depth are chosen for that. Peak memory is that of a fresh process which opens the index and traces."
    )
    rows = []
    for edges in sizes:
        held = sum(part.stat().st_size for part in index_folder(paths[edges]).rglob("*") if part.is_file())
        rows.append(
            (
                f"{edges:,}",
                f"{anchors[edges].depth}",
                f"{anchors[edges].nodes:,}",
                f"{counts[edges]:,}",
                *(shown(statistics.median(times[edges])) for times in (build, opening, first)),
                shown(medians[str(edges)]),
                f"{medians[str(edges)] / medians[str(sizes[0])]:.2f}",
                size(held),
                f"{held / edges:.0f}",
                size(max(peaks[edges])),
            )
        )
    columns = ("edges", "depth", "nodes", "edges read", "build", "open", "first trace", "warm trace", "to the first")
    section.table(
        "The same size of answer from larger and larger graphs", (*columns, "on disk", "bytes an edge", "peak"), rows
    )
    return section


def _anchor(index: Path, edges: int, nodes: int) -> Anchor:
    late = late_nodes(edges, 100)
    found: list[Anchor] = []
    with Apart(Ours) as ours:
        ours.call("open", index)
        for depth in range(2, 11):
            counts = ours.call("sizes", late, depth).value
            found += [Anchor(*node, depth, count) for node, count in zip(late, counts, strict=True)]
            # Deeper lineages are only larger.
            if sorted(counts)[len(counts) // 2] > 4 * nodes:
                break
    return min(found, key=lambda anchor: (abs(anchor.nodes - nodes), anchor.depth))
