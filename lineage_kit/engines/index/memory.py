"""How much memory a build may take, and how that is shared out: to DuckDB, and to what NumPy looks at at once.

What is counted is memory that the system cannot take back. Pages of mapped files are not: they are written out and
dropped when something else needs their place.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from lineage_kit.errors import InvalidRequest

UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
RANGE = 1 << 25
"""How many edges are sorted at once: some 600 MB."""
CHUNK = 1 << 22
"""How many edges are looked at at once, where no order is needed."""
RESIDENT = 1_000_000_000
"""Bytes of mapped files beyond which pages are given back while edges are written."""
LEAST = 200_000_000
"""Bytes with which an index of ten million edges has been built."""
THREAD = 200_000_000
"""Bytes for each thread: with less, DuckDB runs out while it could still spill."""


@dataclass(frozen=True)
class Memory:
    """The shares of one build.

    Attributes:
        said: the limit as it was given, or None.
        duckdb: bytes for DuckDB; None for what it takes by itself.
        threads: how many work at once.
        range, chunk: edges that are sorted, or looked at, at once.
        nodes: nodes that are counted at once; None for all of them.
        resident: bytes of mapped files that may stay.
    """

    said: str | None
    duckdb: int | None
    threads: int
    range: int
    chunk: int
    nodes: int | None = None
    resident: int = RESIDENT

    @classmethod
    def of(cls, limit: Any) -> Memory:
        """The shares of a limit such as `"4GB"`; of None, as much as makes a build fast.

        Raises:
            InvalidRequest: it is no size.
        """
        cores = os.cpu_count() or 1
        if limit is None:
            return cls(None, None, cores, RANGE, CHUNK)
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b)\s*", limit, re.I) if isinstance(limit, str) else None
        size = int(float(match[1]) * UNITS[match[2].lower()]) if match and match[2].lower() in UNITS else 0
        if not size:
            raise InvalidRequest(f"memory_limit must be a size such as '4GB', got {limit!r}")
        return cls(
            said=limit,
            duckdb=size * 4 // 5,
            threads=max(1, min(cores, size // THREAD)),
            range=max(1 << 16, min(RANGE, size // 64)),
            chunk=max(1 << 16, min(CHUNK, size // 512)),
            nodes=max(1 << 16, size // 128),
            resident=min(RESIDENT, size // 4),
        )

    @property
    def more(self) -> str:
        """What to give instead of a limit that was too small."""
        held = (self.duckdb or 0) * 5 // 4
        return f"{max(LEAST, 2 * held) // 10**6}MB"
