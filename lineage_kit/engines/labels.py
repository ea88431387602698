"""What the items call nodes: one semi-join with the items table, wherever that lies."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.protocol import Backend
from lineage_kit.schema import LABELS


def labels_of(backend: Backend, items: Table, nodes: pl.DataFrame) -> pl.DataFrame:
    """type, id and label of those of these nodes that have one, sorted by type and id.

    Of several labels of one node, the first by code point counts.
    """
    if not nodes.height or "label" not in items.given:
        return LABELS.empty()
    asked = backend.upload(nodes.select("type", "id").unique())
    held = items.frame.filter(~nw.col("label").is_null()).select("type", "id", "label")
    found = backend.collect(held.join(asked, on=["type", "id"], how="semi"))
    return found.sort("type", "id", "label").unique(["type", "id"], keep="first", maintain_order=True)
