"""All edges of one node."""

from __future__ import annotations

import numpy as np
import polars as pl

from lineage_kit.engines.columns import EDGE_ORDER
from lineage_kit.engines.protocol import EdgeBatch, Reader
from lineage_kit.relations.request import Direction, Node
from lineage_kit.relations.walk.level_loop import NONE


def node_edges(reader: Reader, node: Node, direction: Direction) -> pl.DataFrame:
    """The rows of a node's edges with a `direction`; see `RelationStore.edges`."""
    asked = pl.DataFrame([node], schema={"type": pl.String, "id": pl.String}, orient="row")
    key = reader.keys(asked)
    nothing = EdgeBatch(NONE, NONE, NONE)
    out = reader.out(key, None) if direction != "incoming" else nothing
    into = reader.into(key, None) if direction != "outgoing" else nothing
    again = np.isin(into.edge, out.edge)  # an edge from the node to itself is outgoing
    edges = np.concatenate([out.edge, into.edge[~again]])
    answer = reader.answer(np.concatenate([key, out.neighbour, into.neighbour[~again]]), edges)
    there, here = 1 + np.arange(edges.size), np.zeros(edges.size, np.int64)
    incoming = there > out.edge.size
    rows = answer.rows(there - 1, np.where(incoming, there, here), np.where(incoming, here, there))
    way = pl.Series("direction", ["outgoing", "incoming"]).gather(incoming.astype(np.int64))
    return rows.insert_column(0, way).sort("direction", *EDGE_ORDER, nulls_last=True)
