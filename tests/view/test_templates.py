"""The templates: every text is escaped, wherever it stands."""

import re
from pathlib import Path

import pytest

from lineage_kit.view import templates
from lineage_kit.view.summary import Notice, Summary
from lineage_kit.view.tables import html_of

HOSTILE = "</td><script>x</script>{{ 7 * 7 }}\"'&"


def test_every_text_of_a_summary_is_escaped():
    told = Summary(HOSTILE, [Notice("truncated", HOSTILE)], [HOSTILE], (HOSTILE,), [(HOSTILE,)], HOSTILE)
    html = html_of(told)
    assert html.count("&quot;&#x27;&amp;") == 6
    assert html.count("&lt;/td&gt;&lt;script&gt;x&lt;/script&gt;{{ 7 * 7 }}") == 6
    assert "<script" not in html
    assert "49" not in html


def test_a_message_is_escaped():
    assert templates.rendered("message.html", text="<b>", error=True) == (
        '<div role="alert" style="font-weight:bold">&lt;b&gt;</div>'
    )


@pytest.mark.parametrize("path", sorted(Path(templates.__file__).parent.glob("*.html")), ids=lambda path: path.name)
def test_only_texts_of_our_own_are_safe(path):
    text = path.read_text()
    safe = set(re.findall(r"(\w+)\|safe", text))
    for part in re.findall(r"{% autoescape false %}(.*?){% endautoescape %}", text, re.DOTALL):
        safe |= set(re.findall(r"{{ (.*?) }}", part))
    assert safe == ({"policy", "style", "json", "script"} if path.name == "page.html" else set())
