"""Small static HTML: everything escaped, no script, no ids, no outside address; fit for GitHub and for nbval."""

from __future__ import annotations

from html import escape

from lineage_kit.view.summary import Summary

CELL = "text-align:left;padding:2px 8px;vertical-align:top"


def page_of(summary: Summary) -> str:
    """A summary as one HTML fragment.

    Example:
        >>> page_of(Summary("Lineage of <b>"))
        '<div><p><strong>Lineage of &lt;b&gt;</strong></p></div>'
    """
    parts = [f"<p><strong>{escape(summary.title)}</strong></p>"]
    if summary.warnings:
        parts.append(
            "<ul>" + "".join(f"<li><strong>{escape(text)}</strong></li>" for text in summary.warnings) + "</ul>"
        )
    parts += [f"<p>{escape(fact)}</p>" for fact in summary.facts]
    if summary.rows:
        head = "".join(f'<th style="{CELL}">{escape(name)}</th>' for name in summary.columns)
        body = "".join(
            "<tr>" + "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in row) + "</tr>"
            for row in summary.rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if summary.rest:
        parts.append(f"<p>{escape(summary.rest)}</p>")
    return "<div>" + "".join(parts) + "</div>"
