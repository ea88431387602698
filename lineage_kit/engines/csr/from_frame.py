"""A graph built in memory from a relations frame: for tables of a size that a notebook holds anyway."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.csr.reader import NEVER, TIMES, Array, Graph, Records, record
from lineage_kit.engines.frames.node_codes import SOURCE, TARGET
from lineage_kit.engines.protocol import TRUST, UNTRUSTED, Ints, qualities
from lineage_kit.schema import RELATIONS, ROW, SUPERSEDES, WALKED

CODES = (SOURCE, TARGET)
Coded = tuple[Graph, Nodes, Callable[[Ints], pl.DataFrame] | None]


def graph_of(edges: pl.DataFrame) -> Coded:
    """The graph of a canonical relations frame (with its row numbers), its nodes, and the columns of the user's own."""
    sides = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    named = pl.concat(sides).unique().sort("type", "id")
    numbered = named.with_row_index("code")
    coded = (_codes(side, numbered).alias(name) for side, name in zip(sides, CODES, strict=True))
    walked = pl.col("relation_kind").is_in(WALKED)
    order = (CODES[0], ~walked, CODES[1], "relation_kind", "edge_class", "confidence", ROW)
    edges = edges.with_columns(*coded).sort(*order, nulls_last=True)
    source, target = (edges[name].to_numpy() for name in CODES)
    kinds, kind = _texts(edges["relation_kind"])
    classes, edge_class = _texts(edges["edge_class"])
    superseding = (edges["relation_kind"] == SUPERSEDES).to_numpy()
    trust = edges["edge_class"].replace_strict(TRUST, default=UNTRUSTED, return_dtype=pl.Int64).to_numpy()
    confidence = edges["confidence"].fill_null(np.nan).to_numpy()
    fields: dict[str, Array] = {
        "far": target,
        "row": edges[ROW].to_numpy(),
        "kind": kind,
        "edge_class": edge_class,
        "quality": qualities(trust, confidence),
    }
    if edges["confidence"].null_count() < edges.height:
        fields["confidence"] = confidence
    for name in TIMES:
        if edges[name].null_count() < edges.height:
            fields[name] = edges[name].dt.timestamp("us").fill_null(NEVER).to_numpy()
    by_target = np.lexsort((~superseding, target))
    ends = {
        "out_start": _starts(source, named.height),
        "in_start": _starts(target, named.height),
        "out_walked": _parts(source, edges.select(walked).to_series().to_numpy(), named.height),
        "in_superseding": _parts(target, superseding, named.height),
    }
    graph = Graph(
        kinds, classes, _packed(ends), _packed(fields), _packed({"far": source[by_target], "edge": by_target})
    )
    known = {*(column.name for column in RELATIONS), *CODES, ROW}
    own = edges.select(name for name in edges.columns if name not in known)
    return graph, Nodes.of(named), (lambda places: own[places]) if own.width else None


def _codes(side: pl.DataFrame, numbered: pl.DataFrame) -> pl.Series:
    joined = side.join(numbered, on=["type", "id"], how="left", maintain_order="left")
    return joined["code"].cast(pl.Int64)


def _texts(column: pl.Series) -> tuple[list[str], Ints]:
    """The distinct texts, sorted, and the code of each."""
    texts = column.unique().sort().to_list()
    codes = {text: code for code, text in enumerate(texts)}
    return texts, column.replace_strict(codes, return_dtype=pl.Int64).to_numpy() if texts else np.empty(0, np.int64)


def _starts(codes: Ints, nodes: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=nodes))])


def _parts(codes: Ints, chosen: Array, nodes: int) -> Ints:
    """Where the chosen ones of each node's edges end; they come first among them."""
    ends = _starts(codes, nodes)
    ends[:-1] += np.bincount(codes[chosen], minlength=nodes)
    return ends


def _packed(fields: dict[str, Array]) -> Records:
    size = next(iter(fields.values())).size
    packed = np.zeros(size, record((name, column.dtype.str) for name, column in fields.items()))
    for name, column in fields.items():
        packed[name] = column
    return Records(packed)
