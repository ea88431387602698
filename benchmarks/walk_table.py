"""The tables about the walk of one anchor, from what was measured."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from benchmarks.peers.duckdb import DuckdbFile, DuckdbLists, DuckdbTable
from benchmarks.peers.igraph import Igraph
from benchmarks.peers.networkx import Networkx
from benchmarks.peers.peer import Peer
from benchmarks.peers.polars import PolarsLoop
from benchmarks.peers.rustworkx import Rustworkx
from benchmarks.results import Section, shown, size
from benchmarks.subprocess_peer import Call

DEPTH = 10
PEERS: tuple[type[Peer], ...] = (Igraph, Rustworkx, Networkx, PolarsLoop, DuckdbTable, DuckdbLists, DuckdbFile)
TRACE, REACH = "lineage_kit: trace_lineage, nodes and edges", "lineage_kit: reachability, the peers' walk"
NAMED = "igraph, with types and ids in a frame"
# The size the targets are set for.
AIMED = 10_000_000


@dataclass
class Loads:
    """What the fresh processes of one contestant took, round by round."""

    load: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    peak: list[int] = field(default_factory=list)

    def add(self, load: Call, *rest: Call) -> None:
        """The load, and the calls that led to the first answer."""
        self.load.append(load.seconds)
        self.first.append(sum(call.seconds for call in rest))
        self.peak.append([load, *rest][-1].peak)

    def total(self) -> float:
        """Seconds from nothing to the first answer."""
        return statistics.median(load + first for load, first in zip(self.load, self.first, strict=True))

    def cells(self) -> tuple[str, str, str, str]:
        load, first = statistics.median(self.load), statistics.median(self.first)
        return shown(load), shown(first), shown(self.total()), size(max(self.peak))


@dataclass
class Walked:
    """What was measured at one size of graph."""

    edges: int
    before: int  # bytes in memory before anything is asked
    build: Loads = field(default_factory=Loads)
    opened: Loads = field(default_factory=Loads)
    scanned: Loads = field(default_factory=Loads)
    loads: dict[type[Peer], Loads] = field(default_factory=dict)
    warm: dict[str, float] = field(default_factory=dict)
    nodes: int = 0  # of the trace
    read: int = 0
    reached: int = 0  # by the peers' walk
    touched: int = 0

    def section(self) -> Section:
        """All tables."""
        section = Section(f"The walk, {self.edges:,} edges")
        over = f" over {self.touched:,} edges" if self.touched else ""
        section.note(
            f"{self.edges:,} edges in Parquet; one anchor, depth {DEPTH}. Its trace, with replacements and flags, has "
            f"{self.nodes:,} nodes and {self.read:,} edges. The peers walk depends_on and derives_from only, as "
            f"reachability does here: {self.reached:,} nodes{over}. All visit the same set."
        )
        if left_out := [peer.name for peer in PEERS if peer not in self.loads]:
            section.note(f"Not run at this size: {', '.join(left_out)}.")
        self._first_answers(section)
        self._later_answers(section)
        self._ratios(section)
        return section

    def _first_answers(self, section: Section) -> None:
        rows = [
            ("lineage_kit: build the index, once", shown(self.build.total()), "", "", size(max(self.build.peak))),
            ("lineage_kit: open the index, trace", *self.opened.cells()),
            ("lineage_kit: open the file, trace, no index", *self.scanned.cells()),
            *((peer.name, *loads.cells()) for peer, loads in self.loads.items()),
        ]
        columns = ("in a fresh process", "load", "first answer", "both", "peak memory")
        section.table("From the file to the first answer", columns, rows)
        section.note(f"{size(self.before)} of our peaks is Python with all that is imported.")

    def _later_answers(self, section: Section) -> None:
        rows = []
        for name, median in self.warm.items():
            nodes, read = (self.nodes, self.read) if name == TRACE else (self.reached, self.touched)
            each = f"{median / read * 1e9:,.0f} ns" if read else ""
            rows.append((name, shown(median), f"{nodes:,}", f"{read:,}", each, f"{median / self.warm[TRACE]:.2f}"))
        columns = ("warm, loaded", "median", "nodes", "edges", "an edge", "to our trace")
        section.table("Every later answer", columns, rows)

    def _ratios(self, section: Section) -> None:
        rows: list[tuple[str, str, str]] = []

        def tell(what: str, ratio: float, target: str) -> None:
            told = f"{ratio:,.2f}" if ratio < 10 else f"{ratio:,.0f}"
            rows.append((what, told, target if self.edges == AIMED else ""))

        warm, loads, first = self.warm, self.loads, self.opened.total()
        for peer in (DuckdbTable, DuckdbLists):
            if peer in loads:
                tell(f"{peer.name} / our trace", warm[peer.name] / warm[TRACE], "50 or more")
        if Igraph in loads:
            each = warm[TRACE] / self.read
            tell("our trace / igraph, an edge", each / (warm[Igraph.name] / self.touched), "5 or less")
            tell("our reachability / igraph", warm[REACH] / warm[Igraph.name], "")
        if held := [peer for peer in loads if peer.in_memory]:
            best = min(held, key=lambda peer: loads[peer].total())
            what = f"the quickest of them to load and answer ({best.name}) / our open and trace"
            tell(what, loads[best].total() / first, "100 or more")
        if Igraph in loads:
            tell("igraph, load and first answer / our open and trace", loads[Igraph].total() / first, "")
            ratio = self.build.total() / statistics.median(loads[Igraph].load)
            tell("our build / igraph's load", ratio, "1 or less")
        section.table("Ratios", ("ratio", "measured", "target"), rows)
