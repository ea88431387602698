"""What a display asks of a result, whichever it is: five functions that dispatch on the result's class.

Each file of `results/` answers them for one result. They are loaded when the first result is shown, so that a new
result is one new file there and nothing else, and a result that is never shown loads none.
"""

from __future__ import annotations

from functools import cache, singledispatch
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from lineage_kit.errors import InvalidRequest

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from lineage_kit.view.graph.data import GraphData
    from lineage_kit.view.summary import Summary


@singledispatch
def summary(result: Any) -> Summary:
    """A result in words.

    Raises:
        InvalidRequest: a value that is no result.

    Example:
        >>> summary(store.trace_lineage("decision", "d1")).title
        'Lineage of decision d1'
    """
    return _answered(summary, "summary", result)  # type: ignore[no-any-return]


@singledispatch
def tree(result: Any, limit: int | None = None) -> RenderableType:
    """A result as a tree for the terminal (many rows alone as a table), of at most `limit` nodes.

    Raises:
        InvalidRequest: a result that has none.
    """
    return _answered(tree, "tree", result, limit)  # type: ignore[no-any-return]


@singledispatch
def graph_data(result: Any, limit: int) -> GraphData:
    """A result as nodes and edges to draw, at first at most `limit` nodes.

    Raises:
        InvalidRequest: a result that has no picture, or a limit that is no positive integer.

    Example:
        >>> [node["id"] for node in graph_data(store.trace_lineage("decision", "d1"), 500).data["nodes"]]
        ['d1', 'e1', 'e2']
    """
    return _answered(graph_data, "graph", result, limit)  # type: ignore[no-any-return]


@singledispatch
def to_json(result: Any) -> str:
    """A result as JSON: keys as in its attributes and frames, a frame an array of its rows, times ISO 8601 in UTC.

    A lineage is an object: anchor (type, id), anchor_known, anchor_superseded, max_depth, supersede_limit, as_of,
    known_at, truncated, truncated_by, and the rows of nodes, edges and frontier. Rings are an object: anchor,
    anchor_known, relation_kind, unknown_kinds, direction, max_depth, as_of, known_at, truncated, nodes. An event trace
    is an object with its attributes (session, target, replaced_by, replacement_chain, …). A session lineage is an
    object: target, complete, root, unresolved_parent_id (ids), and sessions, the rows of its frame.

    Raises:
        InvalidRequest: a result that has no such form.

    Example:
        >>> print(to_json(pl.DataFrame({"type": ["decision"], "confidence": [0.5]})))
        [
          {
            "type": "decision",
            "confidence": 0.5
          }
        ]
    """
    return _answered(to_json, "JSON form", result)  # type: ignore[no-any-return]


@singledispatch
def csv_frame(result: Any, frame_name: str | None = None) -> pl.DataFrame:
    """The frame of a result that CSV, Parquet and tables show: its main one, or another of its frames by name.

    Raises:
        InvalidRequest: a result that has no frame.

    Example:
        >>> csv_frame(store.trace_lineage("decision", "d1"), "edges")["relation_kind"].to_list()
        ['supersedes', 'depends_on']
    """
    return _answered(csv_frame, "frame", result, frame_name)  # type: ignore[no-any-return]


@cache
def _load_results() -> None:
    """Let every file of `results/` register what it answers."""
    folder = import_module("lineage_kit.view.results")
    for module in iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{module.name}")


def _answered(function: Any, what: str, result: Any, *more: Any) -> Any:
    """The answer of a result's own file, which may not have been loaded yet."""
    _load_results()
    own = function.dispatch(type(result))
    if own is function.dispatch(object):
        raise InvalidRequest(f"{type(result).__name__} has no {what}")
    return own(result, *more)
