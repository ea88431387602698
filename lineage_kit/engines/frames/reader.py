"""One question to a table in frames: levels are read by small keys, the answer's rows fetched and verified."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.door.tables import Table
from lineage_kit.engines.endpoints import endpoints, lazy_endpoints
from lineage_kit.engines.frames.answer import FramesAnswer
from lineage_kit.engines.frames.node_codes import BEGINNINGS, SOURCE, TARGET, CodedEdges, Codes, HashCollision
from lineage_kit.engines.integer_arrays import Bools, Ints, distinct, ranges
from lineage_kit.engines.labels import labels_of
from lineage_kit.engines.protocol import KEY_BITS, Answer, Backend, EdgeBatch, Frame, Moment, Names
from lineage_kit.errors import LineageKitError
from lineage_kit.schema import LABELS, ROW, SUPERSEDES, WALKED


class FramesReader:
    """Gives out keys as nodes are read, and remembers by which keys every edge was read."""

    def __init__(self, table: Table, backend: Backend, coded: CodedEdges, items: Table | None, at: Moment) -> None:
        self.reads = 0
        self._table, self._backend, self._coded, self._items = table, backend, coded, items
        self._at = at
        self._by_kinds: dict[tuple[str, ...] | None, Frame] = {}
        self._codes: Codes = np.empty(0, np.uint64)  # by key
        self._order: Ints = np.empty(0, np.int64)  # keys in the order of their codes
        nothing = np.empty(0, np.int64)
        self._log: list[tuple[Ints, Ints, Ints]] = [(nothing, nothing, nothing)]  # edges read: row, source, target
        self._asked = pl.DataFrame(schema={"type": pl.String, "id": pl.String, "key": pl.Int64})
        self._names = self._asked

    @property
    def key_bits(self) -> int:
        """Keys are given out as nodes are read."""
        return KEY_BITS

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every relation kind there is, sorted."""
        return tuple(self._coded.kinds)

    def keys(self, nodes: pl.DataFrame) -> Ints:
        """The key of each (type, id); asked once per question."""
        keys = self._intern(self._coded.coder.of(nodes))
        self._asked = nodes.select("type", "id").with_columns(key=keys)
        return keys

    def out(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges out of these keys."""
        edge, source, target, _ = self._read(keys, kinds, SOURCE, TARGET)
        self._log.append((edge, source, target))
        return spread(edge, source, target, keys)

    def into(self, keys: Ints, kinds: Sequence[str] | None) -> EdgeBatch:
        """Edges into these keys."""
        edge, target, source, _ = self._read(keys, kinds, TARGET, SOURCE)
        self._log.append((edge, source, target))
        return spread(edge, target, source, keys)

    def resting(self, keys: Ints) -> tuple[EdgeBatch, EdgeBatch]:
        """The walked edges into these keys, and the supersedes edges."""
        edge, target, source, kind = self._read(keys, (*WALKED, SUPERSEDES), TARGET, SOURCE)
        self._log.append((edge, source, target))
        walked = kind != self._coded.kinds.get(SUPERSEDES, -1)
        resting, superseding = (spread(edge[part], target[part], source[part], keys) for part in (walked, ~walked))
        return resting, superseding

    def _read(self, keys: Ints, kinds: Sequence[str] | None, here: str, there: str) -> tuple[Ints, Ints, Ints, Ints]:
        frame = self._of_kinds(None if kinds is None else tuple(kinds))
        frontier = self._backend.upload(pl.DataFrame({"key": self._codes[distinct(keys)]}))
        joined = frame.join(frontier, left_on=here, right_on="key", how="semi")
        read = self._collect(joined.select(ROW, here, there, "kind"))
        ends = self._intern(np.concatenate([read[here].to_numpy(), read[there].to_numpy()]))
        kind = read["kind"].cast(pl.Int64).to_numpy()
        return read[ROW].to_numpy(), ends[: read.height], ends[read.height :], kind

    def _of_kinds(self, kinds: tuple[str, ...] | None) -> Frame:
        """The coded edges of these kinds that exist at the moment; the same few kinds are asked for again and again."""
        if kinds in self._by_kinds:
            return self._by_kinds[kinds]
        frame, known = self._coded.keyed, self._coded.kinds
        if kinds == (SUPERSEDES,):
            frame = self._coded.replacing
        elif kinds is not None:
            wanted = [known[kind] for kind in kinds if kind in known]
            frame = frame.filter(nw.col("kind").is_in(wanted)) if wanted else frame.head(0)
        for name, last in zip(BEGINNINGS, (self._at.recorded_by, self._at.as_of), strict=True):
            if last is not None and name in self._coded.times:
                frame = frame.filter(nw.col(name).is_null() | (nw.col(name) <= nw.lit(last)))
        self._by_kinds[kinds] = frame
        return frame

    def answer(self, keys: Ints, edges: Ints) -> Answer:
        """Read the rows of these edges; also checks that every code read so far stands for one node."""
        self._names = self._asked.unique("key").sort("key").select("type", "id")
        edge, source, target = (np.concatenate(part) for part in zip(*self._log, strict=True))
        if edge.size:
            seen, first = np.unique(edge, return_index=True)
            rows = self._fetched(seen)
            self._verify(rows, np.concatenate([source[first], target[first]]))
            rows = rows.drop(SOURCE, TARGET)
        else:
            rows = self._table.empty()
        names = Names(self._names["type"], self._names["id"])
        return FramesAnswer(rows, Names(*names.at(keys).values()), edges, self._at, self._labels)

    def _labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        return LABELS.empty() if self._items is None else labels_of(self._backend, self._items, nodes)

    def known(self, nodes: pl.DataFrame) -> Bools:
        """Whether any relation mentions each node, by its text."""
        asked = self._backend.upload(nodes.select("type", "id").unique())
        ends = [side.join(asked, on=["type", "id"], how="semi") for side in lazy_endpoints(self._table.frame)]
        found = self._collect(nw.concat(ends, how="vertical").unique()).with_columns(known=True)
        joined = nodes.select("type", "id").join(found, on=["type", "id"], how="left", maintain_order="left")
        return joined["known"].fill_null(False).to_numpy()

    def _collect(self, frame: Frame) -> pl.DataFrame:
        self.reads += 1
        return self._backend.collect(frame)

    def _fetched(self, edges: Ints) -> pl.DataFrame:
        if not all(file.unchanged() for file in self._table.files):
            raise LineageKitError.source_changed(self._table.name)
        wanted = self._backend.upload(pl.DataFrame({ROW: edges}))
        rows = self._table.frame.join(wanted, on=ROW, how="semi")
        return self._collect(self._coded.coder.ends(rows)).sort(ROW)

    def _verify(self, rows: pl.DataFrame, read: Ints) -> None:
        """Every edge still has the ends it was read by (sources, then targets), and no two nodes share a code."""
        codes = np.concatenate([rows[SOURCE].to_numpy(), rows[TARGET].to_numpy()]).astype(np.uint64)
        if codes.size != read.size or not np.array_equal(codes, self._codes[read]):
            raise LineageKitError.source_changed(self._table.name)
        told = pl.concat([self._asked.select("type", "id"), *endpoints(rows)])
        keys = np.concatenate([self._asked["key"].to_numpy(), read])
        first = np.unique(keys, return_index=True)[1]
        self._names = told[first]
        if not self._names[keys].equals(told):
            raise HashCollision

    def _intern(self, codes: Codes) -> Ints:
        """Small keys for codes, new ones for codes not read before."""
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


def spread(edge: Ints, read_from: Ints, neighbour: Ints, keys: Ints) -> EdgeBatch:
    """Hand the edges read for a set of keys to every one of the keys that asked: a gather over ranges."""
    order = np.argsort(read_from, kind="stable")
    ordered = read_from[order]
    asked, at = ranges(np.searchsorted(ordered, keys, "left"), np.searchsorted(ordered, keys, "right"))
    return EdgeBatch(edge[order][at], asked, neighbour[order][at])
