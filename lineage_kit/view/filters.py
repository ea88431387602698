"""Which nodes of a lineage are shown: by the edge that reached them, and by their flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import polars as pl

from lineage_kit.view.words import visible

FLAGS = {"invalidated": "invalidated", "superseded": "superseded", "outdated": "outdated_support"}
"""What the picture calls a flag, and the column it stands in."""


class Filters:
    """Controls for kinds, classes, least confidence and flags; `changed` is called with what the picture needs."""

    def __init__(self, changed: Callable[[dict[str, Any]], None]) -> None:
        self._changed = changed
        self._kinds = widgets.SelectMultiple(description="kinds", rows=3)
        self._classes = widgets.SelectMultiple(description="classes", rows=3)
        self._least = widgets.FloatSlider(
            0.0, min=0.0, max=1.0, step=0.05, description="confidence ≥", continuous_update=False
        )
        self._least.style.description_width = "initial"
        self._flags = {name: widgets.Checkbox(True, description=f"show {name}", indent=False) for name in FLAGS}
        self.box = widgets.Accordion(
            [widgets.HBox([self._kinds, self._classes, widgets.VBox([self._least, *self._flags.values()])])]
        )
        self.box.set_title(0, "Filters")
        for control in (self._kinds, self._classes, self._least, *self._flags.values()):
            control.observe(self._told, "value")

    def offer(self, nodes: pl.DataFrame) -> None:
        """Offer the kinds and classes of these nodes; everything is shown again."""
        for control, column in ((self._kinds, "relation_kind"), (self._classes, "edge_class")):
            texts = nodes[column].drop_nulls().unique().sort().to_list()
            control.options = [(visible(text, 40), text) for text in texts]
            control.value = tuple(texts)

    @property
    def shown(self) -> dict[str, Any]:
        """What is shown, as the picture takes it."""
        return {
            "kinds": list(self._kinds.value),
            "classes": list(self._classes.value),
            "minConfidence": self._least.value,
            **{name: control.value for name, control in self._flags.items()},
        }

    def of(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """The nodes that pass; one without a confidence passes as long as none is asked for."""
        keep = pl.col("relation_kind").is_in(self._kinds.value) & pl.col("edge_class").is_in(self._classes.value)
        if self._least.value > 0:
            keep &= pl.col("confidence").fill_null(-1.0) >= self._least.value
        for name, column in FLAGS.items():
            if not self._flags[name].value:
                keep &= ~pl.col(column)
        return nodes.filter(keep)

    def _told(self, _: Any) -> None:
        self._changed(self.shown)
