"""The questions after the trace: impact, what is supposed, and the audit of many decisions, beside what is written by
hand for the same question."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.graphs import WALKED, late_nodes, node, node_count, parquet, some_sources
from benchmarks.lineage_kit_peer import Ours, index_folder, usable_index
from benchmarks.measure import timed_in_turn
from benchmarks.peers.by_hand import ByHand, DuckdbByHand, IgraphByHand
from benchmarks.results import Section, shown, size
from benchmarks.subprocess_peer import Apart, Call
from benchmarks.walk_table import AIMED
from lineage_kit import RelationStore

DEPTH, AUDITED = 10, 5
WHEN = datetime(2026, 12, 1, tzinfo=UTC)
CHANGES = 10
PEERS: tuple[type[ByHand], ...] = (IgraphByHand, DuckdbByHand)
BARE = (
    "The peers are given walked edges and replaced items as numbers, and walk only: no replacements are followed, "
    "invalidated edges count as others, and nothing says where it was cut."
)
ENDS = {"source_type": "target_type", "source_id": "target_id", "target_type": "source_type", "target_id": "source_id"}


class After(Ours):
    """The calls that are measured."""

    supposed: RelationStore
    changes: dict[str, Any]

    def impact(self, depth: int) -> None:
        self.answer = self.store.impact(*self.node, depth)
        _ = self.answer.nodes, self.answer.edges

    def read(self) -> int:
        """How many edges the latest walk read, its peeks and those that flag its nodes among them."""
        return int(self.answer.stats["edges_read"].sum())

    def impacts(self, anchors: list[tuple[str, str]], depth: int) -> list[tuple[int, str, str]]:
        """How many nodes the impact of each has; of those that owe the most of it to the edges that peers walk."""
        owner = ["anchor_type", "anchor_id"]
        summary = self.store.impact_many(anchors, depth).summary.select("nodes", *owner)
        near = self.store.reachability_many(anchors, relation_kind=list(WALKED), direction="incoming", max_depth=depth)
        shared = summary.join(near.nodes.group_by(owner).agg(near=pl.len()), on=owner)
        return list(shared.filter(4 * pl.col("near") > pl.col("nodes")).select("nodes", *owner).sort(pl.all()).rows())

    def change(self, sort: str) -> None:
        """Think of ten changes to what the latest trace visited."""
        nodes = self.answer.nodes.filter(pl.col("depth") > 0)
        some = nodes.select("type", "id").gather_every(nodes.height // CHANGES).head(CHANGES).rows()
        links = list(zip([self.node, *some[:-1]], some, strict=True))
        columns = ["source_type", "source_id", "target_type", "target_id"]
        rows = pl.DataFrame([(*one, *other) for one, other in links], columns, orient="row")
        added = rows.with_columns(
            relation_kind=pl.lit("depends_on"), edge_class=pl.lit("asserted"), created_at=pl.lit(WHEN)
        )
        third = CHANGES // 3
        self.changes = {
            "withdrawn": {"withdraw": some},
            "added": {"add": added},
            "of each": {
                "withdraw": some[:third],
                "supersede": [(*old, *new) for old, new in zip(some[third : 2 * third], some[-third:], strict=True)],
                "add": added.head(CHANGES - 2 * third),
            },
        }[sort]

    def suppose(self) -> None:
        self.supposed = self.store.what_if(WHEN, **self.changes)

    def trace_supposed(self, depth: int) -> None:
        self.answer = self.supposed.trace_lineage(*self.node, depth)
        _ = self.answer.nodes, self.answer.edges

    def audit(self, anchors: pl.DataFrame, depth: int) -> None:
        self.answer = self.store.audit(anchors, depth, progress=False)

    def audited(self) -> dict[str, int]:
        """Counts of the latest audit."""
        summary = self.answer.summary
        visited = int((summary["premises"] + summary["replacements"]).sum())
        held = int(self.answer.findings.estimated_size() + summary.estimated_size())
        return {"findings": self.answer.findings.height, "visited": visited, "held": held}

    def replaced(self) -> pl.DataFrame:
        """The anchors in whose lineage a replaced item was found."""
        found = self.answer.findings.filter(pl.col("superseded"))
        return pl.DataFrame(found.select(type="anchor_type", id="anchor_id").unique())


def verbs(edges: int, runs: int, nodes: int, folder: Path) -> Section:
    """Impact and what is supposed, on one size of graph."""
    path = parquet(edges, folder)
    usable_index(path)
    section = Section(f"After the trace, {edges:,} edges")
    section.note(f"An index of {edges:,} edges. {BARE}")
    _impact(path, edges, runs, nodes, section)
    _supposed(path, edges, runs, nodes, section)
    return section


def audit(edges: int, anchors: int, fresh: int, folder: Path) -> Section:
    """The audit of more and more decisions."""
    path = parquet(edges, folder)
    usable_index(path)
    section = Section(f"Audit, {edges:,} edges")
    section.note(f"An index of {edges:,} edges. {BARE}")
    _audit(path, edges, anchors, fresh, section)
    return section


def _impact(path: Path, edges: int, runs: int, nodes: int, section: Section) -> None:
    """An impact beside the lineage that visits the same: of the table with both ends of every edge exchanged."""
    turned = _turned(path)
    usable_index(turned)
    early = [node(node_count(edges) * place // 200) for place in range(10, 200)]
    lineage, impact = "lineage_kit: trace_lineage, ends exchanged", "lineage_kit: impact"
    with Apart(After) as ours, Apart(After) as other:
        ours.call("open", index_folder(path))
        other.call("open", index_folder(turned))
        anchor = min(ours.call("impacts", early, DEPTH).value, key=lambda found: (abs(found[0] - nodes), found))[1:]
        counts = {}
        for name, process, call in ((impact, ours, "impact"), (lineage, other, "trace")):
            process.call("ask", *anchor)
            process.call(call, DEPTH)
            counts[name] = process.call("nodes").value, process.call("read").value
        if counts[impact][0] != counts[lineage][0]:
            raise SystemExit("the impact, and the lineage turned round, visit other nodes; nothing was timed")
        things = {impact: partial(ours.seconds, "impact", DEPTH), lineage: partial(other.seconds, "trace", DEPTH)}
        kept = [Apart(peer) for peer in PEERS]
        try:
            reached = set()
            for peer, process in zip(PEERS, kept, strict=True):
                process.call("load", path)
                process.call("ask", *anchor)
                process.call("impact", DEPTH)
                counts[peer.name] = len(process.call("fallen").value), 0
                reached.add(counts[peer.name][0])
                things[peer.name] = partial(process.seconds, "impact", DEPTH)
            if len(reached) != 1:
                raise SystemExit("the peers reach other nodes; nothing was timed")
            seconds = timed_in_turn(things, runs)
        finally:
            for process in kept:
                process.close()
    each = {name: seconds[name] / read for name, (_, read) in counts.items() if read}
    rows = []
    for name, median in seconds.items():
        found, read = counts[name]
        told = (f"{read:,}", f"{each[name] * 1e9:,.0f} ns", f"{each[name] / each[lineage]:.2f}") if read else ("",) * 3
        target = "1 or less" if name == impact and edges == AIMED else ""
        rows.append((name, shown(median), f"{found:,}", *told, target))
    columns = ("warm, loaded", "median", "nodes", "edges read", "an edge", "to the lineage", "target")
    section.table(f"What rests on one item, depth {DEPTH}", columns, rows)


def _turned(path: Path) -> Path:
    """The same table with source and target exchanged, so that its lineages are the impacts of the other."""
    turned = path.with_name(f"turned-{path.name}")
    if not turned.exists():
        rows = pl.read_parquet(path)
        rows.rename(ENDS).select(rows.columns).write_parquet(turned)
    return turned


def _supposed(path: Path, edges: int, runs: int, nodes: int, section: Section) -> None:
    """Ten changes laid over the index, and a trace of what they concern."""
    late = late_nodes(edges, 60)
    rows = []
    with Apart(After) as ours:
        ours.call("open", index_folder(path))
        sizes = ours.call("sizes", late, DEPTH).value
        anchor = min(zip(sizes, late, strict=True), key=lambda pair: (abs(pair[0] - nodes), pair))[1]
        ours.call("ask", *anchor)
        for sort in ("withdrawn", "added", "of each"):
            ours.call("trace", DEPTH)
            before = ours.call("read").value
            ours.call("change", sort)
            ours.call("suppose")
            ours.call("trace_supposed", DEPTH)
            after = ours.call("read").value
            things = {
                "made": partial(ours.seconds, "suppose"),
                "trace": partial(ours.seconds, "trace", DEPTH),
                "supposed": partial(ours.seconds, "trace_supposed", DEPTH),
            }
            seconds = timed_in_turn(things, runs)
            ratio = (seconds["supposed"] / after) / (seconds["trace"] / before)
            shape = f"{CHANGES} {sort}" if sort != "of each" else f"{CHANGES}: some withdrawn, replaced, added"
            told = (shown(seconds["made"]), shown(seconds["trace"]), f"{before:,}", shown(seconds["supposed"]))
            rows.append((shape, *told, f"{after:,}", f"{ratio:.2f}"))
    columns = ("changes", "made in", "trace", "edges read", "trace on it", "edges read", "ratio, an edge read")
    section.table(f"What if, depth {DEPTH}", columns, rows)
    if edges == AIMED:
        section.note("Targets: made in 20 ms or less, a trace on it within 1.3.")


def _audit(path: Path, edges: int, anchors: int, fresh: int, section: Section) -> None:
    """The audit of more and more decisions, each time in a fresh process."""
    rows: list[tuple[str, ...]] = []
    stale: dict[int, pl.DataFrame] = {}
    for count in (anchors // 4, anchors // 2, anchors):
        asked = some_sources(edges, count)
        calls: list[Call] = []
        for _ in range(fresh):
            with Apart(After) as ours:
                before = ours.call("open", index_folder(path)).peak
                calls.append(ours.call("audit", asked, AUDITED))
                counted = ours.call("audited").value
                stale[count] = ours.call("replaced").value
        call = sorted(calls, key=lambda call: call.seconds)[len(calls) // 2]
        figures = (f"{counted['findings']:,}", f"{counted['visited']:,}", shown(call.seconds), size(call.peak - before))
        rows.append((f"lineage_kit: audit of {asked.height:,}", *figures, size(counted["held"])))
    for peer in PEERS:
        with Apart(peer) as process:
            before = process.call("load", path).peak
            call = process.call("audit", asked, AUDITED)
            found = process.call("fallen").value.select("type", "id")
        if found.join(stale[anchors], on=["type", "id"], how="anti").height:
            raise SystemExit(f"{peer.name} finds decisions that the audit does not; the times mean nothing")
        grown = size(call.peak - before)
        rows.append(
            (f"{peer.name}: {asked.height:,}", f"{found.height:,} decisions", "", shown(call.seconds), grown, "")
        )
    columns = ("from an open store", "findings", "nodes visited", "median", "peak over the start", "its frames")
    section.table(f"Which of many decisions still stand, depth {AUDITED}", columns, rows)
    section.note(
        f"{stale[anchors].height:,} of these decisions have a replaced item in their lineage by our audit, which "
        "follows replacements as well; those that the peers find are all among them."
    )
