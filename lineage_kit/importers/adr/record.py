"""One decision record: its number, title, date and state, and what it says of others (rules A2 to A5 and A12)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from lineage_kit.importers.adr.markdown import Document, Text, folded, inline, shown
from lineage_kit.importers.adr.phrases import Reference, Statement, keyed, prose, references_in, statements
from lineage_kit.importers.relation_pipeline.times import micros_of

SECTIONS = {
    "status",
    "state",
    "links",
    "related",
    "related decisions",
    "related adrs",
    "see also",
    "references",
    "more information",
    "relations",
    "relationships",
    "supersession",
    "supersedes",
    "superseded by",
}
"""Where statements are read, beside front matter and head."""
SPOKEN = ("supersedes", "superseded by")
"""Headings that a line under them is read after."""
NO_RECORDS = {"readme", "index", "contributing", "changelog"}
DATED = re.compile(r"^(?P<date>\d{4}-\d{2}-\d{2}|\d{8})(?:[-_. ]|$)")
NUMBER = re.compile(r"^(?:adr[-_ #]*)?0*(?P<number>\d{1,6})(?=[-_. ]|$)", re.IGNORECASE)
WHOLE_NUMBER = re.compile(r"(?:adr[-_ #]*)?0*(\d{1,6})", re.IGNORECASE)
ISO = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
LEADING = re.compile(r"^(?:adr[-\s#]*)?\d+\s*(?:[.:)\u2013\u2014-]+\s*)?", re.IGNORECASE)
LABELLED = re.compile(r"^[\s>*_•-]*(?P<label>status|state|date)\s*:\s*(?P<value>.*)$", re.IGNORECASE)
STATES = {
    "accepted": (
        r"(?:partly|partially|in part) (?:superseded|superceded|superseeded|replaced)"
        r"|(?:superseded|superceded|superseeded|replaced) in part|provisionally (?:superseded|superceded|superseeded)"
        r"|amended|accepted|active|approved|implemented|adopted|done|agreed|ratified|final|reference"
    ),
    "proposed": r"proposed|draft|pending|(?:in|under) review|rfc|on hold|open",
    "rejected": r"rejected|declined|withdrawn|abandoned|moot|cancelled|canceled",
    "deprecated": r"deprecated|retired|obsolete|archived|historical",
    "superseded": r"superseded|superceded|superseeded|replaced|obsoleted",
}
"""The words that a status begins with, by the state that they mean."""
WORDS = tuple((state, re.compile(rf"(?:{words})\b")) for state, words in STATES.items())
ENDED = ("deprecated", "rejected")
"""States of what no longer stands, whether or not anything took its place."""


@dataclass
class Record:
    """A decision record.

    Attributes:
        id: its path below the folder given, without suffix.
        file: the same with suffix.
        number: what it is called by; None without one.
        date, superseded_date: microseconds since 1970.
        status: as it is written; `state` is what that means, None where it is not known.
        stated, prose: what it says of others, as its own statement, or in a line of prose.
        named: every link and every number in it.
    """

    id: str
    file: str
    number: int | None
    title: str | None
    date: int | None
    superseded_date: int | None
    status: str | None
    state: str | None
    body: str
    stated: list[Statement] = field(default_factory=list)
    prose: list[Statement] = field(default_factory=list)
    named: list[Reference] = field(default_factory=list)


def record_of(name: str, document: Document) -> Record | None:
    """The record that a file is; None for what is none."""
    path, stem = _without_suffix(name)
    number = _number(document, stem)
    status = _status(document)
    dated = DATED.match(stem)
    if "template" in stem.casefold() or stem.casefold() in NO_RECORDS:
        return None
    if status is not None and set(status) & set("|{"):
        return None
    if status is None and number is None and dated is None:
        return None
    title = document.title or next(iter(document.front.get("title", [])), None)
    record = Record(
        path,
        name,
        number,
        None if title is None else LEADING.sub("", title).strip() or title,
        _date(document, dated["date"] if dated else None),
        next((at for text in document.front.get("superseded date", []) if (at := iso_day(text)) is not None), None),
        status,
        state_of(status),
        document.body,
    )
    _listen(record, document)
    return record


def _listen(record: Record, document: Document) -> None:
    """Everything that a record says and names."""
    for key, values in document.front.items():
        if key == "status":
            for text in map(inline, values):
                record.stated += statements(text)
                record.named += references_in(text)
        elif (found := keyed(key, values)) is not None:
            record.stated.append(found)
    for block in document.blocks:
        record.named += references_in(block.text)
        if block.head or block.section in SECTIONS:
            before = block.section if block.section in SPOKEN and not block.head else ""
            if before:
                record.stated += statements(block.text, before)
            record.stated += statements(block.text)
        else:
            record.prose += prose(block.text)


def _without_suffix(name: str) -> tuple[str, str]:
    """A path without the suffixes of its file, and the name of that alone.

    Example:
        >>> _without_suffix("docs/adr/0001-x.md.gz")
        ('docs/adr/0001-x', '0001-x')
    """
    folder, slash, last = name.rpartition("/")
    for endings in ((".gz", ".zst", ".zstd"), (".md", ".markdown", ".mdx")):
        ending = next((one for one in endings if last.lower().endswith(one)), "")
        last = last[: len(last) - len(ending)]
    return f"{folder}{slash}{last}", last


def _number(document: Document, stem: str) -> int | None:
    for key in ("id", "number", "adr"):
        for text in document.front.get(key, []):
            if found := WHOLE_NUMBER.fullmatch(text):
                return int(found[1])
    found = NUMBER.match(DATED.sub("", stem))
    return int(found["number"]) if found else None


def _status(document: Document) -> str | None:
    """The status as it is written: in front matter, a line of the head, or the first of its section."""
    if told := document.front.get("status"):
        return shown(inline(told[0])) or told[0]
    for block in document.blocks:
        for line in _lines(block.text):
            labelled = LABELLED.match(line)
            if block.head and labelled and labelled["label"].casefold() != "date":
                return labelled["value"].strip() or None
            if block.section in ("status", "state") and line.strip():
                return (labelled["value"] if labelled else line).strip() or None
    return None


def _date(document: Document, in_name: str | None) -> int | None:
    """The first ISO date that front matter, head, a section or the name tells (rule A4)."""
    told = [text for key in ("date", "decision date") for text in document.front.get(key, [])]
    for block in document.blocks:
        for line in _lines(block.text):
            labelled = LABELLED.match(line)
            if block.head and labelled and labelled["label"].casefold() == "date":
                told.append(labelled["value"])
    told += [line for block in document.blocks if block.section == "date" for line in _lines(block.text)]
    if in_name is not None:
        told.append(in_name if "-" in in_name else f"{in_name[:4]}-{in_name[4:6]}-{in_name[6:]}")
    return next((at for text in told if (at := iso_day(text)) is not None), None)


def iso_day(text: str) -> int | None:
    """The midnight in UTC of the first ISO date in a text that is one.

    Example:
        >>> iso_day("on 1970-01-02, I think"), iso_day("2023-13-10")
        (86400000000, None)
    """
    for found in ISO.findall(text):
        try:
            day = date.fromisoformat(found)
        except ValueError:
            continue
        return micros_of(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return None


def state_of(status: str | None) -> str | None:
    """What the first words of a status mean; None for words that are not known.

    Example:
        >>> state_of("Superseded-in-part by 3"), state_of("**Accepted** (2026)"), state_of("Superceded")
        ('accepted', 'accepted', 'superseded')
        >>> state_of("Maybe") is None
        True
    """
    if status is None:
        return None
    words = re.sub(r"^[\W_]+", "", folded(status.replace("*", " ")))
    return next((state for state, known in WORDS if known.match(words)), None)


def _lines(text: Text) -> list[str]:
    return shown(text).split("\n")
