"""networkx: dicts of dicts, walked by its own search with a cutoff."""

from pathlib import Path

import networkx as nx

from benchmarks.peers.peer import CodedPeer, coded


class Networkx(CodedPeer):
    """Nodes are numbers, which are quicker to hash than names. Ten million edges would take it most of a minute and
    many gigabytes to load.

    `bfs_edges` with a depth limit takes half as long again as the shortest path lengths with a cutoff.
    """

    name = "networkx"
    limit = 1_000_000

    def load(self, path: Path) -> None:
        self.nodes, links = coded(path)
        self.graph = nx.DiGraph()
        self.graph.add_edges_from(zip(links["source"].to_list(), links["target"].to_list(), strict=True))

    def walk(self, depth: int) -> None:
        lengths = nx.single_source_shortest_path_length(self.graph, self.start, cutoff=depth)
        del lengths[self.start]
        self.found = list(lengths)
