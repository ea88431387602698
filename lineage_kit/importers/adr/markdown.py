"""A Markdown file as front matter and lines of plain text in which links are still links (rules A1 and A5).

Parsed by markdown-it-py as CommonMark: code, inline HTML and what is fenced states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

FRONT = re.compile(r"\A---[ \t]*\n(.*?)(?:\n)?^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
PAIR = re.compile(r"([^\s:#][^:]*?)\s*:(?:\s+(.*))?$")
OPEN, SHUT = "\ue000", "\ue001"
"""Around the number of a link, in a text whose links are told beside it."""
NUMBERED = re.compile(r"^[\d.\s]+")


class Text(NamedTuple):
    """A paragraph, list item or heading: its text, with the numbers of its links in place of them."""

    text: str
    links: tuple[str, ...]


class Block(NamedTuple):
    """A text where it stands: the headings over it, whether it lies before the first of level 2, and its line."""

    text: Text
    section: str
    head: bool
    line: int


class Document(NamedTuple):
    """A file taken apart."""

    front: dict[str, list[str]]
    bad_front: bool
    title: str | None
    blocks: list[Block]
    body: str


def document(source: str) -> Document:
    r"""Take a file apart.

    Example:
        >>> found = document("---\nstatus: accepted\n---\n# 1. Cache\n\n## Links\n\n* Amends [two](2.md)\n")
        >>> found.front, found.title, [(block.section, block.text.links) for block in found.blocks]
        ({'status': ['accepted']}, '1. Cache', [('links', ('2.md',))])
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    matter = FRONT.match(source)
    front, bad = front_matter(matter[1]) if matter else ({}, False)
    body = source[matter.end() :] if matter else source
    skipped = source[: matter.end()].count("\n") if matter else 0
    title, blocks = _blocks(_parser().parse(body), skipped)
    return Document(front, bad, title, blocks, body.strip())


def front_matter(text: str) -> tuple[dict[str, list[str]], bool]:
    r"""The texts of front matter by their keys, folded; and whether it was no YAML, and read line by line.

    Example:
        >>> front_matter("Superseded-By: [0003, 0004]\ndate: 2026-01-02")
        ({'superseded by': ['0003', '0004'], 'date': ['2026-01-02']}, False)
        >>> front_matter("title: a: b\nstatus: accepted")
        ({'title': ['a: b'], 'status': ['accepted']}, True)
    """
    import yaml

    try:
        held = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        held = None
    if isinstance(held, dict):
        return {folded(key): _texts(value) for key, value in held.items() if isinstance(key, str)}, False
    pairs = [found for line in text.split("\n") if (found := PAIR.match(line.strip()))]
    return {folded(pair[1]): _texts((pair[2] or "").strip().strip("\"'")) for pair in pairs}, bool(text.strip())


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [one.strip() for one in listed if isinstance(one, str) and one.strip()]


def folded(name: str) -> str:
    """A key or a heading as they are compared: lower case, words apart by one blank, no number before, no colon.

    Example:
        >>> folded("3. Superseded_by:"), folded("supersedes-section-of")
        ('superseded by', 'supersedes section of')
    """
    words = re.sub(r"[\s_-]+", " ", name.replace(":", " ")).strip().casefold()
    return NUMBERED.sub("", words).strip() or words


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def inline(source: str) -> Text:
    """One line of Markdown by itself, such as a status in front matter."""
    return flattened(_parser().parseInline(source)[0].children or [])


def _blocks(tokens: Sequence[Token], skipped: int) -> tuple[str | None, list[Block]]:
    title: str | None = None
    section, head, level = "", True, 0
    blocks: list[Block] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "inline":
            text = flattened(token.children or [])
            if not level:
                blocks.append(Block(text, section, head, skipped + (token.map[0] if token.map else 0) + 1))
            elif level == 1 and title is None:
                title = shown(text)
            else:
                section = folded(shown(text))
                head = head and level == 1
    return title, blocks


def flattened(tokens: Sequence[Token]) -> Text:
    """The text of inline tokens: markup is gone, and a link stands as its number."""
    parts: list[str] = []
    links: list[str] = []
    open_links = 0
    for token in tokens:
        if token.type == "link_open":
            open_links += 1
            parts.append(f"{OPEN}{len(links)}{SHUT}")
            links.append(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            open_links -= 1
        elif open_links:
            continue
        elif token.type == "text":
            parts.append(token.content.replace(OPEN, "\ufffd").replace(SHUT, "\ufffd"))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif token.type == "code_inline":
            parts.append("\ufffc")  # stands in the way, and says nothing
    return Text("".join(parts), tuple(links))


def shown(text: Text) -> str:
    """A text without its links."""
    return re.sub(f"{OPEN}\\d+{SHUT}", "", text.text).replace("\ufffc", "").strip()


def lines(text: Text) -> Iterator[str]:
    """The lines of a text."""
    return iter(text.text.split("\n"))
