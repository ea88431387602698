"""What a user would write by hand for the questions after a trace: the bare walk, of the kinds that are walked.

For an audit: the nodes within five levels of each decision, and of these decisions the ones that have a replaced item
among them. That leaves out what makes the answer one to rely on: replacements are not followed, an invalidated edge
counts as any other, nothing says where a walk was cut or which way led to the finding. For an impact: the nodes from
which the item is reached.

Tried for the audit in DuckDB on 10 million edges, 10,000 decisions: all of them in one recursive query with USING KEY
on numbers, and in parts of a thousand. On text it takes several times as long.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import duckdb
import igraph
import polars as pl
import polars.selectors as cs

from benchmarks.peers.peer import coded, pairs

PART = 1_000

AUDIT = """
with recursive reached(anchor, node, depth) using key (anchor, node) as (
    select anchor, anchor, 0 from asked
    union
    select reached.anchor, edges.target, min(reached.depth) + 1
    from reached
    join edges on edges.source = reached.node
    where reached.depth < $depth
      and not exists (
        from recurring.reached as seen
        where seen.anchor = reached.anchor and seen.node = edges.target
      )
    group by reached.anchor, edges.target
)
select distinct anchor from reached semi join replaced on replaced.node = reached.node where depth > 0
"""

IMPACT = """
with recursive reached(node, depth) using key (node) as (
    select $node::integer, 0
    union
    select edges.source, min(reached.depth) + 1
    from reached
    join edges on edges.target = reached.node
    where reached.depth < $depth
      and not exists (from recurring.reached as seen where seen.node = edges.source)
    group by edges.source
)
select type, id from reached join nodes on nodes.number = reached.node where depth > 0
"""


class ByHand:
    """Loads names, walked edges and replaced items as numbers; both libraries start from these."""

    name: ClassVar[str]
    limit: ClassVar[int] = 10_000_000  # the largest graph it is given, in edges
    nodes: pl.DataFrame
    found: pl.DataFrame
    node: int

    def load(self, path: Path) -> None:
        """Get ready to be asked."""
        self.nodes, links = coded(path)
        rows = pl.scan_parquet(path).filter(pl.col("relation_kind") == "supersedes", pl.col("invalid_at").is_null())
        replaced = rows.select(type="target_type", id="target_id").unique().collect()
        numbers = replaced.join(self.nodes.with_row_index("node"), on=["type", "id"])["node"]
        self._hold(links, numbers.cast(pl.Int64).sort())

    def _hold(self, links: pl.DataFrame, replaced: pl.Series) -> None:
        raise NotImplementedError

    def numbers(self, anchors: pl.DataFrame) -> pl.Series:
        """The numbers of these nodes, in order."""
        numbered = self.nodes.with_row_index("node")
        return anchors.join(numbered, on=["type", "id"], maintain_order="left")["node"].cast(pl.Int64)

    def parts(self, anchors: pl.DataFrame) -> Iterator[pl.Series]:
        """The numbers of anchors, a thousand at a time: what is held is then a part of all lineages only."""
        numbers = self.numbers(anchors)
        return (numbers.slice(first, PART) for first in range(0, numbers.len(), PART))

    def ask(self, type: str, id: str) -> None:
        """Look an item up."""
        self.node = int(self.numbers(pl.DataFrame({"type": [type], "id": [id]}))[0])

    def fallen(self) -> pl.DataFrame:
        """The nodes of the latest answer."""
        return self.found


class IgraphByHand(ByHand):
    """`neighborhood` of a list of vertices, and a look into an array for each."""

    name = "igraph by hand"

    def _hold(self, links: pl.DataFrame, replaced: pl.Series) -> None:
        self.graph = igraph.Graph(self.nodes.height, edges=pairs(links), directed=True)
        self.replaced = set(replaced.to_list())

    def audit(self, anchors: pl.DataFrame, depth: int) -> None:
        """Which of these have a replaced item within so many levels."""
        found: list[int] = []
        for part in self.parts(anchors):
            near = self.graph.neighborhood(part.to_list(), order=depth, mode="out", mindist=1)
            found += [one for one, nodes in zip(part, near, strict=True) if not self.replaced.isdisjoint(nodes)]
        self.found = self.nodes[found]

    def impact(self, depth: int) -> None:
        """What rests on the item."""
        self.found = self.nodes[self.graph.neighborhood(self.node, order=depth, mode="in", mindist=1)]


class DuckdbByHand(ByHand):
    """Recursive queries on numbers."""

    name = "DuckDB by hand"

    def _hold(self, links: pl.DataFrame, replaced: pl.Series) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set preserve_insertion_order = false; set enable_progress_bar = false")
        held = {"nodes": self.nodes.with_row_index("number"), "edges": links, "replaced": replaced.to_frame("node")}
        for name, frame in held.items():
            given = frame.with_columns(cs.integer().cast(pl.Int32))
            self.connection.register("given", given.to_arrow())
            self.connection.execute(f"create table {name} as from given")
            self.connection.unregister("given")

    def audit(self, anchors: pl.DataFrame, depth: int) -> None:
        """Which of these have a replaced item within so many levels."""
        found = []
        for part in self.parts(anchors):
            self.connection.register("asked", part.cast(pl.Int32).to_frame("anchor").to_arrow())
            told = self.connection.sql(AUDIT, params={"depth": depth}).to_arrow_table()
            found.append(pl.DataFrame(told)["anchor"])
        self.found = self.nodes[pl.concat(found).cast(pl.Int64)]

    def impact(self, depth: int) -> None:
        """What rests on the item."""
        told = self.connection.sql(IMPACT, params={"node": self.node, "depth": depth}).to_arrow_table()
        self.found = pl.DataFrame(told)
