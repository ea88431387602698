"""The frames engine: a level is a semi-join of the edges with the frontier, in the user's own frames.

The edges are coded once, at open: row number, a 64-bit code for either end, a small code for the kind, and the time
since which the edge exists. A level is read from that narrow frame; the rows of the answer are read once, at the
end, from the source itself. The code is Narwhals, so the same lines run in Polars and in DuckDB.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.engines.csr.from_frame import graph_of
from lineage_kit.engines.csr.reader import ArrayReader
from lineage_kit.engines.frames.answer import Fetched
from lineage_kit.engines.frames.backends import Backend, Frame
from lineage_kit.engines.frames.node_codes import SOURCE, TARGET, Coder, Codes, ExactCoder, HashCoder, HashCollision
from lineage_kit.engines.protocol import KEY_BITS, Bools, EdgeRead, Ints, Known, Names, Reader, distinct, ranges
from lineage_kit.errors import LineageKitError
from lineage_kit.schema import ENDS, ROW, SUPERSEDES
from lineage_kit.tables import Table, with_reason

SMALL = 200_000
"""Up to so many edges, a table held in memory is sorted into arrays at open: that takes a tenth of a second at most,
and makes each trace several times faster; a larger one would have to be traced many times to make up for it."""


class FramesEngine:
    """Relations in frames: Polars, or Parquet under DuckDB. Small tables in memory are read from arrays instead."""

    def __init__(self, table: Table, backend: Backend, *, strict: bool = True, held: bool = False) -> None:
        self.backend = backend
        self._lock = threading.Lock()
        self._exact = False
        self.table = table
        self.rejected = with_reason(table.empty(), [pl.lit(None, pl.String)])
        self._code(HashCoder(backend))
        if self._bad_rows():
            if strict:
                table.refuse()
            self.rejected = table.rejected()
            self.table = table.good()
            self._code(HashCoder(backend))
        self._graph = graph_of(backend.collect(self.table.frame)) if held and self.edges <= SMALL else None
        self.chunked = self._graph is not None

    def reader(self, as_of: datetime | None) -> Reader:
        """A reader for one question."""
        if self._graph is not None:
            return ArrayReader(*self._graph, as_of)
        with self._lock:
            return FramesReader(self, as_of)

    def empty(self) -> pl.DataFrame:
        """A relations frame without rows."""
        return self.table.empty()

    def turn(self) -> AbstractContextManager[Any]:
        """As the backend needs it."""
        return self.backend.turn()

    def code_exactly(self) -> None:
        """Code the nodes by dictionary from now on."""
        with self._lock:
            if not self._exact:
                self._code(ExactCoder(self.backend, self.table.frame))
                self._exact = True

    def _bad_rows(self) -> bool:
        counts = self.keyed.select(edges=nw.len(), bad=nw.col("bad").cast(nw.Int64).sum())
        edges, bad = self.backend.collect(counts).row(0)
        self.edges = int(edges - (bad or 0))
        return bool(bad)

    def _code(self, coder: Coder) -> None:
        """Build the narrow frame that levels are read from."""
        frame = self.table.frame
        kinds = self.backend.collect(frame.select("relation_kind").unique())["relation_kind"].drop_nulls().sort()
        self.kinds = {kind: number for number, kind in enumerate(kinds)}
        numbered = pl.DataFrame({"relation_kind": kinds, "kind": pl.int_range(len(kinds), dtype=pl.Int32, eager=True)})
        narrow = frame.select(
            ROW,
            *ENDS,
            "relation_kind",
            since=nw.max_horizontal("created_at", "valid_at"),
            bad=self.table.bad(),
        ).join(self.backend.lifted(numbered), on="relation_kind", how="left")
        keyed = coder.ends(narrow).select(ROW, SOURCE, TARGET, "kind", "since", "bad")
        self.coder = coder
        self.keyed = self.backend.kept(keyed)
        # Replacements are read once per hop; a frame of their own keeps those reads small.
        self.replacing = self.backend.kept(self.keyed.filter(nw.col("kind") == self.kinds.get(SUPERSEDES, -1)))


class FramesReader:
    """One question: interns codes as small keys, reads levels, fetches and verifies the answer's rows."""

    def __init__(self, engine: FramesEngine, as_of: datetime | None) -> None:
        self.reads = 0
        self._engine = engine
        self._coder, self._keyed, self._replacing = engine.coder, engine.keyed, engine.replacing
        self._as_of = as_of
        self._by_kinds: dict[tuple[str, ...] | None, Frame] = {}
        self._codes: Codes = np.empty(0, np.uint64)  # by key
        self._order: Ints = np.empty(0, np.int64)  # keys in the order of their codes
        nothing = np.empty(0, np.int64)
        self._log: list[tuple[Ints, Ints, Ints]] = [(nothing, nothing, nothing)]  # edges read: row, source, target
        self._asked = pl.DataFrame(schema={"type": pl.String, "id": pl.String, "key": pl.Int64})
        self._names = self._asked

    @property
    def key_bits(self) -> int:
        """Keys are given out as nodes are met."""
        return KEY_BITS

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The key of each (type, id); asked once per question."""
        keys = self._intern(self._coder.of(nodes))
        self._asked = nodes.select("type", "id").with_columns(key=keys)
        return keys

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges out of these keys."""
        edge, near, far = self._read(keys, kinds, SOURCE, TARGET)
        self._log.append((edge, near, far))
        return spread(edge, near, far, keys)

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeRead:
        """Edges into these keys."""
        edge, near, far = self._read(keys, kinds, TARGET, SOURCE)
        self._log.append((edge, far, near))
        return spread(edge, near, far, keys)

    def _read(self, keys: Ints, kinds: Sequence[str] | None, near: str, far: str) -> tuple[Ints, Ints, Ints]:
        frame = self._of_kinds(None if kinds is None else tuple(kinds))
        frontier = self._engine.backend.lifted(pl.DataFrame({"key": self._codes[distinct(keys)]}))
        read = self._collect(frame.join(frontier, left_on=near, right_on="key", how="semi").select(ROW, near, far))
        ends = self._intern(np.concatenate([read[near].to_numpy(), read[far].to_numpy()]))
        return read[ROW].to_numpy(), ends[: read.height], ends[read.height :]

    def _of_kinds(self, kinds: tuple[str, ...] | None) -> Frame:
        """The coded edges of these kinds that exist at `as_of`; the same few kinds are asked for again and again."""
        if kinds in self._by_kinds:
            return self._by_kinds[kinds]
        frame = self._keyed
        if kinds == (SUPERSEDES,):
            frame = self._replacing
        elif kinds is not None:
            wanted = [self._engine.kinds[kind] for kind in kinds if kind in self._engine.kinds]
            frame = frame.filter(nw.col("kind").is_in(wanted)) if wanted else frame.head(0)
        if self._as_of is not None:
            frame = frame.filter(nw.col("since").is_null() | (nw.col("since") <= nw.lit(self._as_of)))
        self._by_kinds[kinds] = frame
        return frame

    def answer(self, keys: Ints, edges: Ints) -> Known:
        """Read the rows of these edges; also checks that every code read so far stands for one node."""
        self._names = self._asked.unique("key").sort("key").select("type", "id")
        edge, source, target = (np.concatenate(part) for part in zip(*self._log, strict=True))
        if edge.size:
            seen, first = np.unique(edge, return_index=True)
            rows = self._fetched(seen)
            self._verify(rows, np.concatenate([source[first], target[first]]))
            rows = rows.drop(SOURCE, TARGET)
        else:
            rows = self._engine.empty()
        names = Names(self._names["type"], self._names["id"])
        return Fetched(rows, Names(*names.at(keys).values()), edges, self._as_of)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node, by its text."""
        table, backend = self._engine.table.frame, self._engine.backend
        asked = backend.lifted(nodes.select("type", "id").unique())
        ends = [
            table.select(type=nw.col(f"{end}_type"), id=nw.col(f"{end}_id")).join(asked, on=["type", "id"], how="semi")
            for end in ("source", "target")
        ]
        found = self._collect(nw.concat(ends, how="vertical").unique()).with_columns(known=True)
        joined = nodes.select("type", "id").join(found, on=["type", "id"], how="left", maintain_order="left")
        return joined["known"].fill_null(False).to_numpy()

    def _collect(self, frame: Frame) -> pl.DataFrame:
        self.reads += 1
        return self._engine.backend.collect(frame)

    def _fetched(self, edges: Ints) -> pl.DataFrame:
        table = self._engine.table
        if not all(file.unchanged() for file in table.files):
            raise LineageKitError.source_changed(table.name)
        wanted = self._engine.backend.lifted(pl.DataFrame({ROW: edges}))
        rows = table.frame.join(wanted, on=ROW, how="semi")
        return self._collect(self._coder.ends(rows)).sort(ROW)

    def _verify(self, rows: pl.DataFrame, read: Ints) -> None:
        """Every edge still has the ends it was read by (sources, then targets), and no two nodes share a code."""
        codes = np.concatenate([rows[SOURCE].to_numpy(), rows[TARGET].to_numpy()]).astype(np.uint64)
        if codes.size != read.size or not np.array_equal(codes, self._codes[read]):
            raise LineageKitError.source_changed(self._engine.table.name)
        ends = [rows.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
        said = pl.concat([self._asked.select("type", "id"), *ends])
        keys = np.concatenate([self._asked["key"].to_numpy(), read])
        first = np.unique(keys, return_index=True)[1]
        self._names = said[first]
        if not self._names[keys].equals(said):
            raise HashCollision

    def _intern(self, codes: Codes) -> Ints:
        """Small keys for codes, new ones for codes not met before."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        sorted_codes = self._codes[self._order]
        at = np.searchsorted(sorted_codes, distinct)
        inside = at < sorted_codes.size
        old = np.zeros(distinct.size, np.bool_)
        old[inside] = sorted_codes[at[inside]] == distinct[inside]
        keys = np.empty(distinct.size, np.int64)
        keys[old] = self._order[at[old]]
        keys[~old] = np.arange(self._codes.size, self._codes.size + int((~old).sum()))
        self._order = np.insert(self._order, at[~old], keys[~old])
        self._codes = np.concatenate([self._codes, distinct[~old]])
        return keys[inverse]


def spread(edge: Ints, near: Ints, far: Ints, keys: Ints) -> EdgeRead:
    """Hand the edges read for a set of keys to every one of the keys that asked: a gather over ranges."""
    order = np.argsort(near, kind="stable")
    ordered = near[order]
    asked, at = ranges(np.searchsorted(ordered, keys, "left"), np.searchsorted(ordered, keys, "right"))
    return EdgeRead(edge[order][at], asked, far[order][at])
