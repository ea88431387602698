"""One scale for the edges of a graph and of a layer over it: their kinds, classes and qualities in the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.engines.csr.graph import Array, Graph
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.trust import TRUST, UNTRUSTED


class Scale:
    """What the codes of graph and layer are called in an answer that has edges of both.

    A quality of the graph is multiplied by `room`, so that those of the layer find place between any two of them.

    Attributes:
        kinds, classes: the texts by the codes that both share; the kinds are sorted.
        kind_of, class_of: for graph and layer, the shared code of each of its own.
        room: what a quality of the graph is multiplied by.
        quality: the qualities of the layer's edges, on that scale.
    """

    def __init__(self, base: Graph, layer: Graph) -> None:
        self.kinds, self.kind_of = _shared(base.kinds, layer.kinds)
        self.classes, self.class_of = _shared(base.classes, layer.classes)
        edges = layer.edges.held
        trust = np.array([TRUST.get(text, UNTRUSTED) for text in layer.classes], np.int64)
        confidence = edges["confidence"] if layer.has("confidence") else np.full(edges.size, np.nan)
        self.room, self.quality = _between(trust[edges["edge_class"]], confidence, base.levels)


def _shared(base: Sequence[str], layer: Sequence[str]) -> tuple[pl.Series, tuple[Ints, Ints]]:
    texts = sorted({*base, *layer})
    code = {text: number for number, text in enumerate(texts)}
    of = tuple(np.array([code[text] for text in own], np.int64) for own in (base, layer))
    return pl.Series(texts, dtype=pl.String), (of[0], of[1])


def _between(trust: Ints, confidence: npt.NDArray[np.float64], levels: Array) -> tuple[int, Ints]:
    """The room between two qualities of a graph, and those of other edges on the scale that has it.

    An edge with a confidence which the graph has gets the quality of the graph's own. One between two of them comes
    right after the higher; what is between the same two keeps its order.
    """
    none = np.isnan(confidence)
    up = np.searchsorted(levels, confidence)
    there = np.zeros(up.size, np.bool_)
    inside = np.flatnonzero(up < levels.size)
    there[inside] = levels[up[inside]] == confidence[inside]
    new = np.unique(confidence[~none & ~there])
    place = np.where(none, levels.size, levels.size - 1 - up)
    later = np.where(none | there, 0, new.size - np.searchsorted(new, confidence))
    room = new.size + 1
    # The first class begins one level early: a confidence above all of the graph's comes before them.
    return room, (trust * (levels.size + 1) + place + 1) * room + later
