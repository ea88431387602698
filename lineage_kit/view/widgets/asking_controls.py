"""What a `LineageExplorer` is asked by: the direction, both clocks, the ways to a node, what is supposed, comparing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import ipywidgets as widgets

from lineage_kit.engines.protocol import Moment
from lineage_kit.relations.request import Node
from lineage_kit.view.summary import Summary
from lineage_kit.view.tables import html_of
from lineage_kit.view.templates import rendered
from lineage_kit.view.text import moment, named
from lineage_kit.view.widgets.explorer_questions import IMPACT, LINEAGE, SUPPOSED

MOMENT = "moment"
"""What is chosen in `AskingControls.compare` for another moment."""
PLACEHOLDER = "like 2026-03-01T12:00:00Z"
COMPARE = (("nothing", ""), ("the data as it is, nothing supposed", SUPPOSED), ("another moment, before", MOMENT))


class AskingControls:
    """The controls; each callback takes what its widget tells.

    Args:
        told: called with the name of what was changed (`question`, `as_of`, `known_at`, `compared`, `withdrawn_at`)
            and its new value: for times the text, for `compared` the choice or a pair of texts.
        ways: called when the ways to the selected node are asked for, or left.
        withdraw: called when the selected node is to be supposed withdrawn.
        restore: called with a node that is not to be supposed withdrawn any more.
    """

    def __init__(
        self,
        told: Callable[[str, Any], None],
        ways: Callable[[], None],
        withdraw: Callable[[], None],
        restore: Callable[[Node], None],
    ) -> None:
        self._told, self._restore, self._quiet = told, restore, False
        self.question = widgets.ToggleButtons(
            options=[("what it rests on", LINEAGE), ("what rests on it", IMPACT)],
            description="show",
            tooltips=["the lineage of the item", "the impact of the item"],
            style={"description_width": "initial", "button_width": "140px"},
            layout=widgets.Layout(width="auto"),
        )
        self.as_of = time_field("as of", "how things were at this time; empty: all times")
        self.known_at = time_field("known at", "what was known at this time; empty: whenever it came to be known")
        self.ways = widgets.Button(disabled=True, layout=widgets.Layout(width="auto"))
        self.withdraw = widgets.Button(disabled=True, layout=widgets.Layout(width="auto"))
        self.withdrawn_at = time_field("withdrawn at", "when it is supposed; empty: the as of, or now")
        self.supposed = widgets.VBox()
        self.compare = widgets.Dropdown(
            options=COMPARE,
            description="compare with",
            style={"description_width": "initial"},
            layout=widgets.Layout(width="360px"),
        )
        self.before = (
            time_field("before: as of", "how things were before; empty: all times"),
            time_field("before: known at", "what was known before; empty: whenever it came to be known"),
        )
        self.wrong = widgets.HTML()
        self.changes = widgets.HTML()
        self.list = widgets.VBox([self.changes], layout=widgets.Layout(display="none"))
        self._earlier = widgets.HBox(self.before, layout=widgets.Layout(display="none", flex_flow="row wrap"))
        row = widgets.Layout(flex_flow="row wrap")
        self.box = widgets.VBox(
            [
                widgets.HBox([self.question, self.as_of, self.known_at], layout=row),
                widgets.HBox([self.ways, self.withdraw, self.withdrawn_at], layout=row),
                self.supposed,
                widgets.HBox([self.compare, self._earlier], layout=row),
                self.wrong,
            ]
        )
        for name in ("question", "as_of", "known_at", "withdrawn_at"):
            getattr(self, name).observe(lambda change, name=name: self._heard(name, change["new"]), "value")
        self.compare.observe(self._compared, "value")
        for field in self.before:
            field.observe(self._compared, "value")
        self.ways.on_click(lambda _: ways())
        self.withdraw.on_click(lambda _: withdraw())
        self.select(None, None)

    def _heard(self, name: str, value: Any) -> None:
        if not self._quiet:
            self._told(name, value)

    def _compared(self, _: Any) -> None:
        choice = self.compare.value
        self._earlier.layout.display = None if choice == MOMENT else "none"
        self._heard("compared", tuple(field.value for field in self.before) if choice == MOMENT else choice or None)

    def show(
        self,
        question: str,
        at: Moment,
        compared: Moment | str | None,
        withdrawn: Sequence[Node],
        withdrawn_at: datetime | None,
    ) -> None:
        """Let the controls say what is asked; nobody is told."""
        self._quiet = True
        try:
            self.question.value = question
            self.as_of.value, self.known_at.value = (written(each) for each in at)
            self.withdrawn_at.value = written(withdrawn_at)
            self.compare.value = MOMENT if isinstance(compared, Moment) else compared or ""
            self._earlier.layout.display = None if isinstance(compared, Moment) else "none"
            if isinstance(compared, Moment):
                for field, each in zip(self.before, compared, strict=True):
                    field.value = written(each)
        finally:
            self._quiet = False
        lines = [self._line(node) for node in withdrawn]
        head = f"SUPPOSED to be withdrawn at {written(withdrawn_at)}; the data does not say so:"
        seen = [each for each in at if each is not None]
        if withdrawn_at is not None and seen and min(seen) < withdrawn_at:
            head = head.replace(";", f", which is after {written(min(seen))} and flags nothing there;")
        self.supposed.children = [widgets.Label(head), *lines] if lines else []

    def _line(self, node: Node) -> Any:
        remove = widgets.Button(
            description=f"no longer suppose that {named(*node)} is withdrawn",
            icon="times",
            layout=widgets.Layout(width="auto"),
        )
        remove.on_click(lambda _: self._restore(node))
        return widgets.HBox([remove])

    def select(self, node: Node | None, ways_to: Node | None) -> None:
        """Offer what can be done with the selected node."""
        chosen = "this node" if node is None else named(*node)
        self.ways.description = (
            f"only the ways to {chosen}" if ways_to is None else "all nodes again, not only the ways"
        )
        self.ways.disabled = node is None and ways_to is None
        self.withdraw.description = f"suppose {chosen} is withdrawn"
        self.withdraw.disabled = node is None
        self.ways.tooltip = "" if node else "select a node in the picture first"
        self.withdraw.tooltip = self.ways.tooltip

    def tell(self, text: str) -> None:
        """Say beside the controls what is wrong with what was typed."""
        text = f"{text}. The picture still answers the question before." if text else ""
        self.wrong.value = rendered("message.html", text=text, error=True) if text else ""

    def list_changes(self, told: Summary | None) -> None:
        """List what changed, above the picture; a long list scrolls."""
        self.changes.value = "" if told is None else html_of(_briefly(told))
        self.list.layout = widgets.Layout(
            display="none" if told is None else None,
            max_height="260px",
            overflow="auto",
            border="1px solid",
            padding="0 10px",
            flex="0 0 auto",
        )


def _briefly(told: Summary) -> Summary:
    """What the picture does not say itself: its title and its notices are just below."""
    return Summary("What changed", facts=[" ".join(told.facts)], columns=told.columns, rows=told.rows, rest=told.rest)


def time_field(name: str, meaning: str) -> Any:
    """A labelled field for a time; it tells when it is left or Enter is pressed."""
    return widgets.Text(
        description=name,
        placeholder=PLACEHOLDER,
        tooltip=meaning,
        continuous_update=False,
        style={"description_width": "initial"},
        layout=widgets.Layout(width="300px"),
    )


def written(instant: datetime | None) -> str:
    """A time as it is typed."""
    return "" if instant is None else moment(instant)
