"""What results have in common: thin methods that show them, which import `view` when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipywidgets import DOMWidget
    from pyvis.network import Network


class Displayed:
    """A result that a notebook shows as quiet HTML, and as plain text where there is no HTML."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lineage_kit.view import bundle

        return bundle(self)


class Pictured(Displayed):
    """A result with a picture."""

    def graph(self, *, limit: int = 500) -> Network:
        """The picture as a `pyvis.network.Network`, to change, or to save in pyvis's own ways.

        Args:
            limit: how many nodes to draw; of a larger answer, the most important of each level.

        Returns:
            A network of its own each time, with every node in its place; its page needs no network.

        Raises:
            InvalidRequest: a limit that is no positive integer.

        Example:
            >>> store.trace_lineage("decision", "d1").graph().num_nodes()
            3
        """
        from lineage_kit.view.drawable import graph

        return graph(self, limit)

    def to_html(self, path: str | Path | None = None, *, limit: int = 500) -> str:
        """The picture as one page that needs no network: returned as text, and written whole to `path` if given.

        The same result gives the same page.

        Args:
            path: where to write it.
            limit: how many nodes to draw at first; the reader can open the rest of a level.

        Returns:
            The page as text.

        Raises:
            InvalidRequest: a place that cannot be written to, or a limit that is no positive integer.

        Example:
            >>> "Lineage of decision d1" in store.trace_lineage("decision", "d1").to_html()
            True
        """
        from lineage_kit.view.drawable import to_html

        return to_html(self, path, limit)

    def show(self, *, limit: int = 500) -> DOMWidget:
        """The picture as a live widget, for a notebook.

        Args:
            limit: how many nodes to draw at first; the reader can open the rest of a level.

        Returns:
            A widget whose `drawing` is what it shows, as plain data, and whose `selected` is the number of the node
            that was clicked (in `drawing["nodes"]`), or None.

        Raises:
            InvalidRequest: a limit that is no positive integer.

        Example:
            >>> store.trace_lineage("decision", "d1").show().drawing["title"]
            'Lineage of decision d1'
        """
        from lineage_kit.view.drawable import show

        return show(self, limit)
