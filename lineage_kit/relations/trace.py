"""What `trace_lineage` and `impact` answer: one walk from one anchor."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeVar

import polars as pl

from lineage_kit.door.sources import File
from lineage_kit.engines.protocol import Moment
from lineage_kit.pictured import Pictured
from lineage_kit.relations.diff import LineageDiff, diff_of
from lineage_kit.relations.path import Path, flagged_of, path_of, routes_of
from lineage_kit.relations.request import Node
from lineage_kit.relations.walk.frames import Walked
from lineage_kit.schema import ROW
from lineage_kit.wording import counted

if TYPE_CHECKING:
    from ipywidgets import DOMWidget
    from pyvis.network import Network

T = TypeVar("T", bound="Trace")


class Origin(Protocol):
    """Where an answer came from: asked by displays for labels, near matches and sources, never by the answer."""

    @property
    def name(self) -> str:
        """A short name of the source."""

    @property
    def files(self) -> tuple[File, ...]:
        """The Parquet files behind its relations."""

    @property
    def item_files(self) -> tuple[File, ...]:
        """The Parquet files behind its labels."""

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of the sources that are no files."""

    @property
    def supposing(self) -> tuple[str, ...]:
        """What is supposed of it, in words."""

    @property
    def edge_count(self) -> int:
        """How many edges it has."""

    def labels(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """type, id and label of those of these nodes that have one."""

    def items(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """The rows of the items table for those of these nodes that have one."""

    def near(self, type: str, id: str, limit: int = 5) -> list[Node]:
        """Nodes whose name is close to one that is not there."""

    def trace_lineage_many(self, anchors: Any, max_depth: int = 5, *, as_of: Any = None, known_at: Any = None) -> Any:
        """The lineages of many anchors."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trace(Pictured):
    """What a walk from one anchor found: what lineages and impacts have in common.

    Immutable; two traces are equal when they are of one sort and their content is equal (row numbers, labels and
    `stats` left out), and have no hash.
    """

    called: ClassVar[str] = "Trace"
    """What displays call such an answer."""
    finds: ClassVar[str] = "node"
    """What it calls the nodes that were walked to."""

    anchor: Node
    anchor_known: bool
    anchor_superseded: bool
    max_depth: int
    as_of: datetime | None
    known_at: datetime | None
    truncated: bool
    truncated_by: tuple[str, ...]
    nodes: pl.DataFrame
    edges: pl.DataFrame
    frontier: pl.DataFrame
    supersede_limit: int
    stats: pl.DataFrame
    describing: pl.Series
    superseding: pl.DataFrame
    anchor_label: str | None = None
    origin: Origin | None = None

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace) or type(self) is not type(other):
            return NotImplemented
        return (
            self.scalars() == other.scalars()
            and same_nodes(self.nodes, other.nodes)
            and same_nodes(self.frontier, other.frontier)
            and same_rows(self.edges, other.edges)
        )

    def scalars(self) -> dict[str, Any]:
        """Everything that is not a frame, without `supersede_limit` (a setting of the store).

        Returns:
            anchor, anchor_known, anchor_superseded, max_depth, as_of, known_at, truncated and truncated_by, by name.

        Example:
            >>> store.trace_lineage("decision", "d1").scalars()["anchor"]
            Node(type='decision', id='d1')
        """
        return {
            "anchor": self.anchor,
            "anchor_known": self.anchor_known,
            "anchor_superseded": self.anchor_superseded,
            "max_depth": self.max_depth,
            "as_of": self.as_of,
            "known_at": self.known_at,
            "truncated": self.truncated,
            "truncated_by": self.truncated_by,
        }

    def path(self, type: str, id: str) -> Path:
        """Why a node is here: the way to it along the edges that describe the nodes, via by via.

        Args:
            type: the type of the node.
            id: its id.

        Returns:
            The way, the anchor first; of the anchor itself, a path of one node.

        Raises:
            InvalidRequest: a node that is not in this trace; near names are told.

        Example:
            >>> store.trace_lineage("decision", "d1").path("evidence", "e2")
            Path(decision d1 > evidence e1 [SUPERSEDED] > evidence e2)
        """
        return path_of(self, type, id)

    def routes(self, type: str, id: str) -> pl.DataFrame:
        """All the ways between the anchor and a node, as the edges that lie on some of them; flags play no part.

        A walk edge leads from source to target, a supersedes edge from an item to its replacement; a lineage leads
        from the anchor to the node, an impact from the node to the anchor. Nodes may occur twice on a way.

        Args:
            type: the type of the node.
            id: its id.

        Returns:
            Those rows, none for the anchor. Columns: those of `LineageTrace.edges`. Sorted by role, source, target,
            kind, class, confidence (nulls last), edge.

        Raises:
            InvalidRequest: a node that is not in this trace; near names are told.

        Example:
            >>> routes = store.trace_lineage("decision", "d1").routes("evidence", "e2")
            >>> routes.select("role", "source_id", "target_id").rows()
            [('replacement', 'e2', 'e1'), ('walk', 'd1', 'e1')]
        """
        return routes_of(self, type, id, impact=isinstance(self, ImpactTrace))

    def along(self, type: str, id: str) -> Self:
        """The part of this trace that lies on some way between the anchor and a node: see `routes`.

        Args:
            type: the type of the node.
            id: its id.

        Returns:
            A trace of the same question, with those edges and the nodes on them; what was cut elsewhere is not in
            its frontier.

        Raises:
            InvalidRequest: a node that is not in this trace; near names are told.

        Example:
            >>> store.trace_lineage("decision", "d1").along("evidence", "e1").nodes["id"].to_list()
            ['e1']
        """
        edges = self.routes(type, id)
        ends = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
        on = pl.concat(ends).unique()
        kept = self.nodes.with_columns(describing=self.describing)
        kept = kept.join(on, on=["type", "id"], how="semi", maintain_order="left")
        frontier = self.frontier.join(on, on=["type", "id"], how="semi", maintain_order="left")
        nodes, describing = kept.drop("describing"), kept["describing"].alias("edge")
        return replace(self, nodes=nodes, describing=describing, edges=edges, frontier=frontier)

    def graph(self, *, limit: int = 500, routes: tuple[str, str] | None = None) -> Network:
        """The picture as a `pyvis.network.Network`, to change, or to save in pyvis's own ways.

        Args:
            limit: how many nodes to draw; of a larger answer, the most important of each level.
            routes: a node (type, id): draw only the ways between it and the anchor.

        Returns:
            A network of its own each time, with every node in its place; its page needs no network.

        Raises:
            InvalidRequest: a limit that is no positive integer, or a node that is not in this trace.

        Example:
            >>> store.trace_lineage("decision", "d1").graph(routes=("evidence", "e1")).num_nodes()
            2
        """
        drawn = self if routes is None else self.along(*routes)
        return super(Trace, drawn).graph(limit=limit)

    def to_html(
        self, path: str | FilePath | None = None, *, limit: int = 500, routes: tuple[str, str] | None = None
    ) -> str:
        """The picture as one page that needs no network: returned as text, and written whole to `path` if given.

        The same result gives the same page.

        Args:
            path: where to write it.
            limit: how many nodes to draw at first; the reader can open the rest of a level.
            routes: a node (type, id): draw only the ways between it and the anchor.

        Returns:
            The page as text.

        Raises:
            InvalidRequest: a place that cannot be written to, a limit that is no positive integer, or a node that is
                not in this trace.

        Example:
            >>> "Lineage of decision d1" in store.trace_lineage("decision", "d1").to_html(routes=("evidence", "e1"))
            True
        """
        drawn = self if routes is None else self.along(*routes)
        return super(Trace, drawn).to_html(path, limit=limit)

    def show(self, *, limit: int = 500, routes: tuple[str, str] | None = None) -> DOMWidget:
        """The picture as a live widget, for a notebook.

        Args:
            limit: how many nodes to draw at first; the reader can open the rest of a level.
            routes: a node (type, id): draw only the ways between it and the anchor.

        Returns:
            A widget whose `drawing` is what it shows, as plain data, and whose `selected` is the number of the node
            that was clicked (in `drawing["nodes"]`), or None.

        Raises:
            InvalidRequest: a limit that is no positive integer, or a node that is not in this trace.

        Example:
            >>> len(store.trace_lineage("decision", "d1").show(routes=("evidence", "e1")).drawing["nodes"])
            2
        """
        drawn = self if routes is None else self.along(*routes)
        return super(Trace, drawn).show(limit=limit)

    @property
    def flagged(self) -> pl.DataFrame:
        """The nodes that do not stand, and the way to each.

        Columns: those of `nodes` up to via_id, path (String: type and id of each node from the anchor on, joined by
        ` > `), label (String). Sorted by depth, hop, type, id.

        Example:
            >>> store.trace_lineage("decision", "d1").flagged.select("id", "superseded", "path").rows()
            [('e1', True, 'decision d1 > evidence e1')]
        """
        return flagged_of(self.nodes, self.anchor)

    def diff(self, after: Trace) -> LineageDiff:
        """What changed from this trace to another: of another moment, another store, or another anchor.

        Args:
            after: another lineage, if this is one; another impact, if this is one.

        Returns:
            The nodes, edges and scalars that differ; falsy when none do.

        Raises:
            InvalidRequest: a trace of the other sort, or something else.

        Example:
            >>> trace = store.trace_lineage("decision", "d1")
            >>> bool(trace.diff(trace))
            False
        """
        return diff_of(self, after)

    def __repr__(self) -> str:
        if not self.anchor_known:
            state = "ANCHOR UNKNOWN: no relation mentions it"
        else:
            state = f"TRUNCATED by {' and '.join(self.truncated_by)}" if self.truncated else "complete"
            state = f"{extent(self.nodes, self.finds)}, {state}"
        return f"{type(self).__name__}({self.anchor.type} {self.anchor.id}: {state})"

    def report(self, path: str | os.PathLike[str] | None = None, *, format: Literal["html", "md"] | None = None) -> str:
        """A self-contained page to hand to a colleague; returned as text, and written whole to `path` if given.

        It holds the question, the anchor and limits, `as_of` and `known_at`, the source files with rows and SHA-256
        checksums, the versions, what does not stand and the way to it, the tree, and what was cut. The same trace
        gives the same page.

        Args:
            path: where to write it; the suffix says which sort of page, .html or .md.
            format: `html` (the default without a path) or `md`.

        Returns:
            The page.

        Raises:
            InvalidRequest: another suffix or format, or a place that cannot be written to.
            LineageKitError: a source file has changed since the store was opened.

        Example:
            >>> store.trace_lineage("decision", "d1").report(format="md").splitlines()[0]
            '# Lineage of decision d1'
        """
        from lineage_kit.view.report import report_of

        return report_of(self, path, format)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}  # a store holds open connections and stays behind


class LineageTrace(Trace):
    """What one item rests on, level by level, with every replacement met on the way.

    Immutable; two traces are equal when their content is (row numbers, labels and `stats` left out), and have no
    hash.

    Attributes:
        anchor: the item asked about, a `Node(type, id)`.
        anchor_known: False when no relation mentions the anchor at all, whenever; the trace is then empty.
        anchor_superseded: whether a supersedes edge from another node points at the anchor.
        max_depth: how many levels were allowed.
        supersede_limit: how many replacement hops per level were allowed.
        as_of: the instant the relations were seen at, or None for all of them.
        known_at: by when what is seen had to be known, or None for whenever.
        truncated: True exactly when something unvisited lies one step past where the walk stopped.
        truncated_by: the reasons, a tuple of `max_depth` and `supersede_limit` in that order.
        nodes: one row a node found, sorted by depth, hop, type, id. depth (Int64), hop (Int64; 0 = walked, 1.. =
            replacement hop), type, id, relation_kind, edge_class (String), confidence (Float64), invalidated,
            superseded, outdated_support, current (Boolean), via_type, via_id (String: the node whose edge reached
            it), label (String, null without one).
        edges: one row an edge read out of an expanded node, or met between an item and its replacement, sorted by
            role, source, target, kind, class, confidence (nulls last), edge. role (String: `walk` or `replacement`),
            the columns of the relations table, the source's own, and edge (Int64), the row number in the source.
        frontier: type, id, label (String), sorted by type, id: the nodes where a cut walk stopped.
        stats: one row a level, sorted by depth: depth, frontier, edges_read, new_nodes, reads (Int64), seconds
            (Float64, wall-clock). The one read of the answer's rows is not part of a level.
        describing: for each row of `nodes`, the row number (Int64) of the edge that describes it.
        superseding: supersedes edges that flag a node or the anchor and are not in `edges`, since they lead past a
            cut; the columns of `edges` without role, sorted as they.
        anchor_label: what the items call the anchor, or None.

    Example:
        >>> trace = store.trace_lineage("decision", "d1")
        >>> trace
        LineageTrace(decision d1: 1 premise over 1 level, 1 replacement, complete)
        >>> trace.nodes.select("depth", "hop", "type", "id", "superseded").rows()
        [(1, 0, 'evidence', 'e1', True), (1, 1, 'evidence', 'e2', False)]
    """

    called = "Lineage"
    finds = "premise"


class ImpactTrace(Trace):
    """What rests on one item, level by level, with every item that these have come to replace: a lineage turned round.

    Where no supersede limit cuts, an item is in the impact of another at the depth at which the other is in its
    lineage. Immutable; equality as for a `LineageTrace`.

    Attributes:
        anchor: the item asked about, a `Node(type, id)`.
        anchor_known: False when no relation mentions the anchor at all, whenever; the trace is then empty.
        anchor_superseded: whether a supersedes edge from another node points at the anchor.
        max_depth: how many levels were allowed.
        supersede_limit: how many replacement hops per level were allowed.
        as_of: the instant the relations were seen at, or None for all of them.
        known_at: by when what is seen had to be known, or None for whenever.
        truncated: True exactly when something unvisited lies one step past where the walk stopped.
        truncated_by: the reasons, a tuple of `max_depth` and `supersede_limit` in that order.
        nodes: one row a node found, sorted by depth, hop, type, id. depth (Int64), hop (Int64; 0 = rests on the node
            it was reached from, 1.. = was replaced by it), type, id, relation_kind, edge_class (String), confidence
            (Float64), invalidated, superseded, outdated_support, current (Boolean), via_type, via_id (String: the
            node nearer to the anchor whose edge reached it), label (String, null without one).
        edges: one row an edge read into an expanded node, or met between an item and its replacement, sorted by role,
            source, target, kind, class, confidence (nulls last), edge. role (String: `walk` or `replacement`), the
            columns of the relations table, the source's own, and edge (Int64), the row number in the source.
        frontier: type, id, label (String), sorted by type, id: the nodes where a cut walk stopped.
        stats: one row a level, sorted by depth: depth, frontier, edges_read, new_nodes, reads (Int64), seconds
            (Float64, wall-clock). The one read of the answer's rows is not part of a level.
        describing: for each row of `nodes`, the row number (Int64) of the edge that describes it.
        superseding: supersedes edges that flag a node or the anchor and are not in `edges`, since what replaces it
            does not rest on the anchor; the columns of `edges` without role, sorted as they.
        anchor_label: what the items call the anchor, or None.

    Example:
        >>> impact = store.impact("evidence", "e1")
        >>> impact
        ImpactTrace(evidence e1: 1 dependent over 1 level, complete)
        >>> impact.nodes.select("depth", "hop", "type", "id", "current").rows()
        [(1, 0, 'decision', 'd1', True)]
    """

    called = "Impact"
    finds = "dependent"


def trace_of(
    sort: type[T], answer: Walked, node: Node, max_depth: int, at: Moment, supersede_limit: int, origin: Origin
) -> T:
    """The trace of the only anchor of a walk."""
    by_depth, by_limit = bool(answer.cut_by_depth[0]), bool(answer.cut_by_limit[0])
    return sort(
        anchor=node,
        anchor_known=bool(answer.known[0]),
        anchor_superseded=bool(answer.superseded[0]),
        max_depth=max_depth,
        as_of=at.as_of,
        known_at=at.known_at,
        truncated=by_depth or by_limit,
        truncated_by=("max_depth",) * by_depth + ("supersede_limit",) * by_limit,
        nodes=answer.nodes.frame,
        edges=answer.edges().frame,
        frontier=answer.frontier.frame,
        supersede_limit=supersede_limit,
        stats=answer.stats,
        describing=answer.describing,
        superseding=answer.superseding().frame,
        anchor_label=answer.anchor_labels[0],
        origin=origin,
    )


def same_nodes(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two frames of nodes are the same, whatever the nodes are called."""
    return one.drop("label").equals(other.drop("label"))


def same_rows(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two edge frames hold the same rows, however ties in their sort fell; row numbers do not count."""
    if one.columns != other.columns or one.height != other.height:
        return False
    left, right = one.drop(ROW), other.drop(ROW)
    if left.equals(right):
        return True
    by_content = (frame[frame.hash_rows().arg_sort()] for frame in (left, right))
    return next(by_content).equals(next(by_content))


def extent(nodes: pl.DataFrame, finds: str) -> str:
    """How much a walk found: premises (or dependents) and their levels, and replacements (or what these replaced)."""
    walked = nodes.filter(pl.col("hop") == 0)
    levels = int(nodes["depth"].max() or 0)  # type: ignore[arg-type]
    told = f"{counted(walked.height, finds)} over {counted(levels, 'level')}" if levels else f"no {finds}s"
    others = nodes.height - walked.height
    what = counted(others, "replacement") if finds == "premise" else f"{others:,} replaced by these"
    return f"{told}, {what}" if others else told
