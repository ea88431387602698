"""All edges of one node."""

from __future__ import annotations

import numpy as np
import polars as pl

from lineage_kit.engines.reader import EdgeRead, Reader, distinct
from lineage_kit.relations.lineage import EDGE_ORDER
from lineage_kit.relations.request import Direction, Node


def node_edges(reader: Reader, node: Node, direction: Direction) -> pl.DataFrame:
    """The rows of a node's edges with a `direction`; see `RelationStore.edges`."""
    asked = pl.DataFrame([node], schema={"type": pl.String, "id": pl.String}, orient="row")
    key = reader.keys(asked)
    none = np.empty(0, np.int64)
    nothing = EdgeRead(none, none, none)
    out = reader.out(key, None) if direction != "incoming" else nothing
    into = reader.into(key, None) if direction != "outgoing" else nothing
    edges = distinct(np.concatenate([out.edge, into.edge]))
    rows = reader.rows(edges)
    way = pl.Series("direction", ["incoming", "outgoing"]).gather(np.isin(edges, out.edge).astype(np.int64))
    return rows.select(way, pl.all()).sort("direction", *EDGE_ORDER[1:], nulls_last=True)
