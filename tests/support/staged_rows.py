"""Staged rows with times and texts of their number, plans over them, and the tables these make."""

from pathlib import Path

import numpy as np
import polars as pl

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.session_plan import APPEND, SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRow
from lineage_kit.importers.pipeline.tables import build_tables

FILE = LogFile(Path("s1.jsonl"), "s1.jsonl")


def row_of(number, **more):
    when = f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return StagedRow(
        "user/message", number + 1, 10 * number, "user", when, b'{"n": %d}' % number, f"text {number}", **more
    )


def planned(name, numbers, **more):
    count = len(numbers)
    return SessionPlan(FILE, {"session_id": name}, np.array(numbers), np.full(count, APPEND, np.int8), **more)


def made(plans, staged):
    findings = Findings()
    parts = list(build_tables(plans, staged, findings))
    return [pl.concat(frames) for frames in zip(*parts, strict=True)], findings.frame(), len(parts)
