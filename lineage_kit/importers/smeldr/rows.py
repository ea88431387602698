"""An edge of Smeldr, from whichever source, as a row of relations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from lineage_kit.importers.relation_pipeline.context import RelationImport
from lineage_kit.importers.smeldr.columns import ENDS, TIMES
from lineage_kit.importers.smeldr.go_times import as_iso

TEXTS = ("edge_id", "created_by", "created_by_job")


class Edge(NamedTuple):
    """An edge as it was read, and where."""

    row: Mapping[str, Any]
    file: str
    line: int | None


def write_edge(work: RelationImport, edge: Edge, *, unstated: bool = False, dated: bool = True) -> None:
    """One row; what is wrong with it is counted.

    `unstated`: an edge of a packet, which has no class. `dated`: it must say when it was created.
    """
    row, file, line = edge
    ends: list[Any] = [row.get(name) for name in ENDS]
    kind: Any = row.get("relation_kind")
    if any(one is None or one == "" for one in (*ends, kind)):
        work.findings.add("missing_endpoint", file, line, _id_of(row))
        return
    if not all(isinstance(one, str) for one in (*ends, kind)):
        work.findings.add("bad_record", file, line, _id_of(row))
        return
    edge_class: Any = "unstated" if unstated else row.get("edge_class")
    if not isinstance(edge_class, str):
        if edge_class is not None:
            work.findings.add("bad_record", file, line, _id_of(row))
        edge_class = None
    times = {name: _time(work, edge, name, required=dated and name == "created_at") for name in TIMES}
    told = row.get("ended")
    ended: Mapping[str, Any] = told if isinstance(told, Mapping) and times["invalid_at"] is not None else {}
    work.relations.add(
        (ends[0], ends[1]),
        kind,
        (ends[2], ends[3]),
        edge_class,
        file,
        confidence=_confidence(work, edge),
        created_at=times["created_at"],
        valid_at=times["valid_at"],
        invalid_at=times["invalid_at"],
        reason=_text(ended.get("cause")),
        stated_as=kind,
        **{name: _text(row.get("id" if name == "edge_id" else name)) for name in TEXTS},
        updated_at=times["updated_at"],
        last_confirmed_at=times["last_confirmed_at"],
        attributes=_json(row.get("attributes")),
        end_note=_text(ended.get("reason")),
        end_actor_kind=_text(ended.get("actor_kind")),
        end_actor=_text(ended.get("actor_id")),
    )


def _time(work: RelationImport, edge: Edge, name: str, *, required: bool) -> int | None:
    given = edge.row.get(name)
    read = as_iso(given)
    return work.times.read(read, edge.file, edge.line, required=required and given in (None, ""))


def _confidence(work: RelationImport, edge: Edge) -> float | None:
    value = edge.row.get("confidence")
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        work.findings.add("bad_record", edge.file, edge.line, _id_of(edge.row))
        return None
    return number


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _json(value: Any) -> str | None:
    """Attributes as JSON text, whether they came as text or as an object."""
    if value is None or isinstance(value, str):
        return value or None
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _id_of(row: Mapping[str, Any]) -> str | None:
    value = row.get("id")
    return value[:100] if isinstance(value, str) else None
