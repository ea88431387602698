"""The conformance cases of the relations half, with their texts turned into Python values."""

import json
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
TIMES = ("created_at", "valid_at", "invalid_at", "expired_at")


def instant(text):
    """``2024-12-31T23:59:59Z`` and its like as a datetime in UTC; None stays None."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)


def load_cases(name):
    """The cases of one file, edges ready to use."""
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    for case in cases:
        for edge in case["edges"]:
            for column in TIMES:
                if column in edge:
                    edge[column] = instant(edge[column])
    return cases


def nodes_of(edges):
    """Every (type, id) that some edge mentions."""
    return {(edge[f"{end}_type"], edge[f"{end}_id"]) for edge in edges for end in ("source", "target")}


LINEAGE = load_cases("lineage")
REACHABILITY = load_cases("reachability")
