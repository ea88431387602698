"""LineageExplorer: look for an item, see what it rests on, click on, and come back."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import polars as pl
import traitlets

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.relations.request import Node, checked_as_of, checked_count, checked_depth
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.view.drawable import page
from lineage_kit.view.export import csv_of
from lineage_kit.view.graph.data import SHOWN, Drawing, lineage_drawing
from lineage_kit.view.html import page_of
from lineage_kit.view.summary import frontier_words, summary_of
from lineage_kit.view.text import named, visible
from lineage_kit.view.widgets.filters import Filters
from lineage_kit.view.widgets.graph_widget import Picture, with_words

HITS = 12
"""Items offered while a person types."""
BLANK: dict[str, Any] = {
    "kind": "lineage", "title": "No item chosen", "warnings": [], "facts": [], "anchor": 0, "total": 0, "kept": 0,
    "limit": SHOWN, "nodes": [], "edges": [], "edges_left_out": 0, "levels": [],
}  # fmt: skip


def told(method: Callable[..., None]) -> Callable[..., None]:
    """A callback whose error is shown in the widget: in a log nobody would read it."""

    @wraps(method)
    def guarded(self: LineageExplorer, *args: Any) -> None:
        try:
            method(self, *args)
        except LineageKitError as error:
            self._tell(str(error))
        except Exception as error:
            self._tell(f"{type(error).__name__}: {error}")

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
        >>> import lineage_kit, polars as pl
        >>> store = lineage_kit.RelationStore.open(pl.DataFrame({
        ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
        ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}))
        >>> explorer = lineage_kit.LineageExplorer(store, "decision", "d1")
        >>> explorer
        LineageExplorer(decision d1: 1 premise over 1 level, complete)
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
        self._store, self._as_of, self._limit = store, checked_as_of(as_of), checked_count("limit", limit, None)
        self._drawing = Drawing(BLANK)
        self._back: list[Node] = []
        self._going_back = False
        self._numbers: dict[Node, int] = {}
        self._nodes: dict[int, Node] = {}
        self.picture = Picture(self._drawing, on_open=self._open_number)
        self._controls()
        super().__init__([self._head, self._state, self._filters.box, self.picture])
        self.max_depth = depth
        self.observe(self._on_anchor, "anchor")
        self.observe(self._on_depth, "max_depth")
        self.observe(self._on_selected, "selected")
        self.picture.observe(self._on_picture, "selected")
        if type is not None and id is not None:
            self.anchor = Node(type, id)
        else:
            self._tell("Type a part of an id or a label to choose an item.", error=False)

    # ---- what people use

    @property
    def frame(self) -> pl.DataFrame:
        """The nodes that the filters let through: the columns and the order of `trace.nodes`."""
        return pl.DataFrame() if self.trace is None else self._filters.of(self.trace.nodes)

    def to_html(self, path: str | Path | None = None) -> str:
        """The picture as one page that needs no network; written to `path` too, if one is given."""
        return page(self._drawing, path)

    def back(self) -> None:
        """Look at the item before this one again."""
        if self._back:
            self._going_back = True
            self.anchor = self._back.pop()

    def __repr__(self) -> str:
        if self.trace is None:
            return "LineageExplorer(no item chosen)"
        return repr(self.trace).replace("LineageTrace(", "LineageExplorer(", 1)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for where no widget can be shown the summary of its trace."""
        html = None if self.trace is None else page_of(summary_of(self.trace))
        return with_words(super()._repr_mimebundle_(**kwargs), repr(self), html)

    # ---- what the widget is made of

    def _controls(self) -> None:
        self._search = widgets.Text(
            placeholder="find an id or a label", continuous_update=True, layout=widgets.Layout(width="320px")
        )
        self._hits = widgets.VBox(layout=widgets.Layout(width="320px"))
        self._depth = widgets.IntSlider(
            5,
            1,
            self._store.max_depth_limit,
            description="depth",
            continuous_update=False,
            layout=widgets.Layout(width="240px"),
        )
        self._back_button = widgets.Button(
            description="back", icon="arrow-left", disabled=True, layout=widgets.Layout(width="80px")
        )
        self._deeper = widgets.Button(description="go deeper", layout=widgets.Layout(display="none"))
        self._message = widgets.HTML()
        self._near = widgets.HBox()
        self._filters = Filters(lambda shown: setattr(self.picture, "shown", shown))
        saves = [
            widgets.Button(description=name, tooltip=f"save as {name}", layout=widgets.Layout(width="70px"))
            for name in ("HTML", "PNG", "CSV", "Parquet")
        ]
        for button in (self._back_button, self._deeper, *saves):
            button.on_click(self._pressed)
        self._search.observe(self._typed, "value")
        self._depth.observe(lambda change: setattr(self, "max_depth", change["new"]), "value")
        self._head = widgets.HBox(
            [widgets.VBox([self._search, self._hits]), self._depth, self._back_button, *saves],
            layout=widgets.Layout(flex_flow="row wrap"),
        )
        self._state = widgets.VBox([widgets.HBox([self._message, self._deeper]), self._near])

    def _tell(self, text: str, *, error: bool = True) -> None:
        """Say something above the picture; nothing of it is HTML."""
        role = "alert" if error else "status"
        weight = "bold" if error else "normal"
        self._message.value = f'<div role="{role}" style="font-weight:{weight}">{escape(text)}</div>' if text else ""

    # ---- what happens

    @told
    def _typed(self, change: Any) -> None:
        text = change["new"].strip()
        found = self._store.find(text, HITS) if text else None
        rows = [] if found is None else list(found.iter_rows(named=True))
        self._hits.children = [self._offer(Node(row["type"], row["id"]), row["label"]) for row in rows]
        if text and not rows:
            self._tell(f"Nothing has {visible(text)} in its id or label.", error=False)

    @told
    def _pressed(self, button: Any) -> None:
        name = button.description
        if button is self._back_button:
            self.back()
        elif button is self._deeper:
            self.max_depth += 1
        elif self.trace is None:
            self._tell("There is nothing to save yet: choose an item first.")
        elif name == "HTML":
            self.picture.offer("lineage.html", self.to_html().encode(), "text/html")
        elif name == "PNG":
            self.picture.offer_png("lineage.png")
        elif name == "CSV":
            self.picture.offer("lineage.csv", csv_of(self.frame).encode(), "text/csv")
        else:
            content = io.BytesIO()
            self.frame.write_parquet(content)
            self.picture.offer("lineage.parquet", content.getvalue(), "application/vnd.apache.parquet")

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

    @told
    def _on_anchor(self, change: Any) -> None:
        if change["old"] is not None and not self._going_back:
            self._back.append(change["old"])
        self._going_back = False
        self._back_button.disabled = not self._back
        self._look()

    @told
    def _on_depth(self, change: Any) -> None:
        self._depth.value = change["new"]
        if self.anchor is not None:
            self._look()

    def _look(self) -> None:
        """Trace, and show what was found."""
        trace = None
        if self.anchor is not None:
            trace = self._store.trace_lineage(self.anchor.type, self.anchor.id, self.max_depth, as_of=self._as_of)
        self._drawing = Drawing(BLANK) if trace is None else lineage_drawing(trace, self._limit)
        self._nodes = {node["number"]: Node(node["type"], node["id"]) for node in self._drawing.data["nodes"]}
        self._numbers = {node: number for number, node in self._nodes.items()}
        self.set_trait("trace", trace)
        if trace is not None:
            self._filters.offer(trace.nodes)
        with self.picture.hold_sync():
            self.picture.selected = None
            self.picture.drawing = {**self._drawing.data, "warnings": self._other_warnings()}
            self.picture.shown = self._filters.shown
        self.selected = None
        self._say(trace)

    def _say(self, trace: LineageTrace | None) -> None:
        """Whether the answer is whole, and what may be done if it is not."""
        near = [] if trace is None or trace.anchor_known else self._store.near(*trace.anchor)
        self._near.children = [self._offer(node) for node in near]
        cut = trace is not None and "max_depth" in trace.truncated_by and self.max_depth < self._store.max_depth_limit
        self._deeper.layout.display = None if cut else "none"
        self._deeper.description = f"go deeper ({self.max_depth + 1})"
        if trace is None:
            self._tell("")
        elif not trace.anchor_known:
            hint = "Did you mean one of these?" if near else "Nothing there has a name close to it."
            self._tell(f"UNKNOWN ANCHOR: no relation mentions {named(*trace.anchor)}. {hint}")
        elif trace.truncated:
            self._tell(frontier_words(trace))
        else:
            self._tell("Complete: nothing was cut.", error=False)

    def _other_warnings(self) -> list[str]:
        """What the picture has to warn of: that the walk was cut, or found nothing, is said above it."""
        return [text for text in self._drawing.data["warnings"] if not text.startswith(("TRUNCATED", "UNKNOWN ANCHOR"))]

    def _offer(self, node: Node, label: str | None = None) -> Any:
        button = widgets.Button(description=named(*node, label), layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self._choose(node))
        return button

    @told
    def _choose(self, node: Node) -> None:
        self._search.value = ""
        self.anchor = node

    @told
    def _on_selected(self, change: Any) -> None:
        node = change["new"]
        if node is not None and node not in self._numbers:
            self._tell(f"{named(*node)} is not in this picture.")
            return
        self.picture.selected = None if node is None else self._numbers[node]

    @told
    def _on_picture(self, change: Any) -> None:
        self.selected = None if change["new"] is None else self._nodes.get(change["new"])

    @told
    def _open_number(self, number: int) -> None:
        if number in self._nodes:
            self.anchor = self._nodes[number]
