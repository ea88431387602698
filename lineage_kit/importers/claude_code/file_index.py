"""The index of one Claude Code file, made while it is read: how its records hang together, compactly.

An entry is a number in a column: ids stand there as their 64-bit hashes, which Python makes of a secret key, so that
about 70 bytes a record are held, whatever the ids look like. The texts of ids are kept only where they lead out of
the file, since a link that leads nowhere is reported, and kept, as it was written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.timestamps import times_of

OFF, APPEND, PROMPT, SUMMARY, BOUNDARY = range(5)
"""What an event is to the surface: nothing; there; there, and a human prompt; a compaction's summary; its boundary."""
WHAT, SIDE, USAGE = 7, 8, 16
"""The bits of a flag: what it is to the surface, whether it is on a sidechain, whether it tells tokens."""
NO_TIME = np.iinfo(np.int64).min
ROWS = 1_000
"""Records indexed at once: few, so that their ids are still at hand in the cache of the processor."""
PIECE = 20_000
"""Times parsed at once."""
Ints = npt.NDArray[np.int64]
NONE = np.zeros(0, np.int64)


class Times:
    """The times of all records, in the order they were read; parsed many at once, whatever file they are of."""

    def __init__(self) -> None:
        self._texts: list[str | None] = []
        self._parsed: list[Ints] = []

    def add(self, texts: Iterable[str | None]) -> None:
        """Take the times of some more records."""
        self._texts.extend(texts)
        if len(self._texts) >= PIECE:
            self._parse()

    def _parse(self) -> None:
        moments = times_of(pl.Series(self._texts, dtype=pl.String))
        self._parsed.append(moments.to_physical().fill_null(NO_TIME).to_numpy())
        self._texts = []

    def all(self) -> Ints:
        """In microseconds; NO_TIME for what is no time."""
        self._parse()
        return np.concatenate(self._parsed)


Row = tuple[int, str, str, str, int, int, int, str | None]
"""Of one record: line, uuid, parent's uuid, message id, hash of what its answer's tokens go by, session id (its place
in `sids`), flag, time; empty texts for what it does not say."""


class FileIndex:
    """What is known of one file when it has been read; a record's number here and `base` give that of its row."""

    def __init__(self, file: LogFile, base: int) -> None:
        self.file = file
        self.base = base
        self.count = 0
        self.cwd: str | None = None
        self.version: str | None = None
        self.sids: list[str] = [""]
        """The session ids that its records say; the first stands for none."""
        self.agents: dict[str, int] = {}
        self.sidechain_agents = 0
        self.rows: list[Row] = []
        """Records that are not in the columns yet."""
        self.uses: tuple[list[int], list[str]] = [], []
        self.results: tuple[list[int], list[str]] = [], []
        """The same of calls and results: their records, and the ids of the calls."""
        self.uuid = self.parent = self.message = self.request = self.line = NONE
        self.use_at = self.use_id = self.result_at = self.result_id = NONE
        self.sid: npt.NDArray[np.int32]
        self.flags: npt.NDArray[np.uint8]
        self.time: npt.NDArray[np.int64]
        self._parts: defaultdict[str, list[npt.NDArray[Any]]] = defaultdict(list)
        self.names: dict[int, str] = {}
        """The texts of parents' ids that are not found in the file."""
        self.tools: dict[int, str] = {}
        """The texts of tool ids of which the file holds the call only, or the result only."""
        self.refs: list[tuple[int, bool, str]] = []
        """Links that are no citations: the record, whether to a tool's call rather than a uuid, the id."""
        self.spawns: list[tuple[int, str]] = []
        """Results that name the agent they came from."""
        self.copied: dict[int, str] = {}
        """Records that say which session they were copied from."""
        self.preserved: dict[int, Any] = {}
        """What boundaries say of records that stay."""
        self.titles: list[tuple[int, str | None, str]] = []
        """Titles: how they rank, the uuid in the session they are of (None: this file's), the title."""

    def take(self, times: Times) -> None:
        """Put the rows that wait into the columns. Many at once, since a call a record and column takes longer."""
        count = len(self.rows)
        columns = zip(*self.rows, strict=True) if count else ((),) * 8
        lines, uuids, parents, messages, requests, sids, flags, moments = columns
        times.add(moments)
        # The hash of the empty text is 0.
        uuid, parent = _keys(uuids), _keys(parents)
        use_id, result_id = _keys(self.uses[1]), _keys(self.results[1])
        taken: dict[str, npt.NDArray[Any]] = {
            "uuid": uuid,
            "parent": parent,
            "message": _keys(messages),
            "request": np.array(requests, np.int64),
            "line": np.array(lines, np.int64),
            "sid": np.array(sids, np.int32),
            "flags": np.array(flags, np.uint8),
            "use_at": np.array(self.uses[0], np.int64),
            "use_id": use_id,
            "result_at": np.array(self.results[0], np.int64),
            "result_id": result_id,
        }
        for name, column in taken.items():
            self._parts[name].append(column)
        # Most parents are the record before; the texts of others, and of calls and results, stay until the other end
        # is found.
        far = np.flatnonzero((parent[1:] != uuid[:-1]) & (parent[1:] != 0)) + 1
        far = np.concatenate([np.flatnonzero(parent[:1]), far])
        for at in far[~among(parent[far], uuid)].tolist():
            self.names[hash(parents[at])] = parents[at]
        for ids, missing in (
            (self.uses[1], ~among(use_id, result_id)),
            (self.results[1], ~among(result_id, use_id) & (result_id != 0)),
        ):
            for at in np.flatnonzero(missing).tolist():
                self.tools[hash(ids[at])] = ids[at]
        for waiting in (self.rows, *self.uses, *self.results):
            waiting.clear()

    def close(self, times: Times) -> None:
        """The columns as arrays, and only those texts of ids that lead out of the file."""
        self.take(times)
        for name, parts in self._parts.items():
            setattr(self, name, np.concatenate(parts) if len(parts) > 1 else parts[0])
        self._parts.clear()
        self.count = self.uuid.size
        parents, tools = (np.fromiter(names, np.int64, len(names)) for names in (self.names, self.tools))
        unknown = parents[~among(parents, self.uuid)]
        unpaired = tools[~(among(tools, self.use_id) & among(tools, self.result_id))]
        self.names = {key: self.names[key] for key in unknown.tolist()}
        self.tools = {key: self.tools[key] for key in unpaired.tolist()}


def _keys(ids: Collection[Any]) -> Ints:
    return np.fromiter(map(hash, ids), np.int64, len(ids))


def firsts(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys in order, and where each stands first; like `np.unique`, whose stable sort takes longer.

    Example:
        >>> [found.tolist() for found in firsts(np.array([7, 5, 7]))]
        [[5, 7], [1, 0]]
    """
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: keys.size])
    return ordered[starts], np.minimum.reduceat(order, starts) if keys.size else order


def among(keys: Ints, others: Ints) -> npt.NDArray[np.bool_]:
    """Which keys are among others; like `np.isin`, which takes longer, as it sorts both with their places.

    Example:
        >>> among(np.array([1, 2]), np.array([3, 2])).tolist()
        [False, True]
    """
    if not keys.size or not others.size:
        return np.zeros(keys.size, np.bool_)
    ordered = np.sort(others)
    found: npt.NDArray[np.bool_] = ordered[np.minimum(np.searchsorted(ordered, keys), ordered.size - 1)] == keys
    return found
