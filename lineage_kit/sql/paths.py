"""The paths from many anchors to many nodes, read off the traces of the anchors together."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lineage_kit.relations.path import parents
from lineage_kit.relations.traces import ANCHOR, Traces
from lineage_kit.schema import PATH_NODES

ENDS = (*ANCHOR, "to_type", "to_id")


def paths_of(traces: Traces[Any], asked: pl.DataFrame) -> pl.DataFrame:
    """The nodes of each path that is asked for, as `Path.nodes` has them; a node that a trace does not have has none.

    Args:
        traces: those of all anchors.
        asked: anchor_type, anchor_id, to_type, to_id, each once.

    Returns:
        The columns of `asked`, then those of `Path.nodes`; the rows of a path sorted by step.
    """
    nodes = traces.nodes
    parent = parents(nodes, ANCHOR)
    there = pl.concat(
        [
            nodes.select(*ANCHOR, to_type="type", to_id="id", place=pl.int_range(pl.len(), dtype=pl.Int64)),
            traces.summary.select(*ANCHOR, to_type="anchor_type", to_id="anchor_id", place=pl.lit(-1, pl.Int64)),
        ]
    )
    found = asked.join(there, on=ENDS, maintain_order="left")
    paths, places = [], []
    path, place = np.arange(found.height), found["place"].to_numpy()
    while path.size:  # one step back towards their anchors for all paths at once; the last one meets the anchor
        paths.append(path)
        places.append(place)
        path, place = path[place >= 0], parent[place[place >= 0]]
    if not paths:
        return pl.DataFrame(schema={**found.schema, **PATH_NODES.polars}).drop("place")
    path, place = np.concatenate(paths), np.concatenate(places)
    back = np.repeat(np.arange(len(paths)), [one.size for one in paths])
    step = np.bincount(path, minlength=found.height)[path] - 1 - back
    rows = found.drop("place")[path].with_columns(
        step=pl.Series(step, dtype=pl.Int64), place=pl.Series(place, dtype=pl.Int64)
    )
    first = rows.filter(pl.col("place") < 0).join(traces.summary.select(*ANCHOR, "label"), on=ANCHOR)
    first = first.with_columns(type="anchor_type", id="anchor_id")
    further = rows.filter(pl.col("place") >= 0)
    further = further.hstack(nodes.drop(ANCHOR)[further["place"].to_numpy()])
    whole = pl.concat([first, further], how="diagonal").sort("step", maintain_order=True)
    return whole.select(*ENDS, *PATH_NODES.names)
