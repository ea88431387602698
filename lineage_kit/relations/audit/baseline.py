"""An audit that was kept, and what is new since then."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import polars as pl

from lineage_kit.door.reading import FOREIGN, cause
from lineage_kit.errors import InvalidRequest
from lineage_kit.output.folder_manifest import AUDIT, VERSION, explained, manifest_in, stored_files, write_manifest
from lineage_kit.output.generation import new_generation, state_of, steady
from lineage_kit.output.parquet import write_frame
from lineage_kit.relations.audit.verdicts import UNKNOWN, VERDICTS
from lineage_kit.schema import AUDIT_FINDINGS, AUDIT_SUMMARY, FLAGS
from lineage_kit.schema_forms import Schema
from lineage_kit.wording import counted


class Question(NamedTuple):
    """What an audit was asked.

    Attributes:
        anchors: the name of the type whose items were audited, or None for a set of items.
        max_depth, supersede_limit: the limits.
        as_of, known_at: the moment, None for no such limit.

    Example:
        >>> store.audit("decision", progress=False).question.anchors
        'decision'
    """

    anchors: str | None
    max_depth: int
    supersede_limit: int
    as_of: datetime | None
    known_at: datetime | None

    def told(self) -> dict[str, Any]:
        """As a manifest has it.

        Example:
            >>> store.audit("decision", progress=False).question.told()["max_depth"]
            5
        """
        times = {"as_of": self.as_of, "known_at": self.known_at}
        return self._asdict() | {name: None if at is None else at.isoformat() for name, at in times.items()}


class Kept(Protocol):
    """What is compared: an audit, or what was kept of one."""

    @property
    def question(self) -> Question:
        """What was asked."""

    @property
    def summary(self) -> pl.DataFrame:
        """The verdicts."""

    @property
    def findings(self) -> pl.DataFrame:
        """The flagged nodes."""


class Baseline(NamedTuple):
    """An audit read from its folder."""

    question: Question
    summary: pl.DataFrame
    findings: pl.DataFrame

    @classmethod
    def read(cls, folder: Path) -> Baseline:
        """Read the files of one generation.

        Raises:
            InvalidRequest: the folder holds no audit, or one that cannot be read.
        """
        return steady(lambda: explained([folder], lambda: cls._of(folder)), lambda: state_of(folder))

    @classmethod
    def _of(cls, folder: Path) -> Baseline:
        told = manifest_in(folder)
        if told is None or told["format"] != AUDIT:
            raise InvalidRequest(f"{folder} holds no audit. Hint: name a folder that an audit was written to")
        if told.get("version") != VERSION:
            raise InvalidRequest(f"{folder} holds an audit of version {told.get('version')!r}, not {VERSION}")
        try:
            asked = dict(told["question"])
            for name in ("as_of", "known_at"):
                asked[name] = None if asked[name] is None else datetime.fromisoformat(asked[name])
            question = Question(**asked)
            summary = _frame(folder / "summary.parquet", AUDIT_SUMMARY)
            return cls(question, summary, _frame(folder / "findings.parquet", AUDIT_FINDINGS))
        except (*FOREIGN, KeyError, TypeError, ValueError) as error:
            raise InvalidRequest(f"the audit in {folder} cannot be read: {cause(error)}") from error


def _frame(path: Path, schema: Schema) -> pl.DataFrame:
    return pl.read_parquet(path, glob=False).select(pl.col(name).cast(dtype) for name, dtype in schema.polars.items())


def written(audit: Kept, folder: Path) -> Path:
    """Write the files and the manifest of an audit."""
    with new_generation(folder, AUDIT) as unfinished:
        write_frame(audit.summary, unfinished / "summary.parquet")
        write_frame(audit.findings, unfinished / "findings.parquet")
        told = {"format": AUDIT, "version": VERSION, "package": version("lineage-kit")}
        files = {name: asdict(stored) for name, stored in stored_files(unfinished).items()}
        write_manifest(unfinished, {**told, "question": audit.question.told(), "files": files})
    return folder


def newer(audit: Kept, previous: Kept) -> pl.DataFrame:
    """The anchors of an audit that are worse than in an earlier one; see `Audit.new_since`."""
    if not isinstance(getattr(previous, "question", None), Question):
        raise InvalidRequest(
            f"an audit is compared with an earlier one or its folder, not with {type(previous).__name__}"
        )
    differ = [
        f"{name} is {_shown(now)} now and was {_shown(then)}"
        for name, now, then in zip(Question._fields, audit.question, previous.question, strict=True)
        if now != then
    ]
    if differ:
        raise InvalidRequest(
            f"the earlier audit asked something else: {'; '.join(differ)}. Hint: audit once more as then"
        )
    asked = audit.question.anchors
    if asked is not None and audit.summary.height and previous.summary.height:
        both = audit.summary.join(previous.summary, on=["type", "id"], how="semi")
        if both.is_empty():  # relations are added and invalidated, and stay: of the same table some are there still
            counts = f"{counted(previous.summary.height, asked)} then and {audit.summary.height:,} now"
            raise InvalidRequest(
                f"the earlier audit is of another table: {counts}, and none is in both. "
                "Hint: name the folder of an earlier audit of these relations"
            )
    nodes = ["anchor_type", "anchor_id", "type", "id"]
    before = previous.findings.select(*nodes, *(pl.col(flag).alias(f"{flag} before") for flag in FLAGS))
    joined = audit.findings.join(before, on=nodes, how="left")
    fresh = [pl.col(flag) & ~pl.col(f"{flag} before").fill_null(False) for flag in FLAGS]
    fallen = joined.filter(pl.any_horizontal(*fresh)).select(type="anchor_type", id="anchor_id").unique()
    rank = {word: place for place, word in enumerate(VERDICTS)} | {UNKNOWN: -1}
    verdicts = previous.summary.select("type", "id", before=pl.col("verdict"))
    told = audit.summary.join(verdicts, on=["type", "id"], how="left", maintain_order="left")
    told = told.join(fallen.with_columns(fallen=True), on=["type", "id"], how="left", maintain_order="left")
    now, then = (
        pl.col(name).replace_strict(rank, default=None, return_dtype=pl.Int64) for name in ("verdict", "before")
    )
    worse = (pl.col("verdict") != UNKNOWN) & (pl.col("before") != UNKNOWN) & (now > then)
    chosen = pl.col("before").is_null() | pl.col("fallen").fill_null(False) | worse.fill_null(False)
    return told.filter(chosen).select(AUDIT_SUMMARY.names).sort("type", "id")


def _shown(value: Any) -> str:
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else repr(value)
