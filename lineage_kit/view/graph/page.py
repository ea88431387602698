"""A picture as one self-contained page: no address is ever asked for, and no text of the data becomes markup."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from functools import cache
from typing import Any

from lineage_kit.view.graph.assets import PAGE, module, style
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.vis_library import vis_script
from lineage_kit.view.templates import Inert, rendered
from lineage_kit.view.text import MARKS, visible

ROWS = 50
"""Rows of the table that a reader without JavaScript sees."""


@cache
def vis_module() -> str:
    """A statement that makes `vis`, the drawing library, a constant of the module it stands in; nothing global."""
    return (
        f"const vis = (() => {{ const exports = {{}}, module = {{ exports }};\n{vis_script()}\nreturn exports; }})();\n"
    )


def graph_page(graph: GraphData) -> str:
    """The page of a graph, to be opened from disk, mailed or put on a server.

    It holds the drawing library, so it has half a megabyte at least. The same graph gives the same text.

    Example:
        >>> from lineage_kit.view.generic import graph_data
        >>> page = graph_page(graph_data(store.trace_lineage("decision", "d1"), 500))
        >>> "<title>Lineage of decision d1</title>" in page
        True
    """
    script = inert_script(f"{vis_module()}{module(PAGE)}")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return rendered(
        "page.html",
        policy=policy,
        style=style("graph/graph.css"),
        data=graph.data,
        rows=_first_rows(graph.data),
        json=Inert(inert_json(graph.data)),
        script=Inert(script),
    )


def inert_json(data: Any) -> str:
    r"""JSON that may stand in a script element, whatever its texts hold: they are plain ASCII without `<`, `>`, `&`.

    Example:
        >>> print(inert_json({"label": "</script>\u2028"}))
        {"label":"\u003c/script\u003e\u2028"}
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text)


def inert_script(script: str) -> str:
    r"""A script of our own that may stand in a script element: what would end or confuse it is spelt out.

    Example:
        >>> print(inert_script('a = "</script>"; b = "<!--"'))
        a = "\x3c/script>"; b = "\x3c!--"
    """
    return re.sub(r"<(?=/?script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def _first_rows(data: dict[str, Any]) -> list[list[str]]:
    """The nodes that a reader without JavaScript sees."""
    first = [node for node in data["nodes"] if node["kept"]][:ROWS]
    rows = [
        (node["depth"], node["hop"], node["type"], node["id"], node["label"] or "", _flags(node["flags"]))
        for node in first
    ]
    return [[visible(str(cell), 80) for cell in row] for row in rows]


def _flags(names: list[str]) -> str:
    return ", ".join(MARKS[name].word for name in names)
