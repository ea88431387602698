"""Polars: a loop of joins over the levels."""

from pathlib import Path

import polars as pl

from benchmarks.peers.peer import CodedPeer, coded


class PolarsLoop(CodedPeer):
    """Edges as one list of targets a node, in node order; a level takes the lists of its nodes, less what is seen.

    At 10 million edges and 13,148 nodes this takes 5 ms; a semi join of the edges with the level 430 ms, and of the
    lists with the level 159 ms, since a join reads all of its larger side at every level.
    """

    name = "Polars loop"
    limit = 10_000_000

    def load(self, path: Path) -> None:
        self.nodes, links = coded(path)
        lists = links.group_by("source", maintain_order=True).agg("target")
        numbers = self.nodes.with_row_index("source").select("source")
        self.targets = numbers.join(lists, on="source", how="left", maintain_order="left")["target"]

    def walk(self, depth: int) -> None:
        level = pl.Series("node", [self.start], dtype=pl.UInt32)
        seen = level
        for _ in range(depth):
            reached = self.targets.gather(level).explode().drop_nulls().unique().to_frame("node")
            level = reached.join(seen.to_frame(), on="node", how="anti")["node"]
            seen = pl.concat([seen, level])
        self.found = seen[1:]
