"""Which nodes of a lineage are shown: by the edge that reached them, and by their flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import polars as pl

from lineage_kit.view.text import FLAGS, visible


class Choices:
    """A box to tick for each of some texts, ticked at first; what a person unticks stays so in the next lineage."""

    def __init__(self, name: str, changed: Callable[[Any], None]) -> None:
        self._changed = changed
        self._name = widgets.Label(name)
        self._ticks: dict[str, Any] = {}
        self._off: set[str] = set()
        self.box = widgets.VBox([self._name])

    def offer(self, texts: list[str]) -> None:
        """Offer these texts."""
        self._ticks = {
            text: widgets.Checkbox(text not in self._off, description=visible(text, 40), indent=False) for text in texts
        }
        for tick in self._ticks.values():
            tick.observe(self._heard, "value")
        self.box.children = [self._name, *self._ticks.values()]

    def tick(self, texts: list[str]) -> None:
        """Tick these and no others."""
        for text, tick in self._ticks.items():
            tick.value = text in texts

    def _heard(self, change: Any) -> None:
        self._off = (self._off - set(self._ticks)) | (set(self._ticks) - set(self.chosen))
        self._changed(change)

    @property
    def chosen(self) -> list[str]:
        """The texts that are ticked."""
        return [text for text, tick in self._ticks.items() if tick.value]


class Filters:
    """Controls for kinds, classes, least confidence and flags; `changed` is called with what the picture needs."""

    def __init__(self, changed: Callable[[dict[str, Any]], None]) -> None:
        self._changed = changed
        self._kinds, self._classes = Choices("kind", self._heard), Choices("class", self._heard)
        self._least = widgets.FloatSlider(
            0.0, min=0.0, max=1.0, step=0.05, description="confidence ≥", continuous_update=False
        )
        self._least.style.description_width = "initial"
        self._flags = {
            flag: widgets.Checkbox(True, description=f"show {words.tag}", indent=False) for flag, words in FLAGS.items()
        }
        self.box = widgets.Accordion(
            [widgets.HBox([self._kinds.box, self._classes.box, widgets.VBox([self._least, *self._flags.values()])])]
        )
        self.box.set_title(0, "Filters")
        for control in (self._least, *self._flags.values()):
            control.observe(self._heard, "value")

    def offer(self, nodes: pl.DataFrame) -> None:
        """Offer the kinds and classes of these nodes."""
        for choices, column in ((self._kinds, "relation_kind"), (self._classes, "edge_class")):
            choices.offer(nodes[column].drop_nulls().unique().sort().to_list())

    @property
    def shown(self) -> dict[str, Any]:
        """What is shown, as the picture takes it."""
        return {
            "kinds": self._kinds.chosen,
            "classes": self._classes.chosen,
            "minConfidence": self._least.value,
            **{flag: control.value for flag, control in self._flags.items()},
        }

    def of(self, nodes: pl.DataFrame) -> pl.DataFrame:
        """The nodes that pass; one without a confidence passes as long as none is asked for."""
        keep = pl.col("relation_kind").is_in(self._kinds.chosen) & pl.col("edge_class").is_in(self._classes.chosen)
        if self._least.value > 0:
            keep &= pl.col("confidence").fill_null(-1.0) >= self._least.value
        for flag, control in self._flags.items():
            if not control.value:
                keep &= ~pl.col(flag)
        return nodes.filter(keep)

    def _heard(self, _: Any) -> None:
        self._changed(self.shown)
