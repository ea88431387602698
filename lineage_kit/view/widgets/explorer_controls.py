"""What stands above the picture of a `LineageExplorer`: search, depth, the way back, saving, a line to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from lineage_kit.view.templates import rendered

SAVED_AS = ("HTML", "PNG", "CSV", "Parquet")


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
