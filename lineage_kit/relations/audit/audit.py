"""What `audit` answers, and how it works through its anchors."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from lineage_kit.pictured import Displayed
from lineage_kit.relations.audit.baseline import Baseline, Question, newer, written
from lineage_kit.relations.audit.verdicts import UNKNOWN, Judged, judged
from lineage_kit.relations.trace import Origin
from lineage_kit.relations.walk.batching import each_part
from lineage_kit.relations.walk.frames import Walked
from lineage_kit.schema import AUDIT_FINDINGS, AUDIT_SUMMARY
from lineage_kit.wording import counted

WORST_FIRST = ("withdrawn", "stale", UNKNOWN, "cut", "stands")
"""The verdicts, in the order in which somebody on call must know of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Displayed):
    """Which of many items still stand, and what in the lineage of the others does not.

    Attributes:
        question: what was asked: the anchors by the name of their type (None for a set of them), max_depth,
            supersede_limit, as_of, known_at.
        summary: one row an anchor, sorted by type, id. type, id, verdict (String: `unknown`, `withdrawn`, `stale`,
            `cut` or `stands`), premises, replacements, invalidated, superseded, outdated_support (Int64: counts of
            nodes), anchor_superseded, truncated (Boolean), nearest_flag, nearest_type, nearest_id (String),
            nearest_depth, nearest_hop (Int64): the first node with a flag, and the first flag it has; null without
            one; label (String).
        findings: one row a flagged node of an anchor, sorted by anchor_type, anchor_id, depth, hop, type, id.
            anchor_type, anchor_id (String), then those of `LineageTrace.flagged`.
        origin: the store that was asked.

    Example:
        >>> audit = store.audit("decision", progress=False)
        >>> audit
        Audit(1 decision: 1 stale; 1 finding)
        >>> audit.summary.select("id", "verdict", "nearest_flag", "nearest_id").rows()
        [('d1', 'stale', 'superseded', 'e1')]
    """

    question: Question
    summary: pl.DataFrame
    findings: pl.DataFrame
    origin: Origin | None = None

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Audit):
            return NotImplemented
        return self.question == other.question and all(
            getattr(self, name).drop("label").equals(getattr(other, name).drop("label"))
            for name in ("summary", "findings")
        )

    def verdicts(self) -> dict[str, int]:
        """How many anchors have each verdict, the ones to look at first in front; none that no anchor has.

        Example:
            >>> store.audit("decision", progress=False).verdicts()
            {'stale': 1}
        """
        counts = {word: int((self.summary["verdict"] == word).sum()) for word in WORST_FIRST}
        return {word: count for word, count in counts.items() if count}

    def new_since(self, previous: Audit | Baseline | str | os.PathLike[str]) -> pl.DataFrame:
        """The anchors that are worse than last time: for the morning after a nightly audit.

        Args:
            previous: an earlier audit, or the folder that one was written to.

        Returns:
            Columns: those of `Audit.summary`. The rows of it whose verdict got worse (stands < cut < stale <
            withdrawn), that were not among the anchors of the earlier audit, or that have a flag on a node which it
            did not have there. Sorted by type, id.

        Raises:
            InvalidRequest: an audit with other limits or times, of anchors of another name, or of another table, which
                shows by none of its anchors being in both; no audit at all.

        Example:
            >>> before = lineage_kit.RelationStore.open(edges.head(1)).audit("decision", progress=False)
            >>> store.audit("decision", progress=False).new_since(before).select("id", "verdict").rows()
            [('d1', 'stale')]
        """
        earlier = Baseline.read(Path(previous)) if isinstance(previous, (str, os.PathLike)) else previous
        return newer(self, earlier)

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Keep the audit: `summary.parquet`, `findings.parquet` and a manifest of the question, whole or not at all.

        Args:
            folder: a new folder, an empty one, or an earlier audit, which is replaced.

        Returns:
            The folder.

        Raises:
            InvalidRequest: a folder that holds something else, or cannot be written.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as place:
            ...     audit = store.audit("decision", progress=False)
            ...     audit.new_since(audit.write(f"{place}/last")).height
            0
        """
        return written(self, Path(folder))

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: Literal["html", "md"] | None = None,
        baseline: Audit | Baseline | str | os.PathLike[str] | None = None,
    ) -> str:
        """A self-contained page for whoever is on call; returned as text, and written whole to `path` if given.

        It opens with the counts by verdict and what is new, then tells of each item that does not stand, worst first:
        what fell, the way to it, when, by whom and why.

        Args:
            path: where to write it; the suffix says which sort of page, .html or .md.
            format: `html` (the default without a path) or `md`.
            baseline: an earlier audit, or its folder: what is new since then comes first.

        Returns:
            The page.

        Raises:
            InvalidRequest: another suffix or format, a place that cannot be written to, or a baseline of another
                question.

        Example:
            >>> store.audit("decision", progress=False).report(format="md").splitlines()[0]
            '# Audit of decision: 1 of 1 does not stand'
        """
        from lineage_kit.view.audit_report import report_of

        return report_of(self, path, format, None if baseline is None else self.new_since(baseline))

    def __repr__(self) -> str:
        told = ", ".join(f"{count:,} {word}" for word, count in self.verdicts().items()) or "none"
        items = counted(self.summary.height, self.question.anchors or "item")
        return f"Audit({items}: {told}; {counted(self.findings.height, 'finding')})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}


def audited(
    anchors: pl.DataFrame,
    ask: Callable[[pl.DataFrame], Walked],
    question: Question,
    origin: Origin,
    *,
    chunked: bool,
    progress: bool,
) -> Audit:
    """Ask part by part, and keep of each part its verdicts and findings."""

    def part(some: pl.DataFrame) -> Judged:
        return judged(some, ask(some))

    whole = WHOLE if chunked else SCANNED
    parts = each_part(
        anchors, part, _size, chunked=chunked, whole=whole, pairs=PAIRS, doing="auditing", progress=progress
    )
    summary = pl.concat([AUDIT_SUMMARY.empty(), *(one.summary for one in parts)])
    findings = pl.concat([AUDIT_FINDINGS.empty(), *(one.findings for one in parts)])
    return Audit(question, summary, findings, origin)


def _size(part: Judged) -> int:
    return part.looked_at


PAIRS = 400_000
"""Nodes and edges of a part: the fewer, the less is held beside the findings; fewer still take longer."""
WHOLE = 500
"""Up to so many anchors are audited in one go."""
SCANNED = 20_000
"""As many where each part costs scans of the whole table."""
