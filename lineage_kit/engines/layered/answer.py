"""An answer that has edges of a graph and of a layer over it: the records of both, as those of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import Held, Own
from lineage_kit.engines.csr.graph import NEVER, TIMES, Array, Records, record
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.engines.layered.layer import LaidOut
from lineage_kit.schema import RELATIONS, ROW

CODES = ("kind", "edge_class", "quality", "row")
EMPTY: dict[str, Any] = {"confidence": np.nan, **dict.fromkeys(TIMES, NEVER)}
"""What stands for a field that an edge has not."""


def both(base: Held, more: Held, added: Bools, laid: LaidOut) -> Held:
    """The edges of an answer in order; `added` says which of them are of the layer."""
    scale = laid.scale
    there, here = np.flatnonzero(~added), np.flatnonzero(added)
    names = [name for name in EMPTY if name in base.records.names or name in more.records.names]
    held = np.zeros(added.size, record([*((name, "<i8") for name in CODES), *((name, _dtype(name)) for name in names)]))
    ours, theirs = base.records.held, more.records.held
    coded = {
        "kind": (scale.kind_of[0][ours["kind"]], scale.kind_of[1][theirs["kind"]]),
        "edge_class": (scale.class_of[0][ours["edge_class"]], scale.class_of[1][theirs["edge_class"]]),
        "quality": ((ours["quality"].astype(np.int64) + 1) * scale.room, scale.quality[more.rank]),
        "row": (ours["row"], theirs["row"]),
    }
    for name, (one, other) in coded.items():
        held[name][there], held[name][here] = one, other
    for name in names:
        for places, part in ((there, base.records), (here, more.records)):
            held[name][places] = part.held[name] if name in part.names else EMPTY[name]
    rank = np.empty(added.size, np.int64)
    room = (laid.before.size + 1).bit_length()
    rank[there] = ((base.rank + 1) << room) - 1
    rank[here] = (laid.before[more.rank] << room) + more.rank
    invalid_at = _times(there, here, base.invalid_at, more.invalid_at)
    expired_at = _times(there, here, base.expired_at, more.expired_at)
    own = _own(base.own, more.own, added, laid)
    return Held(scale.kinds, scale.classes, Records(held), invalid_at, expired_at, rank, own)


def _dtype(name: str) -> str:
    return "<f8" if name == "confidence" else "<i8"


def _times(there: Ints, here: Ints, base: Array | None, more: Array | None) -> Array | None:
    """One time of the edges of both; None where none of them has it."""
    if base is None and more is None:
        return None
    times = np.full(there.size + here.size, NEVER)
    for places, part in ((there, base), (here, more)):
        if part is not None:
            times[places] = part
    return times


def _own(base: Own | None, more: Own | None, added: Bools, laid: LaidOut) -> Own | None:
    """The columns of the user's own, of both; null where one of them lacks a column."""
    nothing = laid.layer.added.clear().drop(*RELATIONS.names, ROW)
    if more is None:
        return None
    place = np.where(added, added.cumsum() - 1, (~added).cumsum() - 1)

    def take(edges: Ints) -> pl.DataFrame:
        of_layer = added[edges]
        there, here = np.flatnonzero(~of_layer), np.flatnonzero(of_layer)
        ours = nothing.clear(there.size) if base is None else base(place[edges[there]])
        order = np.empty(edges.size, np.int64)
        order[np.concatenate([there, here])] = np.arange(edges.size)
        return pl.concat([nothing, ours, more(place[edges[here]])], how="diagonal")[order]

    return take
