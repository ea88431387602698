"""What is noted of one Claude Code file while it is read: how its records hang together, compactly.

A note is a number in a column: ids stand there as their 64-bit hashes, which Python makes of a secret key, so that
about 70 bytes a record are held, whatever the ids look like. The texts of ids are kept only where they lead out of
the file, since a link that leads nowhere is reported, and kept, as it was written.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.importers.files import LogFile
from lineage_kit.importers.times import times_of

OFF, APPEND, PROMPT, SUMMARY, BOUNDARY = range(5)
"""What an event is to the surface: nothing; there; there, and a human prompt; a compaction's summary; its boundary."""
WHAT, SIDE, USAGE = 7, 8, 16
"""The bits of a flag: what it is to the surface, whether it is on a sidechain, whether it tells tokens."""
NO_TIME = np.iinfo(np.int64).min


class Times:
    """The times of all records, in the order they were read; parsed many at once, whatever file they are of."""

    def __init__(self) -> None:
        self.texts: list[str | None] = []
        self._parsed: list[npt.NDArray[np.int64]] = []

    def parse(self) -> None:
        """Parse the texts that wait."""
        moments = times_of(pl.Series(self.texts, dtype=pl.String))
        self._parsed.append(moments.to_physical().fill_null(NO_TIME).to_numpy())
        self.texts = []

    def all(self) -> npt.NDArray[np.int64]:
        """In microseconds; NO_TIME for what is no time."""
        self.parse()
        return np.concatenate(self._parsed)


class Notes:
    """What is known of one file when it has been read; a record's number here and `base` give its draft's number."""

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
        self.uuid: Any = array("q")
        self.parent: Any = array("q")
        self.message: Any = array("q")
        self.request: Any = array("q")
        self.line: Any = array("q")
        self.sid: Any = array("i")
        self.flags: Any = array("B")
        self.time: Any = None
        self.use_at: Any = array("q")
        self.use_id: Any = array("q")
        self.result_at: Any = array("q")
        self.result_id: Any = array("q")
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

    def close(self) -> None:
        """The columns as arrays, and only those texts of ids that lead out of the file."""
        for name in ("uuid", "parent", "message", "request", "line", "use_at", "use_id", "result_at", "result_id"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        self.flags, self.sid = np.array(self.flags, np.uint8), np.array(self.sid, np.int32)
        parents, tools = (np.fromiter(names, np.int64, len(names)) for names in (self.names, self.tools))
        unknown = parents[~np.isin(parents, self.uuid)]
        unpaired = tools[~(np.isin(tools, self.use_id) & np.isin(tools, self.result_id))]
        self.names = {key: self.names[key] for key in unknown.tolist()}
        self.tools = {key: self.tools[key] for key in unpaired.tolist()}
