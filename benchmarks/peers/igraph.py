"""igraph: a graph in memory, walked by its C core."""

from pathlib import Path

import igraph
import polars as pl

from benchmarks.peers.peer import CodedPeer, coded, pairs


class Igraph(CodedPeer):
    """One call of `neighborhood`. A graph made of an array is by far the fastest way to make one.

    At 10 million edges most of the load is igraph's own: 7.2 s of 11.6, and 7.6 of 11.4 when nothing is sorted, but
    then the walk takes 3.3 ms and not 2.4.
    """

    name = "igraph"
    limit = 10_000_000

    def load(self, path: Path) -> None:
        self.nodes, links = coded(path)
        self.graph = igraph.Graph(self.nodes.height, edges=pairs(links), directed=True)

    def walk(self, depth: int) -> None:
        self.found = self.graph.neighborhood(self.start, order=depth, mode="out", mindist=1)

    def walk_named(self, depth: int) -> None:
        """With the names of the nodes in a frame, as the other side has them."""
        self.walk(depth)
        self.frame = self.visited()

    def edges_touched(self, depth: int) -> int:
        """How many edges a walk of this depth looks at: those out of every node before the last level."""
        expanded = self.graph.neighborhood(self.start, order=depth - 1, mode="out")
        return int(sum(self.graph.outdegree(expanded)))

    def ask_many(self, anchors: pl.DataFrame) -> None:
        numbered = self.nodes.with_row_index("number")
        self.anchors = anchors.join(numbered, on=["type", "id"], maintain_order="left")
        self.starts = self.anchors["number"].to_list()

    def walk_many(self, depth: int) -> None:
        self.found_many = self.graph.neighborhood(self.starts, order=depth, mode="out", mindist=1)

    def walk_many_named(self, depth: int) -> None:
        self.walk_many(depth)
        self.frame = self.visited_many()

    def edges_touched_many(self, depth: int) -> int:
        degrees = self.graph.outdegree()
        expanded = self.graph.neighborhood(self.starts, order=depth - 1, mode="out")
        return sum(degrees[node] for nodes in expanded for node in nodes)

    def visited_many(self) -> pl.DataFrame:
        """anchor_type, anchor_id, type and id."""
        found = pl.Series("row", self.found_many, dtype=pl.List(pl.UInt32)).to_frame()
        named = self.anchors.select(anchor_type="type", anchor_id="id").hstack(found)
        named = named.explode("row", empty_as_null=False)
        return named.select("anchor_type", "anchor_id").hstack(self.nodes[named["row"]])
