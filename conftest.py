"""The names that examples in docstrings may use: a few relations, the store over them, and a small log."""

import doctest
from typing import Any

import polars as pl
import pytest

import lineage_kit

EDGES = {
    "source_type": ["decision", "evidence"],
    "source_id": ["d1", "e2"],
    "target_type": ["evidence", "evidence"],
    "target_id": ["e1", "e1"],
    "relation_kind": ["depends_on", "supersedes"],
}
"""Decision d1 depends on evidence e1, which evidence e2 has replaced."""

EVENTS = [
    {"seq": 0, "type": "user/message", "data": {"content": "hello"}, "surfaceOp": "append"},
    {"seq": 1, "type": "assistant/message", "surfaceOp": "append", "sourceEventSeqs": [0]},
    {
        "seq": 2,
        "type": "user/message",
        "surfaceOp": {"op": "replace", "start": 0, "end": 1},
        "sourceEventSeqs": [0, 1],
    },
]
"""A message and its answer, and a summary that stands in their place."""


@pytest.fixture(autouse=True)
def _names_of_examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if not isinstance(getattr(request.node, "dtest", None), doctest.DocTest):
        return
    log = lineage_kit.SessionLog.from_records({"id": "s1"}, EVENTS)
    edges = pl.DataFrame(EDGES)
    doctest_namespace |= {
        "pl": pl,
        "lineage_kit": lineage_kit,
        "edges": edges,
        "store": lineage_kit.RelationStore.open(edges),
        "log": log,
        "corpus": lineage_kit.SessionCorpus(live=lineage_kit.MemorySessions([log])),
    }
