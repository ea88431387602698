"""LineageExplorer: look for an item, see what it rests on or what rests on it, click on, suppose, compare."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from lineage_kit.engines.protocol import Moment
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.request import Node, checked_count, checked_depth
from lineage_kit.relations.store import RelationStore
from lineage_kit.view import generic
from lineage_kit.view.drawable import write_page
from lineage_kit.view.graph.data import NO_GRAPH, SHOWN
from lineage_kit.view.tables import html_of
from lineage_kit.view.text import named
from lineage_kit.view.widgets.asking_controls import written
from lineage_kit.view.widgets.asking_explorer import AskingExplorer
from lineage_kit.view.widgets.explorer_controls import Controls, saved, show_errors
from lineage_kit.view.widgets.explorer_questions import IMPACT, LINEAGE, Found, checked, find
from lineage_kit.view.widgets.filters import Filters
from lineage_kit.view.widgets.graph_widget import GraphWidget, with_words
from lineage_kit.wording import counted

ABOVE = ("truncated", "unknown_anchor")
"""Kinds of notices that the explorer tells itself, above the picture."""


class LineageExplorer(AskingExplorer):
    """A lineage or an impact to look at: search, depth, clocks, filters, picture, details and table in one widget.

    Type to find an item by id or label; click a node for its details and the way to it; double-click, or press Enter,
    to trace from there, and go back with the button. A selected node can be asked why it is there (only the ways to
    it are drawn), and it can be supposed to be withdrawn. Two moments, or the data with and without what is supposed,
    are compared in one picture, with a list of what changed. Nothing is fetched from anywhere, nothing is written,
    and what is supposed never touches the data.

    Args:
        store: the relations.
        type, id: the item to begin with, or None to choose one.
        max_depth: how many levels to begin with; by default 5, or fewer where the store allows fewer.
        as_of: the instant to see the relations at, or None for all of them.
        known_at: what was known at this instant, or None for whenever it came to be known.
        limit: how many nodes to draw at first.
        question: `lineage` (what it rests on) or `impact` (what rests on it).
        compared: None; `supposed` to compare with the data as it is; or a pair (as_of, known_at): the moment before.
        withdrawn: items that are supposed to be withdrawn, as a list of (type, id).
        withdrawn_at: when; needed where anything is withdrawn.
        ways_to: a node to draw only the ways to, as (type, id).
        selected: the node that is selected, as (type, id).

    Attributes:
        anchor: the `Node` that is looked at, or None; set it to look at another.
        trace: its `LineageTrace` or `ImpactTrace`, with what is supposed, or None.
        diff: the `LineageDiff` where two are compared, or None.
        selected: the `Node` that is selected in the picture, or None; set it to select another.
        max_depth: how many levels are walked.
        question, as_of, known_at, compared, withdrawn, withdrawn_at, ways_to: as above; set them to ask anew.

    All of them can be observed: `explorer.observe(callback, "selected")`.

    Raises:
        InvalidRequest: a type without an id, a depth out of bounds, a time without a zone, a limit that is no
            positive integer, a question of another name, something that is no list of items.

    Example:
        >>> explorer = lineage_kit.LineageExplorer(store, "decision", "d1")
        >>> explorer
        LineageExplorer(decision d1: 1 premise over 1 level, 1 replacement, complete)
        >>> explorer.selected = ("evidence", "e1")
        >>> explorer.selected
        Node(type='evidence', id='e1')
    """

    def __init__(
        self,
        store: RelationStore,
        type: str | None = None,
        id: str | None = None,
        *,
        max_depth: int | None = None,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        limit: int = SHOWN,
        question: str = LINEAGE,
        compared: Any = None,
        withdrawn: Any = (),
        withdrawn_at: datetime | str | None = None,
        ways_to: Any = None,
        selected: Any = None,
    ) -> None:
        if (type is None) != (id is None):
            raise InvalidRequest("an item is a type and an id: give both, or neither")
        depth = min(5, store.max_depth_limit) if max_depth is None else checked_depth(max_depth, store.max_depth_limit)
        self._store, self._limit = store, checked_count("limit", limit, None)
        self._graph = NO_GRAPH
        self._back: list[Node] = []
        self._going_back = False
        self._numbers: dict[Node, int] = {}
        self._nodes: dict[int, Node] = {}
        self.picture = GraphWidget(self._graph, on_open=self._open_number)
        self._filters = Filters(lambda shown: setattr(self.picture, "shown", shown))
        self._controls = Controls(depth, store.max_depth_limit, self._typed, self._moved, self._pressed)
        given = {"as_of": as_of, "known_at": known_at, "question": question, "compared": compared}
        given |= {"withdrawn": withdrawn, "withdrawn_at": withdrawn_at, "max_depth": depth}
        super().__init__({name: checked(name, value) for name, value in given.items()})
        head = [self._controls.head, self._asking.box, self._controls.state, self._filters.box]
        self.children = [*head, self._asking.list, self.picture]
        self.observe(self._on_anchor, "anchor")
        self.observe(self._on_depth, "max_depth")
        self.observe(self._on_selected, "selected")
        self.picture.observe(self._on_picture, "selected")
        if type is not None and id is not None:
            self.anchor = Node(type, id)
            self.ways_to = ways_to
            if selected is not None:
                self.selected = selected
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

    @property
    def state(self) -> dict[str, Any]:
        """What is asked and selected, as plain values: `LineageExplorer(store, **state)` shows the same again.

        Example:
            >>> state = lineage_kit.LineageExplorer(store, "decision", "d1", question="impact").state
            >>> lineage_kit.LineageExplorer(store, **state).state == state
            True
        """
        told: dict[str, Any] = {"type": None, "id": None} if self.anchor is None else self.anchor._asdict()
        told |= {"max_depth": self.max_depth, "limit": self._limit, "question": self.question}
        for name in ("as_of", "known_at", "withdrawn_at"):
            told[name] = written(getattr(self, name)) or None
        at = self.compared
        told["compared"] = [written(each) or None for each in at] if isinstance(at, Moment) else at
        told["withdrawn"] = [list(node) for node in self.withdrawn]
        for name in ("ways_to", "selected"):
            told[name] = None if getattr(self, name) is None else list(getattr(self, name))
        return told

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
        told = repr(self.trace).replace(f"{type(self.trace).__name__}(", "LineageExplorer(", 1)
        if self.question == IMPACT:
            told = told.replace("LineageExplorer(", "LineageExplorer(impact of ", 1)
        return f"{told[:-1]}; SUPPOSED: {counted(len(self.withdrawn), 'item')} withdrawn)" if self.withdrawn else told

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for where no widget can be shown the summary of its trace."""
        result = self.trace if self.diff is None else self.diff
        html = None if result is None else html_of(generic.summary(result))
        return with_words(super()._repr_mimebundle_(**kwargs), repr(self), html)

    # ---- what happens

    @show_errors
    def _typed(self, change: Any) -> None:
        text = change["new"].strip()
        self._controls.offer_hits(self._store, text, self._choose)

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
        elif name == "PNG":
            self.picture.offer_png(f"{self.question}.png")
        else:
            result = self.trace if self.diff is None else self.diff
            self.picture.offer(*saved(name, self.question, self.to_html, self.frame, result))

    @show_errors
    def _on_anchor(self, change: Any) -> None:
        if change["old"] is not None and not self._going_back:
            self._back.append(change["old"])
        self._going_back = False
        self._controls.back.disabled = not self._back
        with self._at_once():
            self.ways_to = None

    @show_errors
    def _on_depth(self, change: Any) -> None:
        self._controls.depth.value = change["new"]
        if self.anchor is not None:
            self._look()

    def _look(self) -> None:
        """Ask, and show what was found; after an error nothing is shown that does not answer the question."""
        selected, found = self.selected, None
        try:
            if self.anchor is not None:
                found = find(self._store, self._asked(), self._limit)
        finally:
            self._show(found)
        trace = self.trace
        near = [] if trace is None or trace.anchor_known else self._store.near(*trace.anchor)
        self._controls.say(trace, near, self._store.max_depth_limit, self._choose)
        if selected in self._numbers:
            self.selected = selected

    def _show(self, found: Found | None) -> None:
        self._graph = NO_GRAPH if found is None else found.graph
        self._nodes = {node["number"]: Node(node["type"], node["id"]) for node in self._graph.data["nodes"]}
        self._numbers = {node: number for number, node in self._nodes.items()}
        self.set_trait("diff", None if found is None else found.diff)
        self.set_trait("trace", None if found is None else found.trace)
        self._asking.list_changes(None if self.diff is None else generic.summary(self.diff))
        if found is not None:
            self._filters.offer(found.nodes)
        notices = self._graph.data["notices"]
        with self.picture.hold_sync():
            self.picture.selected = None
            self.picture.drawing = {**self._graph.data, "notices": [one for one in notices if one["kind"] not in ABOVE]}
            self.picture.shown = self._filters.shown
        self.selected = None

    @show_errors
    def _choose(self, node: Node) -> None:
        self._controls.search.value = ""
        self.anchor = node

    @show_errors
    def _on_selected(self, change: Any) -> None:
        node = change["new"]
        if node is not None and node not in self._numbers:
            self._asking.select(None, self.ways_to)
            self._controls.tell(f"{named(*node)} is not in this picture.")
            return
        self.picture.selected = None if node is None else self._numbers[node]
        self._asking.select(node, self.ways_to)

    @show_errors
    def _on_picture(self, change: Any) -> None:
        self.selected = None if change["new"] is None else self._nodes.get(change["new"])

    @show_errors
    def _open_number(self, number: int) -> None:
        if number in self._nodes:
            self.anchor = self._nodes[number]
