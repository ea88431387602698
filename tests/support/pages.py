"""A report taken apart: what a reader of it sees, tag by tag."""

from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt

VOID = {"meta"}
SHOWN = {tag: tag for tag in ("h1", "h2", "p", "li", "pre")} | {"th": "cell", "td": "cell"}


class Page(HTMLParser):
    """`tags` with their attributes, and `texts`, each with the tag it is in; both in order."""

    def __init__(self, text):
        super().__init__()
        self.tags: list[Any] = []
        self.texts: list[Any] = []
        self._open: list[Any] = []
        self.feed(text)
        self.close()
        assert self._open == [], "every tag is closed"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))
        if tag not in VOID:
            self._open.append(tag)
            self.texts.append((tag, ""))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and data.strip():
            self.texts[-1] = (self.texts[-1][0], self.texts[-1][1] + data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def seen(self):
        """What a reader sees, in order: (h1, h2, p, li, cell or pre, text)."""
        return [(SHOWN[tag], text) for tag, text in self.texts if tag in SHOWN]


def markdown(text):
    """The same of a Markdown report; it must hold nothing but headings, sentences, points, tables and blocks."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    html = html.replace('<pre><code class="language-text">', "<pre>").replace("\n</code></pre>", "</pre>")
    page = Page(html)
    assert {tag for tag, _ in page.tags} <= {*SHOWN, "ul", "table", "thead", "tbody", "tr"}
    return page.seen()
