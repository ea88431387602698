"""A picture as one self-contained page: no address is ever asked for, and no text of the data becomes markup."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from functools import cache
from html import escape
from typing import Any

from lineage_kit.view.graph.assets import GRAPH, module, style
from lineage_kit.view.graph.data import Drawing
from lineage_kit.view.graph.vis_library import vis_script
from lineage_kit.view.text import visible

ROWS = 50
"""Rows of the table that a reader without JavaScript sees."""
PAGE_STYLE = (
    "html,body{margin:0}body{background:#fff;color:#1b1f24;font:14px/1.5 system-ui,sans-serif}"
    "@media (prefers-color-scheme:dark){body{background:#15181c;color:#e9ecef}}"
    "main>.lk-graph{height:100vh;min-height:720px;display:flex;flex-direction:column}"
    "main .lk-banner,main .lk-table{flex:none}main .lk-main{flex:1;min-height:0}main .lk-left{min-height:0}"
    "main .lk-stage{flex:1;height:auto;min-height:160px}main .lk-rows{height:190px}"
    "@media (max-width:760px){main>.lk-graph{height:auto}main .lk-stage{flex:none;height:420px}}"
    ".plain{padding:1rem}.plain table{border-collapse:collapse}"
    ".plain th,.plain td{border:1px solid;padding:.2rem .6rem;text-align:left}"
)
START = """
const main = document.querySelector("main");
const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);
main.lineage = draw(main, vis, data);
"""


@cache
def vis_module() -> str:
    """A statement that makes `vis`, the drawing library, a constant of the module it stands in; nothing global."""
    return (
        f"const vis = (() => {{ const exports = {{}}, module = {{ exports }};\n{vis_script()}\nreturn exports; }})();\n"
    )


def lineage_page(drawing: Drawing) -> str:
    """The page of a drawing, to be opened from disk, mailed or put on a server.

    It holds the drawing library, so it has half a megabyte at least. The same drawing gives the same text.

    Example:
        >>> import lineage_kit, polars as pl
        >>> from lineage_kit.view.graph.data import lineage_drawing
        >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
        ...     "source_type": ["decision"], "source_id": ["<d1>"], "target_type": ["evidence"],
        ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "<d1>")
        >>> page = lineage_page(lineage_drawing(trace))
        >>> "<title>Lineage of decision &lt;d1&gt;</title>" in page
        True
    """
    script = inert_script(f"{vis_module()}{module(GRAPH)}{START}")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(visible(drawing.title, 200))}</title>\n"
        f"<style>{PAGE_STYLE}\n{style('graph.css')}</style>\n</head>\n<body>\n<main></main>\n"
        f"<noscript>{_plain(drawing.data)}</noscript>\n"
        f'<script type="application/json">{inert_json(drawing.data)}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
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


def _plain(data: dict[str, Any]) -> str:
    """What a reader without JavaScript sees: title, warnings and the first nodes."""

    def text(value: object, limit: int = 80) -> str:
        return escape(visible(str(value), limit))

    parts = [f"<h1>{text(data['title'], 300)}</h1>"]
    parts += [f"<p><strong>{text(warning, 500)}</strong></p>" for warning in data["warnings"]]
    parts += [f"<p>{text(fact, 500)}</p>" for fact in data["facts"]]
    first = [node for node in data["nodes"] if node["kept"]][:ROWS]
    rows = [
        (node["depth"], node["hop"], node["type"], node["id"], node["label"] or "", ", ".join(node["flags"]))
        for node in first
    ]
    head = "".join(f"<th>{name}</th>" for name in ("Depth", "Hop", "Type", "Id", "Label", "Flags"))
    body = "".join("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if data["total"] > len(first):
        parts.append(f"<p>{len(first)} of {data['total']:,} nodes listed; with JavaScript there is a picture.</p>")
    return f'<div class="plain">{"".join(parts)}</div>'
