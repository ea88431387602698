"""What a person sees: text, HTML, trees and graphs, the same for notebooks, files and the terminal.

`generic` holds what a display asks of a result, `results` what each result answers; nothing else here tells one result
from another.
"""

from __future__ import annotations

from typing import Any

from lineage_kit.view import generic
from lineage_kit.view.tables import html_of
from lineage_kit.view.terminal import plain

__all__ = ["bundle"]


def bundle(result: Any) -> dict[str, str]:
    """Plain text and quiet HTML of a result: the same on every run, without scripts or element ids.

    Example:
        >>> print(bundle(store.trace_lineage("decision", "d1"))["text/plain"])
        Lineage of decision d1
        ! 1 node SUPERSEDED.
        1 premise over 1 level, 1 replacement (max_depth 5). Complete: nothing was cut.
        decision d1
        └── depth 1 · depends_on evidence e1 · asserted · SUPERSEDED
            └── depth 1, hop 1 · replaced by evidence e2 · asserted
    """
    told = generic.summary(result)
    return {"text/plain": plain(result, told), "text/html": html_of(told)}
