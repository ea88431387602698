"""A graph built in memory from a relations frame: for tables of a size that a notebook holds anyway."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from lineage_kit.engines.csr.answer import Own
from lineage_kit.engines.csr.graph import NEVER, TIMES, Array, Graph, Records, record
from lineage_kit.engines.csr.nodes import Nodes
from lineage_kit.engines.endpoints import numbered_ends
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.trust import TRUST, UNTRUSTED, qualities
from lineage_kit.schema import RELATIONS, ROW, SUPERSEDES, WALKED

BuiltGraph = tuple[Graph, Nodes, Own | None]


def graph_of(edges: pl.DataFrame, labels: Callable[[pl.DataFrame], pl.DataFrame] | None = None) -> BuiltGraph:
    """The graph of a canonical relations frame (with its row numbers), its nodes, and the columns of the user's own.

    `labels` gives type, id and label of those of the nodes that have one.
    """
    nodes, source, target = numbered_ends(edges)
    walked, superseding = pl.col("relation_kind").is_in(WALKED), pl.col("relation_kind") == SUPERSEDES
    part = pl.when(walked).then(0).when(superseding).then(1).otherwise(2)
    keys = edges.select("relation_kind", "edge_class", "confidence", ROW, later=part)
    keys = keys.with_columns(source=pl.Series(source), target=pl.Series(target))
    columns = ("source", "later", "target", "relation_kind", "edge_class", "confidence", ROW)
    order = keys.select(pl.arg_sort_by(*columns, nulls_last=True)).to_series()
    edges = edges[order]
    source, target = source[order.to_numpy()], target[order.to_numpy()]
    kinds, kind = _texts(edges["relation_kind"])
    classes, edge_class = _texts(edges["edge_class"])
    is_walked, supersedes = edges.select(walked=walked, superseding=superseding).to_numpy().T
    trust = edges["edge_class"].replace_strict(TRUST, default=UNTRUSTED, return_dtype=pl.Int64).to_numpy()
    confidence = edges["confidence"].fill_null(np.nan).to_numpy()
    levels = np.unique(confidence[~np.isnan(confidence)])
    fields: dict[str, Array] = {
        "target": target,
        "row": edges[ROW].to_numpy(),
        "kind": kind,
        "edge_class": edge_class,
        "quality": qualities(trust, confidence, levels),
    }
    if edges["confidence"].null_count() < edges.height:
        fields["confidence"] = confidence
    for name in TIMES:
        if edges[name].null_count() < edges.height:
            fields[name] = edges[name].dt.timestamp("us").fill_null(NEVER).to_numpy()
    by_target = np.lexsort((np.where(supersedes, 0, np.where(is_walked, 1, 2)), target))
    either = is_walked | supersedes
    ends = {
        "out_start": _starts(source, nodes.height),
        "in_start": _starts(target, nodes.height),
        "out_walked": _parts(source, is_walked, nodes.height),
        "out_superseding": _parts(source, either, nodes.height),
        "in_superseding": _parts(target, supersedes, nodes.height),
        "in_walked": _parts(target, either, nodes.height),
    }
    into = {"source": source[by_target], "edge": by_target}
    graph = Graph(kinds, classes, _packed(ends), _packed(fields), _packed(into), levels)
    known = {*(column.name for column in RELATIONS), ROW}
    own = edges.select(name for name in edges.columns if name not in known)
    called = None
    if labels is not None:
        called = nodes.join(labels(nodes), on=["type", "id"], how="left", maintain_order="left")["label"]
    return graph, Nodes.of(nodes, called), (lambda places: own[places]) if own.width else None


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
