"""What decision records say of one another: phrases at the beginning of a line or of a part of one (rules A6 to A8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lineage_kit.importers.adr.markdown import OPEN, SHUT, Text

W = r"[\s-]+"
SUPERSEDED = r"(?:supersed(?:ed)|superced(?:ed)|superseeded|replaced|obsoleted|retired)"
SUPERSEDES = r"(?:supersedes?|supercedes?|superseeds?|replaces?|obsoletes?)"
PARTLY = r"(?:partly|partially|in[\s-]+part)"
BY = r"\s+by"


class Phrase(NamedTuple):
    """A phrase: the kind of relation, and whether it goes from what is named to this record."""

    kind: str
    reverse: bool


PHRASES: tuple[tuple[str, Phrase], ...] = (
    (
        rf"(?:provisionally|to\s+be|will\s+be|proposed\s+to\s+be)\s+{SUPERSEDED}{BY}",
        Phrase("proposes_to_supersede", True),
    ),
    (rf"{PARTLY}{W}{SUPERSEDED}{BY}|{SUPERSEDED}{W}in{W}part{BY}", Phrase("amends", True)),
    (rf"{PARTLY}{W}{SUPERSEDES}|{SUPERSEDES}{W}in{W}part", Phrase("amends", False)),
    (rf"superseded{W}section{BY}", Phrase("amends", True)),
    (rf"supersedes?{W}section{W}of", Phrase("amends", False)),
    (rf"{SUPERSEDED}{BY}", Phrase("supersedes", True)),
    (SUPERSEDES, Phrase("supersedes", False)),
    (rf"(?:amended|extended){W}in{W}part{BY}|(?:amended|updated|clarified|corrected){BY}", Phrase("amends", True)),
    (rf"(?:amends?|extends?){W}in{W}part|amends?|updates?|clarifies|clarify|corrects?", Phrase("amends", False)),
    (rf"(?:required|refined|extended|elaborated){BY}", Phrase("depends_on", True)),
    (
        r"depends?\s+on|requires?|builds?\s+on|based\s+on|derived\s+from|follows?\s+from|extends?|refines?|elaborates?",
        Phrase("depends_on", False),
    ),
    (r"relates\s+to|related(?:\s+to)?|see\s+also|conflicts?\s+with|complements?", Phrase("related", False)),
)
"""Each as it is written, any case, the longer before the shorter."""
SUBJECT = r"(?:this\s+(?:adr|decision|record)|we|it)\b\s*"
LEAD = re.compile(
    rf"[\s>*_~|•✅❌⚠️–—-]*(?:status\s*:\s*)?(?P<subject>{SUBJECT})?(?:(?:is|was|has\s+been)\s+)?(?:also\s+)?",
    re.IGNORECASE,
)
COMPILED = tuple((re.compile(rf"(?:{words})(?![\w-])\s*:?", re.IGNORECASE), phrase) for words, phrase in PHRASES)
LINK = re.compile(f"{OPEN}(\\d+){SHUT}")
NAMED = r"\badrs?[\s#-]*0*(?P<named>\d{1,6})(?![\w-])"
REFERENCE = re.compile(
    rf"{OPEN}(?P<link>\d+){SHUT}|{NAMED}|(?<![\w#./-])(?P<bare>0\d{{1,5}})(?![\w./-])", re.IGNORECASE
)
MENTION = re.compile(NAMED, re.IGNORECASE)
JOINED = re.compile(rf"\s*(?:,\s*and\b|,|&|\band\b)\s*(?:adrs?\s+(?={OPEN}))?(?=\S)", re.IGNORECASE)
HISTORY = re.compile(r"\(\s*was\b", re.IGNORECASE)
ENDS = re.compile(r";|[.!?](?=\s|$)")
NOTHING = re.compile(r"\s*(?:none|n/a|-|–|tbd)\s*$", re.IGNORECASE)


class Reference(NamedTuple):
    """What a record names: a link by its address, or another record by its number."""

    href: str | None = None
    number: int | None = None


class Statement(NamedTuple):
    """What a record says: the kind, whether the named one is the source, and what it names."""

    phrase: Phrase
    references: tuple[Reference, ...]


def statements(text: Text, before: str = "") -> Iterator[Statement]:
    """The statements of a paragraph, list item or line; `before` is read as if it stood before each of its lines.

    Example:
        >>> from lineage_kit.importers.adr.markdown import inline
        >>> [found] = statements(inline("Accepted (amends ADR-2 and [three](0003-x.md))"))
        >>> found.phrase.kind, found.references
        ('amends', (Reference(href=None, number=2), Reference(href='0003-x.md', number=None)))
    """
    for part in _parts(text.text):
        found = statement(f"{before} {part}" if before else part, text.links)
        if found is not None:
            yield found


def statement(part: str, links: tuple[str, ...]) -> Statement | None:
    """What one part of a text says, if it begins with a phrase that something follows."""
    begin = LEAD.match(part)
    start = begin.end() if begin else 0
    for at in dict.fromkeys((start, begin.start() if begin else 0)):
        for words, phrase in COMPILED:
            if found := words.match(part, at):
                references = tuple(_references(part[found.end() :], links))
                return Statement(phrase, references) if references else None
    return None


def prose(text: Text) -> Iterator[Statement]:
    """Lines of prose that begin with this record as their subject, and supersede or amend a linked one (rule A10)."""
    at = 0
    for line in text.text.split("\n"):
        begin = LEAD.match(line)
        if begin and begin["subject"]:
            found = statement(ENDS.split(text.text[at:])[0], text.links)
            if found is not None and found.phrase.kind in ("supersedes", "amends") and not found.phrase.reverse:
                linked = tuple(one for one in found.references if one.href is not None)
                if linked:
                    yield Statement(found.phrase, linked)
        at += len(line) + 1


def keyed(key: str, values: list[str]) -> Statement | None:
    """What an entry of front matter says: its key is a phrase, its values name records.

    Example:
        >>> keyed("superseded by", ["0009", "ADR-12"]).references
        (Reference(href=None, number=9), Reference(href=None, number=12))
        >>> keyed("superseded date", ["2026-01-01"]) is None
        True
    """
    from lineage_kit.importers.adr.markdown import inline

    for words, phrase in COMPILED:
        if words.fullmatch(key):
            found: list[Reference] = []
            for value in (part.strip() for one in values for part in _listed(one)):
                if value.isdecimal() and value.isascii():
                    found.append(Reference(number=int(value[:9])))
                elif not NOTHING.match(value):
                    text = inline(value)
                    named = list(_references(text.text, text.links))
                    is_path = re.fullmatch(r"[^\s\[\]()]*[^\W\d][^\s\[\]()]*", value) is not None
                    found += named or ([Reference(href=value)] if is_path else [])
            return Statement(phrase, tuple(dict.fromkeys(found))) if found else None
    return None


def _listed(value: str) -> list[str]:
    """The parts of a value between its commas, unless a link is in it."""
    return [value] if "](" in value else value.split(",")


def references_in(text: Text) -> list[Reference]:
    """Every link of a text, and every record that it names by its number."""
    links = [Reference(href=href) for href in text.links]
    return links + [Reference(number=int(found["named"])) for found in MENTION.finditer(text.text)]


def _references(rest: str, links: tuple[str, ...]) -> Iterator[Reference]:
    """The first reference after a phrase, and those joined to it by commas or `and` alone."""
    if NOTHING.match(rest.split("\n")[0]):
        return
    found = REFERENCE.search(rest)
    while found:
        if found["link"] is not None:
            yield Reference(href=links[int(found["link"])])
        else:
            yield Reference(number=int(found["named"] or found["bare"]))
        joined = JOINED.match(rest, found.end())
        found = REFERENCE.match(rest, joined.end()) if joined else None


def _parts(text: str) -> Iterator[str]:
    """Lines, and the parts of them: what history is goes, what stands in parentheses is apart."""
    history = HISTORY.search(text)
    outer, inner = _apart(text[: history.start()] if history else text)
    for whole in (outer, *inner):
        for sentence in ENDS.split(whole):
            lines = sentence.split("\n")
            yield from ("\n".join(lines[number:]) for number in range(len(lines)))


def _apart(text: str) -> tuple[str, list[str]]:
    """A text without what stands in parentheses, and each of these, without those in it."""
    outer: list[str] = []
    inner: list[str] = []
    open_parts: list[list[str]] = []
    for one in text:
        if one == "(":
            open_parts.append([])
        elif one == ")" and open_parts:
            inner.append("".join(open_parts.pop()))
        else:
            (open_parts[-1] if open_parts else outer).append(one)
    inner += ["".join(part) for part in open_parts]
    return "".join(outer), inner
