"""LineageExplorer: look for an item, see what it rests on, click on, and come back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import polars as pl
import traitlets

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.relations.request import Node, checked_count, checked_depth, checked_time
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.view import generic
from lineage_kit.view.drawable import write_page
from lineage_kit.view.export import csv_of, parquet_bytes
from lineage_kit.view.graph.data import NO_GRAPH, SHOWN
from lineage_kit.view.tables import html_of
from lineage_kit.view.text import named, visible
from lineage_kit.view.widgets.explorer_controls import Controls
from lineage_kit.view.widgets.filters import Filters
from lineage_kit.view.widgets.graph_widget import GraphWidget, with_words

HITS = 12
"""Items offered while a person types."""
ABOVE = ("truncated", "unknown_anchor")
"""Kinds of notices that the explorer tells itself, above the picture."""


def show_errors(method: Callable[..., None]) -> Callable[..., None]:
    """A callback whose error is shown in the widget: in a log nobody would read it."""

    @wraps(method)
    def guarded(self: LineageExplorer, *args: Any) -> None:
        try:
            method(self, *args)
        except LineageKitError as error:
            self._controls.tell(str(error))
        except Exception as error:
            self._controls.tell(f"{type(error).__name__}: {error}")

    return guarded


class LineageExplorer(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A lineage to look at: search, depth, filters, picture, details and table in one widget.

    Type to find an item by id or label; click a node for its details and the way to it; double-click, or press Enter,
    to trace from there, and go back with the button. Nothing is fetched from anywhere and nothing is written.

    Args:
        store: the relations.
        type, id: the item to begin with, or None to choose one.
        max_depth: how many levels to begin with; by default 5, or fewer where the store allows fewer.
        as_of: the instant to see the relations at, or None for all of them.
        limit: how many nodes to draw at first.

    Attributes:
        anchor: the `Node` that is looked at, or None; set it to look at another.
        trace: its `LineageTrace`, or None.
        selected: the `Node` that is selected in the picture, or None; set it to select another.
        max_depth: how many levels are walked.

    All four can be observed: `explorer.observe(callback, "selected")`.

    Raises:
        InvalidRequest: a type without an id, a depth out of bounds, a time without a zone, a limit that is no
            positive integer.

    Example:
        >>> explorer = lineage_kit.LineageExplorer(store, "decision", "d1")
        >>> explorer
        LineageExplorer(decision d1: 1 premise over 1 level, 1 replacement, complete)
        >>> explorer.selected = ("evidence", "e1")
        >>> explorer.selected
        Node(type='evidence', id='e1')
    """

    anchor = traitlets.Any(None, allow_none=True)
    trace = traitlets.Any(None, allow_none=True, read_only=True)
    selected = traitlets.Any(None, allow_none=True)
    max_depth = traitlets.Int(5, min=1)

    def __init__(
        self,
        store: RelationStore,
        type: str | None = None,
        id: str | None = None,
        *,
        max_depth: int | None = None,
        as_of: datetime | str | None = None,
        limit: int = SHOWN,
    ) -> None:
        if (type is None) != (id is None):
            raise InvalidRequest("an item is a type and an id: give both, or neither")
        depth = min(5, store.max_depth_limit) if max_depth is None else checked_depth(max_depth, store.max_depth_limit)
        self._store, self._as_of, self._limit = store, checked_time("as_of", as_of), checked_count("limit", limit, None)
        self._graph = NO_GRAPH
        self._back: list[Node] = []
        self._going_back = False
        self._numbers: dict[Node, int] = {}
        self._nodes: dict[int, Node] = {}
        self.picture = GraphWidget(self._graph, on_open=self._open_number)
        self._filters = Filters(lambda shown: setattr(self.picture, "shown", shown))
        self._controls = Controls(depth, store.max_depth_limit, self._typed, self._moved, self._pressed)
        super().__init__([self._controls.head, self._controls.state, self._filters.box, self.picture])
        self.max_depth = depth
        self.observe(self._on_anchor, "anchor")
        self.observe(self._on_depth, "max_depth")
        self.observe(self._on_selected, "selected")
        self.picture.observe(self._on_picture, "selected")
        if type is not None and id is not None:
            self.anchor = Node(type, id)
        else:
            self._controls.tell("Type a part of an id or a label to choose an item.", error=False)

    # ---- what people use

    @property
    def frame(self) -> pl.DataFrame:
        """The nodes that the filters let through, to go on with.

        Returns:
            The frame `trace.nodes` with fewer rows, empty and without columns where no item is chosen. Columns: depth,
            hop (Int64), type, id, relation_kind, edge_class (String), confidence (Float64), invalidated, superseded,
            outdated_support (Boolean), via_type, via_id (String). Sorted by depth, hop, type, id.

        Example:
            >>> lineage_kit.LineageExplorer(store, "decision", "d1").frame["id"].to_list()
            ['e1', 'e2']
        """
        return pl.DataFrame() if self.trace is None else self._filters.of(self.trace.nodes)

    def to_html(self, path: str | Path | None = None) -> str:
        """The picture as one page that needs no network; written to `path` too, if one is given.

        Args:
            path: where to write it.

        Returns:
            The page as text; the same picture gives the same page.

        Raises:
            InvalidRequest: a place that cannot be written to.

        Example:
            >>> "Lineage of decision d1" in lineage_kit.LineageExplorer(store, "decision", "d1").to_html()
            True
        """
        return write_page(self._graph, path)

    def back(self) -> None:
        """Look at the item before this one again; at the first one nothing happens.

        Example:
            >>> explorer = lineage_kit.LineageExplorer(store, "decision", "d1")
            >>> explorer.anchor = ("evidence", "e1")
            >>> explorer.back()
            >>> explorer.anchor
            Node(type='decision', id='d1')
        """
        if self._back:
            self._going_back = True
            self.anchor = self._back.pop()

    def __repr__(self) -> str:
        if self.trace is None:
            return "LineageExplorer(no item chosen)"
        return repr(self.trace).replace("LineageTrace(", "LineageExplorer(", 1)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for where no widget can be shown the summary of its trace."""
        html = None if self.trace is None else html_of(generic.summary(self.trace))
        return with_words(super()._repr_mimebundle_(**kwargs), repr(self), html)

    # ---- what happens

    @show_errors
    def _typed(self, change: Any) -> None:
        text = change["new"].strip()
        found = self._store.find(text, HITS) if text else None
        rows = [] if found is None else list(found.iter_rows(named=True))
        self._controls.hits.children = [self._offer(Node(row["type"], row["id"]), row["label"]) for row in rows]
        if text and not rows:
            self._controls.tell(f"Nothing has {visible(text)} in its id or label.", error=False)

    def _moved(self, change: Any) -> None:
        self.max_depth = change["new"]

    @show_errors
    def _pressed(self, button: Any) -> None:
        name = button.description
        if button is self._controls.back:
            self.back()
        elif button is self._controls.deeper:
            self.max_depth += 1
        elif self.trace is None:
            self._controls.tell("There is nothing to save yet: choose an item first.")
        elif name == "HTML":
            self.picture.offer("lineage.html", self.to_html().encode(), "text/html")
        elif name == "PNG":
            self.picture.offer_png("lineage.png")
        elif name == "CSV":
            self.picture.offer("lineage.csv", csv_of(self.frame).encode(), "text/csv")
        else:
            self.picture.offer("lineage.parquet", parquet_bytes(self.frame), "application/vnd.apache.parquet")

    @traitlets.validate("anchor", "selected")
    def _as_node(self, proposal: Any) -> Node | None:
        value = proposal["value"]
        if value is None or isinstance(value, Node):
            return value
        if isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(part, str) for part in value):
            return Node(*value)
        raise traitlets.TraitError(f"{proposal['trait'].name} must be a (type, id) or None, got {value!r}")

    @traitlets.validate("max_depth")
    def _within(self, proposal: Any) -> int:
        limit = self._store.max_depth_limit
        if proposal["value"] > limit:
            raise traitlets.TraitError(
                f"max_depth must be at most {limit}, got {proposal['value']}. "
                "Hint: raise max_depth_limit when opening the store"
            )
        depth: int = proposal["value"]
        return depth

    @show_errors
    def _on_anchor(self, change: Any) -> None:
        if change["old"] is not None and not self._going_back:
            self._back.append(change["old"])
        self._going_back = False
        self._controls.back.disabled = not self._back
        self._look()

    @show_errors
    def _on_depth(self, change: Any) -> None:
        self._controls.depth.value = change["new"]
        if self.anchor is not None:
            self._look()

    def _look(self) -> None:
        """Trace, and show what was found."""
        trace = None
        if self.anchor is not None:
            trace = self._store.trace_lineage(self.anchor.type, self.anchor.id, self.max_depth, as_of=self._as_of)
        self._graph = NO_GRAPH if trace is None else generic.graph_data(trace, self._limit)
        self._nodes = {node["number"]: Node(node["type"], node["id"]) for node in self._graph.data["nodes"]}
        self._numbers = {node: number for number, node in self._nodes.items()}
        self.set_trait("trace", trace)
        if trace is not None:
            self._filters.offer(trace.nodes)
        notices = self._graph.data["notices"]
        with self.picture.hold_sync():
            self.picture.selected = None
            self.picture.drawing = {**self._graph.data, "notices": [one for one in notices if one["kind"] not in ABOVE]}
            self.picture.shown = self._filters.shown
        self.selected = None
        self._say(trace)

    def _say(self, trace: LineageTrace | None) -> None:
        """Whether the answer is whole, and what may be done if it is not."""
        near = [] if trace is None or trace.anchor_known else self._store.near(*trace.anchor)
        self._controls.near.children = [self._offer(node) for node in near]
        cut = trace is not None and "max_depth" in trace.truncated_by and self.max_depth < self._store.max_depth_limit
        self._controls.deeper.layout.display = None if cut else "none"
        self._controls.deeper.description = f"go deeper ({self.max_depth + 1})"
        if trace is None:
            self._controls.tell("")
        elif not trace.anchor_known:
            hint = "Did you mean one of these?" if near else "Nothing there has a name close to it."
            self._controls.tell(f"UNKNOWN ANCHOR: no relation mentions {named(*trace.anchor)}. {hint}")
        elif trace.truncated:
            self._controls.tell(*(one["text"] for one in self._graph.data["notices"] if one["kind"] == "truncated"))
        else:
            self._controls.tell("Complete: nothing was cut.", error=False)

    def _offer(self, node: Node, label: str | None = None) -> Any:
        button = widgets.Button(description=named(*node, label), layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self._choose(node))
        return button

    @show_errors
    def _choose(self, node: Node) -> None:
        self._controls.search.value = ""
        self.anchor = node

    @show_errors
    def _on_selected(self, change: Any) -> None:
        node = change["new"]
        if node is not None and node not in self._numbers:
            self._controls.tell(f"{named(*node)} is not in this picture.")
            return
        self.picture.selected = None if node is None else self._numbers[node]

    @show_errors
    def _on_picture(self, change: Any) -> None:
        self.selected = None if change["new"] is None else self._nodes.get(change["new"])

    @show_errors
    def _open_number(self, number: int) -> None:
        if number in self._nodes:
            self.anchor = self._nodes[number]
