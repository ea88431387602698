"""What can be looked up in relations that were opened: their nodes, their edges, what is odd about them."""

from __future__ import annotations

import duckdb
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.protocol import ALWAYS
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.backing import Backing
from lineage_kit.relations.check import check
from lineage_kit.relations.node_edges import node_edges
from lineage_kit.relations.request import Limits, Node, checked_count, checked_direction, checked_node
from lineage_kit.wording import counted


class OpenedRelations:
    """The half of a `RelationStore` that looks things up; the other half walks."""

    def __init__(self, backing: Backing, limits: Limits) -> None:
        self._backing = backing
        self._engine, self._limits = backing.engine, limits
        self.name = backing.name
        self.files = backing.files
        self.item_files = backing.item_files
        self.frames = backing.frames
        self.index = backing.index
        self.supposing = backing.supposing
        self.max_depth_limit, self.supersede_limit = limits

    @property
    def rejected(self) -> pl.DataFrame:
        """The rows that `strict=False` set aside, with their reason; otherwise none.

        Columns: the columns of the relations table, the source's own, edge (Int64), reason (String). Sorted by edge.

        Example:
            >>> bad = pl.concat([edges, edges.head(1).with_columns(source_id=None)])
            >>> lineage_kit.RelationStore.open(bad, strict=False).rejected.select("edge", "reason").rows()
            [(2, 'source_id is null')]
        """
        return self._engine.rejected

    def find(self, text: str, limit: int = 20) -> pl.DataFrame:
        """Nodes whose id or label contains the text, whatever the case; best match first.

        Args:
            text: a part of an id or label, taken literally.
            limit: how many nodes at most.

        Returns:
            Columns: type, id, label (String, null without one), match (String: `id`, `id start`, `label`,
            `label start`, `in id`, `in label`), degree (Int64: edge ends at the node). Sorted by match in that order,
            degree from high to low, type, id.

        Raises:
            InvalidRequest: an empty text, or a limit that is no positive integer.

        Example:
            >>> store.find("D1").rows()
            [('decision', 'd1', None, 'id', 1)]
        """
        if not isinstance(text, str) or not text:
            raise InvalidRequest(f"text must be a non-empty text, got {text!r}")
        return self._backing.search.find(text, checked_count("limit", limit, None))

    def edges(self, type: str, id: str, direction: str = "both") -> pl.DataFrame:
        """Every edge of one node.

        Args:
            type: the type of the node.
            id: its id.
            direction: `outgoing`, `incoming`, or `both`.

        Returns:
            Columns: direction (String; an edge from the node to itself is outgoing), the columns of the relations
            table, the source's own, edge (Int64). Sorted by direction, source, target, kind, class, confidence (nulls
            last), edge.

        Raises:
            InvalidRequest: an empty node or another direction.

        Example:
            >>> store.edges("evidence", "e1").select("direction", "source_id", "relation_kind").rows()
            [('incoming', 'd1', 'depends_on'), ('incoming', 'e2', 'supersedes')]
        """
        node, way = checked_node(type, id), checked_direction(direction)
        return self._engine.ask(lambda reader: node_edges(reader, node, way), ALWAYS)

    def check(self) -> pl.DataFrame:
        """What in these relations deserves a second look; no rows when nothing does.

        Returns:
            Columns: finding (String), count (Int64), message (String), examples (List(String)). Sorted by finding:
            `confidence out of range`, `damaged file` (of an index, an import or any folder that this package wrote;
            examples: each file), `duplicate edge`, `expired without invalid`, `invalid before created`, `left out
            column`, `no walked kind` (examples: the kinds that are there), `rejected`, `self-supersedes`, `supersede
            ring`, `unknown class`.

        Raises:
            IndexUnusable: the tables behind an index have changed; a check reads them.

        Example:
            >>> store.check().rows()
            []
        """
        return check(self._backing)

    @property
    def edge_count(self) -> int:
        """How many edges the store has, without rejected rows.

        Example:
            >>> store.edge_count
            2
        """
        return self._engine.edges

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """What the items call these nodes.

        Args:
            nodes: a frame with the columns type and id.

        Returns:
            Columns: type, id, label (String), of those that have one. Sorted by type, id.

        Example:
            >>> items = pl.DataFrame({"type": ["evidence"], "id": ["e1"], "label": ["Load test 31"]})
            >>> labelled = lineage_kit.RelationStore.open(edges, items=items)
            >>> labelled.labels(labelled.trace_lineage("decision", "d1").nodes).rows()
            [('evidence', 'e1', 'Load test 31')]
        """
        return self._backing.search.labels(nodes)

    def items(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """What the items table says of these nodes.

        Args:
            nodes: a frame with the columns type and id.

        Returns:
            Columns: type, id, label, text (String), created_at, ended_at (Datetime us UTC), end_reason, state
            (String), of those that have a row there. Sorted by type, id, then the other columns.

        Example:
            >>> items = pl.DataFrame({"type": ["evidence"], "id": ["e1"], "text": ["p95 is 210 ms"]})
            >>> told = lineage_kit.RelationStore.open(edges, items=items)
            >>> told.items(told.trace_lineage("decision", "d1").nodes).select("id", "text").rows()
            [('e1', 'p95 is 210 ms')]
        """
        return self._backing.search.items(nodes)

    def near(self, type: str, id: str, limit: int = 5) -> list[Node]:
        """Nodes whose name is close to one that is not there.

        Args:
            type: the type that was meant.
            id: the id that was meant.
            limit: how many nodes at most.

        Returns:
            The nodes, closest first.

        Example:
            >>> store.near("evidence", "e9", limit=1)
            [Node(type='evidence', id='e1')]
        """
        return self._backing.search.near(type, id, limit)

    def tables_on(self, connection: duckdb.DuckDBPyConnection) -> tuple[Table, Table | None]:
        """The tables of this store on another DuckDB connection: for the SQL views.

        Args:
            connection: where to open them.

        Returns:
            The relations, without rejected rows, and the items, if there are any.

        Raises:
            IndexUnusable: the tables behind an index have changed.

        Example:
            >>> relations, items = store.tables_on(lineage_kit.connect())
            >>> relations.name, items
            ('the Polars DataFrame', None)
        """
        tables = self._backing.tables(connection)
        return tables.relations, tables.items

    def __repr__(self) -> str:
        aside = f", {self.rejected.height:,} rejected" if self.rejected.height else ""
        if not self.files:
            return f"{type(self).__name__}({self.name}: {counted(self.edge_count, 'edge')}{aside})"
        name = self.files[0].path.name if len(self.files) == 1 else counted(len(self.files), "file")
        if self.index is not None:
            name = f"the index {self.index.name}"
        supposed = f", supposing {'; then '.join(self.supposing)}" if self.supposing else ""
        return f"{type(self).__name__}({name}: {counted(self.edge_count, 'edge')}{aside}{supposed})"
