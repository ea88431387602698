"""Why is this here: the way from an anchor to a node of its answer, all the ways, and the ways to what is flagged."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from lineage_kit.engines.endpoints import numbered_ends
from lineage_kit.engines.integer_arrays import Bools, Ints
from lineage_kit.errors import InvalidRequest
from lineage_kit.pictured import Pictured
from lineage_kit.relations.request import Node, checked_node
from lineage_kit.relations.walk.routes import reached_from
from lineage_kit.schema import EDGES, FLAGGED, FLAGS
from lineage_kit.wording import counted

if TYPE_CHECKING:
    from lineage_kit.relations.reach import Reachability
    from lineage_kit.relations.trace import Origin, Trace

STEP = " > "
"""What stands between the nodes of a way that is told as a text."""


@dataclass(frozen=True, eq=False, repr=False)
class Path(Pictured):
    """One way from an anchor to a node of its answer: along the edges that describe the nodes, via by via.

    It prints as one line, each flag named where it stands.

    Attributes:
        anchor: where it begins, a `Node(type, id)`.
        node: where it ends.
        called: what the answer it is a way of is called, such as `Lineage`.
        nodes: one row a node, the anchor first. step (Int64, from 0), then the columns of the answer's own nodes (for
            a trace those of `LineageTrace.nodes`), null for the anchor but for type, id and label. Sorted by step.
        origin: the store, if it is at hand.
        edges: the edge of each step, in the columns of `LineageTrace.edges`, in the order of the steps; for rings,
            which keep no edges, none.

    Example:
        >>> path = store.trace_lineage("decision", "d1").path("evidence", "e2")
        >>> path
        Path(decision d1 > evidence e1 [SUPERSEDED] > evidence e2)
        >>> path.nodes.select("step", "id", "relation_kind").rows()
        [(0, 'd1', None), (1, 'e1', 'depends_on'), (2, 'e2', 'supersedes')]
    """

    anchor: Node
    node: Node
    called: str
    nodes: pl.DataFrame
    edges: pl.DataFrame = field(default_factory=EDGES.empty)
    origin: Origin | None = None

    def __len__(self) -> int:
        return self.nodes.height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        return self.nodes.drop("label").equals(other.nodes.drop("label")) and self.edges.equals(other.edges)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Path({STEP.join(_told(row) for row in self.nodes.iter_rows(named=True))})"

    def report(self, path: str | os.PathLike[str] | None = None, *, format: Literal["html", "md"] | None = None) -> str:
        """A self-contained page to hand to a colleague; returned as text, and written whole to `path` if given.

        Args:
            path: where to write it; the suffix says which sort of page, .html or .md.
            format: `html` (the default without a path) or `md`.

        Returns:
            The page.

        Raises:
            InvalidRequest: another suffix or format, or a place that cannot be written to.

        Example:
            >>> store.trace_lineage("decision", "d1").path("evidence", "e1").report(format="md").splitlines()[0]
            '# Way from decision d1 to evidence e1'
        """
        from lineage_kit.view.report import short_report_of

        return short_report_of(self, path, format)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}


def _told(row: dict[str, Any]) -> str:
    flags = ", ".join(flag.replace("_", " ").upper() for flag in FLAGS if row.get(flag))
    return f"{row['type']} {row['id']}" + f" [{flags}]" * bool(flags)


def path_of(trace: Trace | Reachability, type: Any, id: Any) -> Path:
    """The way to a node; see `LineageTrace.path`."""
    node, called = checked_node(type, id), getattr(trace, "called", "Reachability")
    steps = np.array(_way(parents(trace.nodes), _place(trace, node)), np.int64)
    first = pl.DataFrame({"type": [trace.anchor.type], "id": [trace.anchor.id], "label": [trace.anchor_label]})
    first = first.cast(pl.String)
    nodes = pl.concat([first, trace.nodes[steps]], how="diagonal").select(trace.nodes.columns)
    nodes = nodes.insert_column(0, pl.Series("step", np.arange(nodes.height)))
    return Path(trace.anchor, node, called, nodes, _edges_of(trace, steps), trace.origin)


def _edges_of(trace: Any, steps: Ints) -> pl.DataFrame:
    """The edges that describe these nodes, where the answer keeps its edges."""
    if not hasattr(trace, "describing"):
        return EDGES.empty()
    wanted = pl.DataFrame([trace.describing[steps].alias("edge")])
    edges: pl.DataFrame = trace.edges
    return wanted.join(edges, on="edge", how="left", maintain_order="left").select(edges.columns)


def routes_of(trace: Trace, type: Any, id: Any, *, impact: bool) -> pl.DataFrame:
    """All the ways to a node; see `LineageTrace.routes`."""
    node = checked_node(type, id)
    if _place(trace, node) < 0:
        return trace.edges.clear()
    nodes, source, target = numbered_ends(trace.edges)
    walked = (trace.edges["role"] == "walk").to_numpy()
    start, end = np.where(walked, source, target), np.where(walked, target, source)
    ends = [nodes.select((pl.col("type") == one.type) & (pl.col("id") == one.id)) for one in (trace.anchor, node)]
    here, there = (one.to_series().arg_true().to_numpy().astype(np.int64) for one in (ends[::-1] if impact else ends))
    onwards = reached_from(here, nodes.height, start, end)
    back = reached_from(there, nodes.height, end, start)
    return trace.edges.filter(pl.Series(onwards[start] & back[end]))


def flagged_of(nodes: pl.DataFrame, anchor: Node) -> pl.DataFrame:
    """The nodes with a flag, and the way to each; see `LineageTrace.flagged`."""
    chosen = nodes.select(pl.any_horizontal(*FLAGS)).to_series().to_numpy()
    ways = ways_to(nodes, parents(nodes), chosen, [f"{anchor.type} {anchor.id}"], np.zeros(nodes.height, np.int64))
    return nodes.filter(pl.Series(chosen)).with_columns(path=ways).select(FLAGGED.names)


def ways_to(nodes: pl.DataFrame, parent: Ints, chosen: Bools, anchors: list[str], anchor: Ints) -> pl.Series:
    """The way to each of the chosen nodes as a text; `anchor` is the number of each node's anchor among `anchors`.

    Only the nodes on such a way are put into words, each once: a node comes after the one that it was reached from.
    """
    needed = chosen.copy()
    for place in np.flatnonzero(chosen)[::-1]:
        at = parent[place]
        while at >= 0 and not needed[at]:
            needed[at] = True
            at = parent[at]
    places = np.flatnonzero(needed)
    names = nodes[places].select(pl.concat_str("type", "id", separator=" ")).to_series()
    told: dict[int, str] = {}
    for place, name in zip(places.tolist(), names, strict=True):
        before = told[int(parent[place])] if parent[place] >= 0 else anchors[int(anchor[place])]
        told[place] = f"{before}{STEP}{name}"
    return pl.Series("path", [told[place] for place in np.flatnonzero(chosen).tolist()], dtype=pl.String)


def parents(nodes: pl.DataFrame, by: tuple[str, ...] = ()) -> Ints:
    """For each node the place of the one that it was reached from, -1 for the anchor; within the same `by`."""
    numbered = nodes.select(*by, via_type="type", via_id="id").with_row_index("place")
    keys = [*by, "via_type", "via_id"]
    joined = nodes.select(keys).join(numbered, on=keys, how="left", maintain_order="left")
    return joined["place"].cast(pl.Int64).fill_null(-1).to_numpy()


def _way(parent: Ints, place: int) -> list[int]:
    way = []
    while place >= 0:
        way.append(place)
        place = int(parent[place])
    return way[::-1]


def _place(trace: Any, node: Node) -> int:
    """The row of a node; -1 for the anchor.

    Raises:
        InvalidRequest: a node that is not in the answer.
    """
    if node == trace.anchor:
        return -1
    found = trace.nodes.select((pl.col("type") == node.type) & (pl.col("id") == node.id)).to_series().arg_true()
    if found.len():
        return int(found[0])
    ids = trace.nodes["id"].unique().sort().to_list()
    near = set(difflib.get_close_matches(node.id, ids, n=3, cutoff=0.5))
    named = trace.nodes.filter(pl.col("id").is_in(list(near))).select("type", "id").unique().sort("type", "id")
    hint = ", ".join(f"{type!r} {id!r}" for type, id in named.head(5).iter_rows())
    what = f"the {getattr(trace, 'called', 'reachability').lower()} of {trace.anchor.type} {trace.anchor.id}"
    told = f"{node.type!r} {node.id!r} is not in {what}, which has {counted(trace.nodes.height, 'node')}"
    told += " and was cut: it may lie beyond" if trace.truncated else ""
    raise InvalidRequest(told + (f". Hint: close to it: {hint}" if hint else ""))
