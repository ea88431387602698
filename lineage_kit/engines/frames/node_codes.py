"""Nodes as integers: a 64-bit hash of (type, id), or, should two nodes ever share one, an exact dictionary.

Hashing codes ten million edges in one pass without a join. It is safe because it is checked: every node that a
question touches is hashed again from its text when the answer's rows are read, and two texts under one hash are
found there (an edge read by mistake has an end whose text differs). Then the relations are coded exactly instead
and the question is asked again. An answer is never built on a collision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.endpoints import ENDPOINTS, lazy_endpoints
from lineage_kit.engines.protocol import Backend, Frame
from lineage_kit.schema import ENDS, ROW, SUPERSEDES

Codes = npt.NDArray[np.uint64]

SOURCE, TARGET = "source endpoint code", "target endpoint code"
"""The columns that hold the codes of an edge's two ends."""
BEGINNINGS = ("created_at", "valid_at")
"""The times that say whether an edge exists yet."""


class HashCollision(Exception):
    """Two nodes of one question share a hash; never leaves the engine."""


class Coder(Protocol):
    """How nodes become integers in one backend."""

    def ends(self, frame: Frame) -> Frame:
        """An edges frame with `SOURCE` and `TARGET`, the codes of its two ends."""

    def of(self, nodes: pl.DataFrame) -> Codes:
        """The code of each (type, id), in order."""


class HashCoder:
    """The backend's own hash: one pass, no dictionary."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def ends(self, frame: Frame) -> Frame:
        keyed = self._backend.hashed(frame, SOURCE, "source_type", "source_id")
        return self._backend.hashed(keyed, TARGET, "target_type", "target_id")

    def of(self, nodes: pl.DataFrame) -> Codes:
        uploaded = self._backend.upload(nodes.select("type", "id").with_row_index("row"))
        hashed = self._backend.hashed(uploaded, "code", "type", "id")
        return self._backend.collect(hashed).sort("row")["code"].to_numpy().astype(np.uint64)


class ExactCoder:
    """A dictionary of every node: slower to build, and free of collisions whatever the ids are."""

    def __init__(self, backend: Backend, edges: Frame) -> None:
        self._backend = backend
        distinct = nw.concat(lazy_endpoints(edges), how="vertical").unique()
        numbered = distinct.with_row_index("code", order_by=["type", "id"])
        self._nodes = backend.materialize(numbered.with_columns(nw.col("code").cast(nw.UInt64)))

    def ends(self, frame: Frame) -> Frame:
        for end, code in zip(ENDPOINTS, (SOURCE, TARGET), strict=True):
            nodes = self._nodes.rename({"type": f"{end}_type", "id": f"{end}_id", "code": code})
            frame = frame.join(nodes, on=[f"{end}_type", f"{end}_id"], how="left")
        return frame

    def of(self, nodes: pl.DataFrame) -> Codes:
        asked = self._backend.upload(nodes.select("type", "id").with_row_index("row"))
        found = self._backend.collect(asked.join(self._nodes, on=["type", "id"], how="left")).sort("row")
        # A node the dictionary does not have gets a code above all of its codes.
        fresh = pl.int_range(pl.len(), dtype=pl.UInt64) + 2**62
        return found.select(pl.col("code").fill_null(fresh)).to_series().to_numpy()


@dataclass(frozen=True)
class CodedEdges:
    """The narrow frames that levels are read from.

    Attributes:
        keyed: one row an edge: row number, `SOURCE`, `TARGET`, kind (a small code), and of created_at and valid_at
            those that the table has.
        replacing: the supersedes edges among them. They are read once per hop; a frame of their own keeps that small.
        kinds: the code of each relation kind.
        coder: what made the codes of the ends.
        times: which of created_at and valid_at the frames have.
    """

    keyed: Frame
    replacing: Frame
    kinds: Mapping[str, int]
    coder: Coder
    times: frozenset[str]

    @classmethod
    def of(cls, table: Table, backend: Backend, coder: Coder) -> CodedEdges:
        """Of a relations table, in one pass after its kinds are known."""
        frame = table.frame
        texts = backend.collect(frame.select("relation_kind").unique())["relation_kind"].drop_nulls().sort()
        kinds = {kind: number for number, kind in enumerate(texts)}
        numbered = pl.DataFrame({"relation_kind": texts, "kind": pl.int_range(len(texts), dtype=pl.Int32, eager=True)})
        times = [name for name in BEGINNINGS if name in table.given]
        narrow = frame.select(ROW, *ENDS, "relation_kind", *times)
        narrow = narrow.join(backend.upload(numbered), on="relation_kind", how="left")
        keyed = backend.materialize(coder.ends(narrow).select(ROW, SOURCE, TARGET, "kind", *times))
        replacing = backend.materialize(keyed.filter(nw.col("kind") == kinds.get(SUPERSEDES, -1)))
        return cls(keyed, replacing, kinds, coder, frozenset(times))
