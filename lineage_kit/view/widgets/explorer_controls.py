"""What stands above the picture of a `LineageExplorer`: search, depth, the way back, saving, a line to read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import ipywidgets as widgets
import polars as pl

from lineage_kit.errors import LineageKitError
from lineage_kit.relations.request import Node
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import Trace
from lineage_kit.view import generic
from lineage_kit.view.export import csv_of, parquet_bytes
from lineage_kit.view.templates import rendered
from lineage_kit.view.text import named, visible

SAVED_AS = ("HTML", "PNG", "CSV", "Parquet", "Report")
HITS = 12
"""Items offered while a person types."""


def show_errors(method: Callable[..., None]) -> Callable[..., None]:
    """A callback of an explorer whose error is shown in the widget: in a log nobody would read it."""

    @wraps(method)
    def guarded(self: Any, *args: Any) -> None:
        try:
            method(self, *args)
        except LineageKitError as error:
            self._controls.tell(str(error))
        except Exception as error:
            self._controls.tell(f"{type(error).__name__}: {error}")

    return guarded


def saved(sort: str, called: str, page: Callable[[], str], frame: pl.DataFrame, result: Any) -> tuple[str, bytes, str]:
    """A file that is saved, one of `SAVED_AS` but the picture: its name, its content and its media type."""
    if sort == "HTML":
        return f"{called}.html", page().encode(), "text/html"
    if sort == "CSV":
        return f"{called}.csv", csv_of(frame).encode(), "text/csv"
    if sort == "Parquet":
        return f"{called}.parquet", parquet_bytes(frame), "application/vnd.apache.parquet"
    return f"{called}-report.html", result.report().encode(), "text/html"


class Controls:
    """The controls; each callback takes what its widget tells.

    Args:
        depth: the depth to begin with.
        max_depth_limit: how far it goes.
        typed: called with the change of the search text.
        moved: called with the change of the depth.
        pressed: called with the button that was pressed: `back`, `deeper`, or one whose description says what to save.
    """

    def __init__(
        self,
        depth: int,
        max_depth_limit: int,
        typed: Callable[[Any], None],
        moved: Callable[[Any], None],
        pressed: Callable[[Any], None],
    ) -> None:
        self.search = widgets.Text(
            placeholder="find an id or a label", continuous_update=True, layout=widgets.Layout(width="320px")
        )
        self.hits = widgets.VBox(layout=widgets.Layout(width="320px"))
        self.depth = widgets.IntSlider(
            depth,
            1,
            max_depth_limit,
            description="depth",
            continuous_update=False,
            layout=widgets.Layout(width="240px"),
        )
        self.back = widgets.Button(
            description="back", icon="arrow-left", disabled=True, layout=widgets.Layout(width="80px")
        )
        self.deeper = widgets.Button(description="go deeper", layout=widgets.Layout(display="none"))
        self.message = widgets.HTML()
        self.near = widgets.HBox()
        saves = [
            widgets.Button(description=name, tooltip=f"save as {name}", layout=widgets.Layout(width="70px"))
            for name in SAVED_AS
        ]
        for button in (self.back, self.deeper, *saves):
            button.on_click(pressed)
        self.search.observe(typed, "value")
        self.depth.observe(moved, "value")
        self.head = widgets.HBox(
            [widgets.VBox([self.search, self.hits]), self.depth, self.back, *saves],
            layout=widgets.Layout(flex_flow="row wrap"),
        )
        self.state = widgets.VBox([widgets.HBox([self.message, self.deeper]), self.near])

    def tell(self, text: str, *, error: bool = True) -> None:
        """Say something above the picture; nothing of it is HTML."""
        self.message.value = rendered("message.html", text=text, error=error) if text else ""

    def offer_hits(self, store: RelationStore, text: str, choose: Callable[[Node], None]) -> None:
        """Offer the items whose id or label has this text."""
        found = store.find(text, HITS) if text else None
        rows = [] if found is None else list(found.iter_rows(named=True))
        self.hits.children = [_offer(Node(row["type"], row["id"]), row["label"], choose) for row in rows]
        if text and not rows:
            self.tell(f"Nothing has {visible(text)} in its id or label.", error=False)

    def say(self, trace: Trace | None, near: list[Node], deepest: int, choose: Callable[[Node], None]) -> None:
        """Whether the answer is whole, and what may be done if it is not."""
        self.near.children = [_offer(node, None, choose) for node in near]
        depth = 0 if trace is None else trace.max_depth
        cut = trace is not None and "max_depth" in trace.truncated_by and depth < deepest
        self.deeper.layout.display = None if cut else "none"
        self.deeper.description = f"go deeper ({depth + 1})"
        if trace is None:
            self.tell("")
        elif not trace.anchor_known:
            hint = "Did you mean one of these?" if near else "Nothing there has a name close to it."
            self.tell(f"UNKNOWN ANCHOR: no relation mentions {named(*trace.anchor)}. {hint}")
        elif trace.truncated:
            self.tell(*(one.text for one in generic.summary(trace).notices if one.kind == "truncated"))
        else:
            self.tell("Complete: nothing was cut.", error=False)


def _offer(node: Node, label: str | None, choose: Callable[[Node], None]) -> Any:
    button = widgets.Button(description=named(*node, label), layout=widgets.Layout(width="auto"))
    button.on_click(lambda _: choose(node))
    return button
