"""rustworkx: a graph in memory, walked level by level over its successor lists."""

from pathlib import Path

import rustworkx as rx

from benchmarks.peers.peer import CodedPeer, coded


class Rustworkx(CodedPeer):
    """It has no breadth-first search with a bound on the depth, so the levels are a loop over `successor_indices`.

    At 10 million edges and 13,148 nodes the loop takes 6.6 ms; `bfs_search` with a visitor that prunes 11 ms;
    `bfs_layers`, which knows no bound and finds everything, 127 ms.
    """

    name = "rustworkx"
    limit = 10_000_000

    def load(self, path: Path) -> None:
        self.nodes, links = coded(path)
        self.graph = rx.PyDiGraph(node_count_hint=self.nodes.height, edge_count_hint=links.height)
        self.graph.add_nodes_from(range(self.nodes.height))
        self.graph.add_edges_from_no_data(list(zip(links["source"].to_list(), links["target"].to_list(), strict=True)))

    def walk(self, depth: int) -> None:
        successors = self.graph.successor_indices
        seen, level = {self.start}, {self.start}
        for _ in range(depth):
            reached: set[int] = set()
            for node in level:
                reached.update(successors(node))
            level = reached - seen
            seen |= level
        seen.remove(self.start)
        self.found = list(seen)
