"""The HTML of summaries, reports and pages: Jinja templates that escape every text, and what fills them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lineage_kit.view.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: Any) -> str:
    """A template of this folder with its values; a text becomes markup only where the template says so.

    Example:
        >>> rendered("summary.html", told={"title": "a < b"})
        '<div><p><strong>a &lt; b</strong></p></div>'
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader  # what shows no HTML need not load it

    environment = Environment(
        loader=PackageLoader("lineage_kit.view", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["visible"] = lambda value, limit: visible(str(value), limit)
    return environment
