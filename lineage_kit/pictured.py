"""What results that can be drawn have in common: three thin methods, which import `view` when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipywidgets import DOMWidget
    from pyvis.network import Network


class Pictured:
    """A result with a picture."""

    def graph(self, *, limit: int = 500) -> Network:
        """The picture as a `pyvis.network.Network`, to change, or to save in pyvis's own ways.

        Args:
            limit: how many nodes to draw; of a larger answer, the most important of each level.

        Raises:
            InvalidRequest: a limit that is no positive integer.

        Example:
            >>> import lineage_kit, polars as pl
            >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
            >>> trace.graph().num_nodes()
            2
        """
        from lineage_kit.view.drawable import graph

        return graph(self, limit)

    def to_html(self, path: str | Path | None = None, *, limit: int = 500) -> str:
        """The picture as one page that needs no network: returned as text, and written whole to `path` if given.

        The same result gives the same page.

        Args:
            path: where to write it.
            limit: how many nodes to draw at first; the reader can open the rest of a level.

        Raises:
            InvalidRequest: a place that cannot be written to, or a limit that is no positive integer.

        Example:
            >>> import lineage_kit, polars as pl
            >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
            >>> "Lineage of decision d1" in trace.to_html()
            True
        """
        from lineage_kit.view.drawable import to_html

        return to_html(self, path, limit)

    def show(self, *, limit: int = 500) -> DOMWidget:
        """The picture as a live widget, for a notebook.

        Its `selected` is the number of the node that was clicked (in `drawing["nodes"]`), or None.

        Args:
            limit: how many nodes to draw at first; the reader can open the rest of a level.

        Raises:
            InvalidRequest: a limit that is no positive integer.

        Example:
            >>> import lineage_kit, polars as pl
            >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
            ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
            ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
            >>> trace.show().drawing["title"]
            'Lineage of decision d1'
        """
        from lineage_kit.view.drawable import show

        return show(self, limit)
