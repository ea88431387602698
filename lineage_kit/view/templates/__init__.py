"""The HTML of summaries, reports and pages: Jinja templates that escape every text, and what fills them."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from lineage_kit.view.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment


class Inert:
    """Markup of our own that goes into a template as it is; unlike Jinja's it is not copied, however large."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    __html__ = __str__


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
        finalize=_escaped,
    )
    environment.filters["visible"] = lambda value, limit: visible(str(value), limit)
    return environment


def _escaped(value: Any) -> Any:
    """Texts escaped as `html.escape` does: notebooks have stored quotes so, which Jinja by itself spells otherwise."""
    from markupsafe import Markup

    return value if hasattr(value, "__html__") else Markup(escape(str(value)))
